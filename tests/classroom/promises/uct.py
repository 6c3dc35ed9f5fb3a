"""What the text of `uct` promises."""

from __future__ import annotations

from collections.abc import Callable

from tests.classroom.promises import Call, Promise
from tests.classroom.promises.trees import Tree, asks


def _score(what: Callable[[float, int, int], bool]) -> Callable[[Call], bool]:
    return lambda call: call.name == "uct_score" and what(*call.arguments)


def _many(call: Call) -> bool:
    """Whether there are simulations enough to choose by scores at the root and below."""
    return call.arguments[4] >= 10


PROMISES = [
    Promise("wins: of the player who CHOOSES among the children, draws counted half",
            _score(lambda wins, _, __: wins % 1 == 0.5)),
    Promise("wins: of the player who CHOOSES", _score(lambda wins, _, __: wins == 0)),
    Promise("of the child, at least 1", _score(lambda _, visits, __: visits == 1)),
    Promise("C times the square root of ln(the parent's visits) / visits",
            _score(lambda _, visits, parent_visits: 1 < visits < parent_visits), 3),
    Promise("C times the square root of ln(the parent's visits) / visits",
            _score(lambda _, visits, __: visits > 10**5)),
    *(Promise("plays one rollout", asks("search", lambda _, call, number=number: (
        call.arguments[4] == number))) for number in (1, 7)),
    *(Promise("then the child with the largest score is chosen", asks(
        "search", lambda tree, call: len(tree.children(tree.root)) > 2 and _many(call), player), 3)
      for player in (1, -1)),
    *(Promise("after some moves, the same player moves again", asks(
        "search", lambda tree, call: tree.mixed() and _many(call), player), 2)
      for player in (1, -1)),
    *(Promise("after some moves, the same player moves again", asks(
        "search", lambda tree, call: tree.mixed_leaves() and _many(call), player), 2)
      for player in (1, -1)),
    *(Promise("`children(position)`, none if the game is over", asks(
        "search", lambda tree, call: any(
            not tree.children(child) for child in tree.children(tree.root)) and _many(call),
        player)) for player in (1, -1)),
    Promise("until it reaches a position without visits, or the end of the game", asks(
        "search", lambda tree, call: call.arguments[4] > len([*tree.positions()])), 2),
    Promise("until it reaches a position without visits, or the end of the game", asks(
        "search", lambda tree, call: 7 < tree.depth() < call.arguments[4])),
    Promise("Each child of a position is tried once before any child is tried twice", asks(
        "search", lambda tree, call: len(tree.children(tree.root)) == call.arguments[4] > 4)),
    Promise("result for the FIRST player: 1, 0 or -1", asks("search", lambda tree, call: {
        call.arguments[3](leaf) for leaf in tree.leaves()} == {1, 0, -1}), 4),
    Promise("A simulation starts at the root", asks("search", lambda tree, _: tree.root != 0), 5),
    Promise("The visits of the root's children, in their order", asks("search", lambda tree, _: (
        tree.children(tree.root) != sorted(tree.children(tree.root)))), 3),
    Promise("The visits of the root's children, in their order, after some simulations", asks(
        "search", lambda _, call: max(call.result) > 300), 2),
]


def valid(call: Call) -> None:
    """Numbers of visits and wins, or a game that is not over and one simulation or more."""
    if call.name == "uct_score":
        wins, visits, parent_visits = call.arguments
        assert 0 <= wins <= visits and 2 * wins == int(2 * wins)
        assert 1 <= visits <= parent_visits
        return
    tree = Tree.of(call)
    tree.check()
    _, _, _, rollout, simulations = call.arguments
    assert simulations >= 1 and tree.children(tree.root)
    results = {leaf: rollout(leaf) for leaf in tree.leaves()}
    assert {*results.values()} <= {1, 0, -1}
    for position in tree.positions():
        possible = {results[leaf] for leaf in Tree(position, tree.children, tree.player).leaves()}
        assert {rollout(position) for _ in range(5)} <= possible
