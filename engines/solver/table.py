"""The solver's transposition table: one 64-bit word a position, without collisions.

    49 bits  key: own + mask, different for any two positions (Pons, part 8)
     3 bits  column + 1 of the move that was good enough, 0 if none is known
     6 bits  lower bound of the score + 22, 0 if none is known
     6 bits  22 - upper bound, 0 if none is known

An entry holds the whole key and bounds that do not depend on the search that found them. So the
table stays valid from search to search. A word of zeros holds no bounds.

A position has one slot; a new entry replaces the old one.
"""

from __future__ import annotations

import numpy as np

from dlgo.jit import inline_kernel

_SPREAD = -7046029254386353131  # 2**64 / golden ratio: consecutive keys land far apart
_KEY_SHIFT = 15
_KEY_BITS = -1 << _KEY_SHIFT
_OFFSET = 22  # one more than the best score


def new_table(bits: int) -> np.ndarray:
    """An empty table with 2**bits entries of 8 bytes."""
    # `full`, not `zeros`, so that no search pays for the allocation.
    return np.full(1 << bits, 0, np.int64)


@inline_kernel
def slot_of(table, key):
    return ((key * _SPREAD) >> 20) & (len(table) - 1)


@inline_kernel
def find(table, key):
    """The entry of a position: (lower bound, upper bound, column or -1)."""
    entry = table[slot_of(table, key)]
    if (entry ^ (key << _KEY_SHIFT)) & _KEY_BITS:
        entry = 0
    return ((entry >> 6) & 63) - _OFFSET, _OFFSET - (entry & 63), ((entry >> 12) & 7) - 1


@inline_kernel
def store(table, key, reached, target, col):
    """Store that the score is at least `target` (by column `col`), or that it is less."""
    slot = slot_of(table, key)
    entry = table[slot]
    if (entry ^ (key << _KEY_SHIFT)) & _KEY_BITS:
        entry = key << _KEY_SHIFT
    if reached:
        entry = (entry & ~(0o777 << 6)) | ((col + 1) << 12) | ((target + _OFFSET) << 6)
    else:
        entry = (entry & ~63) | (_OFFSET + 1 - target)
    table[slot] = entry
