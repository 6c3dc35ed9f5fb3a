"""Exact liberties of all chains at once, for encoders.

The board keeps pseudo-liberties, which only distinguish one liberty from several. Here every empty
point is added to the chains around it, which takes a few hundred nanoseconds on a 9x9 board, for
any length of the chains.
"""

from __future__ import annotations

import numpy as np

from dlgo.bits import int64, popcount
from dlgo.games.go.board import KO, N_EMPTY, NOWHERE, SIZE, WHITE, GoState, is_playable
from dlgo.games.go.kernel import repeats
from dlgo.jit import inline_kernel

SET_BITS = 64


def set_words(size: int) -> int:
    """The number of words of a set of points of a bordered board."""
    return -(-((size + 2) ** 2) // SET_BITS)


@inline_kernel
def count_liberties(state: GoState, counts: np.ndarray) -> None:
    """Write each chain's number of liberties at the point that names it; int16[cells]."""
    color, chain = state.color, state.chain
    width = state.info[SIZE] + 2
    for i in range(len(counts)):
        counts[i] = 0
    for i in range(state.info[N_EMPTY]):
        point = int64(state.empties[i])
        first, second, third = NOWHERE, NOWHERE, NOWHERE  # chains that already have this point
        for step in (1, -1, width, -width):
            if color[point + step] > WHITE:
                continue
            name = int64(chain[point + step])
            if name not in (first, second, third):
                counts[name] += 1
                third, second, first = second, first, name


@inline_kernel
def list_liberties(state: GoState, sets: np.ndarray, counts: np.ndarray) -> None:
    """Write each chain's liberties as a set of points, and their number; both at the chain's name.

    Args:
        sets: int64[cells, words]; bit p % 64 of word p // 64 is point p.
        counts: int16[cells].
    """
    color, chain = state.color, state.chain
    width = state.info[SIZE] + 2
    for i in range(sets.shape[0]):
        for j in range(sets.shape[1]):
            sets[i, j] = 0
        counts[i] = 0
    for i in range(state.info[N_EMPTY]):
        point = int64(state.empties[i])
        word, bit = point // SET_BITS, int64(1) << (point % SET_BITS)
        for step in (1, -1, width, -width):
            if color[point + step] <= WHITE:
                name = int64(chain[point + step])
                counts[name] += (sets[name, word] & bit) == 0
                sets[name, word] |= bit


@inline_kernel
def size_of_set(points: np.ndarray) -> int:
    """The number of points in a set, int64[words]."""
    n = 0
    for i in range(len(points)):
        n += popcount(points[i])
    return n


@inline_kernel
def violates_ko(state: GoState, point: int, player: int) -> bool:
    """Whether a play is forbidden by the ko rules only: simple ko or superko."""
    if point == state.info[KO]:
        return True
    return is_playable(state, point, player) and repeats(state, point)
