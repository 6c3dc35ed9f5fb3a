"""The transposition table: what is known of positions that can be reached in several ways.

Bounded memory: 2**bits entries of 16 bytes, in pairs that share a cache line. A position may
stand in either entry of the pair that its key names. A new position takes the first entry if
that is empty, left from an earlier move, or not searched deeper than the new one; otherwise it
takes the second, whatever stands there. So the deep results, which cost most to find again,
stay, and the shallow ones come and go (Breuker, Uiterwijk and van den Herik 1994 call this
TwoDeep and find it the best of seven schemes). Called by `search.py` and `engine.py`.
"""

from __future__ import annotations

import numpy as np

from dlgo.jit import inline_kernel

EMPTY_SLOT, EXACT, AT_LEAST, AT_MOST = range(4)
AGES = 256

# key: of the position; score: for the player to move; depth: plies searched below it;
# action: the best or refuting move; bound: one of the constants above; age: the number of the
# engine's move (modulo AGES) in which it was stored.
ENTRY = np.dtype([
    ("key", np.int64), ("score", np.int16), ("depth", np.int16), ("action", np.int16),
    ("bound", np.uint8), ("age", np.uint8),
])


def new_table(bits: int) -> np.ndarray:
    """An empty table with 2**bits entries of 16 bytes."""
    table = np.empty(1 << bits, ENTRY)
    clear(table)
    return table


def clear(table: np.ndarray) -> None:
    """Forget everything. Writes to all the memory, so that it is there before a clock runs."""
    table.view(np.uint8).fill(0)


@inline_kernel
def find(table, key):
    """The index of the entry for `key`, or -1."""
    first = key & (len(table) - 1)
    for slot in (first, first ^ 1):
        if table[slot].key == key and table[slot].bound != EMPTY_SLOT:
            return slot
    return -1


@inline_kernel
def store(table, key, score, depth, bound, action, age):
    """Remember a result, unless the table knows the same position more deeply."""
    first = key & (len(table) - 1)
    slot = find(table, key)
    if slot >= 0:
        if table[slot].depth > depth:
            return
    else:
        deep = table[first & ~1]
        taken = deep.bound != EMPTY_SLOT and deep.age == age and deep.depth > depth
        slot = first | 1 if taken else first & ~1
    entry = table[slot]
    entry.key = key
    entry.score = score
    entry.depth = depth
    entry.action = action
    entry.bound = bound
    entry.age = age
