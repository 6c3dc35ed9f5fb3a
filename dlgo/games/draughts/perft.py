"""Perft: counting the move sequences of a given length, the standard check of move generation.

`dlgo.perft` counts actions, so a double jump is two plies. Published tables count whole moves, as
`perft_moves` does: a multiple jump is one move, and different ways of taking the same pieces are
different moves (OEIS A133046; the other convention, one move for all ways with the same outcome,
differs from depth 12 on). The draw rules are left out.
"""

from __future__ import annotations

import numpy as np

from dlgo import kernels
from dlgo.games.draughts import board
from dlgo.games.draughts import kernel as rules
from dlgo.games.draughts.board import DraughtsState
from dlgo.jit import kernel

# The maximum number of actions minus moves in a sequence: each of them captures one piece.
EXTRA_ROWS = 24


def count_moves(state: board.DraughtsState, depth: int) -> int:
    """Number of sequences of `depth` whole moves from a position."""
    rows = depth + EXTRA_ROWS + 1
    batch = kernels.make_batch(state, rows)
    board.copy_into(kernels.row(batch, 0), state)
    actions = np.empty((rows, rules.NUM_ACTIONS), np.int64)
    counts, tried, left = np.empty((3, rows), np.int64)
    return int(perft_moves(batch, depth, actions, counts, tried, left))


@kernel
def perft_moves(
    batch: DraughtsState, depth: int, actions: np.ndarray, counts: np.ndarray, tried: np.ndarray,
    left: np.ndarray,
) -> int:
    """Number of sequences of `depth` whole moves from state 0 of the batch.

    Args:
        batch: `depth + EXTRA_ROWS + 1` states; the first is the position, the others scratch.
        depth: moves; the rest of a multiple jump that has begun is one of them.
        actions: int array `(rows, NUM_ACTIONS)`, scratch.
        counts, tried, left: int arrays, one entry a row, scratch: the actions there are,
            those that have been tried, and the moves still to make.
    """
    if depth == 0:
        return 1
    leaves = 0
    row = 0
    left[0] = depth
    counts[0] = rules.legal_actions(kernels.row(batch, 0), actions[0])
    tried[0] = 0
    while row >= 0:
        if tried[row] == counts[row]:
            row -= 1
        elif left[row] == 1 and actions[row, 0] < rules.JUMP:
            leaves += counts[row]  # the last steps are counted without being played
            row -= 1
        else:
            child = kernels.row(batch, row + 1)
            board.copy_into(child, kernels.row(batch, row))
            rules.play(child, actions[row, tried[row]])
            tried[row] += 1
            moves = left[row] if child.words[board.JUMPER] else left[row] - 1
            if moves == 0:
                leaves += 1
            else:
                row += 1
                left[row] = moves
                tried[row] = 0
                counts[row] = rules.legal_actions(child, actions[row])
    return leaves
