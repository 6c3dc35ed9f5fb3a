"""What the text of `evaluation` promises."""

from __future__ import annotations

import functools
from collections.abc import Callable

from tests.classroom.promises import Call, Promise
from tests.classroom.promises.tic_tac_toe import (
    LINES,
    has_won,
    is_over,
    line_marks,
    opponent,
    valid_board,
)


@functools.cache
def _open(board: str, player: str) -> int:
    return sum(opponent(player) not in marks for marks in line_marks(board))


@functools.cache
def _lines(board: str) -> set[tuple[str, str]]:
    """Each line with its marks, which are sorted."""
    return {(line, "".join(sorted(marks, reverse=True)))
            for line, marks in zip(LINES, line_marks(board), strict=True)}


def _asks(name: str, player: str, what: Callable[[str], bool]) -> Callable[[Call], bool]:
    return lambda call: (call.name == name and call.arguments[1] == player
                         and what(call.arguments[0]))


PROMISES = [
    *(Promise("A line is open for a player if the opponent has no mark on it.", _asks(
        "open_lines", player, lambda board, line=line, marks=marks: (line, marks) in _lines(board)))
      for player in "xo" for line in LINES
      for marks in ("...", "x..", "o..", "xx.", "oo.", "xo.", "xxo", "xoo")),
    *(Promise("A line is open for a player if the opponent has no mark on it.", _asks(
        "open_lines", player, lambda board, winner=winner: has_won(board, winner)), 10)
      for player in "xo" for winner in "xo"),
    *(Promise("How many lines are open for a player", _asks(
        "open_lines", player, lambda board, n=n, player=player: _open(board, player) == n))
      for player in "xo" for n in (0, 1, 2, 3, 4, 5, 8)),
    *(Promise("worth 1 to the winner", _asks(
        "evaluate", player, lambda board, player=player, line=line:
        has_won(board, player) and all(board[int(point)] == player for point in line)))
      for player in "xo" for line in LINES),
    *(Promise("-1 to the loser", _asks(
        "evaluate", player, lambda board, player=player, line=line:
        all(board[int(point)] == opponent(player) for point in line)))
      for player in "xo" for line in LINES),
    *(Promise("A finished game is worth 1 to the winner and -1 to the loser", _asks(
        "evaluate", player, lambda board, winner=winner, full=full:
        has_won(board, winner) and ("." not in board) == full), 3)
      for player in "xo" for winner in "xo" for full in (False, True)),
    *(Promise("Either player can be to move, also after the end of the game.", _asks(
        "evaluate", player, lambda board, player=player: has_won(board, player)), 5)
      for player in "xo"),
    *(Promise("a draw 0", _asks(
        "evaluate", player, lambda board: "." not in board and not has_won(board, "x")
        and not has_won(board, "o")), 5) for player in "xo"),
    *(Promise("Otherwise: OWN times the player's open lines minus THEIRS times the opponent's.",
              _asks("evaluate", player, lambda board, n=n, player=player: not is_over(board)
                    and board.count(".") == n
                    and (n > 1 or _open(board, "x") != _open(board, "o"))))
      for player in "xo" for n in range(1, 10)),
    *(Promise("Otherwise: OWN times the player's open lines minus THEIRS times the opponent's.",
              _asks("evaluate", player, lambda board, player=player, own=own, theirs=theirs:
                    not is_over(board) and "." in board
                    and (_open(board, player) > 0, _open(board, opponent(player)) > 0)
                    == (own, theirs)), 2)
      for player in "xo" for own in (False, True) for theirs in (False, True)),
    *(Promise("The value for the player to move", _asks(
        "evaluate", player, lambda board, sign=sign: not is_over(board)
        and sign * (_open(board, "x") - _open(board, "o")) > 0), 5)
      for player in "xo" for sign in (1, -1)),
]


def valid(call: Call) -> None:
    """A board of a game and a player; the text says that either can be to move."""
    board, player = call.arguments
    valid_board(board)
    assert player in ("x", "o")
    assert call.name != "evaluate" or -1 <= call.result <= 1
