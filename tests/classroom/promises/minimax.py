"""What the text of `minimax` promises."""

from __future__ import annotations

from tests.classroom.promises import Call, Promise
from tests.classroom.promises.trees import Tree, asks


def _best(tree: Tree, call: Call) -> list[int]:
    """The best children for the player to move."""
    values = tree.values(call.arguments[3])
    wanted = max(values) if tree.player(tree.root) == 1 else min(values)
    return [child for child, value in zip(tree.children(tree.root), values, strict=True)
            if value == wanted]


PROMISES = [
    *(Promise("none if the game is over", asks("minimax", lambda tree, call, result=result: (
        not tree.children(tree.root) and call.result == result), player))
      for result in (1, 0, -1) for player in (1, -1)),
    *(Promise("if both play best", asks("minimax", lambda tree, call, result=result: (
        bool(tree.children(tree.root)) and call.result == result
        and len({*tree.values(call.arguments[3])}) > 1), player), 2)
      for result in (1, 0, -1) for player in (1, -1) if result != -player),
    *(Promise("if both play best", asks("minimax", lambda tree, _: tree.depth() > 9, player))
      for player in (1, -1)),
    *(Promise("the positions after each legal move", asks("minimax", lambda tree, call: (
        tree.width() > 6 and abs(sum(tree.values(call.arguments[3]))) < tree.width()), player))
      for player in (1, -1)),
    *(Promise("after some moves, the same player moves again",
              asks(name, lambda tree, _: tree.mixed(), player), 2)
      for name in ("minimax", "best_move") for player in (1, -1)),
    *(Promise("after some moves, the same player moves again",
              asks(name, lambda tree, _: tree.mixed_leaves(), player), 2)
      for name in ("minimax", "best_move") for player in (1, -1)),
    *(Promise("in no particular order",
              asks(name, lambda tree, _: tree.root != 0 and any(
                  tree.children(position) != sorted(tree.children(position))
                  for position in tree.positions())), 5) for name in ("minimax", "best_move")),
    Promise("the player to move should choose", asks(
        "best_move", lambda _, call: call.result == 0)),
    *(Promise("the player to move should choose", asks("best_move", lambda tree, call: (
        len(_best(tree, call)) == 1 and tree.children(tree.root)[0] not in _best(tree, call)),
        player), 3) for player in (1, -1)),
    *(Promise("the first of the best", asks(
        "best_move", lambda tree, call, pick=pick, result=result: (
            pick(_best(tree, call)) != call.result
            and tree.value(call.arguments[3]) == result), player))
      for pick in (min, max) for player in (1, -1) for result in (1, 0, -1)),
    *(Promise("the first of the best", asks(
        "best_move", lambda tree, call, pick=pick, result=result: (
            pick(_best(tree, call), key=lambda child: len(
                [*Tree(child, tree.children, tree.player).positions()])) != call.result
            and tree.value(call.arguments[3]) == result), player))
      for pick in (min, max) for player in (1, -1) for result in (1, 0, -1)),
]


def valid(call: Call) -> None:
    """A tree with the results 1, 0 and -1; a move is asked for where there is one."""
    tree, result = Tree.of(call), call.arguments[3]
    tree.check()
    assert {result(leaf) for leaf in tree.leaves()} <= {1, 0, -1}
    assert call.name == "minimax" or tree.children(tree.root)
