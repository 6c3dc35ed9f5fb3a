"""The transposition table: results of positions that can be reached in several ways.

Bounded memory: 2**bits entries of 16 bytes (24 in games with more actions than 16 bits hold), in
pairs that share a cache line. A position is in one of the two entries that its key selects. A new
one takes the first if that has been left there by an earlier move of the game or was not searched
deeper, and its old entry goes to the second; otherwise the new one goes to the second. The old
second entry is dropped. So the deep results, which cost most to find again, stay, and the shallow
ones come and go: the scheme TwoDeep of Breuker, Uiterwijk and van den Herik (1994).
"""

from __future__ import annotations

import numpy as np

from dlgo.game_spec import action_type
from dlgo.jit import inline_kernel

EMPTY_SLOT, EXACT, AT_LEAST, AT_MOST = range(4)
BOUND_MASK = 3
# Added to a bound that no horizon has touched: it holds for every depth.
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
    first = key & (len(table) - 1) & ~1
    slot = find(table, key)
    if slot >= 0:
        known = table[slot]
        known_depth = known.depth + (1 << 16) * (known.bound & SOLVED)
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
