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

import numpy as np

from experiments.classroom.checks import HandIn, agrees, check, even, hashable, require, short
from experiments.classroom.exercises.liberties import random_board, swapped

EYES = [".b.bw", "bbbbw", "b.bw.", "bbb..", ".bw.."]
_random = random.Random(8)
_SIDES = "Check the sides first, then the corners. How many corners does this point have?"


def _with(board: list[str], row: int, col: int, mark: str) -> list[str]:
    """The board with another mark at a point."""
    return [*board[:row], board[row][:col] + mark + board[row][col + 1:], *board[row + 1:]]


def _empty(board: list[str]) -> list[tuple[int, int]]:
    return [(row, col) for row, text in enumerate(board) for col, mark in enumerate(text)
            if mark == "."]


def _white_corner(board: list[str], row: int, col: int, r: int, c: int) -> list[str]:
    """The board with a white stone at a corner of a point, and a liberty if there is room."""
    for p, q in ((2 * r - row, c), (r, 2 * c - col)):
        if 0 <= p < len(board) and 0 <= q < len(board[0]):
            return _with(_with(board, r, c, "w"), p, q, ".")
    return board


def _holes():
    """A hole at each point of a black board, with one or two other marks around it."""
    for row, col in np.ndindex(4, 5):
        board = _with(["bbbbb"] * 4, row, col, ".")
        sides = [(r, c) for r, c in np.ndindex(4, 5) if abs(r - row) + abs(c - col) == 1]
        corners = [(r, c) for r, c in np.ndindex(4, 5) if abs(r - row) == abs(c - col) == 1]
        boards = [board, *(_with(board, *point, mark) for point in sides for mark in ".w"),
                  *(_with(board, *point, ".") for point in corners)]
        whites = [_white_corner(board, row, col, *point) for point in corners]
        for one, point in zip(whites[1:], corners, strict=False):
            boards += [_with(one, *point, "."), _white_corner(one, row, col, *point)]
        yield from ((one, (row, col)) for one in (*boards, *whites))


# Nearly all stones are black, so that many points are nearly eyes.
BOARDS = [random_board(_random, rows, columns, "bbbbbbbw.") for rows, columns in (
    (5, 5), (4, 6), (6, 4), (11, 12), (1, 6), (5, 2), (21, 3)) for _ in range(4)]
CASES = [case for board, point in (
    *_holes(), *((board, point) for board in BOARDS for point in _empty(board)))
         for case in ((board, point, "b"), (swapped(board), point, "w"))]


def _in_the_middle(board: list[str], point: tuple[int, int], _: str) -> bool:
    return 0 < point[0] < len(board) - 1 and 0 < point[1] < len(board[0]) - 1


def _try(hand_in: HandIn, board: list[str], color: str, legal: list, tries: int) -> list:
    """Points that were chosen; they must be evenly distributed."""
    sensible, chosen = [point for point in legal if not is_eye(board, point, color)], []
    for _ in range(tries):
        chosen.append(point := hashable(hand_in.call("choose", board, color, legal)))
        require(point in sensible, f"On the board {short(board)}, you chose {short(point)} for "
                                   f"{color}: an own eye, or not one of the legal points "
                                   f"{short(legal)}.")
    drawn = Counter(chosen)
    # Each of the six tests of chances fails one correct hand-in in 700,000.
    require(len(sensible) == 1 or even([drawn[point] for point in sensible], 1.5e-6),
            f"In {tries:,} tries, you chose the points this often: {dict(drawn)}.")
    return chosen


# 29 empty points; two are eyes of white.
WIDE = ["w.w.w....", "www.wb...", ".w.bbb.b.", "wwb.b....", "....bbb.b", "w.w..b.b."]
SOME = _random.sample(_empty(WIDE), 26)
# 100 eyes of black; a point more is none.
MANY = [row for _ in range(10) for row in (".b" * 9 + ".", "b" * 19)] + ["b" * 17 + "w."]


@check("All sensible points are equally likely, whatever was chosen before", points=3)
def chances(hand_in: HandIn) -> None:
    legal = [(0, 0), (0, 2), (2, 1), (2, 4), (3, 3), (3, 4), (4, 3)]
    sensible = [point for point in legal if not is_eye(EYES, point, "b")]
    for color, eyes, wide, many in (("b", EYES, swapped(WIDE), MANY),
                                    ("w", swapped(EYES), WIDE, swapped(MANY))):
        chosen = _try(hand_in, eyes, color, legal, 800)
        pairs = Counter(zip(chosen[::2], chosen[1::2], strict=True))
        require(even([pairs[first, then] for first in sensible for then in sensible], 1.5e-6),
                "Your choice depends on your choice before. Draw a new random point in every call.")
        _try(hand_in, wide, color, SOME, 260)
        _try(hand_in, many, color, _empty(many), 20)


CHECKS = [
    agrees("All neighbours of an eye are own stones", is_eye,
           [(one, point, color) for board in (EYES, WIDE, ["bbb."] * 3)
            for one in (board, swapped(board))
            for point in np.ndindex(len(one), len(one[0])) for color in "bw"],
           _SIDES, points=2),
    agrees("In the middle, one corner may be missing", is_eye,
           [case for case in CASES if _in_the_middle(*case)], _SIDES, points=2),
    agrees("At the edge, all corners are needed", is_eye,
           [case for case in CASES if not _in_the_middle(*case)], _SIDES, points=2),
    chances,
    agrees("It passes if no sensible move is left", choose,
           [*((board, color, legal) for board, color in ((EYES, "b"), (swapped(EYES), "w"))
              for legal in ([], [(0, 0)], [(0, 0), (2, 1)], [(3, 3)])),
            (EYES, "w", [(0, 0)]), (swapped(EYES), "b", [(0, 0)])],
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
    "white has no eyes": ("    row, col = point\n    if",
                          '    row, col = point\n    if color == "w" or'),
    "white's corners are black": ("board[r][c] == color for r, c in on)",
                                  'board[r][c] == (color if points is sides else "b")\n'
                                  "                            for r, c in on)"),
    "only black keeps its eyes": ("if not is_eye(board, point, color)]",
                                  'if color == "w" or not is_eye(board, point, color)]'),
    "a hundred tries": (
        "    return random.choice(sensible) if sensible else None\n",
        "    for _ in range(100):\n        point = random.choice(legal or [None])\n"
        "        if point in sensible:\n            return point\n    return None\n"),
    "the first twenty": ("point for point in legal if", "point for point in legal[:20] if"),
    "square boards": ("0 <= c < len(board[0])]", "0 <= c < max(len(board), 3)\n"
                      "              and c < len(board[0])]"),
    "boards of nine by nine": ("0 <= r < len(board)", "0 <= r < min(len(board), 9)"),
}
EQUIVALENT = {
    **{f"only if argument {number} is 'b': {bug}": "The bug is one of white."
       for number, bug in ((3, "    row, col = point\n    if\n"), (3, "board[r][c] == (color if"),
                           (2, 'if color == "w" or'))},
    "only if argument 3 is 'w': return len(on), sum(board[r][c] >=": "No mark sorts after it.",
    "return there == own": "The same.",
    "3 if own == 4": "A point with four corners has four neighbours.",
    "3 if there == 4": "The same.",
    "legal is reversed": "All are equally likely.", "legal are sorted": "The same.",
    "equal legal count once": "All are different.",
    "own >= there": "There are never more own stones than points.", "at_corners >= 4": "The same.",
    '> "."': "No mark sorts before the one of an empty point.",
    "row - r,": "All four corners are looked at, in another order.", "col - c)": "The same.",
    "r != len(board)": "A neighbour is one step away.", "c != len(board[0])": "The same.",
    "len(board[-1])": "All rows are equally long.",
}
### END HIDDEN TESTS
