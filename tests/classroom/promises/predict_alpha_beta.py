"""What the text of `predict_alpha_beta` promises."""

from __future__ import annotations

from typing import Any

from tests.classroom.promises import Call, Promise

NUMBER, PARENT, PLAYER, VALUE = range(4)


def _children(call: Call, number: int) -> list[Any]:
    return [row for row in call.constants["TREE"] if row[PARENT] == number]


def _entered(call: Call) -> dict[int, Any]:
    """The rows of the answer by number."""
    return {row[NUMBER]: row for row in call.result}


def _some(call: Call, what: Any) -> bool:
    """Whether something holds of the row of an entered position, and of its entered children."""
    entered = _entered(call)
    return any(what(row, [child for child in _children(call, row[NUMBER])
                          if child[NUMBER] in entered])
               for row in call.constants["TREE"] if row[NUMBER] in entered)


def _raised(call: Call, same: bool) -> bool:
    """Whether a position has another alpha than the one before, where the same player moves, or
    beta, where the other player moves."""
    entered, rows = _entered(call), call.constants["TREE"]
    for number, alpha, beta, _ in call.result[1:]:
        parent = rows[number][PARENT]
        if (rows[number][PLAYER] == rows[parent][PLAYER]) == same and (
                alpha if same else -beta) > entered[parent][1]:
            return True
    return False


PROMISES = [
    *(Promise("Alpha of the next move is the best value so far if that is larger",
              lambda call, same=same: _raised(call, same)) for same in (True, False)),
    Promise("the other moves are skipped", lambda call: (
        len(call.result) < len(call.constants["TREE"]))),
    Promise("if the other player moves next", lambda call: _some(
        call, lambda row, children: any(child[PLAYER] != row[PLAYER] for child in children))),
    Promise("need not alternate", lambda call: _some(
        call, lambda row, children: any(child[PLAYER] == row[PLAYER] for child in children))),
    Promise("need not alternate", lambda call: _some(
        call, lambda _, children: len({child[PLAYER] for child in children}) == 2)),
    Promise("It enters each position with a window, alpha and beta", lambda call: (
        len({row[1:3] for row in call.result}) > 4)),
    Promise("returns a value", lambda call: _some(call, lambda row, _: (
        row[VALUE] is None and _entered(call)[row[NUMBER]][3] < _entered(call)[row[NUMBER]][1]))),
    *(Promise("As soon as the best value is beta or more", lambda call, equal=equal: _some(
        call, lambda row, children: (
            len(children) < len(_children(call, row[NUMBER]))
            and (_entered(call)[row[NUMBER]][3] == _entered(call)[row[NUMBER]][2]) == equal)))
      for equal in (True, False)),
    *(Promise("as the player to move AT THIS POSITION sees them", lambda call, player=player: _some(
        call, lambda row, children: row[PLAYER] == player and len(children) > 1))
      for player in (1, -1)),
    *(Promise("the estimate of a leaf as player 1 sees it", lambda call, player=player: _some(
        call, lambda row, _: row[PLAYER] == player and (row[VALUE] or 0) != 0))
      for player in (1, -1)),
]


def valid(call: Call) -> None:
    """A tree in the order in which moves are searched, with values from -1 to 1 at leaves."""
    rows = call.constants["TREE"]
    assert [row[NUMBER] for row in rows] == [*range(len(rows))] and rows[0][PARENT] is None
    for row in rows:
        assert row[PLAYER] in (1, -1) and (row[NUMBER] == 0 or row[PARENT] < row[NUMBER])
        if _children(call, row[NUMBER]):
            assert row[VALUE] is None
        else:
            assert -1 <= row[VALUE] <= 1
