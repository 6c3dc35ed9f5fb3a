"""Exact results in place of those that self-play came to, from some ply on; exact moves, too.

The result of a game is a poor teacher of positions early in it: between a position and the end lie
moves that were drawn for variety, and mistakes. Where positions late in a game can be solved, their
results are exact, and the result of the first of them is nearer to the worth of those before it.
Leela Chess Zero corrects its training games in the same way, with tables of endgames.

A search of a hundred simulations errs as well, and so the policy that is learned from it. What is
left of its visits, once those of mistakes are taken away, does not.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dlgo.games.connect4.board import COLS, ROWS, STRIDE
from engines.learning.data.records import (
    EXACT,
    FULL_SEARCH,
    LABELLED,
    SHARE_SCALE,
    VALUE_SCALE,
    GameData,
)
from engines.solver.solver import Solver, along

# 128 MB. Games begin alike: what was solved for one is met again in others.
_TABLE_BITS = 24


class ExactResults:
    """Puts exact results in place of those that were played. For Connect Four.

    Args:
        first: the ply from which on positions are solved. From the 13th on that takes some 9 ms a
            game, from the first on 35, since those up to the ninth are in the solver's book.
        moves: whether mistakes are taken out of the policies of solved positions. All of these are
            then learned: the random ones at the beginning, and those after short searches.
    """

    def __init__(self, first: int, moves: bool = False) -> None:
        self._first, self._moves = first, moves
        self._solver = Solver(_TABLE_BITS)

    def corrected(self, data: GameData) -> GameData:
        """A game whose values are exact from the first solved ply on, and its result that ply's.

        A game that is over before stays as it is.
        """
        first = self._first
        positions = along(data.actions.tolist())[first:]
        if not len(positions):
            return data
        # Backwards: what the solver finds out about the end helps it with what comes before.
        results = self._solver.outcomes(positions[::-1])[::-1]
        values, flags = data.values.copy(), data.flags.copy()
        if self._moves:
            kept = self._solver.keeping_moves(positions[::-1], results[::-1])[::-1]
            flags[first:] |= LABELLED
            # Where no move is a mistake, the solver has nothing to teach of the policy.
            flags[first:][(kept != _open_columns(positions)).any(axis=1)] |= FULL_SEARCH
            data = _without_mistakes(data, first, kept)
        known = flags[first:] & LABELLED > 0
        values[first:][known] = VALUE_SCALE * results[known]
        flags[first:][known] |= EXACT
        result = int(results[0]) * (1 - 2 * (first % 2))
        return replace(data, values=values, flags=flags, result=result)


def _open_columns(positions: np.ndarray) -> np.ndarray:
    """The columns that are not full, bool[n, 7]."""
    highest = STRIDE * np.arange(COLS) + ROWS - 1
    return positions[:, 1:] >> highest & 1 == 0


def _without_mistakes(data: GameData, first: int, kept: np.ndarray) -> GameData:
    """A game whose policies have the moves of `kept`, bool[n, 7], alone, from ply `first` on.

    Their shares remain in proportion. A ply without any, such as a random one, has all of them
    alike. The move that counts as chosen is one of the policy's favourites.
    """
    shares = np.zeros((len(data.actions), kept.shape[1]), np.int64)
    plies = np.repeat(np.arange(len(shares)), data.counts)
    shares[plies, data.policy_actions] = data.policy_shares
    shares[first:][~kept] = 0
    most = shares[first:].max(axis=1, keepdims=True)
    shares[first:] = np.where(
        most > 0, np.rint(SHARE_SCALE * shares[first:] / np.maximum(most, 1)), SHARE_SCALE * kept)
    chosen = data.chosen[first:]
    gone = shares[first + np.arange(len(chosen)), chosen] < SHARE_SCALE
    chosen = np.where(gone, shares[first:].argmax(axis=1), chosen)
    plies, actions = np.nonzero(shares)
    return replace(
        data, chosen=np.append(data.chosen[:first], chosen),
        counts=np.bincount(plies, minlength=len(shares)), policy_actions=actions,
        policy_shares=shares[plies, actions].astype(np.uint8),
    )
