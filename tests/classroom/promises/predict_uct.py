"""What the text of `predict_uct` promises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.classroom.promises import Call, Promise

NUMBER, PARENT, PLAYER, VISITS, TOTAL, UNTRIED = range(6)


def _row(call: Call, number: int) -> Any:
    return next(row for row in call.constants["TREE"] if row[NUMBER] == number)


def _children(call: Call, number: int) -> list[Any]:
    return [row for row in call.constants["TREE"] if row[PARENT] == number]


def _scores(what: Callable[[Any, list[Any]], bool]) -> Callable[[Call], bool]:
    """Whether scores are asked for a node, and something holds of its row and of its children."""
    return lambda call: call.name == "scores" and what(
        _row(call, *call.arguments), _children(call, *call.arguments))


PROMISES = [
    Promise("at a node without untried moves, to the child with the largest score",
            lambda call: call.name == "path" and len(call.result) >= 3),
    *(Promise("`player`, 1 or -1, chooses among the children", _scores(
        lambda node, children, player=player: (
            node[PLAYER] == player and any(child[TOTAL] for child in children))))
      for player in (1, -1)),
    Promise("need not alternate", _scores(
        lambda node, children: any(child[PLAYER] == node[PLAYER] for child in children))),
    Promise("need not alternate", _scores(
        lambda node, children: len({child[PLAYER] for child in children if child[TOTAL]}) == 2)),
    Promise("The root is 0", lambda call: call.name == "scores" and call.arguments == (0,)),
    Promise("The scores of the children of a node", _scores(lambda node, _: node[NUMBER] != 0)),
    Promise("ln(visits of the node) / visits of the child", _scores(
        lambda node, children: len({child[VISITS] for child in children}) > 1)),
    Promise("each node of the path after the simulation", lambda call: (
        call.name == "means" and len(call.result) >= 4)),
]


def valid(call: Call) -> None:
    """The tree of a search with UCT; questions are about nodes of the next path."""
    rows, result = call.constants["TREE"], call.constants["RESULT"]
    assert rows[0][NUMBER] == 0 and rows[0][PARENT] is None and call.constants["C"] > 0
    assert result in (1, 0, -1)
    numbers = [row[NUMBER] for row in rows]
    assert len({*numbers}) == len(numbers) and all(row[PARENT] in numbers for row in rows[1:])
    for row in rows:
        assert row[PLAYER] in (1, -1) and row[VISITS] >= 1 and row[UNTRIED] >= 0
        assert abs(row[TOTAL]) <= row[VISITS]
        assert row[VISITS] >= sum(child[VISITS] for child in _children(call, row[NUMBER]))
    if call.name == "scores":
        assert call.arguments[0] in call.constants["PATH"]
        assert not _row(call, *call.arguments)[UNTRIED]
