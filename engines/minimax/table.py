"""The transposition table: what is known of positions that can be reached in several ways.

Bounded memory: one entry a slot, chosen by the low bits of the position's key. A new entry
replaces another position's always, and its own unless that was searched deeper: positions
near the leaves come and go, the current search's own results stay (chapter 4.4; replacement
schemes are compared by Breuker, Uiterwijk and van den Herik 1994).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dlgo.jit import inline_kernel

EMPTY_SLOT, EXACT, AT_LEAST, AT_MOST = range(4)


class Table(NamedTuple):
    """Arrays of 2**bits entries.

    key: int64; score: int32, for the player to move; depth: int16, plies searched below;
    bound: int8, one of the constants above; action: int16, the best or refuting move.
    """

    key: np.ndarray
    score: np.ndarray
    depth: np.ndarray
    bound: np.ndarray
    action: np.ndarray


ENTRY_BYTES = 8 + 4 + 2 + 1 + 2


def new_table(bits: int) -> Table:
    """An empty table with 2**bits entries of 17 bytes."""
    n = 1 << bits
    # `full`, not `zeros`: the memory is to be there before a clock runs.
    kinds = (np.int64, np.int32, np.int16, np.int8, np.int16)
    return Table(*(np.full(n, 0, kind) for kind in kinds))


@inline_kernel
def find(table, key):
    """The slot that holds `key`, or -1."""
    slot = key & (len(table.key) - 1)
    if table.bound[slot] != EMPTY_SLOT and table.key[slot] == key:
        return slot
    return -1


@inline_kernel
def store(table, key, score, depth, bound, action):
    """Remember a result, unless the slot knows the same position more deeply."""
    slot = key & (len(table.key) - 1)
    if table.bound[slot] != EMPTY_SLOT and table.key[slot] == key and table.depth[slot] > depth:
        return
    table.key[slot] = key
    table.score[slot] = score
    table.depth[slot] = depth
    table.bound[slot] = bound
    table.action[slot] = action
