"""What the text of `ko` promises."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tests.classroom.promises import Call, Promise
from tests.classroom.promises.boards import valid_board

RULES = ("simple", "positional", "situational")


def _asks(rule: str, what: Callable[[list[Any], list[Any], str], bool], to_move: str = "bw",
          ) -> Callable[[Call], bool]:
    """Whether the rule is asked where `what` holds of the earlier boards, those of them with the
    same player to move (both by their numbers, the last is -1), and the first position's player."""
    def asked(call: Call) -> bool:
        positions, after, player, given = call.arguments
        numbers = [n - len(positions) for n, (board, _) in enumerate(positions) if board == after]
        same = [n for n in numbers if positions[n] == (after, player)]
        return given == rule and player in to_move and what(positions, numbers, same)

    return asked


PROMISES = [
    *(Promise("the second-last in the list", _asks("simple", lambda _, same, __: same == [-2],
                                                   player), 3) for player in "bw"),
    *(Promise("the second-last in the list", _asks(
        "simple", lambda positions, same, _: -2 in same and len(positions) == 2, player))
      for player in "bw"),
    *(Promise("the board before the opponent's last move", _asks(
        "simple", lambda positions, same, _: max(same, default=-2) < -2, player), 3)
      for player in "bw"),
    *(Promise("must not be any board of the game", _asks(
        "positional", lambda _, all_, same: len(all_) > 0 and not same, player), 3)
      for player in "bw"),
    *(Promise("must not be any board of the game", _asks(
        "positional", lambda _, all_, same: bool(same), player), 3) for player in "bw"),
    *(Promise("with the SAME player to move", _asks(
        "situational", lambda _, all_, same: bool(all_) and not same, player), 3)
      for player in "bw"),
    *(Promise("with the SAME player to move", _asks(
        "situational", lambda _, all_, same: bool(same), player), 3) for player in "bw"),
    *(Promise("with the SAME player to move", _asks(
        "situational", lambda _, all_, same, n=n: bool(same) and all_[n] not in same), 2)
      for n in (0, -1)),
    *(Promise("from the first to the present one", _asks(
        rule, lambda positions, all_, same, n=n, rule=rule:
        {"positional": all_, "situational": same}[rule] == [-len(positions)]
        and len(positions) >= n), 2) for rule in RULES[1:] for n in (3, 13, 30)),
    *(Promise("must not be any board of the game", _asks(
        rule, lambda positions, all_, same, n=n, rule=rule:
        bool({"positional": all_, "situational": same}[rule])
        and max({"positional": all_, "situational": same}[rule]) < -n), 2)
      for rule in RULES[1:] for n in (4, 12, 24)),
    *(Promise("A position is a pair (board, colour to move)", _asks(
        rule, lambda _, all_, __: not all_, player), 5) for rule in RULES for player in "bw"),
    *(Promise("the list of all positions", _asks(
        rule, lambda positions, all_, _: len(positions) == 1, player))
      for rule in RULES for player in "bw"),
    *(Promise("the board is a tuple of rows", lambda call, rule=rule: (
        call.arguments[3] == rule and not call.result
        and any(board[0] == call.arguments[1][0] for board, _ in call.arguments[0])
        and any(board[-1] == call.arguments[1][-1] for board, _ in call.arguments[0])), 2)
      for rule in RULES),
]


def valid(call: Call) -> None:
    """A game in which players alternate, under the rule; a move of the player whose turn it is."""
    positions, after, to_move, rule = call.arguments
    assert rule in RULES and positions
    boards = [board for board, _ in positions]
    for board in (*boards, after):
        assert isinstance(board, tuple) and len(board) == len(after)
        valid_board(board)
    colors = [color for _, color in positions] + [to_move]
    assert all({one, two} == {"b", "w"} for one, two in zip(colors, colors[1:], strict=False))
    for number, (board, then) in enumerate(zip(boards, [*boards[1:], after], strict=True)):
        _one_move(board, then, colors[number])
        if then is after or then == board:  # the move that is asked for; a pass
            continue
        assert not (rule == "simple" and number and boards[number - 1] == then)
        assert not (rule == "positional" and then in boards[: number + 1])
        assert not (rule == "situational"
                    and (then, colors[number + 1]) in positions[: number + 1])


@functools.cache
def _one_move(board: tuple[str, ...], then: tuple[str, ...], color: str) -> None:
    """Assert that the player adds one stone and takes only the other's, or passes."""
    changes = [(before, now) for one, two in zip(board, then, strict=True)
               for before, now in zip(one, two, strict=True) if before != now]
    assert not changes or changes.count((".", color)) == 1, (board, then)
    other = "bw"[color == "b"]
    assert all(change in ((".", color), (other, ".")) for change in changes), (board, then)
