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
    counts, indices, remaining = np.empty((3, rows), np.int64)
    return int(perft_moves(batch, depth, actions, counts, indices, remaining))


@kernel
def perft_moves(
    batch: DraughtsState, depth: int, actions: np.ndarray, counts: np.ndarray, indices: np.ndarray,
    remaining: np.ndarray,
) -> int:
    """Number of sequences of `depth` whole moves from state 0 of the batch.

    Args:
        batch: `depth + EXTRA_ROWS + 1` states; the first is the position, the others scratch.
        depth: moves; the rest of a multiple jump that has begun is one of them.
        actions: int array `(rows, NUM_ACTIONS)`, scratch.
        counts: int[rows], scratch: number of actions.
        indices: int[rows], scratch: index of the next action.
        remaining: int[rows], scratch: number of moves still to make.
    """
    if depth == 0:
        return 1
    leaves = 0
    row = 0
    remaining[0] = depth
    counts[0] = rules.legal_actions(kernels.row(batch, 0), actions[0])
    indices[0] = 0
    while row >= 0:
        if indices[row] == counts[row]:
            row -= 1
        elif remaining[row] == 1 and actions[row, 0] < rules.JUMP:
            leaves += counts[row]  # the last steps are counted without being played
            row -= 1
        else:
            child = kernels.row(batch, row + 1)
            board.copy_into(child, kernels.row(batch, row))
            rules.play(child, actions[row, indices[row]])
            indices[row] += 1
            moves = remaining[row] if child.words[board.JUMPER] else remaining[row] - 1
            if moves == 0:
                leaves += 1
            else:
                row += 1
                remaining[row] = moves
                indices[row] = 0
                counts[row] = rules.legal_actions(child, actions[row])
    return leaves
