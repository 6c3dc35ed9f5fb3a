"""What the text of `liberties` promises."""

from __future__ import annotations

from collections.abc import Callable

from tests.classroom.promises import Call, Promise
from tests.classroom.promises.boards import (
    Point,
    connected,
    is_large,
    mark,
    neighbours,
    valid_board,
    valid_point,
)


def _asks(name: str, what: Callable[[list[str], Point], bool]) -> Callable[[Call], bool]:
    return lambda call: call.name == name and what(*call.arguments)


def _stones(board: list[str], point: Point, marks: str) -> bool:
    return mark(board, point) in marks


def _diagonal(board: list[str], point: Point) -> bool:
    """Whether a stone of the same colour touches the chain's stone by a corner only."""
    row, col = point
    chain = connected(board, point)
    return _stones(board, point, "bw") and any(
        0 <= r < len(board) and 0 <= c < len(board[0]) and (r, c) not in chain
        and board[r][c] == board[row][col] for r in (row - 1, row + 1) for c in (col - 1, col + 1))


PROMISES = [
    *(Promise("The points of the board that touch `point` along the lines: up to four.",
              _asks("neighbours", lambda board, point, n=n: len(neighbours(board, point)) == n), 2)
      for n in (1, 2, 3, 4)),
    Promise("set()", _asks("neighbours", lambda board, point: len(board) == len(board[0]) == 1)),
    *(Promise('Each row is a text of "b" (black), "w" (white) and "." (empty).',
              _asks("neighbours", lambda board, point, here=here, there=there:
                    mark(board, point) == here
                    and there in {mark(board, near) for near in neighbours(board, point)}))
      for here in "bw." for there in "bw."),
    Promise("rows from top to bottom", _asks(
        "neighbours", lambda board, point: len(board) != len(board[0])), 5),
    *(Promise("Stones of one colour that touch along the lines form a chain.", _asks(
        name, lambda board, point, color=color, size=size:
        mark(board, point) == color and len(connected(board, point)) > size), 2)
      for name in ("chain", "liberties") for color in "bw" for size in (1, 5, 20)),
    *(Promise("touch along the lines", _asks(
        name, lambda board, point, color=color: mark(board, point) == color
        and _diagonal(board, point)), 2) for name in ("chain", "liberties") for color in "bw"),
    *(Promise("The points of the chain that the stone at `point` belongs to", _asks(
        name, lambda board, point, color=color: mark(board, point) == color
        and is_large(board))) for name in ("chain", "liberties") for color in "bw"),
    *(Promise("none if `point` is empty", _asks(
        name, lambda board, point, near=near: mark(board, point) == "."
        and near in {mark(board, other) for other in neighbours(board, point)}), 3)
      for name in ("chain", "liberties") for near in "bw."),
    *(Promise("The empty points next to a chain are its liberties.", lambda call, color=color, n=n:
              call.name == "liberties" and mark(*call.arguments) == color
              and min(len(call.result), 5) == n, 2) for color in "bw" for n in (1, 2, 3, 5)),
]


def valid(call: Call) -> None:
    """A board of a game, and one of its points."""
    board, point = call.arguments
    valid_board(board)
    valid_point(board, point)
