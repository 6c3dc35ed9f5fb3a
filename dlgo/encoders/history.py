"""The encoder `zero`: the pieces now and in the seven positions before, and the colour.

This is the input of AlphaGo Zero (Silver et al. 2017, "Mastering the game of Go without human
knowledge", Methods): for Go 17 planes, [own, opponent's] eight times, the newest first, and the
player to move. No liberties, no ko: the network can learn them from the past. It works for every
game; kinds of pieces have planes of their own. "Own" is the player to move now, in the older
positions too, so it may move twice in a row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec
from dlgo.encoders.base import COLS, HISTORY, ROWS, Encoder, clear, encode, make_shape
from dlgo.encoders.generic import BLACK_TO_MOVE
from dlgo.jit import kernel
from dlgo.kernels import KernelState
from dlgo.text import number_of

POSITIONS = 8


class Zero(NamedTuple):
    """shape: see `base`; kinds: int64[1], how many kinds of pieces the game has."""

    shape: np.ndarray
    kinds: np.ndarray


def zero(game: GameSpec) -> Encoder:
    """The pieces now and in the seven positions before, and the player to move (AlphaGo Zero).

    Planes of positions before the first move are zero.
    """
    docs = []
    for ago in range(POSITIONS):
        when = "" if ago == 0 else f" {number_of(ago, 'ply', 'plies')} ago"
        docs += [f"own: {kind}{when}" for kind in game.piece_kinds]
        docs += [f"opponent's: {kind}{when}" for kind in game.piece_kinds]
    docs.append(BLACK_TO_MOVE)
    kinds = np.array([len(game.piece_kinds)], np.int64)
    shape = make_shape(game, len(docs), history=POSITIONS - 1)
    return Encoder("zero", game, tuple(docs), Zero(shape, kinds))


@kernel
def _zero(encoder: Zero, window: KernelState, n_states: int, out: np.ndarray) -> None:
    clear(out)
    player = kernels.to_move(kernels.row(window, 0))
    rows, cols, kinds = encoder.shape[ROWS], encoder.shape[COLS], encoder.kinds[0]
    for ago in range(min(n_states, encoder.shape[HISTORY] + 1)):
        state = kernels.row(window, ago)
        first = 2 * kinds * ago
        for row in range(rows):
            for col in range(cols):
                piece = kernels.piece(state, row * cols + col)
                if piece != kernels.NOBODY:
                    out[row, col, first + kinds * ((piece & 1) ^ player) + (piece >> 1)] = 1.0
    if player == 0:
        kernels.fill_plane(out, 2 * kinds * POSITIONS, 1.0)


encode.register(Zero, _zero)
