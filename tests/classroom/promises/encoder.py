"""What the text of `encoder` promises."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.classroom.promises import Call, Promise
from tests.classroom.promises.boards import is_large, valid_board


def _encodes(to_move: str, what: Callable[[list[str]], bool]) -> Callable[[Call], bool]:
    return lambda call: (call.name == "encode" and call.arguments[1] == to_move
                         and what(call.arguments[0]))


def _numbers(name: str, what: Callable[[int, int, int], bool]) -> Callable[[Call], bool]:
    """Of the move's number, the rows and the columns."""
    def asked(call: Call) -> bool:
        move, *size = call.arguments
        return call.name == name and what(call.result if name == "index_of" else move, *size)

    return asked


MOVES = ("index_of", "point_of")
PROMISES = [
    *(Promise(text, _encodes(to_move, lambda board, mark=mark: mark in "".join(board)), 3)
      for text in ("float32 array [3, rows, columns]", "where the player to move has stones",
                   "where the opponent has stones", 'everywhere if "b" is to move',
                   "elsewhere they are 0")
      for to_move in "bw" for mark in "bw."),
    *(Promise("3, rows, columns", _encodes(
        to_move, lambda board, of=of: of(len(board), len(board[0])))) for to_move in "bw"
      for of in (lambda rows, columns: rows == columns, lambda rows, columns: rows > columns > 1,
                 lambda rows, columns: columns > rows > 1,
                 lambda rows, columns: rows == 1 < columns,
                 lambda rows, columns: columns == 1 < rows,
                 lambda rows, columns: rows == columns == 1)),
    *(Promise('everywhere if "b" is to move', _encodes(
        to_move, lambda board: set("".join(board)) == {"."}), 2) for to_move in "bw"),
    *(Promise("rows, columns", _encodes(to_move, is_large)) for to_move in "bw"),
    *(Promise("the last number is the pass", _numbers(
        name, lambda number, rows, columns, of=of: number == rows * columns and of(rows, columns)))
      for name in MOVES for of in (
          lambda rows, columns: rows == columns > 1, lambda rows, columns: rows > columns,
          lambda rows, columns: columns > rows, lambda rows, columns: rows == columns == 1)),
    *(Promise("row by row from 0", _numbers(
        name, lambda number, rows, columns: number == 0), 5) for name in MOVES),
    *(Promise("numbered row by row", _numbers(
        name, lambda number, rows, columns, of=of: columns <= number < rows * columns
        and of(rows, columns)), 5) for name in MOVES
      for of in (lambda rows, columns: rows > columns, lambda rows, columns: columns > rows)),
    *(Promise("numbered row by row", _numbers(
        name, lambda number, rows, columns: number >= 256), 50) for name in MOVES),
]


def valid(call: Call) -> None:
    """A board and a player, or a move of a board of a size."""
    if call.name == "encode":
        board, to_move = call.arguments
        valid_board(board)
        assert to_move in ("b", "w")
        assert call.result.dtype == np.float32
        return
    move, rows, columns = call.arguments
    assert rows >= 1 and columns >= 1
    if call.name == "point_of":
        assert 0 <= move <= rows * columns
    else:
        assert move is None or (0 <= move[0] < rows and 0 <= move[1] < columns)
