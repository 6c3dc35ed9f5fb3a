"""Captures (chapter 2).

A board is a list of rows from top to bottom, of "b", "w" and "."; a point is (row, column),
counted from 0.

After a stone is placed, first remove the chains of the OTHER colour that have no liberty. Then look
at the new stone's own chain. If it has no liberty, the move is illegal.
"""

from __future__ import annotations


def play(board: list[str], color: str, point: tuple[int, int]) -> list[str] | None:
    """The board after `color` ("b" or "w") has played at `point`, without the captured stones.

    None if the move is illegal: the point is taken, or the new chain would have no liberty.
    `board` itself must not change.

    >>> play(["...", "..."], "b", (0, 1))
    ['.b.', '...']
    >>> play(["bw.", ".b."], "b", (0, 2))
    ['b.b', '.b.']
    >>> play([".w.", "w.."], "b", (0, 0))
    None
    """
    ### BEGIN SOLUTION
    if board[point[0]][point[1]] != ".":
        return None
    after = [list(row) for row in board]
    after[point[0]][point[1]] = color
    for r, c in _around(after, point):
        if after[r][c] not in (".", color):
            stones, breath = _chain(after, (r, c))
            if not breath:
                for row, col in stones:
                    after[row][col] = "."
    if not _chain(after, point)[1]:
        return None
    return ["".join(row) for row in after]


def _around(board, point):
    row, col = point
    around = [(row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)]
    return [(r, c) for r, c in around if 0 <= r < len(board) and 0 <= c < len(board[0])]


def _chain(board, point):  # its stones, and whether it has a liberty
    color, stones, waiting, breath = board[point[0]][point[1]], {point}, [point], False
    while waiting:
        for r, c in _around(board, waiting.pop()):
            breath = breath or board[r][c] == "."
            if board[r][c] == color and (r, c) not in stones:
                stones.add((r, c))
                waiting.append((r, c))
    return stones, breath
    ### END SOLUTION


def captured(board: list[str], color: str, point: tuple[int, int]) -> int:
    """How many stones the move captures; 0 if it is illegal.

    >>> captured(["bw.", ".b."], "b", (0, 2))
    1
    >>> captured(["bww.", ".bb."], "b", (0, 3))
    2
    >>> captured([".w.", "w.."], "b", (0, 0))
    0
    """
    ### BEGIN SOLUTION
    after = play(board, color, point)
    if after is None:
        return 0
    stones = sum(row.count(".") for row in after) - sum(row.count(".") for row in board)
    return stones + 1
    ### END SOLUTION


### BEGIN HIDDEN TESTS
import random

from experiments.classroom.checks import agrees
from experiments.classroom.exercises.liberties import swapped


def _both(*cases):
    """The cases, and the same ones with the colours exchanged."""
    for board, color, point in cases:
        yield board, color, point
        yield swapped(board), "bw"[color == "b"], point


def _games():
    """Moves of random games, most of them legal."""
    generator = random.Random(2)
    for rows, columns in ((4, 5), (4, 5), (5, 2), (3, 3), (1, 6), (6, 1), (3, 12)):
        board = ["." * columns] * rows
        for ply in range(9 * rows):
            color = "bw"[(ply + columns) % 2]
            point = generator.randrange(rows), generator.randrange(columns)
            yield board, color, point
            board = play(board, color, point) or board


def _large():
    """Chains beyond the ninth row and column, with one liberty left."""
    for rows, columns in ((12, 11), (2, 14), (1, 23), (23, 1)):
        yield ["." + "w" * (columns - 1), *["b" * columns] * (rows - 1)], "b", (0, 0)
        yield ["." + "b" * (columns - 1), *["b" * columns] * (rows - 1)], "b", (0, 0)
    yield [".", *["w"] * 22], "b", (0, 0)
    yield ["w" * 20, *["." * 20] * 11], "b", (1, 19)
    yield ["w" * 20, "b" * 19 + ".", *["." * 20] * 19, "b" * 20], "b", (1, 19)


# The colours are exchanged, too.
CORNER = [["bwb.", "b.b.", ".b.."], ["..b", ".bw", "bw."], [".wb."], ["b", "w", "."]]
SEVERAL = [(["bw.wb", ".bwb.", "..b.."], "b", (0, 2)),
           (["..b..", ".bwb.", "bw.wb", ".bwb.", "..b.."], "b", (2, 2)),
           (["bww.wb", ".bbwb.", "...b.."], "b", (0, 3))]
TWICE = [(["bbbbb", "bww.b", "bwwwb", "bbbb."], "b", (1, 3)),
         (["bbbb", "bwwb", "bw.b", "bwwb", ".bbb"], "b", (2, 2))]
LAST = [([".wb", "wb.", "b.."], "b", (0, 0)), (["b.wb."], "b", (0, 1)),
        ([".wwb", "bbb."], "b", (0, 0)), (["b.wb", "wwb.", "bb.."], "b", (0, 1))]
KO = [([".bw.", "bw.w", ".bw."], "b", (1, 2)), ([".bw.", "b.bw", ".bw."], "w", (1, 1))]
SUICIDES = [([".b.", "b.b", ".b."], "w", (1, 1)), (["w.b", "bbb", "..."], "w", (0, 1)),
            ([".b", "b."], "w", (0, 0)), (["bb.", "wwb", ".wb", "wwb", "bb."], "w", (2, 0)),
            (["bbbbb", "bw.wb", "bwwwb", "bbbb."], "w", (1, 2))]
CHECKS = [
    agrees("The new stone is on the board, and the given board does not change", play,
           _both((["...", "...", "..."], "w", (0, 2)), (["b..", "...", "..."], "w", (0, 0)),
                 (["b..", "...", "..."], "b", (0, 0)), (["bb.", "...", ".w."], "b", (1, 0)),
                 (["."] * 3, "b", (2, 0)), (["...."], "b", (0, 3))),
           "Return a new list of texts, or None if the point is not empty."),
    agrees("A chain without liberties is removed", play,
           _both(([".b.", "bw.", ".b."], "b", (1, 2)), (["wwb", "wb.", "..."], "b", (2, 0)),
                 (["wwb", "w.b", ".bb"], "b", (2, 0)), (["wwb", "w.b", ".bb"], "b", (1, 1))),
           "Remove all stones of the chain, not only the one next to the move.", points=2),
    agrees("One move can capture several chains", (play, captured), _both(*SEVERAL, *TWICE),
           "Check all four neighbours of the new stone. Count each stone once.", points=2),
    agrees("Captures come before the check of the new chain",
           (play, captured), _both(*LAST, *KO),
           "The new stone has a liberty after the captured stones are removed.", points=2),
    agrees("Suicide is illegal, of one stone or of a chain", (play, captured), _both(*SUICIDES),
           "The new chain has no liberty and captures nothing: the move is illegal."),
    agrees("Games on boards of all sizes follow the rules", (play, captured),
           [*_games(), *_both(*_large())],
           "Compare with the rules, step by step.", points=2),
]
PLANTED = {
    "suicide is asked first": (
        "    for r, c in _around(after, point):\n        if after",
        "    if not _chain(after, point)[1]:\n        return None\n"
        "    for r, c in _around(after, point):\n        if after"),
    "own stones are captured": ('not in (".", color)', 'not in (".",)'),
    "only one stone is taken": ("for row, col in stones:", "for row, col in [(r, c)]:"),
    "suicide is allowed": ("    if not _chain(after, point)[1]:\n        return None\n", ""),
    "one off": ("return stones + 1", "return stones"),
    "only one chain is taken": (
        '                    after[row][col] = "."\n',
        '                    after[row][col] = "."\n                break\n'),
    "the given board changes": ('    return ["".join(row) for row in after]\n',
                                '    board[:] = ["".join(row) for row in after]\n'
                                "    return board\n"),
    "boards of nine by nine": ("0 <= c < len(board[0])", "0 <= c < min(len(board[0]), 9)"),
    "plays on stones": ('    if board[point[0]][point[1]] != ".":\n        return None\n', ""),
    "one stone is never suicide": ("    if not _chain(after, point)[1]:",
                                   "    stones, breath = _chain(after, point)\n"
                                   "    if not breath and len(stones) > 1:"),
    "a limit of captures": ("return stones + 1", "return min(stones + 1, 8)"),
    "white cannot capture": ("    for r, c in _around(after, point):\n        if after",
                             "    for r, c in _around(after, point) * (color == \"b\"):\n"
                             "        if after"),
    "white's suicide only": ("    if not _chain(after, point)[1]:",
                             '    if color == "w" and not _chain(after, point)[1]:'),
    "three chains at most": ("    for r, c in _around(after, point):\n        if after",
                             "    for r, c in _around(after, point)[:3]:\n        if after"),
    "a chain that touches twice counts twice": (
        "    return stones + 1\n",
        "    return sum(len(_chain(board, near)[0]) for near in set(_around(board, point))\n"
        "               if board[near[0]][near[1]] not in (color, \".\")\n"
        "               and after[near[0]][near[1]] == \".\")\n"),
    "no ko": ("    if not _chain(after, point)[1]:\n",
              "    global before\n    again = after == globals().get(\"before\")\n"
              "    before = [list(row) for row in board]\n"
              "    if again or not _chain(after, point)[1]:\n"),
    "illegal is minus one": ("return 0\n", "return -1\n"),
}
EQUIVALENT = {
    "not in ('', color)": "The points of an empty region are emptied.",
    "in _around(board, point)": "Both boards have the same size.",
    "if board[r][c] not in": "What was taken before is taken again.",
    '<= "."': "No mark sorts before the one of an empty point.", '> "."': "The same.",
    "r != len(board)": "A neighbour is one step away.", "c != len(board[0])": "The same.",
    "len(board[-1])": "All rows are equally long.",
}
### END HIDDEN TESTS
