"""An encoder: positions as input of a network (chapter 6).

A board is a list of rows of "b", "w" and ".". The input of a network is planes of numbers. Its
first plane marks the stones of the player to move. Moves are numbered row by row from 0, and the
last number is the pass.
"""

from __future__ import annotations

import numpy as np


def encode(board: list[str], to_move: str) -> np.ndarray:
    """Planes, float32 array [3, rows, columns].

    The planes are 1 where the player to move has stones, where the opponent has stones, and
    everywhere if "b" is to move; elsewhere they are 0.

    >>> encode(["b.", "ww"], "b")
    [[[1.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [1.0, 1.0]], [[1.0, 1.0], [1.0, 1.0]]]
    >>> encode(["b.", "ww"], "w")
    [[[0.0, 0.0], [1.0, 1.0]], [[1.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]]
    >>> encode(["..w"], "b")
    [[[0.0, 0.0, 0.0]], [[0.0, 0.0, 1.0]], [[1.0, 1.0, 1.0]]]
    """
    ### BEGIN SOLUTION
    marks = np.array([list(row) for row in board])
    other = "w" if to_move == "b" else "b"
    turn = np.full(marks.shape, to_move == "b")
    return np.stack([marks == to_move, marks == other, turn]).astype(np.float32)
    ### END SOLUTION


def index_of(point: tuple[int, int] | None, rows: int, columns: int) -> int:
    """The number of a move, a point (row, column) or None for the pass.

    >>> index_of((0, 2), 2, 3)
    2
    >>> index_of((1, 0), 2, 3)
    3
    >>> index_of(None, 2, 3)
    6
    """
    ### BEGIN SOLUTION
    return rows * columns if point is None else point[0] * columns + point[1]
    ### END SOLUTION


def point_of(index: int, rows: int, columns: int) -> tuple[int, int] | None:
    """The move with a number: (row, column), or None for the pass.

    >>> point_of(2, 2, 3)
    (0, 2)
    >>> point_of(3, 2, 3)
    (1, 0)
    >>> point_of(6, 2, 3)
    None
    """
    ### BEGIN SOLUTION
    return None if index == rows * columns else divmod(index, columns)
    ### END SOLUTION


### BEGIN HIDDEN TESTS
import random

from experiments.classroom.checks import HandIn, agrees, check, require
from experiments.classroom.exercises.liberties import random_board

_random = random.Random(6)
BOARDS = [["..", "bw"], ["."], ["b.w.", ".bw.", "...b"], ["..", "bb"], [".wb."] * 2,
          ["w........"] * 9, ["."] * 5,
          *(random_board(_random, rows, columns, "bw.")
            for rows, columns in ((1, 7), (7, 1), (3, 3), (3, 3), (5, 4), (4, 5), (21, 20)))]
POSITIONS = [(board, to_move) for board in BOARDS for to_move in "bw"]
SIZES = [(3, 4), (4, 3), (1, 1), (5, 5), (2, 9), (9, 2), (1, 6), (6, 1), (19, 19)]
# In any order, so that one size follows another.
MOVES = [(point, *size) for size in SIZES for point in (*np.ndindex(*size), None)]
_random.shuffle(MOVES)
_turn = agrees("", encode, POSITIONS, "The plane is all 1 or all 0.", part=2)


@check("The third plane is the player to move; all planes are float32", points=2)
def turn(hand_in: HandIn) -> None:
    _turn.run(hand_in)
    for board, to_move in POSITIONS:
        planes = np.asarray(hand_in.call("encode", board, to_move))
        require(planes.dtype == np.float32,
                f"The planes are {planes.dtype} if {to_move} is to move; return an array of "
                "np.float32.")


CHECKS = [
    agrees("The first plane has the stones of the player to move", encode, POSITIONS,
           "Who is to move? Where are their stones?", points=2, part=0),
    agrees("The second plane has the opponent's stones", encode, POSITIONS,
           "The opponent is not always white.", points=2, part=1),
    turn,
    agrees("Moves are numbered row by row, the pass last", index_of, MOVES,
           "The board can have more columns than rows.", points=2),
    agrees("Numbers become moves again", point_of,
           [(index_of(*move), *move[1:]) for move in MOVES],
           "point_of is the inverse of index_of.", points=2),
]
PLANTED = {
    "always black's stones first": ("marks == to_move, marks == other",
                                    'marks == "b", marks == "w"'),
    "the turn is not told": ('to_move == "b")', "False)"),
    "the other's stones are all stones": ("marks == other,", 'marks != ".",'),
    "rows and columns mixed up": ("point[0] * columns", "point[0] * rows"),
    "one board size": ("point[0] * columns", "point[0] * 4"),
    "one size of rows": ("divmod(index, columns)", "divmod(index, 4)"),
    "one off": ("if index == rows * columns", "if index == rows * columns - 1"),
    "the first move is a pass": ("if point is None", "if not point or not any(point)"),
    "numbers of a byte": ("return rows * columns if point is None else point[0] * columns",
                          "return rows * columns if point is None else (point[0] * columns) % 256"),
    "double numbers for white": (".astype(np.float32)",
                                 '.astype(np.float32 if to_move == "b" else np.float64)'),
    "planes are kept": (
        "    return np.stack([marks == to_move, marks == other, turn]).astype(np.float32)",
        "    planes = np.stack([marks == to_move, marks == other, turn]).astype(np.float32)\n"
        '    kept = globals().setdefault("kept", {}).setdefault(marks.shape, planes)\n'
        "    return np.maximum(kept, planes, out=kept)"),
    "numbers of one byte for points": ("divmod(index, columns)", "divmod(index % 256, columns)"),
    "double numbers": (".astype(np.float32)", ".astype(np.float64)"),
    "square boards": ("turn = np.full(marks.shape,", "turn = np.full(marks.T.shape,"),
    "the board is changed": ("    marks = np.array([list(row) for row in board])",
                             "    marks = np.array([list(row) for row in board])\n"
                             "    board.reverse()"),
}
EQUIVALENT = {
    'to_move <= "b"': 'The only other colour is "w".',
    "index >= rows * columns": "The pass has the largest number.",
}
### END HIDDEN TESTS
