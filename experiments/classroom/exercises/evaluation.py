"""An evaluation for tic-tac-toe (chapter 4).

A board is a text of nine characters, "x", "o" and ".", row by row. A line is open for a player if
the other one has no mark on it. A position is about as good as there are more lines open for you
than for the other player. A search that cannot look to the end takes such a number for the value.
"""

from __future__ import annotations

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def open_lines(board: str, player: str) -> int:
    """How many lines are open for a player ("x" or "o")."""
    ### BEGIN SOLUTION
    other = "o" if player == "x" else "x"
    return sum(all(board[point] != other for point in line) for line in LINES)
    ### END SOLUTION


def evaluate(board: str, to_move: str) -> float:
    """The value as the player sees it who is to move: from -1 to 1.

    A game that is won is worth 1 to the winner and -1 to the loser, a full board without a winner
    0. Otherwise: the player's open lines minus the other's, divided by 10.
    """
    ### BEGIN SOLUTION
    other = "o" if to_move == "x" else "x"
    for line in LINES:
        marks = {board[point] for point in line}
        if marks == {to_move}:
            return 1.0
        if marks == {other}:
            return -1.0
    if "." not in board:
        return 0.0
    return (open_lines(board, to_move) - open_lines(board, other)) / 10
    ### END SOLUTION


### BEGIN HIDDEN TESTS
from experiments.classroom.checks import agrees

BOARDS = ["....x....", "x...o....", "x.o......", "xo.......", "x.xo..o..", "..o.x...."]
OVER = ["xxxoo....", "oo.xxx...", "x.ox.ox..", "xoxoxooxo", "xxooxxo.o", "xoxxoooxx"]
CHECKS = [
    agrees("Open lines are those without a mark of the other player", open_lines,
           [(board, player) for board in [".........", *BOARDS] for player in "xo"],
           "There are eight lines. Empty ones are open for both.", points=3),
    agrees("A finished game has its result, as the player to move sees it", evaluate,
           [(board, player) for board in OVER for player in "xo"],
           "Is the game over, and who has won?", points=3),
    agrees("Otherwise the difference of open lines counts, as the player to move sees it", evaluate,
           [(board, player) for board in BOARDS for player in "xo"],
           "Mind whose turn it is.", points=4),
]
PLANTED = {
    "always as x sees it": ('    other = "o" if to_move == "x" else "x"\n    for line',
                            '    to_move, other = "x", "o"\n    for line'),
    "lines with own marks only": ("all(board[point] != other", "all(board[point] == player"),
    "the wrong sign": ("(open_lines(board, to_move) - open_lines(board, other))",
                       "(open_lines(board, other) - open_lines(board, to_move))"),
    "another scale": (") / 10", ") / 8"),
    "the diagonals are forgotten": ("for line in LINES)", "for line in LINES[:6])"),
    "a loss is not seen": ("            return -1.0\n", "            return 0.0\n"),
}
### END HIDDEN TESTS
