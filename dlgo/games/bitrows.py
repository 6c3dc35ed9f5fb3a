"""Boards as rows of bits: what the kernels of Othello and Breakthrough share.

Each row of the board is a word for each player. Around the board lies a border without men, so that
lines end there:

    . . . . . .     rows 0 and n + 1 of a board with n rows
    . a b c d .     column a is bit 1; row 1 is the bottom row

A state has `words` (int64) and `rows` (int64[2 or more, n + 2], the first two those of the players'
men).
"""

from __future__ import annotations

import numpy as np

from dlgo.bits import lowest_bit, popcount
from dlgo.jit import kernel
from dlgo.kernels import KernelState

NOBODY = -1
# Indices into `words`; those of the game itself follow.
ROWS, COLS, TURN, KEY, OWN = range(5)


@kernel
def copy_into(target: KernelState, source: KernelState) -> None:
    for i in range(len(source.words)):
        target.words[i] = source.words[i]
    for i in range(source.rows.shape[0]):
        for row in range(source.rows.shape[1]):
            target.rows[i, row] = source.rows[i, row]


@kernel
def to_move(state: KernelState) -> int:
    return state.words[TURN]


@kernel
def piece(state: KernelState, cell: int) -> int:
    row, col = cell // state.words[COLS] + 1, cell % state.words[COLS] + 1
    for player in range(2):
        if state.rows[player, row] >> col & 1:
            return player
    return NOBODY


@kernel
def count(rows: np.ndarray) -> int:
    """How many bits are set in all rows."""
    n = 0
    for row in rows:
        n += popcount(row)
    return n


@kernel
def find(rows: np.ndarray, k: int) -> tuple[int, int]:
    """Row and column of set bit `k`, counted from 0."""
    row = 1
    while popcount(rows[row]) <= k:
        k -= popcount(rows[row])
        row += 1
    bits = rows[row]
    for _ in range(k):
        bits &= bits - 1
    return row, lowest_bit(bits)
