"""Alpha-beta with move ordering (chapter 4).

A game tree is given by functions of a position (a number): `children(position)`, none at a leaf;
`player(position)`, who is to move, +1 or -1; `value(position)` of a leaf, as the FIRST player sees
it (any whole number). Asking for the value of a leaf is expensive, and counted.

The players need not take turns: after some moves, the same player moves again.

`guess(position)` is cheap: it estimates the value of a position for the first player. It may be
wrong. If you search the most promising moves first, you can cut off more.
"""

from __future__ import annotations

from collections.abc import Callable


def ordered(
    position: int, children: Callable[[int], list[int]], player: Callable[[int], int],
    guess: Callable[[int], int],
) -> list[int]:
    """The children, sorted by `guess`: the best for the player to move at `position` first.

    >>> children = {0: [1, 2, 3]}.get
    >>> guess = {1: 5, 2: 9, 3: 7}.get
    >>> ordered(0, children, {0: 1}.get, guess)
    [2, 3, 1]
    >>> ordered(0, children, {0: -1}.get, guess)
    [1, 3, 2]
    >>> ordered(0, {0: []}.get, {0: 1}.get, guess)
    []
    """
    ### BEGIN SOLUTION
    return sorted(children(position), key=guess, reverse=player(position) == 1)
    ### END SOLUTION


def alpha_beta(
    position: int, children: Callable[[int], list[int]], player: Callable[[int], int],
    value: Callable[[int], int], guess: Callable[[int], int],
    alpha: float = float("-inf"), beta: float = float("inf"),
) -> float:
    """The value of `position` as the first player sees it, with as few leaves as possible.

    Args:
        alpha: value that the first player can already force elsewhere.
        beta: value that the second player can already force elsewhere.

    Returns:
        The value of `position` if it is between alpha and beta. Else it does not matter: any number
        up to alpha, or any number from beta on.

    >>> children = {0: [1, 2], 1: [3, 4], 2: [5, 6], 3: [], 4: [], 5: [], 6: []}.get
    >>> value, guess = {3: 4, 4: 3, 5: 2, 6: 9}.get, {1: 2, 2: 1, 3: 0, 4: 1, 5: 0, 6: 1}.get
    >>> alpha_beta(0, children, lambda position: -1 if position in (1, 2) else 1, value, guess)
    3
    >>> alpha_beta(0, children, lambda position: 1 if position in (1, 2) else -1, value, guess)
    4
    >>> alpha_beta(0, children, lambda position: 1, value, guess)
    9
    """
    ### BEGIN SOLUTION
    following = ordered(position, children, player, guess)
    if not following:
        return value(position)
    best = float("-inf") if player(position) == 1 else float("inf")
    for child in following:
        result = alpha_beta(child, children, player, value, guess, alpha, beta)
        if player(position) == 1:
            best = max(best, result)
            alpha = max(alpha, best)
        else:
            best = min(best, result)
            beta = min(beta, best)
        if alpha >= beta:
            break
    return best
    ### END SOLUTION


### BEGIN HIDDEN TESTS
import math
import random

from experiments.classroom.checks import HandIn, asked, check, require, same, short
from experiments.classroom.exercises.minimax import Tree, deep, grown, grown_thrice, minimax


class Counted(Tree):
    """A tree whose leaves are counted, here, where the hand-in cannot reach."""

    def __init__(self, nested, turns: str, seed: int, honest: bool, first: int = 1) -> None:
        super().__init__(nested, turns, seed, first)
        self.asked: list[int] = []
        self.true = [minimax(n, *self.functions()) for n in range(len(self.results))]
        # All guesses differ, so that there is one right order.
        size = len(self.true)
        noise = random.Random(f"{seed} guesses").sample(range(-size, size), size)
        self.guesses = [n + 1000 * true * honest for n, true in zip(noise, self.true, strict=True)]

    def value(self, position: int) -> int:
        self.asked.append(position)
        return self.results[position]

    def search_of(self, call, hint: str = "The value is wrong.", *window: float) -> list[int]:
        """Ask for the value between alpha and beta; the leaves that were asked for."""
        children, player, _ = self.functions()
        self.asked = []
        guess, value = self.guesses.__getitem__, self.true[self.root]
        answer = call("alpha_beta", self.root, children, player, self.value, guess, *window)
        limits = "".join(f", {limit}" for limit in window)
        text = f"alpha_beta({self.text}{limits}) returned {short(answer)}."
        require(not asked(answer, 0), f"{text} {asked(answer, 0)}")
        alpha, beta = (*window, *(-math.inf, math.inf)[len(window):])
        right = answer <= alpha if value <= alpha else answer >= beta if value >= beta else (
            answer == value)
        require(right, f"{text} {hint}")
        return self.asked

    def require_cuts(self, call, *window: float) -> None:
        """Require that no more leaves are asked for than the solution needs."""
        leaves = self.search_of(call, "The value is wrong.", *window)
        needed = self.search_of(lambda _, *given: alpha_beta(*given), "", *window)
        limits = "".join(f", {name} {limit}" for name, limit in zip(
            ("alpha", "beta"), window, strict=False))
        require(len(leaves) <= len(needed),
                f"In {self.text}{limits}, you asked for {len(leaves)} leaves: the positions "
                f"{short(leaves)}. These {len(needed)} are enough with our guesses: "
                f"{short(needed)}. When can you skip the other moves?")


def _case(seed: int, turns: str = "any", most: int = 9, middle: int = 0) -> Counted:
    nested = grown_thrice(seed, middle - most, middle + most)
    return Counted(nested, turns, seed, False, (1, -1)[seed % 2])


@check("The value is that of minimax, even with wrong guesses", points=3)
def value_of_it(hand_in: HandIn) -> None:
    cases = [
        *(_case(seed, ("any", "alternate")[seed // 2 % 2]) for seed in range(6)),
        *(Counted(deep(30), "any", seed, False, first) for seed, first in ((1, 1), (2, -1))),
        # In the widest, guesses put the best move last for either player.
        *(Counted(nested, "any", 29, False, first) for first in (1, -1)
          for nested in (7, [-10**10 * first, [-2 * 10**10 * first]], [*range(-4, 5)])),
        *(_case(seed, middle=middle) for seed, middle in ((20, 10**6), (23, -10**6))),
    ]
    for case in cases:
        case.search_of(
            hand_in.call, "What does alpha mean to the second player, and beta to the first?")


@check("Moves are ordered for the player who is to move", points=2)
def order(hand_in: HandIn) -> None:
    for seed in range(12):
        nested = ([[1], 5, [-3], [0]], [0, [1], 2, [3], 4, [5], 6], [1], 2)[seed % 4]
        case = Counted(nested, "any", seed, False, (1, -1)[seed // 4 % 2])
        children, player, _ = case.functions()
        guess = case.guesses.__getitem__
        answer = hand_in.call("ordered", case.root, children, player, guess)
        require(same(answer, ordered(case.root, children, player, guess)),
                f"With guesses {[guess(n) for n in children(case.root)]} of the children "
                f"{children(case.root)} and player {player(case.root)} to move, you order them "
                f"{short(answer)}.")


@check("Branches that cannot change the value are cut off", points=3)
def cuts(hand_in: HandIn) -> None:
    for seed in range(6):
        # Equal values are common, and cut as well.
        _case(seed + 30, most=2).require_cuts(hand_in.call)


@check("Alpha and beta of the first call cut off branches, too", points=1)
def window(hand_in: HandIn) -> None:
    for seed in range(4):
        case = _case(seed + 50, middle=(0, 100, -100, 0)[seed])
        value = case.true[case.root]
        for limits in ((4, 9), (-1, 9), (-9, -4), (-9, 1), (0, 9), (-9, 0), (-1, 1)):
            case.require_cuts(hand_in.call, *(float(value + limit) for limit in limits))
    for first in (1, -1):
        # The limit of one player alone, and limits of 0.
        nested = [[2, 1], [3, -2], [0, 5], [-first, [-4]]]
        for limits in ((0,), (1,), (-9, 0), (0, 9)):
            Counted(nested, "alternate", 1, False, first).require_cuts(
                hand_in.call, *map(float, limits))


@check("Good guesses need few leaves", points=1)
def few(hand_in: HandIn) -> None:
    for first in (1, -1):
        Counted(grown(77, 5, -9, 9), "alternate", 5, True, first).require_cuts(hand_in.call)


CHECKS = [value_of_it, order, cuts, window, few]
_FOLLOWING = "    following = ordered(position, children, player, guess)\n"
# A negamax for games in which all children of a position have the same player to move.
_NEGAMAX = """    def negamax(node, low, high):
        following = ordered(node, children, player, guess)
        if not following:
            return player(node) * value(node)
        same, best = player(node) == player(children(node)[0]), float("-inf")
        for child in following:
            result = negamax(child, low, high) if same else -negamax(child, -high, -low)
            best = max(best, result)
            low = max(low, best)
            if low >= high:
                break
        return best
    if player(position) == 1:
        return negamax(position, alpha, beta)
    return -negamax(position, -beta, -alpha)
"""
PLANTED = {
    "ordered for the first player only": ("reverse=player(position) == 1", "reverse=True"),
    "the worst first": ("reverse=player(position) == 1", "reverse=player(position) == -1"),
    "no cuts": ("if alpha >= beta:", "if False:"),
    "cuts too early": ("if alpha >= beta:", "if alpha >= beta - 3:"),
    "no cut when equal": ("if alpha >= beta:", "if alpha > beta:"),
    "alpha and beta mixed up": ("value, guess, alpha, beta)", "value, guess, -beta, -alpha)"),
    "the second player maximises": ("best = min(best, result)", "best = max(best, result)"),
    "the window is ignored": ("    if not following:", "    import sys\n"
                              "    if sys._getframe(1).f_code.co_name != 'alpha_beta':\n"
                              '        alpha, beta = float("-inf"), float("inf")\n'
                              "    if not following:"),
    "alpha is ignored": ("    if not following:",
                         '    alpha = float("-inf")\n    if not following:'),
    "beta is ignored": ("    if not following:",
                        '    beta = float("inf")\n    if not following:'),
    "guesses are ignored": ("sorted(children(position), key=guess, reverse=player(position) == 1)",
                            "list(children(position))"),
    "values are clamped": ("return value(position)", "return max(-5, min(5, value(position)))"),
    "turns alternate": ('best = float("-inf") if player(position) == 1',
                        'best = float("-inf") if player(0) == 1'),
    "a leaf is asked for twice": ("return value(position)",
                                  "return (value(position) + value(position)) // 2"),
    "the sign of the first child": (_FOLLOWING, _NEGAMAX + _FOLLOWING),
    "the sign of the best child": (
        _FOLLOWING, _NEGAMAX.replace("children(node)[0]", "following[0]") + _FOLLOWING),
    "ordered for the movers of the children": (
        "sorted(children(position), key=guess, reverse=player(position) == 1)",
        "sorted(children(position), key=lambda child: player(child) * guess(child))"),
    "ordered by size": ("key=guess, reverse", "key=lambda child: abs(guess(child)), reverse"),
    "the last ply is not ordered": (
        _FOLLOWING, _FOLLOWING + "    if not any(map(children, following)):\n"
                                 "        following = children(position)\n"),
    "ordered at the root only": (
        _FOLLOWING, _FOLLOWING + '    if (alpha, beta) != (float("-inf"), float("inf")):\n'
                                 "        following = children(position)\n"),
    "infinity is 9999": (
        'best = float("-inf") if player(position) == 1 else float("inf")',
        "best = -9999 if player(position) == 1 else 9999"),
    "0 is no limit": (
        _FOLLOWING, '    alpha, beta = alpha or float("-inf"), beta or float("inf")\n'
                    + _FOLLOWING),
    "the limits of the mover only": (
        "value, guess, alpha, beta)",
        'value, guess, *((alpha, float("inf")) if player(position) == 1 '
        'else (float("-inf"), beta)))'),
    "a root without moves": ("    if not following:\n        return value(position)\n",
                             "    if not following:\n        return value(position) * "
                             "(max(alpha, -beta) > -float('inf'))\n"),
    "five children at most": ("for child in following:", "for child in following[:5]:"),
}
EQUIVALENT = {
    "player(position) >= 1": "A player is 1 or -1.",
    "max(alpha, result)": "What is below alpha does not matter, and what is above is the best.",
    "min(beta, result)": "The same for beta.",
    "ordered: player is asked for": "Only the player at the position is asked for.",
    "ordered: the tree ends": "Only children of the position are asked for.",
    "ordered: children are reversed": "They are sorted.",
    "alpha_beta: children are reversed": "They are sorted.",
    "alpha_beta: value is asked for the first child": "Only leaves are asked for.",
}
### END HIDDEN TESTS
