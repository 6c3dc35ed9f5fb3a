"""What the text of `counting` promises."""

from __future__ import annotations

import functools
from collections.abc import Callable

from tests.classroom.promises import Call, Promise
from tests.classroom.promises.boards import (
    Point,
    around,
    connected,
    is_large,
    mark,
    points,
    valid_board,
    valid_point,
)


def _regions(board: list[str]) -> list[tuple[set[Point], set[str]]]:
    """Empty regions, each with the colours that it touches."""
    return _regions_of(tuple(board))


@functools.cache
def _regions_of(board: tuple[str, ...]) -> list[tuple[set[Point], set[str]]]:
    regions, seen = [], set[Point]()
    for point in points(board):
        if mark(board, point) == "." and point not in seen:
            regions.append((connected(board, point), around(board, point)))
            seen |= regions[-1][0]
    return regions


def _area(board: list[str], color: str) -> int:
    return "".join(board).count(color) + sum(
        len(region) for region, colors in _regions(board) if colors == {color})


def _region(what: Callable[[set[Point], set[str], list[str]], bool]) -> Callable[[Call], bool]:
    """Of the points of a region and the colours that it touches."""
    return lambda call: call.name == "region" and what(
        connected(*call.arguments), around(*call.arguments), call.arguments[0])


def _board(name: str, what: Callable[[list[str]], bool]) -> Callable[[Call], bool]:
    return lambda call: call.name == name and what(call.arguments[0])


def _komi(what: Callable[[int, float, list[str]], bool]) -> Callable[[Call], bool]:
    """Of black's lead on the board and komi."""
    def asked(call: Call) -> bool:
        if call.name != "winner":
            return False
        board, komi = call.arguments
        return what(_area(board, "b") - _area(board, "w"), komi, board)

    return asked


COLORS: tuple[set[str], ...] = ({"b"}, {"w"}, {"b", "w"}, set())
PROMISES = [
    *(Promise("The empty points connected to the empty `point`, and the colours that they touch.",
              _region(lambda region, colors, _, wanted=wanted, size=size: colors == wanted
                      and len(region) > size)) for wanted in COLORS for size in (0, 3)),
    Promise("The empty points connected", _region(lambda region, *_: len(region) > 200)),
    *(Promise("The empty points connected", _region(
        lambda region, _, board, of=of: of(len(board), len(board[0])))) for of in (
        lambda rows, columns: rows == 1 < columns, lambda rows, columns: columns == 1 < rows,
        lambda rows, columns: rows > 19, lambda rows, columns: columns > 19)),
    Promise("the colours that they touch", _region(
        lambda region, colors, board: len(region) < "".join(board).count(".")
        and colors != {*"".join(board)} - {"."}), 5),
    *(Promise("every empty region that touches only their stones", _board(
        "area", lambda board, wanted=wanted: any(
            colors == wanted and len(region) > 1 for region, colors in _regions(board))), 3)
      for wanted in COLORS),
    *(Promise("every empty region", _board("area", lambda board, color=color: sum(
        colors == {color} for _, colors in _regions(board)) > 1), 3) for color in "bw"),
    *(Promise("a player owns the points of their stones", _board(
        "area", lambda board, color=color: color in "".join(board)), 9) for color in "bw"),
    *(Promise("The number of points of black and of white.", _board(
        "area", lambda board, color=color, other=other: not _area(board, color)
        and bool(_area(board, other)))) for color, other in ("bw", "wb")),
    Promise("The number of points of black and of white.", _board(
        "area", lambda board: _area(board, "b") == _area(board, "w") == 0), 2),
    Promise("A board is a list of rows", _board("area", is_large), 3),
    *(Promise("if white gets `komi` points", _komi(
        lambda lead, komi, _, sign=sign, step=step: lead * sign > 0 and lead - komi == step), 2)
      for sign in (1, -1) for step in (0, 0.5, -0.5, 1, -1)),
    *(Promise('"b", "w", or "draw"', _komi(
        lambda lead, komi, _, sign=sign: komi == 0 and (lead > 0) - (lead < 0) == sign))
      for sign in (1, 0, -1)),
    *(Promise("area scoring", _komi(
        lambda lead, komi, board, sign=sign: (lead - komi) * sign > 0
        > ("".join(board).count("b") - "".join(board).count("w") - komi) * sign), 2)
      for sign in (1, -1)),
    *(Promise("`komi` points for moving second", _komi(
        lambda lead, komi, _, usual=usual, sign=sign:
        komi == usual and (lead - komi) * sign > 0), 2)
      for usual in (6.5, 7.5) for sign in (1, -1)),
]


def valid(call: Call) -> None:
    """A board of a game; one of its empty points, or a number."""
    board = call.arguments[0]
    valid_board(board)
    if call.name == "region":
        valid_point(board, call.arguments[1])
        assert mark(board, call.arguments[1]) == "."
    if call.name == "winner":
        assert isinstance(call.arguments[1], float)
