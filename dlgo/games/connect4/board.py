"""The board of Connect Four: bitboards, and four in a row, compiled.

Each column takes seven bits: six cells from the bottom up and one that stays empty, so that
lines never run from the top of a column into the next.

     6 13 20 27 34 41 48     (always empty)
     5 12 19 26 33 40 47     top row
     ...
     0  7 14 21 28 35 42     bottom row

The layout is John Tromp's.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dlgo.jit import inline_kernel, kernel

ROWS, COLS = 6, 7
STRIDE = ROWS + 1
CELLS = ROWS * COLS
COLUMN = (1 << ROWS) - 1
BOTTOM = sum(1 << (STRIDE * col) for col in range(COLS))
FULL = BOTTOM * COLUMN

# Indices into the state's words.
STONES_0, STONES_1, TURN, WINNER, KEY = range(5)
NOBODY = 2


class ConnectFourState(NamedTuple):
    """words: int64[5] = stones of player 0, of player 1, whose turn, winner, key."""

    words: np.ndarray


def new_state() -> ConnectFourState:
    """Arrays for one position, not yet reset."""
    return ConnectFourState(np.zeros(5, np.int64))


@kernel
def has_four(stones: int) -> bool:
    """Whether a set of stones holds four in a row: vertical, horizontal, both diagonals."""
    for step in (1, STRIDE, STRIDE + 1, STRIDE - 1):
        pairs = stones & (stones >> step)
        if pairs & (pairs >> (2 * step)):
            return True
    return False


@inline_kernel
def winning_cells(stones: int, mask: int) -> int:
    """The empty cells, reachable now or not, that would complete a four of `stones`.

    After Pascal Pons (blog.gamesolver.org, part 9). `mask`: all stones.
    """
    cells = (stones << 1) & (stones << 2) & (stones << 3)
    for step in (STRIDE, STRIDE - 1, STRIDE + 1):
        pair = (stones << step) & (stones << 2 * step)
        cells |= pair & (stones << 3 * step)  # XXX_
        cells |= pair & (stones >> step)  # XX_X
        pair = (stones >> step) & (stones >> 2 * step)
        cells |= pair & (stones << step)  # X_XX
        cells |= pair & (stones >> 3 * step)  # _XXX
    return cells & (FULL ^ mask)


@inline_kernel
def playable(mask: int) -> int:
    """The lowest empty cell of each column: where the bottom row, added, carries to."""
    return (mask + BOTTOM) & FULL
