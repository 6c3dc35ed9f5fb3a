"""Counting a finished game of Go (chapter 2).

A board is a list of rows of "b", "w" and "."; a point is (row, column), counted from 0. In
area scoring, a player owns the points of their stones, and every empty region that touches only
their stones. All stones on the board count as alive.
"""

from __future__ import annotations


def region(board: list[str], point: tuple[int, int]) -> tuple[set[tuple[int, int]], set[str]]:
    """The empty points connected to the empty `point`, and the colours that they touch."""
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
    """The number of points of black and of white."""
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
    """ "b", "w", or "draw", if white gets `komi` points for moving second."""
    ### BEGIN SOLUTION
    black, white = area(board)
    white += komi
    return "draw" if black == white else "b" if black > white else "w"
    ### END SOLUTION


### BEGIN HIDDEN TESTS
import random

from experiments.classroom.checks import agrees

WALL = [".bw.", ".bw.", "bbw.", "...w"]
CLOSE = ["b.w", "bbw", "b.w"]
_random = random.Random(1)
CHECKS = [
    agrees("A region has all connected empty points and the colours at its edge", region,
           [(WALL, (0, 0)), (WALL, (3, 0)), (WALL, (2, 3)), (["...", "...", "..."], (1, 1)),
            (["b.b", ".b.", "w.w"], (1, 0))],
           "Continue from each empty point that you find; note the stones there.", points=3),
    agrees("Stones and the regions of one colour count", area,
           [(WALL,), (["b..", "...", "..."],), ([".w.", "www", ".w."],)],
           "Which colours does each empty region touch?", points=2),
    agrees("A region that touches both colours, or none, belongs to nobody", area,
           [(["b.w", "b.w", "b.w"],), (["...", "...", "..."],), (["b..", "...", "..w"],),
            *((["".join(_random.choice("bw..") for _ in range(5)) for _ in range(4)],)
              for _ in range(6))],
           "Which colours does each empty region touch? Count each region once.", points=2),
    agrees("White's komi decides close games", winner,
           [(CLOSE, komi) for komi in (0.0, 0.5, 1.0, 1.5, 7.5, -3.0)],
           f"The points are {area(CLOSE)}; add komi to white's.", points=3),
]
PLANTED = {
    "regions of both colours go to black": ("if len(colors) == 1:", "if colors:"),
    "stones do not count": ("sum(row.count(color) for row in board)", "0"),
    "komi for black": ("white += komi", "white -= komi"),
    "draws are white's": ('"draw" if black == white else ', ""),
    "a region counts one": ("+= len(points)", "+= 1"),
    "columns as many as rows": ("0 <= c < len(board[0])", "0 <= c < len(board)"),
}
### END HIDDEN TESTS
