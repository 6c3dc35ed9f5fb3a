"""Numbers for positions with few pieces, so that a table can hold a byte for each.

The side to move is always called *own* and moves down the board: a position with white to move is
turned by half a turn with a colour flip, which preserves the game. The positions are cut into
slices by material: own men, own kings, the other's men, the other's kings. Inside a slice each of
the four sets of squares has a rank among all sets of its size, in the combinatorial number system
(D. H. Lehmer 1964), and the four ranks together are a number in mixed radix. Sets may overlap: then
the number has no position. With up to four pieces, this is one byte in seven.
"""

from __future__ import annotations

from math import comb

import numpy as np

from dlgo.bits import int64, lowest_bit, popcount
from dlgo.games.draughts.board import SQUARES
from dlgo.jit import inline_kernel, kernel

# Pieces on the board that a table may have; its size grows by a factor of 20 with each.
MOST = 5
# Men can be on 28 squares: from the 29th on, they would be crowned.
_MEN = 28
# COMB[n, k]: the number of sets of k elements among n.
COMB = np.array([[comb(n, k) for k in range(MOST + 2)] for n in range(SQUARES + 1)], np.int64)
# The result for numbers that have no position.
NOWHERE = -1


@inline_kernel
def turned(bits: int) -> int:
    """The board turned by half a turn: square 1 is 32, 2 is 31."""
    out = int64(0)
    while bits:
        out |= int64(1) << (34 - lowest_bit(bits))
        bits &= bits - 1
    return out


@inline_kernel
def _rank(bits: int, first: int) -> int:
    """The rank of a set of squares, the lowest of which may be the square number `first`."""
    rank, size = int64(0), 0
    while bits:
        bit = lowest_bit(bits)
        size += 1
        rank += COMB[bit - bit // 9 - first, size]
        bits &= bits - 1
    return rank


@inline_kernel
def _unrank(rank: int, size: int, first: int) -> int:
    """The set of squares with a rank."""
    bits, square = int64(0), SQUARES - 1
    while size:
        while COMB[square, size] > rank:
            square -= 1
        rank -= COMB[square, size]
        size -= 1
        number = square + first
        bits |= int64(1) << (number + number // 8)
    return bits


@kernel
def slice_size(men: int, kings: int, other_men: int, other_kings: int) -> int:
    """The number of numbers in a slice."""
    return (
        COMB[_MEN, men] * COMB[_MEN, other_men] * COMB[SQUARES, kings] * COMB[SQUARES, other_kings]
    )


@inline_kernel
def place(own: int, opponent: int, kings: int) -> int:
    """The number of a position inside its slice; own pieces are to move, down the board."""
    men, other_men = own & ~kings, opponent & ~kings
    own_kings, other_kings = own & kings, opponent & kings
    number = _rank(men, 0)
    number = number * COMB[_MEN, popcount(other_men)] + _rank(other_men, 4)
    number = number * COMB[SQUARES, popcount(own_kings)] + _rank(own_kings, 0)
    return number * COMB[SQUARES, popcount(other_kings)] + _rank(other_kings, 0)


@kernel
def position(
    number: int, men: int, kings: int, other_men: int, other_kings: int,
) -> tuple[int, int, int]:
    """The position with a number, as bitboards (own, opponent, kings); NOWHERE if there is none."""
    radix = COMB[SQUARES, other_kings]
    d = _unrank(number % radix, other_kings, 0)
    number //= radix
    radix = COMB[SQUARES, kings]
    c = _unrank(number % radix, kings, 0)
    number //= radix
    radix = COMB[_MEN, other_men]
    b = _unrank(number % radix, other_men, 4)
    a = _unrank(number // radix, men, 0)
    if a & b or (a | b) & (c | d) or c & d:
        return int64(NOWHERE), int64(0), int64(0)
    return a | c, b | d, c | d
