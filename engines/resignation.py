"""When a player gives up: one rule for every engine and for self-play (chapter 8.3).

A player resigns if their expected share of the wins has stayed below a threshold for several
decisions in a row. One bad estimate may be an accident of the search; several in a row
seldom are.
"""

from __future__ import annotations


class Resignation:
    """Watches the estimates of one player in one game.

    Args:
        below: expected share of the wins, 0 to 1, a draw being half a win; 0: never resign.
        patience: decisions in a row with a share below that.
    """

    def __init__(self, below: float, patience: int) -> None:
        self._below, self._patience = below, patience
        self._hopeless = 0

    @property
    def possible(self) -> bool:
        """Whether the player resigns at all."""
        return self._below > 0

    def reset(self) -> None:
        """Forget earlier estimates, as at the start of a game."""
        self._hopeless = 0

    def update(self, value: float) -> bool:
        """Whether to resign now.

        Args:
            value: expected result for the player, -1 (loss) to +1 (win).
        """
        share = 0.5 + 0.5 * value
        self._hopeless = self._hopeless + 1 if share < self._below else 0
        return self.possible and self._hopeless >= self._patience
