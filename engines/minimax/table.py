"""The transposition table: results of positions that several orders of moves reach.

Bounded memory: 2**bits entries of 16 bytes (24 in games with more actions than 16 bits hold), in
pairs that share a cache line. A key selects a pair. A new result takes the first entry if the old
one is from an earlier move of the game or not deeper; the old one then moves to the second entry.
Otherwise the new result takes the second entry. So deep results, which cost most to find again,
stay, and shallow ones are replaced (TwoDeep; Breuker, Uiterwijk and van den Herik 1994).
"""

from __future__ import annotations

import numpy as np

from dlgo.game_declaration import action_type
from dlgo.jit import inline_kernel

EMPTY_SLOT, EXACT, AT_LEAST, AT_MOST = range(4)
BOUND_MASK = 3
# Added to a bound that does not depend on the depth.
SOLVED = 4
AGES = 256

# key: of the position; score: for the player to move; depth: plies searched below it;
# action: the best or refuting move; bound: of the constants above, with or without SOLVED;
# age: the number of the engine's move (modulo AGES) in which it was stored.
def _entry(num_actions: int) -> np.dtype:
    return np.dtype([
        ("key", np.int64), ("score", np.int16), ("depth", np.int16),
        ("action", action_type(num_actions)), ("bound", np.uint8), ("age", np.uint8),
    ], align=True)


def new_table(bits: int, num_actions: int) -> np.ndarray:
    """An empty table with 2**bits entries for a game with `num_actions` actions."""
    table = np.empty(1 << bits, _entry(num_actions))
    clear(table)
    return table


def clear(table: np.ndarray) -> None:
    """Empty the table. Writes to all its memory, so that no move pays for allocation."""
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
    """Store a result, unless the table has a deeper one for the same position."""
    first = key & (len(table) - 1) & ~1
    slot = find(table, key)
    if slot >= 0:
        old = table[slot]
        known_depth = old.depth + (1 << 16) * (old.bound & SOLVED)
        if known_depth > depth + (1 << 16) * (bound & SOLVED):
            return
    elif (
        table[first].bound == EMPTY_SLOT or table[first].age != age
        or table[first].depth <= depth
    ):
        slot = first
        table[first | 1] = table[first]
    else:
        slot = first | 1
    entry = table[slot]
    entry.key = key
    entry.score = score
    entry.depth = depth
    entry.action = action
    entry.bound = bound
    entry.age = age
