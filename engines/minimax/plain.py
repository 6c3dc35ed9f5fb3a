"""The engine `minimax`: the textbook's search (`textbook.py`) without cuts.

It is the reference for tests of faster searches. Without a depth it searches to the end of the
game, and rejects games that are too large for this.
"""

from __future__ import annotations

from dlgo.api import GameSpec, GameState
from dlgo.errors import SpecError
from engines.base import Budget
from engines.minimax.textbook import TextbookAlphaBeta

# Limit for a whole tree; Python searches about 100,000 positions a second.
MOST_POSITIONS = 2_000_000


class MinimaxEngine(TextbookAlphaBeta):
    """Perfect play in small games; with `depth`, minimax to a limited depth."""

    name = "minimax"
    summary = "plain minimax in Python, without cuts: small games to the end, or a limited depth"
    budgets = ("depth",)
    default_budget = Budget()
    moves_of, cuts = staticmethod(GameState.legal_moves), False

    def _set_up(self) -> None:
        super()._set_up()
        if self.budget.depth is None and not is_small(self.game):
            raise SpecError(
                f"engine minimax: {self.game} has more than {MOST_POSITIONS:,} positions to "
                "search; limit the depth (minimax:depth=3) or use alphabeta"
            )


def is_small(game: GameSpec) -> bool:
    """Whether all lines of play from the start have at most MOST_POSITIONS positions."""
    start = GameState.new_game(game).kernel_state
    plies, total, last = 0, 1, 1
    while last > 0 and total <= MOST_POSITIONS:
        plies += 1
        most = game.num_actions * last
        if most > 100 * MOST_POSITIONS:  # too many to be counted, let alone to be searched
            return False
        last = game.count_sequences(start, plies)
        total += last
    return total <= MOST_POSITIONS
