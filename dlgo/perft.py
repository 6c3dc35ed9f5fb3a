"""Counts sequences of actions, compiled for any game: the classic test of rules."""

from __future__ import annotations

import numpy as np

from dlgo.jit import kernel
from dlgo.kernels import KernelState, copy_into, legal_actions, play, row, terminal


@kernel
def perft(
    batch: KernelState, depth: int, actions: np.ndarray, counts: np.ndarray, indices: np.ndarray,
) -> int:
    """Number of action sequences of length `depth` from state 0 of the batch.

    Args:
        batch: `depth + 1` states; the first is the position, the others are scratch.
        depth: plies. A game that ends earlier is not extended and not counted.
        actions: int array `(depth + 1, num_actions)`, scratch.
        counts: int[depth + 1], scratch: number of actions at each ply.
        indices: int[depth + 1], scratch: index of the next action at each ply.
    """
    if depth == 0:
        return 1
    indices[0] = 0
    leaves = 0
    ply = 0
    counts[0] = 0 if terminal(row(batch, 0)) else legal_actions(row(batch, 0), actions[0])
    while ply >= 0:
        if ply == depth - 1:  # the last ply is counted without being played
            leaves += counts[ply]
            ply -= 1
        elif indices[ply] == counts[ply]:
            ply -= 1
        else:
            child = row(batch, ply + 1)
            copy_into(child, row(batch, ply))
            play(child, actions[ply, indices[ply]])
            indices[ply] += 1
            ply += 1
            indices[ply] = 0
            counts[ply] = 0 if terminal(child) else legal_actions(child, actions[ply])
    return leaves
