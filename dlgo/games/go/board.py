"""The fast Go board: chains with pseudo-liberties on a bordered array, compiled.

A point is an index into a flat array with a border of one cell, so that no step leaves it:

    # # # # #      width = size + 2, here 5 for size 3
    # . . . #      up is +width, right is +1
    # . . . #      the lowest left point is width + 1
    # . . . #
    # # # # #

A chain (connected stones of one colour) is named by one of its points. Its stones form a
ring through `link`. Instead of the set of its liberties it keeps sums over all pairs (stone,
adjacent empty point): their number, the sum of the empty points' indices, and the sum of
their squares. A liberty next to two stones counts twice, hence "pseudo". The sums change by
one addition when a stone comes or goes and when chains merge, and they answer the important
questions: no pairs means captured, and number * squares == sum ** 2 holds exactly if all pairs name
one point (the Cauchy-Schwarz inequality is an equality only then): atari, with the last liberty at
sum / number.

The three sums share one 64-bit word, so that one addition updates all of them. A board of
25x25 has at most 1,200 pairs of neighbours, indices up to 728:

    bits 50..62  number (below 2**11)    bits 30..49  sum (2**20)    bits 0..29  squares (2**30)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dlgo.bits import int64
from dlgo.jit import inline_kernel, kernel
from dlgo.zobrist import zobrist_table

MAX_SIZE = 25

BLACK, WHITE, EMPTY, BORDER = range(4)
NOWHERE = 0  # a border cell: "no point"

# Indices into `info`.
(
    SIZE, HALF_KOMI, TURN, PASSES, KO, N_EMPTY, N_HISTORY, STONES_KEY, REPETITION,
    CAPTURED_BY_BLACK, CAPTURED_BY_WHITE, LAST,
) = range(12)
# Values of REPETITION: the positions that a play must not recreate.
SITUATIONAL = 0  # an earlier position with the same player to move (AGA)
POSITIONAL = 1  # an earlier position, with either player to move (Chinese, Tromp-Taylor)
SIMPLE_KO = 2  # the position before the last move (Japanese)
# The bit positions of the three sums in `liberties`.
SUM_SHIFT, NUMBER_SHIFT = 30, 50
SQUARES_MASK, SUM_MASK = (1 << 30) - 1, (1 << 20) - 1

STONES = zobrist_table(2, (MAX_SIZE + 2) ** 2, stream="go stones")
SIDE = int(zobrist_table(1, stream="go side")[0])

# Superko must know for a candidate move whether its position has occurred before. A filter of 2,048
# bits answers "no" at once for nearly all; only a "maybe" costs a search of the history. A position
# has three bits, all in one word (a blocked Bloom filter: Putze, Sanders, Singler 2007): after 200
# plies one answer in 60 is a wrong "maybe", with one bit it would be one in 10.
FILTER_WORDS = 32


class GoState(NamedTuple):
    """One position with its history. `cells` is (size + 2) ** 2.

    info            int64[12]         see the indices above. STONES_KEY: Zobrist key of the stones
                                      alone. LAST: point of the last play or NOWHERE, a hint for
                                      searches, not part of the position
    color           int8[cells]       BLACK, WHITE, EMPTY or BORDER
    chain           uint16[cells]     name of a stone's chain
    link            uint16[cells]     next stone of its chain
    liberties       int64[cells]      packed sums of the chain with that name
    n_stones        int16[cells]      number of its stones
    empties         uint16[cells]     empty points in any order
    slot            uint16[cells]     index of each empty point in `empties`
    history         int64[any]        keys of all positions so far, including this one: of the
                                      stones, and of the player to move if superko is situational
    history_filter  int64[32]         see FILTER_WORDS
    scratch         uint16[2, cells]  for flood fills; unused between calls
    """

    info: np.ndarray
    color: np.ndarray
    chain: np.ndarray
    link: np.ndarray
    liberties: np.ndarray
    n_stones: np.ndarray
    empties: np.ndarray
    slot: np.ndarray
    history: np.ndarray
    history_filter: np.ndarray
    scratch: np.ndarray


def new_state(size: int, half_komi: int, history: int, repetition: int = SITUATIONAL) -> GoState:
    """Arrays for one position of a board, not yet reset, that remember `history` positions."""
    cells = (size + 2) ** 2
    info = np.zeros(12, np.int64)
    info[SIZE], info[HALF_KOMI], info[REPETITION] = size, half_komi, repetition
    return GoState(
        info=info,
        color=np.zeros(cells, np.int8),
        chain=np.zeros(cells, np.uint16),
        link=np.zeros(cells, np.uint16),
        liberties=np.zeros(cells, np.int64),
        n_stones=np.zeros(cells, np.int16),
        empties=np.zeros(cells, np.uint16),
        slot=np.zeros(cells, np.uint16),
        history=np.zeros(history, np.int64),
        history_filter=np.zeros(FILTER_WORDS, np.int64),
        scratch=np.zeros((2, cells), np.uint16),
    )


@kernel
def copy_board(target: GoState, source: GoState) -> None:
    """Copy everything but the history: the part that `place` needs."""
    for i in range(len(source.info)):
        target.info[i] = source.info[i]
    # One loop for each array: the compiler makes block copies of them.
    cells = len(source.color)
    for i in range(cells):
        target.color[i] = source.color[i]
    for i in range(cells):
        target.chain[i] = source.chain[i]
    for i in range(cells):
        target.link[i] = source.link[i]
    for i in range(cells):
        target.slot[i] = source.slot[i]
    for i in range(cells):
        target.empties[i] = source.empties[i]
    for i in range(cells):
        target.liberties[i] = source.liberties[i]
    for i in range(cells):
        target.n_stones[i] = source.n_stones[i]


@inline_kernel
def situation(state: GoState, stones_key: int, turn: int) -> int:
    """The key of a position for superko."""
    if turn == 1 and state.info[REPETITION] == SITUATIONAL:
        return stones_key ^ SIDE
    return stones_key


@inline_kernel
def filter_word(key: int) -> int:
    """The word of the filter that a position belongs to."""
    return (key >> 18) & (FILTER_WORDS - 1)


@inline_kernel
def filter_bits(key: int) -> int:
    """The bits of that word for the position."""
    return (1 << (key & 63)) | (1 << ((key >> 6) & 63)) | (1 << ((key >> 12) & 63))


@inline_kernel
def remember(state: GoState) -> None:
    """Add the position to the history. A full history drops later positions."""
    info = state.info
    n = info[N_HISTORY]
    if n == len(state.history):
        return
    now = situation(state, info[STONES_KEY], info[TURN])
    state.history[n] = now
    info[N_HISTORY] = n + 1
    state.history_filter[filter_word(now)] |= filter_bits(now)


@inline_kernel
def liberty_word(point: int) -> int:
    """The amount that one pair of a stone and the empty `point` adds to its chain's sums."""
    return (1 << NUMBER_SHIFT) | (point << SUM_SHIFT) | (point * point)


@inline_kernel
def is_single(word: int) -> bool:
    """Whether a word of packed sums has at most one liberty."""
    total = (word >> SUM_SHIFT) & SUM_MASK
    return (word >> NUMBER_SHIFT) * (word & SQUARES_MASK) == total * total


@inline_kernel
def in_atari(state: GoState, chain: int) -> bool:
    """Whether a chain has exactly one liberty."""
    return is_single(state.liberties[chain])


@inline_kernel
def is_playable(state: GoState, point: int, player: int) -> bool:
    """Empty, no simple ko, no self-capture. Superko is tested separately, because it costs more."""
    color = state.color
    if color[point] != EMPTY or point == state.info[KO]:
        return False
    width = state.info[SIZE] + 2
    for step in (1, -1, width, -width):
        if color[point + step] == EMPTY:
            return True
    for step in (1, -1, width, -width):
        near = color[point + step]
        # A friendly chain with another liberty, or an enemy chain whose only liberty is this point.
        if near <= WHITE and in_atari(state, state.chain[point + step]) == (near != player):
            return True
    return False


@inline_kernel
def captures(state: GoState, point: int, player: int) -> int:
    """XOR of the Zobrist words of all stones that a play would capture."""
    width = state.info[SIZE] + 2
    gone = 0
    first, second, third = NOWHERE, NOWHERE, NOWHERE  # chains that have been counted
    for step in (1, -1, width, -width):
        if state.color[point + step] != 1 - player:
            continue
        chain = int64(state.chain[point + step])
        if chain in (first, second, third) or not in_atari(state, chain):
            continue
        third, second, first = second, first, chain
        stone = chain
        while True:
            gone ^= STONES[1 - player, stone]
            stone = int64(state.link[stone])
            if stone == chain:
                break
    return gone


@inline_kernel
def is_eye(state: GoState, point: int, player: int) -> bool:
    """Whether an empty point is the player's eye (chapter 3.3).

    All four neighbours are the player's stones, and so are the diagonal points: all of them
    at the edge, all but one in the middle. An empty diagonal counts against the eye.
    """
    color = state.color
    width = state.info[SIZE] + 2
    for step in (1, -1, width, -width):
        near = color[point + step]
        if near != player and near != BORDER:
            return False
    edge = 0
    n_foreign = 0
    for step in (width + 1, width - 1, -width + 1, -width - 1):
        near = color[point + step]
        if near == BORDER:
            edge = 1
        elif near != player:
            n_foreign += 1
    return n_foreign + edge <= 1 and not (edge and n_foreign)


@inline_kernel
def place(state: GoState, point: int, player: int) -> None:
    """Put a stone on a playable point, capture chains without liberties, note a ko.

    Player, passes and history do not change.
    """
    info, color, chain = state.info, state.color, state.chain
    liberties, n_stones = state.liberties, state.n_stones
    width = info[SIZE] + 2

    # The point leaves the list of empty ones: the last takes its slot.
    info[N_EMPTY] -= 1
    last = state.empties[info[N_EMPTY]]
    state.empties[state.slot[point]] = last
    state.slot[last] = state.slot[point]

    color[point] = player
    chain[point] = point
    state.link[point] = point
    info[STONES_KEY] ^= STONES[player, point]
    own_word = liberty_word(point)
    free = 0
    for step in (1, -1, width, -width):
        near = point + step
        if color[near] == EMPTY:
            free += liberty_word(near)
        elif color[near] <= WHITE:
            liberties[chain[near]] -= own_word
    liberties[point] = free
    n_stones[point] = 1

    captured = 0
    ko = NOWHERE
    for step in (1, -1, width, -width):
        near = point + step
        if color[near] == 1 - player and liberties[chain[near]] == 0:
            captured += _remove(state, chain[near])
            ko = near
    for step in (1, -1, width, -width):
        near = point + step
        if color[near] == player and chain[near] != chain[point]:
            _merge(state, chain[near], chain[point])

    info[CAPTURED_BY_BLACK + player] += captured

    # Ko: a lone stone took one stone, and could be taken back by a stone on that point.
    name = chain[point]
    if captured == 1 and n_stones[name] == 1 and liberties[name] >> NUMBER_SHIFT == 1:
        info[KO] = ko
    else:
        info[KO] = NOWHERE


@inline_kernel
def _merge(state: GoState, chain_a: int, chain_b: int) -> None:
    """Join two chains; the smaller takes the larger one's name."""
    chain, link, n_stones = state.chain, state.link, state.n_stones
    if n_stones[chain_a] > n_stones[chain_b]:
        large, small = chain_a, chain_b
    else:
        large, small = chain_b, chain_a
    n_stones[large] += n_stones[small]
    state.liberties[large] += state.liberties[small]
    stone = small
    while True:
        chain[stone] = large
        stone = link[stone]
        if stone == small:
            break
    link[large], link[small] = link[small], link[large]  # two rings become one


@inline_kernel
def _remove(state: GoState, name: int) -> int:
    """Take a chain off the board; return the number of its stones."""
    info, color, chain, link = state.info, state.color, state.chain, state.link
    width = info[SIZE] + 2
    enemy = color[name]
    count = 0
    stone = int64(name)
    while True:
        color[stone] = EMPTY
        info[STONES_KEY] ^= STONES[enemy, stone]
        state.slot[stone] = info[N_EMPTY]
        state.empties[info[N_EMPTY]] = stone
        info[N_EMPTY] += 1
        count += 1
        stone = int64(link[stone])
        if stone == name:
            break
    while True:
        word = liberty_word(stone)
        for step in (1, -1, width, -width):
            if color[stone + step] <= WHITE:
                state.liberties[chain[stone + step]] += word
        stone = int64(link[stone])
        if stone == name:
            break
    return count
