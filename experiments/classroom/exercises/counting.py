"""Counting a finished game of Go (chapter 2).

A board is a list of rows of "b", "w" and "."; a point is (row, column), counted from 0. In
area scoring, a player owns the points of their stones, and every empty region that touches only
their stones. All stones on the board count as alive.
"""

from __future__ import annotations


def region(board: list[str], point: tuple[int, int]) -> tuple[set[tuple[int, int]], set[str]]:
    """The empty points connected to the empty `point`, and the colours that they touch.

    >>> region([".b.", "bb."], (0, 2))
    ({(0, 2), (1, 2)}, {'b'})
    >>> region([".bw", "bb."], (1, 2))
    ({(1, 2)}, {'b', 'w'})
    >>> region(["."], (0, 0))
    ({(0, 0)}, set())
    """
    ### BEGIN SOLUTION
    points, colors, waiting = {point}, set(), [point]
    while waiting:
        row, col = waiting.pop()
        for r, c in ((row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)):
            if not (0 <= r < len(board) and 0 <= c < len(board[0])):
                continue
            if board[r][c] != ".":
                colors.add(board[r][c])
            elif (r, c) not in points:
                points.add((r, c))
                waiting.append((r, c))
    return points, colors
    ### END SOLUTION


def area(board: list[str]) -> tuple[int, int]:
    """The number of points of black and of white.

    >>> area([".b.", "bb."])
    (6, 0)
    >>> area([".b.w", "bb.w"])
    (4, 2)
    >>> area(["..."])
    (0, 0)
    """
    ### BEGIN SOLUTION
    count = {color: sum(row.count(color) for row in board) for color in "bw"}
    seen = set()
    for row, text in enumerate(board):
        for col, color in enumerate(text):
            if color == "." and (row, col) not in seen:
                points, colors = region(board, (row, col))
                seen |= points
                if len(colors) == 1:
                    count[min(colors)] += len(points)
    return count["b"], count["w"]
    ### END SOLUTION


def winner(board: list[str], komi: float) -> str:
    """ "b", "w", or "draw", if white gets `komi` points for moving second.

    >>> winner([".b.w", "bb.w"], 0.5)
    'b'
    >>> winner([".b.w", "bb.w"], 7.5)
    'w'
    >>> winner([".b.w", "bb.w"], 2.0)
    'draw'
    """
    ### BEGIN SOLUTION
    black, white = area(board)
    white += komi
    return "draw" if black == white else "b" if black > white else "w"
    ### END SOLUTION


### BEGIN HIDDEN TESTS
import random

from experiments.classroom.checks import agrees
from experiments.classroom.exercises.liberties import random_board, swapped

WALL = [".bw.", ".bw.", "bbw.", "...w"]
CLOSE = ["b.w", "bbw", "b.w"]
_random = random.Random(1)


def _both(*boards: list[str]) -> list[list[str]]:
    """The boards, each also with the colours exchanged."""
    return [board for one in boards for board in (one, swapped(one))]


SMALL = _both(*(random_board(_random, 4, 5, marks) for marks in ("b..", "bbbw.", "bw..") * 3))
# Larger than any usual board, a single row, and a single column.
OTHERS = _both(*(random_board(_random, rows, columns, marks)
                 for rows, columns in ((12, 3), (3, 21), (21, 11), (1, 7), (7, 1))
                 for marks in ("b...", "bbw.")))
# One region with more than 200 points.
SPIRAL = ["." * 20 if row % 2 == 0 else "b" * 19 + "." if row % 4 == 1 else "." + "b" * 19
          for row in range(19)]


def _komis(*boards: list[str]) -> list[tuple[list[str], float]]:
    """Boards with komi that decides, and with that of usual games."""
    for_black = [(board, float(black - white)) for board in boards
                 for black, white in [area(board)]]
    return [(board, komi) for board, lead in for_black
            for komi in (lead, lead + 0.5, lead - 0.5, lead + 1, lead - 1, 0.0, 6.5, 7.5)]


CHECKS = [
    agrees("A region has all connected empty points and the colours at its edge", region,
           [(WALL, (0, 0)), (WALL, (3, 0)), (WALL, (2, 3)), (["...", "...", "..."], (1, 1)),
            (["b.b", ".b.", "w.w"], (1, 0)), (["." * 11] * 12, (3, 3)), (SPIRAL, (0, 0)),
            *((board, (row, col)) for board in (*SMALL[:12], *OTHERS)
              for row, text in enumerate(board) for col in (0, 1, len(text) - 1)
              if text[col:col + 1] == "." and row % 2 == 0)],
           "Continue from each empty point that you find; note the stones there.", points=3),
    agrees("Stones and the regions of one colour count", area,
           [(board,) for board in _both(WALL, ["b..", "...", "..."], [".w.", "www", ".w."], SPIRAL,
                                        ["bb.", "bb.", "..."])],
           "Which colours does each empty region touch?", points=2),
    agrees("A region that touches both colours, or none, belongs to nobody", area,
           [(board,) for board in (
               ["b.w", "b.w", "b.w"], ["...", "...", "..."], ["b..", "...", "..w"], ["."],
               *SMALL, *OTHERS)],
           "Which colours does each empty region touch? Count each region once.", points=2),
    agrees("White's komi decides close games", winner,
           _komis(*_both(CLOSE, [".b.", "..."]), *SMALL[::2], *OTHERS[:3], ["..."] * 3),
           "Count both areas, and add komi to white's.", points=3),
]
PLANTED = {
    "regions of both colours go to black": ("if len(colors) == 1:", "if colors:"),
    "stones do not count": ("sum(row.count(color) for row in board)", "0"),
    "komi for black": ("white += komi", "white -= komi"),
    "draws are white's": ('"draw" if black == white else ', ""),
    "a region counts one": ("+= len(points)", "+= 1"),
    "columns as many as rows": ("0 <= c < len(board[0])", "0 <= c < len(board)"),
    "boards of nine by nine": ("0 <= r < len(board)", "0 <= r < min(len(board), 9)"),
    "komi is rounded": ("white += komi", "white += round(komi)"),
    "regions are kept by point": (
        "    return points, colors\n",
        '    kept = globals().setdefault("kept", {})\n'
        "    return kept.setdefault((point, len(board), len(points)), (points, colors))\n"),
    "regions of white are black's": ("count[min(colors)]", 'count["b"]'),
    "komi for white's lead only": ("white += komi", "white += komi * (black > white)"),
    "komi of half points": ("white += komi", "white += int(komi) + 0.5"),
    "stones decide": ("    black, white = area(board)\n",
                      '    black, white = ("".join(board).count(color) for color in "bw")\n'),
    "komi is a whole number": ("white += komi", "white += int(komi)"),
    "regions are counted twice": ("                seen |= points\n", ""),
    "stones are in the region": (
        "            if board[r][c] != \".\":\n                colors.add(board[r][c])\n",
        "            if board[r][c] != \".\":\n                colors.add(board[r][c])\n"
        "                points.add((r, c))\n"),
    "an empty board is black's": ("if len(colors) == 1:", "if colors != {\"w\", \"b\"}:\n"
                                  "                    colors = colors or {\"b\"}"),
    "the given board changes": ("    black, white = area(board)\n",
                                "    black, white = area(board)\n    board.reverse()\n"),
}
EQUIVALENT = {
    "max(colors)": "There is one colour.",
    "seen |= colors": "A region is then counted once for each of its points, as one point.",
    **{f"{name}: {change}": "Areas stay as they are." for name in ("area", "winner")
       for change in ("board is reversed", "rows of board are mirrored",
                      "rows and columns of board are swapped")},
    '<= "."': "No mark sorts before the one of an empty point.", '> "."': "The same.",
    "r != len(board)": "A neighbour is one step away.", "c != len(board[0])": "The same.",
    "len(board[-1])": "All rows are equally long.",
    "black >= white": "A draw is answered before.",
}
### END HIDDEN TESTS
