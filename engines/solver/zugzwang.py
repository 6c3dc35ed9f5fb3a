"""Who runs out of safe moves: results that follow from parity alone, without searching.

In Connect Four most games are decided by zugzwang: a player has to play below a cell that wins for
the opponent. Allis (1988, "A Knowledge-based Approach of Connect-Four") proves such results by
strategies; three of these ideas, in a form cheap enough for every node, are here. All rest on
*following up*: answering each move in its own column, on the cell above.

Rows are counted from 1. Call a column odd if an odd number of stones lies in it: its lowest
empty cell (a "cross" below) is then in an even row. When the first player is to move, the
number of odd columns is even, since so is the number of stones.

**The second player follows up** (claimeven; baseinverse for the crosses). In an even column
they answer above; if the first player takes the cross of an odd column, they take the cross of
another one, which exists. So the first player gets at most: their stones, all empty cells in
odd rows, and the crosses.
  1. No four in these: the first player cannot win, their score is at most 0.
  2. If the second player has a winning cell E in an even row, they will get it. So
     the cells above E in its column do not count for the first player. Still no four in what
     is left: the second player wins.

**The first player has a winning cell T in an odd row**, in column c. They follow up
elsewhere, exchange crosses for crosses, and wait: in the end the second player has to play
below T. The second player gets at most: their stones, the odd rows of the other columns, their
crosses, and in c the even rows below T, and one odd cell of c if it is playable and the second
player is to move (the first player then answers with a cross instead).
  3. No four in these: the first player wins.

How soon? At the latest when all but the cells above E or T is full, which bounds the
winner's score from below by (cells above) / 2 + 1.

A player to move with a single cross to take has it for themselves.
"""

from __future__ import annotations

from dlgo.bits import lowest_bit
from dlgo.games.connect4.board import (
    BOTTOM,
    COLUMN,
    FULL,
    STRIDE,
    has_four,
    playable,
    winning_cells,
)
from dlgo.jit import inline_kernel
from engines.solver.board import ODD_ROWS

ROW_2, ROW_3, ROW_4 = BOTTOM << 1, BOTTOM << 2, BOTTOM << 3
UNKNOWN = -1


@inline_kernel
def zugzwang_verdict(own, mask, stones, target):
    """Whether the player to move scores at least `target`: 1 yes, 0 no, or UNKNOWN.

    To be asked only where no playable cell wins for either player: an open threat has to be
    answered at once, which would upset every strategy. `stones` is how many lie on the board.
    """
    second_to_move = stones & 1
    if second_to_move:
        first, second = own ^ mask, own
        goal = 1 - target  # does the first player score at least `goal`? the reverse question
    else:
        first, second = own, own ^ mask
        goal = target
    empty = FULL & ~mask
    ground = playable(mask)
    odd = empty & ODD_ROWS
    crosses = ground & ~ODD_ROWS

    threats = winning_cells(first, mask) & ODD_ROWS
    while threats:  # rule 3, for the lowest cell of each column
        cell = threats & -threats
        column = COLUMN << (STRIDE * (lowest_bit(cell) // STRIDE))
        threats &= ~column
        if goal <= (2 if cell & ROW_3 else 1):
            further_crosses = crosses & ~column
            if not second_to_move and further_crosses & (further_crosses - 1) == 0:
                further_crosses = 0
            reach = (odd & ~column) | further_crosses | (empty & column & ~ODD_ROWS & (cell - 1))
            if second_to_move:
                reach |= ground & column
            if not has_four(second | reach):
                return 1 ^ second_to_move

    if second_to_move and crosses & (crosses - 1) == 0:
        crosses = 0
    threats = winning_cells(second, mask) & ~ODD_ROWS
    while threats:  # rule 2
        cell = threats & -threats
        column = COLUMN << (STRIDE * (lowest_bit(cell) // STRIDE))
        threats &= ~column
        sure = 3 if cell & ROW_2 else 2 if cell & ROW_4 else 1
        if goal > -sure and not has_four(first | ((odd | crosses) & ~(column & -cell))):
            return second_to_move
    if goal > 0 and not has_four(first | odd | crosses):  # rule 1
        return second_to_move
    return UNKNOWN
