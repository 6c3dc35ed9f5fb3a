"""Chains and liberties (chapter 2).

A board is a list of rows from top to bottom. Each row is a text of "b" (black), "w" (white) and
"." (empty). A point is a pair (row, column), both counted from 0.

    board = [".b.",
             "bbw",
             "..."]

Stones of one colour that touch along the lines form a chain. The empty points next to a chain are
its liberties.
"""

from __future__ import annotations


def neighbours(board: list[str], point: tuple[int, int]) -> set[tuple[int, int]]:
    """The points of the board that touch `point` along the lines: up to four.

    >>> neighbours(["...", "..."], (0, 0))
    {(1, 0), (0, 1)}
    >>> neighbours(["...", "..."], (1, 1))
    {(0, 1), (1, 0), (1, 2)}
    >>> neighbours(["."], (0, 0))
    set()
    """
    ### BEGIN SOLUTION
    row, col = point
    around = [(row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)]
    return {(r, c) for r, c in around if 0 <= r < len(board) and 0 <= c < len(board[0])}
    ### END SOLUTION


def chain(board: list[str], point: tuple[int, int]) -> set[tuple[int, int]]:
    """The points of the chain that the stone at `point` belongs to; none if `point` is empty.

    >>> chain(["bb.", "..b"], (0, 0))
    {(0, 0), (0, 1)}
    >>> chain(["bb.", "..b"], (1, 2))
    {(1, 2)}
    >>> chain(["bb.", "..b"], (0, 2))
    set()
    """
    ### BEGIN SOLUTION
    color = board[point[0]][point[1]]
    if color == ".":
        return set()
    points, waiting = {point}, [point]
    while waiting:
        for r, c in neighbours(board, waiting.pop()):
            if board[r][c] == color and (r, c) not in points:
                points.add((r, c))
                waiting.append((r, c))
    return points
    ### END SOLUTION


def liberties(board: list[str], point: tuple[int, int]) -> set[tuple[int, int]]:
    """The liberties of the chain at `point`; none if `point` is empty.

    >>> liberties([".bb.", ".w.."], (0, 1))
    {(0, 0), (0, 3), (1, 2)}
    >>> liberties([".bb.", ".w.."], (1, 1))
    {(1, 0), (1, 2)}
    >>> liberties([".bb.", ".w.."], (0, 0))
    set()
    """
    ### BEGIN SOLUTION
    near = {near for stone in chain(board, point) for near in neighbours(board, stone)}
    return {(r, c) for r, c in near if board[r][c] == "."}
    ### END SOLUTION


### BEGIN HIDDEN TESTS
import random

import numpy as np

from experiments.classroom.checks import agrees


def random_board(generator: random.Random, rows: int, columns: int, marks: str) -> list[str]:
    """A board of random marks. Each chain has a liberty, as on every board of a game."""
    board = [generator.choices(marks, k=columns) for _ in range(rows)]
    for row, col in np.ndindex(rows, columns):
        if board[row][col] != "." and not liberties(board, (row, col)):
            board[row][col] = "."
    return ["".join(row) for row in board]


def swapped(board: list[str]) -> list[str]:
    """The board with white stones for black ones, and the other way round."""
    return [row.translate({98: "w", 119: "b"}) for row in board]


def _points(boards, marks, every=1):
    """Boards with their points that have one of the marks."""
    return [(board, point) for board in boards for point in np.ndindex(len(board), len(board[0]))
            if board[point[0]][point[1]] in marks][::every]


CROSS = ["....", ".b..", "bbw.", ".b.w"]
SNAKE = ["bbbbb", "....b", "bbbbb", "b....", "bbbbb"]
LONE = ["b....", ".....", "..wb.", "...w."]
_random = random.Random(1)
SMALL = [["w.", ".."], ["bb.", "b..", "..."], ["www", "w.w", "www"], ["ww", ".b"],
         swapped(SNAKE),
         *(random_board(_random, 5, 6, marks) for marks in ("bw..", "bbw.", "bww..") * 2)]
# Larger than any usual board, a single row, and a single column.
LARGE = [random_board(_random, rows, columns, marks)
         for rows, columns in ((21, 20), (3, 23), (22, 2), (1, 9), (9, 1))
         for marks in ("bbbw.", "wwwb.")]
# One chain of 209 stones.
SPIRAL = ["b" * 20 if row % 2 == 0 else "." * 19 + "b" if row % 4 == 1 else "b" + "." * 19
          for row in range(19)]
CHECKS = [
    agrees("A point has four neighbours, three at the edge, two in the corner", neighbours,
           [*((["....."] * 3, point) for point in ((1, 2), (0, 2), (0, 0), (2, 4), (0, 4))),
            (["."], (0, 0)), *_points([CROSS, ["ww.."], ["."] * 4], "bw."),
            *((["." * 20] * 20, point) for point in ((19, 19), (18, 9), (9, 18), (10, 10)))],
           "All points must be on the board. A board can have more columns than rows. Stones are "
           "points, too.", ordered=False),
    agrees("A chain has all connected stones of one colour", chain,
           [*((CROSS, point) for point in ((1, 1), (2, 2), (3, 3))), (SNAKE, (4, 4)),
            (SPIRAL, (0, 0)), *_points(SMALL, "bw", 4), *_points(LARGE, "bw", 31)],
           "Continue from every stone that you find, to stones of the same colour. Diagonal "
           "neighbours are not connected.", points=2),
    agrees("An empty point has no chain and no liberties", (chain, liberties),
           [(CROSS, (0, 0)), *_points([["."]], "."), *_points(SMALL, ".", 5)],
           "This point has no stone."),
    agrees("A lone stone's liberties are its empty neighbours", liberties, _points([LONE], "bw"),
           "A stone of the other colour is not a liberty.", points=2),
    agrees("A chain shares its liberties, each counted once", liberties,
           [(SNAKE, (0, 0)), (SPIRAL, (18, 0)), *_points(SMALL, "bw"), *_points(LARGE, "bw", 8)],
           "Use all stones of the chain, and count each empty point once.", points=4),
]
PLANTED = {
    "columns as many as rows": ("0 <= c < len(board[0])", "0 <= c < len(board)"),
    "the first row is left out": ("0 <= r < len(board)", "0 < r < len(board)"),
    "negative indices wrap around": ("if 0 <= r < len(board) and 0 <= c < len(board[0])",
                                     "if r < len(board) and c < len(board[0])"),
    "only the stone itself": ("for stone in chain(board, point)", "for stone in [point]"),
    "any stone belongs to the chain": ("board[r][c] == color and", 'board[r][c] != "." and'),
    "enemy stones are liberties": ('if board[r][c] == "."}',
                                   "if board[r][c] != board[point[0]][point[1]]}"),
    "boards of nine by nine": ("0 <= r < len(board)", "0 <= r < min(len(board), 9)"),
    "square boards": ("c < len(board[0])", "c < max(len(board), 3)"),
    "a limit of steps": ("while waiting:", "while waiting and len(points) < 30:"),
    "only points like this one": (
        "0 <= c < len(board[0])}",
        "0 <= c < len(board[0]) and \".\" in {board[r][c], board[row][col]}}"),
    "only empty neighbours": (
        "0 <= c < len(board[0])}",
        "0 <= c < len(board[0]) and board[r][c] in board[row][col] + \".\"}"),
    "white stones do not connect": ("waiting = {point}, [point]",
                                    'waiting = {point}, [point] * (color == "b")'),
    "an empty point has a chain of black": ('        return set()\n', '        color = "b"\n'),
    "an empty point is its chain": ("        return set()\n", "        return {point}\n"),
    "a limit of two hundred": ("while waiting:", "while waiting and len(points) < 200:"),
    "earlier boards are remembered": (
        "    points, waiting = {point}, [point]\n",
        '    seen = globals().setdefault("seen", {})\n'
        "    points, waiting = seen.setdefault((point, color, len(board)), {point}), [point]\n"),
    "an empty point has a chain": ('    if color == ".":\n        return set()\n', ""),
    "diagonal neighbours": ("around = [", "around = [(row + 1, col + 1), "),
}
EQUIVALENT = {
    **{f"neighbours: {change}": "It does not matter what is on the points." for change in (
        "board is reversed", "rows of board are mirrored", "b on board", "w on board",
        ". on board", ". and b on board", ". and w on board", "b and w on board")},
    "chain: b and w on board are swapped": "Both colours obey the same rules.",
    "liberties: b and w on board are swapped": "The same.",
    '<= "."': "No mark sorts before the one of an empty point.",
    "r != len(board)": "A neighbour is one step away.", "c != len(board[0])": "The same.",
    "len(board[-1])": "All rows are equally long.",
}
### END HIDDEN TESTS
