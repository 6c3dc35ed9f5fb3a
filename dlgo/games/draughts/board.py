"""The draughts board: 32 squares as bits of one word, and the state built of such words.

The dark squares in the standard numbering, black's side at the top, and their bits:

         1     2     3     4               0     1     2     3
      5     6     7     8               4     5     6     7          8 stays empty
         9    10    11    12               9    10    11    12
     13    14    15    16              13    14    15    16         17
        17    18    19    20              18    19    20    21
     21    22    23    24              22    23    24    25         26
        25    26    27    28              27    28    29    30
     29    30    31    32              31    32    33    34

Because one bit stays empty after every second row, each diagonal step is the same shift on every
row, and a step off the board leads to no square (the layout of Samuel's program, 1959):

    direction 0: down-left +4    1: down-right +5    2: up-left -5    3: up-right -4
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dlgo.bits import lowest_bit
from dlgo.jit import inline_kernel, kernel
from dlgo.zobrist import zobrist_table

SQUARES = 32
BITS = SQUARES + 3


def bit_of(number: int) -> int:
    """The bitboard of one square, by its standard number 1-32."""
    return 1 << (number - 1 + (number - 1) // 8)


def squares(*numbers: int) -> int:
    """The bitboard of some squares."""
    return sum(bit_of(number) for number in numbers)


BOARD = squares(*range(1, 33))
START_BLACK = squares(*range(1, 13))
START_WHITE = squares(*range(21, 33))
# The squares where black's men are crowned, and white's.
CROWN_BLACK = squares(29, 30, 31, 32)
CROWN_WHITE = squares(1, 2, 3, 4)

# 40 moves of each player without a capture or a man's move (World Checkers/Draughts Federation).
QUIET_LIMIT = 80
REPETITIONS = 3

PIECES = zobrist_table(2, 2, BITS, stream="draughts pieces")  # player, king or man, bit
JUMPER_KEYS = zobrist_table(BITS, stream="draughts jumper")
SIDE = int(zobrist_table(1, stream="draughts side")[0])

# Indices into the state's words.
BLACK, WHITE, KINGS, TURN, JUMPER, QUIET, SEEN, KEY = range(8)


class DraughtsState(NamedTuple):
    """The position, and the memory of the draw rules.

    words: int64[8] = black's pieces, white's pieces, the kings among them, whose turn, the
        piece that must go on jumping (a bitboard, 0 if none), plies since the last capture
        or man's move, how often this position has come up since then, its key.
    history: int64[QUIET_LIMIT + 1], keys of the positions since then; the first
        `words[QUIET] + 1` count, the last of them is this position.
    """

    words: np.ndarray
    history: np.ndarray


def new_state() -> DraughtsState:
    """Arrays for one position, not yet reset."""
    return DraughtsState(np.zeros(8, np.int64), np.zeros(QUIET_LIMIT + 1, np.int64))


@kernel
def key_from_scratch(state: DraughtsState) -> int:
    """The key that `play` keeps up to date, computed anew."""
    words = state.words
    value = 0
    for player in range(2):
        pieces = words[player]
        while pieces:
            bit = lowest_bit(pieces)
            value ^= PIECES[player, (words[KINGS] >> bit) & 1, bit]
            pieces &= pieces - 1
    if words[TURN] == 1:
        value ^= SIDE
    if words[JUMPER]:
        value ^= JUMPER_KEYS[lowest_bit(words[JUMPER])]
    return value


@kernel
def copy_into(target: DraughtsState, source: DraughtsState) -> None:
    for i in range(8):
        target.words[i] = source.words[i]
    for i in range(source.words[QUIET] + 1):
        target.history[i] = source.history[i]


@inline_kernel
def ahead(board: int, direction: int) -> int:
    """The squares one step away from those of `board` (or bits outside the board)."""
    return board << (4 + direction) if direction < 2 else board >> (7 - direction)


@inline_kernel
def behind(board: int, direction: int) -> int:
    """The squares from which one step leads to those of `board`."""
    return board >> (4 + direction) if direction < 2 else board << (7 - direction)


@inline_kernel
def facing(pieces: int, kings: int, player: int, direction: int) -> int:
    """The player's pieces that may move in a direction: men only forward."""
    return pieces if (direction < 2) == (player == 0) else pieces & kings


@inline_kernel
def can_step(pieces: int, empty: int, direction: int) -> int:
    """The `pieces` next to an empty square."""
    return pieces & behind(empty, direction)


@inline_kernel
def can_jump(pieces: int, opponent: int, empty: int, direction: int) -> int:
    """The `pieces` next to a piece of the opponent with an empty square beyond."""
    return pieces & behind(opponent & behind(empty, direction), direction)


@inline_kernel
def far_row(player: int) -> int:
    """The squares where the player's men are crowned."""
    return CROWN_WHITE if player else CROWN_BLACK


@inline_kernel
def jump(
    own: int, opponent: int, kings: int, player: int, piece: int, direction: int,
) -> tuple[int, int, int, int]:
    """Make one jump of `piece`, one of the player's `own`; return (own, other, kings, jumper).

    The jumper is the piece that goes on jumping if it can, or 0 if it was crowned, which ends the
    move.
    """
    captured = ahead(piece, direction)
    target = ahead(captured, direction)
    jumper = target
    if kings & piece:
        kings ^= piece | target
    elif target & far_row(player):
        kings |= target
        jumper = 0
    return own ^ (piece | target), opponent ^ captured, kings & ~captured, jumper
