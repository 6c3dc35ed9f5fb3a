"""What the text of `captures` promises."""

from __future__ import annotations

from collections.abc import Callable

from tests.classroom.promises import Call, Promise
from tests.classroom.promises.boards import (
    Point,
    connected,
    mark,
    neighbours,
    valid_board,
    valid_point,
)


def _chains(board: list[str], color: str, point: Point) -> list[tuple[bool, set[Point]]]:
    """The chains next to a move, as they are before it: whether they are own ones."""
    chains = {frozenset(connected(board, near)) for near in neighbours(board, point)
              if mark(board, near) != "."}
    return [(mark(board, min(chain)) == color, set(chain)) for chain in chains]


def _liberties(board: list[str], chain: set[Point]) -> int:
    return len({near for stone in chain for near in neighbours(board, stone)
                if mark(board, near) == "."})


def _captured(board: list[str], color: str, point: Point) -> list[set[Point]]:
    """The chains that a move on an empty point captures."""
    return [chain for own, chain in _chains(board, color, point)
            if not own and _liberties(board, chain) == 1] if mark(board, point) == "." else []


def _own_liberties(board: list[str], color: str, point: Point) -> int:
    """Liberties of the new chain if nothing was captured."""
    after = list(board)
    after[point[0]] = after[point[0]][:point[1]] + color + after[point[0]][point[1] + 1:]
    return _liberties(after, connected(after, point))


def _suicide(board: list[str], color: str, point: Point, size: int = 1) -> bool:
    return (mark(board, point) == "." and not _captured(board, color, point)
            and not _own_liberties(board, color, point)
            and sum(len(chain) for own, chain in _chains(board, color, point) if own) + 1 >= size)


Case = Callable[[list[str], str, Point], bool]


def _each(text: str, case: Case, least: int = 1) -> list[Promise]:
    """Both functions, both colours."""
    def asked(name: str, color: str) -> Callable[[Call], bool]:
        return lambda call: (call.name == name and call.arguments[1] == color
                             and case(*call.arguments))

    return [Promise(text, asked(name, color), least)
            for name in ("play", "captured") for color in "bw"]


PROMISES = [
    *_each("None if the move is illegal: the point is taken", lambda board, color, point:
           mark(board, point) == color, 2),
    *_each("None if the move is illegal: the point is taken", lambda board, color, point:
           mark(board, point) not in (color, "."), 2),
    *_each("If it has no liberty, the move is illegal.", _suicide),
    *_each("the new chain would have no liberty", lambda *given: _suicide(*given, size=2)),
    *_each("the new chain would have no liberty", lambda *given: _suicide(*given, size=4)),
    *_each("the chains of the OTHER colour that have no liberty", lambda *given:
           any(len(chain) == 1 for chain in _captured(*given)), 2),
    *_each("the chains of the OTHER colour that have no liberty", lambda *given:
           any(len(chain) > 3 for chain in _captured(*given))),
    *_each("the chains of the OTHER colour that have no liberty", lambda *given:
           any(len(chain) > 20 for chain in _captured(*given))),
    *(promise for n in (2, 3, 4) for promise in _each(
        "the chains of the OTHER colour", lambda *given, n=n: len(_captured(*given)) == n)),
    *_each("After a stone is placed, first remove", lambda *given:
           bool(_captured(*given)) and not _own_liberties(*given), 2),
    *_each("After a stone is placed, first remove", lambda board, color, point:
           bool(_captured(board, color, point)) and not _own_liberties(board, color, point)
           and color in {mark(board, near) for near in neighbours(board, point)}),
    *_each("Then look at the new stone's own chain.", lambda board, color, point:
           mark(board, point) == "." and _own_liberties(board, color, point) > 0
           and {mark(board, near) for near in neighbours(board, point)} == {color}, 2),
    *(promise for n in (1, 2, 3, 4) for promise in _each(
        "A board is a list of rows", lambda board, color, point, n=n:
        len(neighbours(board, point)) == n and bool(_captured(board, color, point)))),
    *_each("A board is a list of rows", lambda board, color, point: len(board) != len(board[0]), 9),
    *_each('`color` ("b" or "w") has played at `point`', lambda board, color, point:
           set("".join(board)) == {"."}),
    *_each("without the captured stones", lambda board, color, point: any(
        len(neighbours(board, stone)) == 2 for chain in _captured(board, color, point)
        for stone in chain)),
    *_each("How many stones the move captures", lambda board, color, point: any(
        len(chain & set(neighbours(board, point))) > 1
        for chain in _captured(board, color, point))),
    Promise("0 if it is illegal.", lambda call: call.name == "captured" and call.result == 0
            and _suicide(*call.arguments), 4),
    *_each("How many stones the move captures", lambda *given:
           _captured(*given) == [] and mark(given[0], given[2]) == "."
           and not _suicide(*given), 4),
]


def valid(call: Call) -> None:
    """A board of a game, one of its points, a colour."""
    board, color, point = call.arguments
    valid_board(board)
    valid_point(board, point)
    assert color in ("b", "w")
