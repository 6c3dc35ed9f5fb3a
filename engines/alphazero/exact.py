"""Results by perfect play in games of self-play, from some ply on.

The result of a game is a poor teacher of positions early in it: between a position and the end lie
moves that were drawn for variety, and mistakes. Where positions late in a game can be solved, their
results are exact, and the result of the first of them is nearer to the worth of those before it.
Leela Chess Zero corrects its training games in the same way, with tables of endgames.
"""

from __future__ import annotations

from dataclasses import replace

from engines.learning.data.records import EXACT, LABELLED, VALUE_SCALE, GameData
from engines.solver.solver import Solver, along

# 128 MB. Games begin alike: what was solved for one is met again in others.
_TABLE_BITS = 24


class ExactResults:
    """Puts exact results in place of those that were played. For Connect Four.

    Args:
        first: the ply from which on positions are solved. From the 13th on that takes some 9 ms a
            game, from the first on 35, since those up to the ninth are in the solver's book.
    """

    def __init__(self, first: int) -> None:
        self._first = first
        self._solver = Solver(_TABLE_BITS)

    def corrected(self, data: GameData) -> GameData:
        """A game whose values are exact from the first solved ply on, and its result that ply's.

        A game that is over before stays as it is.
        """
        positions = along(data.actions.tolist())[self._first :]
        if not len(positions):
            return data
        # Backwards: what the solver finds out about the end helps it with what comes before.
        results = self._solver.outcomes(positions[::-1])[::-1]
        known = data.flags[self._first :] & LABELLED > 0
        values, flags = data.values.copy(), data.flags.copy()
        values[self._first :][known] = VALUE_SCALE * results[known]
        flags[self._first :][known] |= EXACT
        mover = self._first % 2
        return replace(data, values=values, flags=flags, result=int(results[0]) * (1 - 2 * mover))
