"""Boards as the texts of the exercises on Go describe them."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

Point = tuple[int, int]


def neighbours(board: Sequence[str], point: Point) -> list[Point]:
    """The points next to a point along the lines."""
    row, col = point
    return [(r, c) for r, c in ((row + 1, col), (row - 1, col), (row, col + 1), (row, col - 1))
            if on_board(board, (r, c))]


def on_board(board: Sequence[str], point: Point) -> bool:
    """Whether the board has the point."""
    return 0 <= point[0] < len(board) and 0 <= point[1] < len(board[0])


def mark(board: Sequence[str], point: Point) -> str:
    """What is at a point."""
    return board[point[0]][point[1]]


def points(board: Sequence[str]) -> Iterator[Point]:
    """All points."""
    for row in range(len(board)):
        for col in range(len(board[0])):
            yield row, col


def connected(board: Sequence[str], point: Point) -> set[Point]:
    """The points with the same mark that are connected to a point."""
    return _connected(tuple(board), point)


@functools.cache
def _connected(board: tuple[str, ...], point: Point) -> set[Point]:
    group, waiting = {point}, [point]
    while waiting:
        more = [near for near in neighbours(board, waiting.pop())
                if mark(board, near) == mark(board, point) and near not in group]
        group.update(more)
        waiting += more
    return group


def around(board: Sequence[str], point: Point) -> set[str]:
    """The marks next to the points that are connected to a point."""
    return _around(tuple(board), point)


@functools.cache
def _around(board: tuple[str, ...], point: Point) -> set[str]:
    group = connected(board, point)
    return {mark(board, near) for one in group for near in neighbours(board, one)
            if near not in group}


def is_large(board: Sequence[str]) -> bool:
    """Whether it has more than nineteen rows or columns."""
    return max(len(board), len(board[0])) > 19


def valid_board(board: Sequence[str]) -> None:
    """Assert that it is a board of a game: "b", "w" and ".", and each chain has a liberty."""
    _valid_rows(tuple(board))


@functools.cache
def _valid_rows(board: tuple[str, ...]) -> None:
    assert board and board[0] and len(set(map(len, board))) == 1, board
    assert all(isinstance(row, str) and set(row) <= set("bw.") for row in board), board
    seen: set[Point] = set()
    for point in points(board):
        if mark(board, point) != "." and point not in seen:
            assert "." in around(board, point), f"no liberty at {point}: {board}"
            seen |= connected(board, point)


def valid_point(board: Sequence[str], point: Point) -> None:
    """Assert that it is a pair (row, column) of the board."""
    assert isinstance(point, tuple) and on_board(board, point), (board, point)
