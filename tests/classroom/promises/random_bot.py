"""What the text of `random_bot` promises."""

from __future__ import annotations

import functools
from collections.abc import Callable

from tests.classroom.promises import Call, Promise
from tests.classroom.promises.boards import (
    Point,
    is_large,
    mark,
    neighbours,
    on_board,
    valid_board,
    valid_point,
)


def _corners(board: list[str], point: Point) -> list[Point]:
    row, col = point
    at = [(r, c) for r in (row - 1, row + 1) for c in (col - 1, col + 1)]
    return [corner for corner in at if on_board(board, corner)]


def _others(board: list[str], points: list[Point], color: str) -> str:
    """The marks at points that are not of a colour."""
    return "".join(mark(board, point) for point in points).replace(color, "")


def _eye(board: list[str], point: Point, color: str) -> bool:
    corners = _corners(board, point)
    return (mark(board, point) == "." and not _others(board, neighbours(board, point), color)
            and len(_others(board, corners, color)) <= (len(corners) == 4))


def _asks(color: str, what: Callable[[list[str], Point, str], bool]) -> Callable[[Call], bool]:
    return lambda call: (call.name == "is_eye" and call.arguments[2] == color
                         and what(*call.arguments))


def _nearly(board: list[str], point: Point, color: str, sides: str, corners: str, n: int) -> bool:
    """Whether only these marks at sides and corners are not of a colour, and there are `n` corners
    on the board."""
    at = _corners(board, point)
    return (mark(board, point) == "." and len(at) == n
            and "".join(sorted(_others(board, at, color))) == corners
            and "".join(sorted(_others(board, neighbours(board, point), color))) == sides)


def _chooses(color: str, what: Callable[[list[str], list[Point], list[Point]], bool],
             ) -> Callable[[Call], bool]:
    """Of the board, the legal points, and those of them that are no own eyes."""
    def asked(call: Call) -> bool:
        if call.name != "choose" or call.arguments[1] != color:
            return False
        board, _, legal = call.arguments
        return what(board, legal, _sensible(tuple(board), color, tuple(legal)))

    return asked


@functools.cache
def _sensible(board: list[str], color: str, legal: tuple[Point, ...]) -> list[Point]:
    return [point for point in legal if not _eye(board, point, color)]


_BOTH = (("b", "w"), ("w", "b"))
PROMISES = [
    *(Promise("An empty point is an eye of a colour", _asks(
        color, lambda board, point, color, near=near: mark(board, point) != "."
        and not _others(board, [*neighbours(board, point), *_corners(board, point)], color)
        and len(_corners(board, point)) == near), 1) for color in "bw" for near in (1, 2, 4)),
    *(Promise("if all its neighbours along the lines are stones of this colour", _asks(
        color, functools.partial(_nearly, sides=mark_, corners="", n=n)))
      for color, other in _BOTH for mark_ in (".", other) for n in (1, 2, 4)),
    *(Promise("all of them if the point is at the edge of the board", _asks(
        color, functools.partial(_nearly, sides="", corners=mark_, n=n)), 2)
      for color, other in _BOTH for mark_ in ("", ".", other) for n in (1, 2)),
    *(Promise("all but one elsewhere", _asks(
        color, functools.partial(_nearly, sides="", corners=marks, n=4)), 2)
      for color, other in _BOTH
      for marks in ("", ".", other, "..", "".join(sorted("." + other)), 2 * other)),
    *(Promise("so are the points at its corners", _asks(
        color, lambda board, point, color, at=at, edge=edge:
        (len(_corners(board, point)) < 4) == edge
        and _nearly(board, point, color, "", ".", len(_corners(board, point)))
        and any(mark(board, corner) == "." and (corner[0] > point[0], corner[1] > point[1]) == at
                for corner in _corners(board, point))))
      for color in "bw" for at in ((False, False), (False, True), (True, False), (True, True))
      for edge in (False, True)),
    *(Promise("all its neighbours along the lines", _asks(
        color, lambda board, point, color, step=step: mark(board, point) == "."
        and [near for near in neighbours(board, point) if mark(board, near) != color]
        == [(point[0] + step[0], point[1] + step[1])]), 2)
      for color in "bw" for step in ((1, 0), (-1, 0), (0, 1), (0, -1))),
    *(Promise("is an eye of `color`", _asks(color, lambda board, point, color, other=other: _eye(
        board, point, other) and not _eye(board, point, color)), 3) for color, other in _BOTH),
    *(Promise("is an eye of `color`", _asks(color, lambda board, point, color: _eye(
        board, point, color) and is_large(board))) for color in "bw"),
    *(Promise("all equally likely", _chooses(
        color, lambda board, legal, sensible, n=n: len(sensible) >= n
        and (n < 20 or len(board) != len(board[0]))), 250) for color, n in (
        ("b", 4), ("b", 20), ("w", 20))),
    *(Promise("that is not an own eye", _chooses(
        color, lambda board, legal, sensible, other=other:
        any(_eye(board, point, other) for point in sensible))) for color, other in _BOTH),
    *(Promise("A random legal point that is not an own eye", _chooses(
        color, lambda _, legal, sensible: len(sensible) == 1 and len(legal) > 100), 20)
      for color in "bw"),
    *(Promise("None to pass", _chooses(color, lambda _, legal, sensible: not legal))
      for color in "bw"),
    *(Promise("None to pass", _chooses(color, lambda _, legal, sensible: bool(legal)
                                       and not sensible), 2) for color in "bw"),
    *(Promise("A random legal point", _chooses(
        color, lambda board, legal, _: len(legal) < "".join(board).count(".")), 2)
      for color in "bw"),
    *(Promise("Every call is a new random choice.", _chooses(
        color, lambda _, legal, sensible: len(sensible) == 4), 800) for color in "bw"),
]


def valid(call: Call) -> None:
    """A board of a game and a point, or empty points that are legal."""
    board = call.arguments[0]
    valid_board(board)
    if call.name == "is_eye":
        valid_point(board, call.arguments[1])
        return
    color, legal = call.arguments[1:]
    assert len(set(legal)) == len(legal)
    for point in legal:
        valid_point(board, point)
        assert mark(board, point) == "."
        assert color in ("b", "w")
