"""Connect Four with its threats shown: what a player sees first (compare chapter 13.1.2).

AlphaGo's planes spare the network from counting liberties and reading ladders. What liberties are
in Go, *threats* are here: empty cells that would complete four in a row. Who has them, in which
row, and which cells can be reached now, decides most games (Allis 1988). Nothing is searched:
the planes say what lies on the board, not what will happen.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec
from dlgo.encoders.base import Encoder, clear, encode, make_shape
from dlgo.encoders.generic import BLACK_TO_MOVE
from dlgo.games.connect4.kernel import BOTTOM, COLS, FULL, ROWS, STRIDE, TURN, has_four
from dlgo.jit import kernel

DOCS = (
    "own stones", "other's stones", BLACK_TO_MOVE,
    "own threats: empty cells that would complete an own four",
    "other's threats: empty cells that would complete the other's four",
    "landing cells: where a stone can be put now",
)


class Threats(NamedTuple):
    """shape: see `base`."""

    shape: np.ndarray


def threats(game: GameSpec) -> Encoder:
    """Stones, whose turn it is, threats of both, landing cells."""
    return Encoder("threats", game, DOCS, Threats(make_shape(game, len(DOCS))))


@kernel
def _threats(encoder, window, known, out):
    clear(out)
    state = kernels.row(window, 0)
    words = state.words
    own, other = words[words[TURN]], words[1 - words[TURN]]
    landing = ((own | other) + BOTTOM) & FULL
    for row in range(ROWS):
        for col in range(COLS):
            cell = 1 << (STRIDE * col + row)
            if own & cell:
                out[row, col, 0] = 1.0
            elif other & cell:
                out[row, col, 1] = 1.0
            else:
                if has_four(own | cell):
                    out[row, col, 3] = 1.0
                if has_four(other | cell):
                    out[row, col, 4] = 1.0
                if landing & cell:
                    out[row, col, 5] = 1.0
    if words[TURN] == 0:
        kernels.fill_plane(out, 2, 1.0)


encode.register(Threats, _threats)
