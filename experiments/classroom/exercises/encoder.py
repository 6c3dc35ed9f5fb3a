"""An encoder: positions as input of a network (chapter 6).

A board is a list of rows of "b", "w" and ".". The input of a network is planes of numbers. OWN
stones are those of the player to move. Moves are numbered row by row from 0, and the last number is
the pass.
"""

from __future__ import annotations

import numpy as np


def encode(board: list[str], to_move: str) -> np.ndarray:
    """Planes, float32 [3, rows, columns]: own stones, the opponent's, all ones if "b" moves."""
    ### BEGIN SOLUTION
    marks = np.array([list(row) for row in board])
    other = "w" if to_move == "b" else "b"
    turn = np.full(marks.shape, to_move == "b")
    return np.stack([marks == to_move, marks == other, turn]).astype(np.float32)
    ### END SOLUTION


def index_of(point: tuple[int, int] | None, rows: int, columns: int) -> int:
    """The number of a move; None is the pass."""
    ### BEGIN SOLUTION
    return rows * columns if point is None else point[0] * columns + point[1]
    ### END SOLUTION


def point_of(index: int, rows: int, columns: int) -> tuple[int, int] | None:
    """The move with a number; None for the pass."""
    ### BEGIN SOLUTION
    return None if index == rows * columns else divmod(index, columns)
    ### END SOLUTION


### BEGIN HIDDEN TESTS
from experiments.classroom.checks import HandIn, agrees, check, require

BOARD = ["b.w.", ".bw.", "...b"]
POSITIONS = [(BOARD, "b"), (BOARD, "w"), (["w"], "b"), (["..", "bb"], "w")]
_turn = agrees("", encode, POSITIONS, "The plane is all 1 or all 0.", part=2)


@check("The third plane is the player to move; all planes are float32", points=2)
def turn(hand_in: HandIn) -> None:
    _turn.run(hand_in)
    planes = np.asarray(hand_in.call("encode", BOARD, "b"))
    require(planes.dtype == np.float32, f"The planes are {planes.dtype}, not float32.")


CHECKS = [
    agrees("The first plane has the stones of the player to move", encode, POSITIONS,
           "Own stones are those of the player to move.", points=2, part=0),
    agrees("The second plane has the opponent's stones", encode, POSITIONS,
           "The opponent is not always white.", points=2, part=1),
    turn,
    agrees("Moves are numbered row by row, the pass last", index_of,
           [(point, 3, 4) for point in ((0, 0), (0, 3), (1, 0), (2, 3), None)],
           "The board can have more columns than rows.", points=2),
    agrees("Numbers become moves again", point_of, [(number, 3, 4) for number in (0, 3, 4, 11, 12)],
           "point_of is the inverse of index_of.", points=2),
]
PLANTED = {
    "always black's stones first": ("marks == to_move, marks == other",
                                    'marks == "b", marks == "w"'),
    "the turn is not told": ('to_move == "b")', "False)"),
    "the other's stones are all stones": ("marks == other,", 'marks != ".",'),
    "rows and columns mixed up": ("point[0] * columns", "point[0] * rows"),
    "one off": ("if index == rows * columns", "if index == rows * columns - 1"),
    "double numbers": (".astype(np.float32)", ".astype(np.float64)"),
}
### END HIDDEN TESTS
