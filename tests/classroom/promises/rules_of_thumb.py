"""What the text of `rules_of_thumb` promises."""

from __future__ import annotations

from collections.abc import Callable

from tests.classroom.promises import Call, Promise
from tests.classroom.promises.tic_tac_toe import LINES, completes, is_over, opponent, valid_board


def _chooses(player: str, what: Callable[[set[int], set[int], set[int]], bool],
             ) -> Callable[[Call], bool]:
    """Whether a choice is asked where `what` holds of the points at which the player wins, those
    at which the opponent does, and the empty ones."""
    def asked(call: Call) -> bool:
        if call.name != "choose" or call.arguments[1] != player:
            return False
        board = call.arguments[0]
        empty = {point for point in range(9) if board[point] == "."}
        return what(completes(board, player), completes(board, opponent(player)), empty)

    return asked


def _points(player: str, what: Callable[[str], bool]) -> Callable[[Call], bool]:
    return lambda call: (call.name == "winning_points" and call.arguments[1] == player
                         and what(call.arguments[0]))


PROMISES = [
    *(Promise("The empty points at which `player`", _points(
        player, lambda board, line=line, gap=gap, player=player: all(
            board[int(point)] == ("." if point == gap else player) for point in line)))
      for player in "xo" for line in LINES for gap in line),
    *(Promise("The empty points at which `player`", _points(
        player, lambda board, n=n, player=player: len(completes(board, player)) == n), 2)
      for player in "xo" for n in (0, 1, 2)),
    *(Promise("would win at once", _points(player, lambda board, player=player:
              bool(completes(board, opponent(player))) and not completes(board, player)), 5)
      for player in "xo"),
    *(Promise("The empty points at which `player`", _points(player, lambda board, n=n:
              board.count(".") == n), 1) for player in "xo" for n in (1, 2, 3, 5, 7)),
    *(Promise("win if you can", _chooses(player, lambda win, block, _: bool(win) and not block), 5)
      for player in "xo"),
    *(Promise("win if you can;", _chooses(player, lambda win, block, _: block - win != set()
                                          and win - block != set() and not win & block), 5)
      for player in "xo"),
    *(Promise("win if you can;", _chooses(player, lambda win, _, empty: bool(win)
                                          and 4 in empty - win), 5) for player in "xo"),
    *(Promise("else take a point at which the opponent would win", _chooses(
        player, lambda win, block, _, n=n: not win and len(block) == n), 2)
      for player in "xo" for n in (1, 2)),
    *(Promise("else take a point at which the opponent would win", _chooses(
        player, lambda win, block, empty: not win and bool(block) and 4 in empty - block), 5)
      for player in "xo"),
    *(Promise("else take a point at which the opponent would win", _chooses(
        player, lambda win, block, empty, point=point: not win and point in block))
      for player in "xo" for point in range(9)),
    *(Promise("win if you can", _chooses(
        player, lambda win, block, empty, point=point: win == {point}))
      for player in "xo" for point in range(9)),
    *(Promise("else take the middle if it is empty", _chooses(
        player, lambda win, block, empty: not win and not block and 4 in empty), 5)
      for player in "xo"),
    *(Promise("else take any empty point", _chooses(
        player, lambda win, block, empty, n=n: not win and not block and 4 not in empty
        and (n == 0 or len(empty) == n))) for player in "xo" for n in (0, 1, 2, 4, 6)),
    *(Promise("else take any empty point", _chooses(
        player, lambda win, block, empty, point=point: not win and not block and 4 not in empty
        and point not in empty), 2) for player in "xo" for point in range(9)),
]


def valid(call: Call) -> None:
    """A board of a game that is not over; `choose` is asked for the player to move."""
    board, player = call.arguments
    valid_board(board)
    assert not is_over(board) and player in ("x", "o")
    if call.name == "choose":
        assert board.count(player) <= board.count(opponent(player)), "who is to move"
