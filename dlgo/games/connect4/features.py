"""Features of a move in Connect Four for a linear policy: fours, gifts, the cell, the stones
around.

All values are from the view of the player to move; mirror images have equal values. `board.py`
holds the stones; `kernel.py` registers `move_features` with `dlgo.kernels`.
"""

from __future__ import annotations

import numpy as np

from dlgo.games.classes import classes, contents
from dlgo.games.connect4.board import (
    BOTTOM,
    COLS,
    COLUMN,
    FULL,
    ROWS,
    STRIDE,
    TURN,
    ConnectFourState,
    has_four,
)
from dlgo.jit import inline_kernel, kernel

# The bits of `outcome`: the play wins; it takes a cell where the other player would win; the
# other player, or the mover, would win in the cell above, which the play opens to the other one.
WINS, BLOCKS, GIVES, SPOILS = 1, 2, 4, 8
# The possible contents of a neighbour.
_OWN, _OTHER, _EMPTY, _BORDER = range(4)


def _shape_classes() -> tuple[np.ndarray, int]:
    """Classes of the eight cells around a landing cell, row by row from below."""
    content = contents(8, 2)
    mirror = [2, 1, 0, 4, 3, 7, 6, 5]
    possible = np.isin(content[:, 1], (_OWN, _OTHER, _BORDER))  # a stone lies on something
    possible &= np.isin(content[:, 6], (_EMPTY, _BORDER))
    for column in ((0, 3, 5), (2, 4, 7)):
        below, beside, above = (content[:, place] for place in column)
        possible &= (below != _EMPTY) | (beside >= _EMPTY) & (above >= _EMPTY)
        possible &= (beside != _EMPTY) | (above >= _EMPTY)
        # The edges below and above extend over all three cells; an edge beside is a whole column.
        outside = beside == _BORDER
        possible &= np.where(
            outside, (below == _BORDER) & (above == _BORDER),
            ((below == _BORDER) == (content[:, 1] == _BORDER))
            & ((above == _BORDER) == (content[:, 6] == _BORDER)),
        )
    return classes(content, 2, [range(8), mirror], possible)


SHAPES, N_SHAPES = _shape_classes()
_HALF = (COLS + 1) // 2

SLOTS = (
    ("outcome: wins, blocks, gives the cell above, spoils it", 16),
    ("cell: row, and distance of its column from the nearest side", ROWS * _HALF),
    ("shape: the 3x3 pattern around the cell", N_SHAPES),
)


@kernel
def move_features(
    state: ConnectFourState, actions: np.ndarray, n: int, scratch: np.ndarray, out: np.ndarray,
) -> None:
    words = state.words
    own, opponent = words[words[TURN]], words[1 - words[TURN]]
    free = ((own | opponent) + BOTTOM) & FULL
    for i in range(n):
        col = actions[i]
        cell = free & (COLUMN << (STRIDE * col))
        above = (cell << 1) & FULL
        outcome = 0
        if has_four(own | cell):
            outcome |= WINS
        if has_four(opponent | cell):
            outcome |= BLOCKS
        if above and has_four(opponent | above):
            outcome |= GIVES
        if above and has_four(own | above):
            outcome |= SPOILS
        row = 0
        while (cell >> (STRIDE * col + row)) & 1 == 0:
            row += 1
        out[i, 0] = outcome
        out[i, 1] = row * _HALF + min(col, COLS - 1 - col)
        out[i, 2] = SHAPES[shape_index(own, opponent, row, col)]


@inline_kernel
def shape_index(own: int, opponent: int, row: int, col: int) -> int:
    """The number of the eight cells around a cell, row by row from below."""
    index = 0
    shift = 0
    for up in (-1, 0, 1):
        for right in (-1, 0, 1):
            if up == 0 and right == 0:
                continue
            y, x = row + up, col + right
            kind = _BORDER
            if 0 <= y < ROWS and 0 <= x < COLS:
                bit = STRIDE * x + y
                kind = _OWN if (own >> bit) & 1 else (_OTHER if (opponent >> bit) & 1 else _EMPTY)
            index |= kind << shift
            shift += 2
    return index
