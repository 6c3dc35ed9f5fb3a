"""A random bot that keeps its eyes (chapter 3).

A board is a list of rows of "b", "w" and "."; a point is (row, column), counted from 0.

A bot that fills its own eyes kills its own groups. An empty point is an eye of a colour if all its
neighbours along the lines are stones of this colour, and so are the points at its corners: all of
them if the point is at the edge of the board, all but one elsewhere.
"""

from __future__ import annotations


def is_eye(board: list[str], point: tuple[int, int], color: str) -> bool:
    """Whether the point is an eye of `color` ("b" or "w").

    >>> is_eye([".b.", "bb.", "..."], (0, 0), "b")
    True
    >>> is_eye([".b.", "bw.", "..."], (0, 0), "b")
    False
    >>> is_eye(["bbb", "b.b", "bbw"], (1, 1), "b")
    True
    """
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
    """A random legal point that is not an own eye, all equally likely; None to pass.

    Every call is a new random choice.

    >>> choose([".b.", "bb.", "..."], "b", [(0, 0), (2, 2)])
    (2, 2)
    >>> choose([".b.", "bb.", "..."], "w", [(0, 0)])
    (0, 0)
    >>> choose([".b.", "bb.", "..."], "b", [(0, 0)])
    None
    """
    ### BEGIN SOLUTION
    import random

    sensible = [point for point in legal if not is_eye(board, point, color)]
    return random.choice(sensible) if sensible else None
    ### END SOLUTION


### BEGIN HIDDEN TESTS
import random
from collections import Counter

from experiments.classroom.checks import HandIn, agrees, check, even, hashable, require, short

EYES = [".b.bw", "bbbbw", "b.bw.", "bbb..", ".bw.."]
_random = random.Random(8)
# Nearly all stones are black, so that many points are nearly eyes.
BOARDS = [["".join(_random.choice("bbbbbbbbbw..") for _ in range(columns)) for _ in range(rows)]
          for rows, columns in ((5, 5), (4, 6), (6, 4), (11, 12), (1, 6), (5, 2)) for _ in range(3)]
_SIDES = "Check the sides first, then the corners. How many corners does this point have?"


@check("All sensible points are equally likely, whatever was chosen before", points=3)
def chances(hand_in: HandIn) -> None:
    legal = [(0, 0), (0, 2), (2, 1), (2, 4), (3, 3), (3, 4), (4, 3)]
    sensible = [point for point in legal if not is_eye(EYES, point, "b")]
    chosen = []
    for _ in range(1000):
        chosen.append(point := hashable(hand_in.call("choose", EYES, "b", legal)))
        require(point in sensible, f"On the board {EYES}, you chose {short(point)} for b: an own "
                                   f"eye, or not one of the legal points {legal}.")
    drawn = Counter(chosen)
    # Each of the two tests fails one correct hand-in in 200,000.
    require(even([drawn[point] for point in sensible], 5e-6),
            f"In 1,000 tries, you chose the points this often: {dict(drawn)}.")
    pairs = Counter(zip(chosen[::2], chosen[1::2], strict=True))
    require(even([pairs[first, then] for first in sensible for then in sensible], 5e-6),
            "Your choice depends on your choice before. Draw a new random point in every call.")


CHECKS = [
    agrees("All neighbours of an eye are own stones", is_eye,
           [(EYES, point, color)
            for point in ((0, 0), (2, 1), (2, 4), (3, 3), (1, 0)) for color in "bw"]
           + [(board, (1, 1), "b") for board in (["bwb", "b.b", "bbb"], ["bbb", "w.b", "bbb"],
                                                 ["bbb", "b.w", "bbb"], ["bbb", "b.b", "bwb"])],
           _SIDES, points=2),
    agrees("In the middle, one corner may be missing", is_eye,
           [(board, (1, 1), "b") for board in (
               ["bbb", "b.b", "bbb"], ["wbb", "b.b", "bbb"], ["wbb", "b.b", "bbw"],
               [".bb", "b.b", "bb."], ["bbb", "b.b", "bb."])]
           + [(board, (row, col), "b") for board in BOARDS
              for row in range(1, len(board) - 1) for col in range(1, len(board[0]) - 1)],
           _SIDES, points=2),
    agrees("At the edge, all corners are needed", is_eye,
           [(["b.b", "bbb"], (0, 1), "b"), (["b.b", "wbb"], (0, 1), "b"),
            ([".b.", "bw."], (0, 0), "b"), ([".b.", "bb."], (0, 0), "b"),
            (["bb.", "b.b"], (1, 1), "b"),
            *((board, (row, col), "b") for board in BOARDS for row in (0, len(board) - 1)
              for col in range(len(board[0])))],
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
    "the ends are half as likely": (
        "random.choice(sensible)", "sensible[round(random.random() * (len(sensible) - 1))]"),
    "in turn": ("random.choice(sensible)",
                'sensible[globals().setdefault("t", []).append(1) or len(t) % len(sensible)]'),
    "the same seed in every call": ("random.choice(sensible)",
                                    "random.Random(len(sensible)).choice(sensible)"),
    "never the same twice": (
        "random.choice(sensible)", "globals().update(last=random.choice([point for point in "
        'sensible if point != globals().get("last")] or sensible)) or last'),
    "the legal points change": ("random.choice(sensible)",
                                "(legal.clear(), random.choice(sensible))[1]"),
    "a stone can be an eye": ('    if board[row][col] != ".":\n        return False\n', ""),
    "boards of nine by nine": ("0 <= r < len(board)", "0 <= r < min(len(board), 9)"),
}
EQUIVALENT = {
    "own >= there": "There are never more own stones than points.", "at_corners >= 4": "The same.",
    '> "."': "No mark sorts before the one of an empty point.",
    "row - r,": "All four corners are looked at, in another order.", "col - c)": "The same.",
    "r != len(board)": "A neighbour is one step away.", "c != len(board[0])": "The same.",
    "len(board[1])": "All rows are equally long.", "len(board[-1])": "The same.",
}
### END HIDDEN TESTS
