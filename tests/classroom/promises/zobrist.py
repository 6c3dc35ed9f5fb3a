"""What the text of `zobrist` promises."""

from __future__ import annotations

from collections.abc import Callable

from tests.classroom.promises import Call, Promise
from tests.classroom.promises.boards import is_large, valid_board


def _key_of(what: Callable[[list[str], str], bool]) -> Callable[[Call], bool]:
    return lambda call: call.name == "key_of" and what(call.arguments[0], call.arguments[1])


def _move(color: str, what: Callable[..., bool]) -> Callable[[Call], bool]:
    """Of the key before, the point, the captured points and the table."""
    def asked(call: Call) -> bool:
        if call.name != "key_after" or call.arguments[1] != color:
            return False
        key, _, *others = call.arguments
        return what(key, *others)

    return asked


def _corner(table: dict[object, int]) -> tuple[int, int]:
    """The last row and column of a table."""
    return max(key[1:] for key in table if isinstance(key, tuple))


PROMISES = [
    Promise("The key of the empty board with black to move is 0.", _key_of(
        lambda board, to_move: to_move == "b" and set("".join(board)) == {"."}), 3),
    *(Promise("if white is to move, of one more number", _key_of(
        lambda board, to_move, marks=marks: to_move == "w"
        and set("".join(board)) >= set(marks)), 3)
      for marks in (".", "bw")),
    *(Promise("the numbers of all stones", _key_of(
        lambda board, to_move, marks=marks: to_move == "b" and set("".join(board)) == set(marks)))
      for marks in ("b.", "w.", "bw.")),
    *(Promise("Each colour at each point has its own random number.", _key_of(
        lambda board, _, color=color, row=row, col=col: board[row][col] == color
        and len(board) != len(board[0])), 2)
      for color in "bw" for row in (0, -1) for col in (0, -1)),
    *(Promise("A board is a list of rows", _key_of(
        lambda board, _, of=of: of(len(board), len(board[0])))) for of in (
        lambda rows, columns: rows == 1 < columns, lambda rows, columns: columns == 1 < rows,
        lambda rows, columns: min(rows, columns) > 9)),
    *(Promise("the numbers of all stones", _key_of(
        lambda board, _, color=color: is_large(board)
        and color in "".join(row[19:] for row in board)))
      for color in "bw"),
    *(Promise("table[\"white to move\"]", lambda call, name=name: call.name == name
              and call.result >= 1 << 63, 4) for name in ("key_of", "key_after")),
    *(Promise("The key after `color` has played at `point`", _move(
        color, lambda _, point, captured, __: not captured), 5) for color in "bw"),
    Promise("before the move, with `color` to move", _move(
        "b", lambda key, _, captured, __: key == 0), 3),
    *(Promise("the points of the other colour's stones that the move takes off", _move(
        color, lambda _, __, captured, ___, n=n: len(captured) == n), 2)
      for color in "bw" for n in (1, 2, 3)),
    *(Promise("has played at `point`", _move(
        color, lambda _, point, __, table, at=at: at == tuple(map(bool, point))
        and point != _corner(table)), 2) for color in "bw"
      for at in ((False, True), (True, False), (True, True))),
    *(Promise("has played at `point`", _move(
        color, lambda _, point, __, table: max(point) > 9)) for color in "bw"),
]


def valid(call: Call) -> None:
    """A table for the board; a move that takes off other points."""
    table = call.arguments[-1]
    rows, columns = (number + 1 for number in _corner(table))
    wanted = {(color, row, col) for color in "bw" for row in range(rows) for col in range(columns)}
    assert set(table) == wanted | {"white to move"}
    assert len(set(table.values())) == len(table), "each has its own number"
    assert all(type(number) is int and number > 0 for number in table.values())
    if call.name == "key_of":
        board, to_move, _ = call.arguments
        valid_board(board)
        assert (len(board), len(board[0])) == (rows, columns) and to_move in ("b", "w")
    else:
        key, color, point, captured, _ = call.arguments
        assert type(key) is int and key >= 0 and color in ("b", "w")
        places = [point, *captured]
        assert len(set(places)) == len(places) and {("b", *place) for place in places} <= set(table)
