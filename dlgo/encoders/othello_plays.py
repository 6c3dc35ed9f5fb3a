"""Othello with the cells where each player can play.

Mobility decides most of a game (Rosenbloom 1982). To find the plays, a network would have to
follow lines of discs across the board; the rules have found them already.
"""

from __future__ import annotations

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec
from dlgo.bits import lowest_bit
from dlgo.encoders.base import Encoder, encode, make_shape
from dlgo.encoders.generic import BLACK_TO_MOVE, Planes, piece_docs, show_stones
from dlgo.games.othello.kernel import PLAYS, SIZE, OthelloState
from dlgo.jit import kernel

_PLAYS = 3  # the first of two planes


class WithPlays(Planes):
    """The fields of `Planes`."""


def plays(game: GameSpec) -> Encoder:
    """Discs, the player to move, and the cells where either player could play now."""
    docs = (*piece_docs(game), BLACK_TO_MOVE,
            "cells where the player to move can play", "cells where the opponent could play")
    parts = WithPlays(make_shape(game, len(docs)), np.ones(1, np.int64))
    return Encoder("plays", game, docs, parts)


@kernel
def _plays(encoder: WithPlays, window: OthelloState, n_states: int, out: np.ndarray) -> None:
    state = kernels.row(window, 0)
    show_stones(encoder, state, out)
    player = kernels.to_move(state)
    for row in range(state.words[SIZE]):
        for offset in range(2):
            plays = state.rows[PLAYS + (player ^ offset), row + 1]
            while plays:
                out[row, lowest_bit(plays) - 1, _PLAYS + offset] = 1.0
                plays &= plays - 1


encode.register(WithPlays, _plays)
