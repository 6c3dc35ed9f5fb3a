"""A cache of a network's answers in a game, so that no position is evaluated twice.

A search meets many positions again: the same moves in another order lead to the same position (a
transposition), for which the tree has another node; and subtrees of moves that were not played are
discarded. In Connect Four at 400 simulations a move, this is a third of all evaluations
(`docs/lab_notebook.md`).

The key is a hash of the planes, as the network gets them. So the key covers exactly the input of
the network, with every encoder: earlier positions, ko, counters of moves without progress. A game's
Zobrist key may cover less than the planes do, or more. Two different rows of planes have the same
key about once in 2**64 comparisons.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dlgo.jit import inline_kernel, kernel

# Answers of a network to planes: policies [n, actions] and values [n].
Answers = tuple[np.ndarray, np.ndarray]

_FIRST = np.uint64(0x9E3779B97F4A7C15)
_FACTOR = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)


class Table(NamedTuple):
    """The last answers, in a ring, and where to find them."""

    n_stored: np.ndarray  # int64[1], since the table was cleared; new answers replace the oldest
    places: np.ndarray  # int32[2**k], where the answer to a key may stand, by its last bits; or -1
    keys: np.ndarray  # uint64[positions]
    policies: np.ndarray  # float32[positions, num_actions]
    values: np.ndarray  # float32[positions]


class AnswerCache:
    """Stores the answers for a number of positions; a full cache drops the oldest.

    A position takes 4 bytes for each action and up to 44 more, most of which are touched only as
    positions come. `cache_hits` counts the positions answered from memory since the start.
    """

    def __init__(self, positions: int, num_actions: int) -> None:
        # Most places stay empty, so that few answers are lost because two keys want the same one.
        places = 1 << (4 * positions - 1).bit_length()
        self._table = Table(
            np.zeros(1, np.int64), np.empty(places, np.int32), np.empty(positions, np.uint64),
            np.empty((positions, num_actions), np.float32), np.empty(positions, np.float32),
        )
        self.cache_hits = 0
        self._make_room(1)
        self.clear()

    def clear(self) -> None:
        """Forget all answers."""
        self._table.n_stored[0] = 0
        self._table.places.fill(-1)

    def _make_room(self, n: int) -> None:
        self._keys, self._rows, self._sources = (
            np.empty(n, kind) for kind in (np.uint64, np.int64, np.int64)
        )
        self._policies = np.empty((n, self._table.policies.shape[1]), np.float32)
        self._values = np.empty(n, np.float32)

    def answers(self, planes: np.ndarray, ask: Callable[[np.ndarray], Answers]) -> Answers:
        """Policies and values for planes; `ask` evaluates only those not in the cache. The arrays
        are valid until the next call."""
        n = len(planes)
        if n > len(self._keys):
            self._make_room(n)
        policies, values = self._policies[:n], self._values[:n]
        words = planes.reshape(n, -1).view(np.uint32)
        scratch = self._keys, self._rows, self._sources
        missing = look_up(self._table, words, *scratch, policies, values)
        self.cache_hits += n - missing
        if missing:
            new = ask(planes if missing == n else planes[self._rows[:missing]])
            store(self._table, *scratch, *new, policies, values)
        return policies, values


@kernel
def hash_words(words):
    """A 64-bit key of a row of uint32 words.

    Every step is a one-to-one map of the key so far: rows that differ in one word never collide.
    """
    key = _FIRST
    n = len(words)
    for i in range(0, n, 2):
        word = np.uint64(words[i])
        if i + 1 < n:
            word |= np.uint64(words[i + 1]) << _HALF
        key = (key ^ word) * _FACTOR
        # A product moves bits up only, and planes differ in the upper ones. The highest, the sign,
        # stays where it is: one product alone would let the next word cancel it.
        key ^= key >> _HALF
        key *= _FACTOR
        key ^= key >> _HALF
    return key


@inline_kernel
def _copy(source, target):
    for i in range(len(target)):
        target[i] = source[i]


@kernel
def look_up(table, words, keys, rows, sources, policies, values):
    """Answer what is remembered.

    Args:
        words: uint32[n, ...], the planes.
        keys: uint64[n], out: of each position.
        rows: int64[n], out: the positions to ask about, each once, though it may occur again.
        sources: int64[n], out: -1 if it was answered here, else its place in `rows`.
        policies, values: of all `n`, out where they are remembered.

    Returns:
        How many are to be asked about.
    """
    missing = 0
    last = len(table.places) - 1
    for i in range(words.shape[0]):
        key = hash_words(words[i])
        keys[i] = key
        place = table.places[np.int64(key) & last]
        if place >= 0 and table.keys[place] == key:
            sources[i] = -1
            _copy(table.policies[place], policies[i])
            values[i] = table.values[place]
            continue
        twin = 0
        while twin < missing and keys[rows[twin]] != key:
            twin += 1
        sources[i] = twin
        if twin == missing:
            rows[missing] = i
            missing += 1
    return missing


@kernel
def store(table, keys, rows, sources, new_policies, new_values, policies, values):
    """Remember new answers, and hand them out.

    Args:
        keys, rows, sources: as `look_up` has left them.
        new_policies, new_values: of the positions in `rows`.
        policies, values: of all, written where `look_up` had no answer.
    """
    last = len(table.places) - 1
    for j in range(len(new_values)):
        place = table.n_stored[0] % len(table.keys)
        table.n_stored[0] += 1
        key = keys[rows[j]]
        table.places[np.int64(key) & last] = place
        table.keys[place] = key
        _copy(new_policies[j], table.policies[place])
        table.values[place] = new_values[j]
    for i in range(len(values)):
        if sources[i] >= 0:
            _copy(new_policies[sources[i]], policies[i])
            values[i] = new_values[sources[i]]
