"""A random bot that keeps its eyes (chapter 3).

A board is a list of rows of "b", "w" and "."; a point is (row, column), counted from 0.

A bot that fills its own eyes kills its own groups. An empty point is an eye of a colour if all its
neighbours along the lines are stones of this colour, and so are the points at its corners: all of
them if the point is at the edge of the board, all but one elsewhere.
"""

from __future__ import annotations


def is_eye(board: list[str], point: tuple[int, int], color: str) -> bool:
    """Whether the point is an eye of `color` ("b" or "w")."""
    ### BEGIN SOLUTION
    row, col = point
    if board[row][col] != ".":
        return False
    sides = [(row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)]
    corners = [(row + r, col + c) for r in (-1, 1) for c in (-1, 1)]

    def stones(points):
        on = [(r, c) for r, c in points if 0 <= r < len(board) and 0 <= c < len(board[0])]
        return len(on), sum(board[r][c] == color for r, c in on)

    there, own = stones(sides)
    at_corners, own_corners = stones(corners)
    return own == there and own_corners >= (3 if at_corners == 4 else at_corners)
    ### END SOLUTION


def choose(
    board: list[str], color: str, legal: list[tuple[int, int]]
) -> tuple[int, int] | None:
    """A random legal point that is not an own eye, all equally likely; None to pass."""
    ### BEGIN SOLUTION
    import random

    sensible = [point for point in legal if not is_eye(board, point, color)]
    return random.choice(sensible) if sensible else None
    ### END SOLUTION


### BEGIN HIDDEN TESTS
from collections import Counter

from experiments.classroom.checks import HandIn, agrees, check, require

EYES = [".b.bw", "bbbbw", "b.bw.", "bbb..", ".bw.."]
_SIDES = "Check the sides first, then the corners. How many corners does this point have?"


@check("All sensible points are equally likely", points=3)
def chances(hand_in: HandIn) -> None:
    legal = [(0, 0), (0, 2), (2, 1), (2, 4), (3, 3), (3, 4), (4, 3)]
    sensible = [point for point in legal if not is_eye(EYES, point, "b")]
    drawn = Counter(hand_in.call("choose", EYES, "b", legal) for _ in range(400))
    require(set(drawn) == set(sensible),
            f"Of the legal points {legal}, you chose {sorted(drawn, key=str)} in 400 tries.")
    expected = 400 / len(sensible)
    require(max(abs(count - expected) for count in drawn.values()) < 6 * expected**0.5,
            "In 400 tries, you chose some points much more often than others.")


CHECKS = [
    agrees("All neighbours of an eye are own stones", is_eye,
           [(EYES, point, color)
            for point in ((0, 0), (2, 1), (2, 4), (3, 3), (1, 0)) for color in "bw"],
           _SIDES, points=2),
    agrees("In the middle, one corner may be missing", is_eye,
           [(board, (1, 1), "b") for board in (
               ["bbb", "b.b", "bbb"], ["wbb", "b.b", "bbb"], ["wbb", "b.b", "bbw"],
               [".bb", "b.b", "bb."], ["bbb", "b.b", "bb."])],
           _SIDES, points=2),
    agrees("At the edge, all corners are needed", is_eye,
           [(["b.b", "bbb"], (0, 1), "b"), (["b.b", "wbb"], (0, 1), "b"),
            ([".b.", "bw."], (0, 0), "b"), ([".b.", "bb."], (0, 0), "b"),
            (["bb.", "b.b"], (1, 1), "b")],
           _SIDES, points=2),
    chances,
    agrees("It passes if no sensible move is left", choose,
           [(EYES, "b", legal) for legal in ([], [(0, 0)], [(0, 0), (2, 1)], [(3, 3)])],
           "The legal points are own eyes, or one point that is not an eye."),
]
PLANTED = {
    "corners do not matter": (" and own_corners >= (3 if at_corners == 4 else at_corners)", ""),
    "all corners are needed": ("(3 if at_corners == 4 else at_corners)", "at_corners"),
    "one may be missing everywhere": ("(3 if at_corners == 4 else at_corners)",
                                      "at_corners - 1"),
    "any stone is a wall": ("board[r][c] == color for", 'board[r][c] != "." for'),
    "fills its eyes": ("if not is_eye(board, point, color)]", "]"),
    "always the first": ("random.choice(sensible)", "sensible[0]"),
    "the other's eyes": ("is_eye(board, point, color)]",
                         'is_eye(board, point, "bw"[color == "b"])]'),
}
### END HIDDEN TESTS
