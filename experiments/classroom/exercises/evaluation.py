"""An evaluation for tic-tac-toe (chapter 4).

A board is a text of nine characters, "x", "o" and ".", row by row. A line is open for a player if
the opponent has no mark on it. A position is better for you if more lines are open for you and
fewer for the opponent. A search that cannot reach the end of the game uses this value instead.
"""

from __future__ import annotations

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
OWN: float  # value of a line that is open for the player to move
THEIRS: float  # what a line that is open for the opponent takes off


def open_lines(board: str, player: str) -> int:
    """How many lines are open for a player ("x" or "o").

    >>> open_lines(".........", "x")
    8
    >>> open_lines("....o....", "x")
    4
    >>> open_lines("....o....", "o")
    8
    """
    ### BEGIN SOLUTION
    other = "o" if player == "x" else "x"
    return sum(all(board[point] != other for point in line) for line in LINES)
    ### END SOLUTION


def evaluate(board: str, to_move: str) -> float:
    """The value for the player to move, from -1 to 1. Either player can be to move, also after the
    end of the game.

    A finished game is worth 1 to the winner and -1 to the loser, a draw 0. Otherwise: OWN times the
    player's open lines minus THEIRS times the opponent's.

    >>> evaluate("....o....", "o")
    >>> evaluate("....o....", "x")
    >>> evaluate("xxxoo....", "o")
    -1.0
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
    return OWN * open_lines(board, to_move) - THEIRS * open_lines(board, other)
    ### END SOLUTION


### BEGIN HIDDEN TESTS
import random

from experiments.classroom.checks import agrees
from experiments.classroom.exercises.rules_of_thumb import boards_of_games, winners
from experiments.classroom.variants import decimal


def variant(rng: random.Random):
    return {"OWN": decimal(rng, 0.06, 0.12, 4), "THEIRS": decimal(rng, 0.06, 0.12, 4)}


_BOARDS = boards_of_games()
OPEN = [board for board in _BOARDS if "." in board and not winners(board)]
# Few boards are nearly empty or nearly full.
BOARDS = [board for empty in range(1, 10)
          for board in [board for board in OPEN if board.count(".") == empty][:16]]
WON = [board for board in _BOARDS if winners(board)]
FULL = [board for board in _BOARDS if "." not in board]
OVER = [*WON[:80], *FULL[:40]]
CHECKS = [
    agrees("Open lines have no mark of the opponent", open_lines,
           [(board, player) for board in [".........", *BOARDS[::2], *OVER[::2]]
            for player in "xo"],
           "There are eight lines. An empty line is open for both players, and one that is full "
           "of a player's marks is open for this player.", points=3),
    agrees("The value of a finished game is its result for the player to move", evaluate,
           [(board, player) for board in OVER for player in "xo"],
           "Is the game over? Who has won?", points=3),
    agrees("Otherwise the difference of open lines counts, for the player to move", evaluate,
           [(board, player) for board in BOARDS for player in "xo"],
           "Check who is to move.", points=4),
]
PLANTED = {
    "always as x sees it": ('    other = "o" if to_move == "x" else "x"\n    for line',
                            '    to_move, other = "x", "o"\n    for line'),
    "lines with own marks only": ("all(board[point] != other", "all(board[point] == player"),
    "the wrong sign": ("return OWN *", "return -OWN *"),
    "the opponent's lines are good": (" - THEIRS *", " + THEIRS *"),
    "another scale": ("return OWN *", "return 0.1 *"),
    "one weight": (" - THEIRS *", " - OWN *"),
    "the diagonals are forgotten": ("for line in LINES)", "for line in LINES[:6])"),
    "a loss is not seen": ("            return -1.0\n", "            return 0.0\n"),
    "a full board is drawn": ("    for line in LINES:\n        marks",
                              '    if "." not in board:\n        return 0.0\n'
                              "    for line in LINES:\n        marks"),
    "rounded": ("OWN * open_lines(board, to_move) - THEIRS * open_lines(board, other)",
                "round(OWN * open_lines(board, to_move) - THEIRS * open_lines(board, other), 1)"),
    "clamped": ("OWN * open_lines(board, to_move) - THEIRS * open_lines(board, other)",
                "min(0.3, OWN * open_lines(board, to_move) - THEIRS * open_lines(board, other))"),
    "a full line is not open": (
        "sum(all(board[point] != other for point in line) for line in LINES)",
        "sum(all(board[point] != other for point in line)\n"
        '               and any(board[point] == "." for point in line) for line in LINES)'),
    "nearly full is drawn": ('    if "." not in board:\n', '    if board.count(".") < 2:\n'),
    "no loss on a full board": ("            return -1.0\n",
                                '            return -1.0 * ("." in board)\n'),
    "dead is drawn": ('    if "." not in board:\n',
                      '    if "." not in board or not open_lines(board, to_move):\n'),
    "own lines only": (" - THEIRS * open_lines(board, other)", ""),
}
EQUIVALENT = {
    "other = 'x' if player == 'o' else 'o'": "The same player.",
    "other = 'x' if to_move == 'o' else 'o'": "The same.",
    "board is reversed": "Turned upside down, a board has the same lines.",
    "marks <=": "A line has three points, so marks are never empty.",
    'player >= "x"': "The other player sorts before x.", 'to_move >= "x"': "The same.",
}
### END HIDDEN TESTS
