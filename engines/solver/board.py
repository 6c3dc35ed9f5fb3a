"""Connect Four in two words: the operations of the solver's search.

The layout is that of `dlgo.games.connect4.board`: seven bits a column, from the bottom up,
the seventh always empty. A position is `own`, the stones of the player to move, and `mask`,
all stones. Playing the cell `move` (one bit) gives the other player's view:

    own, mask = own ^ mask, mask | move

The tricks are Pascal Pons' (blog.gamesolver.org,
parts 6, 9, 11).
"""

from __future__ import annotations

from dlgo.bits import highest_bit, lowest_bit
from dlgo.games.connect4.board import (
    BOTTOM,
    COLS,
    COLUMN,
    FULL,
    STONES_0,
    STONES_1,
    STRIDE,
    TURN,
    has_four,
    playable,
)
from dlgo.jit import inline_kernel, kernel

# Rows 1, 3 and 5, counted from 1: the rows the first player gets if each move is answered
# in its own column.
ODD_ROWS = BOTTOM * 0b010101
ONE, LINE_FEED = ord("1"), ord("\n")


@kernel
def stones_of(state):
    """(own, mask) of a state of the game."""
    first, second = state.words[STONES_0], state.words[STONES_1]
    return second if state.words[TURN] else first, first | second


@inline_kernel
def safe_moves(mask, danger):
    """The moves after which the other player cannot win at once.

    `danger` are the cells that win for the other player. One of them playable: it must be
    taken. Two: lost. And no stone goes directly below one.
    """
    moves = playable(mask)
    forced = moves & danger
    if forced:
        if forced & (forced - 1):
            return 0
        moves = forced
    return moves & ~(danger >> 1)


@inline_kernel
def mirrored(word):
    """The same cells with left and right exchanged."""
    image = 0
    for col in range(COLS):
        image |= ((word >> (STRIDE * col)) & COLUMN) << (STRIDE * (COLS - 1 - col))
    return image


@inline_kernel
def cell_in(col):
    """All cells of a column."""
    return COLUMN << (STRIDE * col)


@inline_kernel
def column_of(move):
    return lowest_bit(move) // STRIDE


@inline_kernel
def centre_most(moves):
    """The one of `moves`, at most one a column, that is nearest to the centre."""
    right = moves & (-1 << (STRIDE * (COLS // 2)))
    left_half = moves ^ right
    if left_half == 0:
        return right & -right
    if right and lowest_bit(right) // STRIDE + highest_bit(left_half) // STRIDE < COLS - 1:
        return right & -right
    return 1 << highest_bit(left_half)


@inline_kernel
def read_columns(text, at):
    """The unfinished position after the columns (`4455`) in `text` from `at` to a line feed.

    Returns:
        (own, mask, where the next line begins), the last one negated if the line is not such a
        position: a letter that is not a column, a column that is full, a game that is over.
    """
    own = mask = 0
    good = True
    while text[at] != LINE_FEED:
        col = text[at] - ONE
        at += 1
        move = (mask + BOTTOM) & (COLUMN << (STRIDE * col)) if 0 <= col < COLS else 0
        good = good and move != 0
        own, mask = own ^ mask, mask | move
    at += 1
    good = good and mask != FULL and not has_four(own) and not has_four(own ^ mask)
    return own, mask, at if good else -at
