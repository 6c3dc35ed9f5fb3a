"""What the text of `alpha_beta` promises."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from tests.classroom.promises import Call, Promise
from tests.classroom.promises.trees import Tree, asks


def _value(tree: Tree, call: Call) -> float:
    return tree.value(call.arguments[3])


def _guess_is_wrong(tree: Tree, call: Call) -> bool:
    """Whether the guesses put no best child first."""
    children, guess = tree.children(tree.root), call.arguments[4]
    if not children:
        return False
    first = (max if tree.player(tree.root) == 1 else min)(children, key=guess)
    return tree.values(call.arguments[3])[children.index(first)] != _value(tree, call)


def _window(what: Callable[[float, float, float], bool], number: int = 2,
            player: int = 0) -> Callable[[Call], bool]:
    """Whether a window of some limits is given, and something holds of value, alpha and beta."""
    def asked(tree: Tree, call: Call) -> bool:
        limits = call.arguments[5:]
        return len(limits) == number and what(_value(tree, call), *(*limits, inf)[:2])

    return asks("alpha_beta", asked, player)


def _by_guess(tree: Tree, call: Call) -> list[int]:
    return sorted(tree.children(tree.root), key=call.arguments[3])


PROMISES = [
    *(Promise("the best for the player to move at `position` first", asks(
        "ordered", lambda tree, call: (
            len(_by_guess(tree, call)) > 2
            and tree.children(tree.root) not in (
                _by_guess(tree, call), _by_guess(tree, call)[::-1])), player), 2)
      for player in (1, -1)),
    *(Promise("the best for the player to move at `position` first", asks(
        "ordered", lambda tree, _: len({*map(tree.player, tree.children(tree.root))}) == 2,
        player), 2) for player in (1, -1)),
    *(Promise("none at a leaf", asks(name, lambda tree, _: not tree.children(tree.root), player))
      for name in ("ordered", "alpha_beta") for player in (1, -1)),
    Promise("`children(position)`", asks(
        "ordered", lambda tree, _: len(tree.children(tree.root)) == 1), 2),
    *(Promise("`children(position)`", asks("alpha_beta", lambda tree, call: (
        tree.width() > 8 and _guess_is_wrong(tree, call)), player)) for player in (1, -1)),
    *(Promise("of a leaf, as the FIRST player sees it", asks("alpha_beta", lambda tree, call: (
        tree.depth() > 9), player)) for player in (1, -1)),
    *(Promise("any whole number", asks("alpha_beta", lambda tree, call, sign=sign: (
        sign * _value(tree, call) > 10**9))) for sign in (1, -1)),
    Promise("any whole number", asks("alpha_beta", lambda tree, call: _value(tree, call) == 0)),
    *(Promise("after some moves, the same player moves again",
              asks("alpha_beta", lambda tree, _: tree.mixed(), player), 5) for player in (1, -1)),
    *(Promise("after some moves, the same player moves again",
              asks("alpha_beta", lambda tree, _: tree.mixed_leaves(), player), 5)
      for player in (1, -1)),
    *(Promise("It may be wrong", asks("alpha_beta", _guess_is_wrong, player), 4)
      for player in (1, -1)),
    Promise("it estimates the value of a position for the first player", asks(
        "ordered", lambda tree, call: len({
            call.arguments[3](child) > 0 for child in tree.children(tree.root)}) == 2), 4),
    *(Promise("with as few leaves as possible", asks("alpha_beta", lambda tree, call: (
        len(call.arguments) == 5 and len(tree.leaves()) > 8), player), 3) for player in (1, -1)),
    *(Promise("The value of `position` if it is between alpha and beta", _window(
        lambda value, alpha, beta: alpha < value < beta, player=player), 3) for player in (1, -1)),
    *(Promise("any number up to alpha", _window(
        lambda value, alpha, _: value < alpha, player=player), 2) for player in (1, -1)),
    *(Promise("any number up to alpha", _window(
        lambda value, alpha, _: value == alpha, player=player), 2) for player in (1, -1)),
    *(Promise("any number from beta on", _window(
        lambda value, _, beta: value > beta, player=player), 2) for player in (1, -1)),
    *(Promise("any number from beta on", _window(
        lambda value, _, beta: value == beta, player=player), 2) for player in (1, -1)),
    *(Promise("value that the first player can already force elsewhere", _window(
        lambda _, alpha, __: alpha > -inf, 1, player), 2) for player in (1, -1)),
    Promise("value that the first player can already force elsewhere", _window(
        lambda _, alpha, __: alpha == 0)),
    Promise("value that the second player can already force elsewhere", _window(
        lambda _, __, beta: beta == 0)),
]


def valid(call: Call) -> None:
    """A tree with whole numbers; there is one right order; alpha is less than beta."""
    tree = Tree.of(call)
    tree.check()
    guess = call.arguments[3 if call.name == "ordered" else 4]
    for position in tree.positions():
        guesses = [guess(child) for child in tree.children(position)]
        assert len({*guesses}) == len(guesses), "several orders are right"
        assert all(type(number) is int for number in guesses)
    if call.name == "alpha_beta":
        assert all(type(call.arguments[3](leaf)) is int for leaf in tree.leaves())
        alpha, beta = (*call.arguments[5:], *(-inf, inf)[len(call.arguments) - 5:])
        assert alpha < beta
