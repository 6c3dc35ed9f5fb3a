"""Minimax (chapter 4).

A game tree is given by three functions of a position (a number, in no particular order):

    children(position)   the positions after each legal move, in order; none if the game is over
    player(position)     who is to move: +1 (the first player) or -1 (the second)
    result(position)     of a game that is over, as the FIRST player sees it: 1, 0 or -1

The players need not take turns: after some moves, the same player moves again.
"""

from __future__ import annotations

from collections.abc import Callable


def minimax(
    position: int, children: Callable[[int], list[int]], player: Callable[[int], int],
    result: Callable[[int], int],
) -> int:
    """The result of the game from `position`, as the first player sees it, if both play best.

    >>> children = {0: [1, 2], 1: [3, 4], 2: [], 3: [], 4: []}.get
    >>> result = {2: 0, 3: 1, 4: -1}.get
    >>> minimax(2, children, lambda position: 1, result)
    0
    >>> minimax(0, children, lambda position: -1 if position == 1 else 1, result)
    0
    >>> minimax(0, children, lambda position: 1, result)
    1
    """
    ### BEGIN SOLUTION
    following = children(position)
    if not following:
        return result(position)
    values = [minimax(child, children, player, result) for child in following]
    return max(values) if player(position) == 1 else min(values)
    ### END SOLUTION


def best_move(
    position: int, children: Callable[[int], list[int]], player: Callable[[int], int],
    result: Callable[[int], int],
) -> int:
    """The child of `position` that the player to move should choose: the first of the best.

    >>> children = {0: [1, 2], 1: [3, 4], 2: [], 3: [], 4: []}.get
    >>> result = {2: 0, 3: 1, 4: -1}.get
    >>> best_move(0, children, lambda position: -1 if position == 1 else 1, result)
    2
    >>> best_move(0, children, lambda position: -1, result)
    1
    >>> best_move(1, children, lambda position: 1, result)
    3
    """
    ### BEGIN SOLUTION
    values = [minimax(child, children, player, result) for child in children(position)]
    wanted = max(values) if player(position) == 1 else min(values)
    return children(position)[values.index(wanted)]
    ### END SOLUTION


### BEGIN HIDDEN TESTS
import copy
import random

from experiments.classroom.checks import HandIn, check


class Tree:
    """A nested list is a position, a number a result. The numbers of positions are in no order.

    `text` is for students: `2:+[0:0, 1:-[4:1, 3:1]]` is position 2, where the first player moves.
    Its first child, 0, is a leaf with the result 0; in its second child, 1, the second moves.

    Args:
        turns: "alternate", or "any": who moves is drawn for each position.
        first: who moves at the root.
    """

    def __init__(self, nested, turns: str = "alternate", seed: int = 0, first: int = 1) -> None:
        size = _size(nested)
        self.children_of: list[list[int]] = [[] for _ in range(size)]
        self.players, self.results = [0] * size, [99] * size
        self._random, self._turns = random.Random(seed), turns
        self._numbers = self._random.sample(range(size), size)
        self.root = self._add(nested, first)

    @property
    def text(self) -> str:
        return (f"the tree {self.drawn(self.root)} (position:result, or position:+ where the first "
                "player moves, position:- where the second moves)")

    def drawn(self, position: int) -> str:
        """A position and what follows, as text."""
        if not self.children_of[position]:
            return f"{position}:{self.results[position]}"
        mark = "+" if self.players[position] == 1 else "-"
        return f"{position}:{mark}[{', '.join(map(self.drawn, self.children_of[position]))}]"

    def _add(self, nested, player: int) -> int:
        number = self._numbers.pop()
        self.players[number] = player
        if isinstance(nested, int):
            self.results[number] = nested
        else:
            self.children_of[number] = [
                self._add(part, -player if self._turns == "alternate"
                          else self._random.choice((1, -1))) for part in nested]
        return number

    def inner(self):
        """The trees below each position with children, this one first."""
        for position in [self.root, *range(len(self.children_of))]:
            if self.children_of[position]:
                subtree = copy.copy(self)
                subtree.root = position
                yield subtree

    def functions(self):
        return self.children_of.__getitem__, self.players.__getitem__, self.results.__getitem__


def _size(nested) -> int:
    return 1 if isinstance(nested, int) else 1 + sum(map(_size, nested))


def grown(seed: int, depth: int, low: int = -1, high: int = 1):
    """A random nested list."""
    generator = random.Random(seed)

    def grow(left: int):
        if left == 0 or (left < depth and generator.random() < 0.15):
            return generator.randint(low, high)
        return [grow(left - 1) for _ in range(generator.randint(1, 3))]

    return grow(depth)


def grown_thrice(seed: int, low: int = -1, high: int = 1):
    """Three random nested lists of depth 3 in one."""
    return [grown(seed + start, 3, low, high) for start in (0, 10, 20)]


def deep(depth: int):
    """A nested list with one long branch: the result stands at its end."""
    nested = [1, -1]
    for _ in range(depth):
        nested = [nested]
    return [nested, 0]


def _check(title: str, points: int, solution, trees, hint: str):
    """A check of a function on trees."""
    @check(title, points)
    def run(hand_in: HandIn) -> None:
        for tree in trees:
            arguments = (tree.root, *tree.functions())
            hand_in.expect(solution.__name__, *arguments, equals=solution(*arguments), hint=hint,
                           shown=tree.text)

    return run


def _mixed(seeds) -> list[Tree]:
    """Random trees in which who moves is drawn for each position, in turn for either player."""
    return [Tree(grown_thrice(n), "any", n, (1, -1)[n % 2]) for n in seeds]


CHECKS = [
    _check("The value of a finished game is its result", 1, minimax,
           [Tree(n, first=first) for n in (1, 0, -1) for first in (1, -1)],
           "The position has no children."),
    _check("The first player maximises, the second minimises", 2, minimax,
           [Tree(nested, first=first) for first in (1, -1)
            for nested in ([1, 0, -1], [-1, 0], [0, 1], [0, 0], [-1, -1], [1, 1])],
           "Who is to move? Do they want a large or a small value?"),
    _check("It searches to any depth", 2, minimax,
           [*(Tree(grown(n, 4), seed=n, first=(1, -1)[n % 2]) for n in range(5)), Tree(deep(9)),
            *(Tree(deep(40), first=first) for first in (1, -1)),
            *(Tree(nested, first=first) for first in (1, -1)
              for nested in ([-first] * 6 + [first], [first] + [-first] * 6)),
            *_mixed([40])[0].inner()],
           "Compute the tree by hand, from the leaves up."),
    _check("The same player may move twice", 2, minimax, _mixed(range(6)),
           "Ask who is to move at each position."),
    _check("The best move has the best value for the player to move", 3, best_move,
           [*_mixed(range(20, 28)),
            *(Tree([0, *results, -first], first=first) for first in (1, -1)
              for results in ([0, first, 0, first], [first, first], [-first, [first], [first]])),
            *(Tree(results, seed=seed, first=first) for first in (1, -1) for seed in range(3)
              for results in ([-first] * 4, [-first, 0, -first, 0], [-first, first, first, 0],
                              [-first, 0, -first, -first, first, 0])),
            # The first of the best, whether it ends the game at once or later.
            *(Tree(results, first=first) for first in (1, -1) for value in (1, 0, -1)
              for results in ([value, [value], [[value]]], [[[value]], [value], value])),
            *_mixed([41])[0].inner(),
            *(Tree([0, deep(depth)[0], 0], first=first) for first in (1, -1)
              for depth in (8, 9, 40))],
           "Return a child: the first one with the best value for the player to move."),
]
PLANTED = {
    "both want the largest": ("    return max(values) if player(position) == 1 else min(values)\n",
                              "    return max(values)\n"),
    "the second player's view": ("return result(position)", "return -result(position)"),
    "the best move of the first player": (
        "wanted = max(values) if player(position) == 1 else min(values)", "wanted = max(values)"),
    "an index, not a position": ("children(position)[values.index(wanted)]",
                                 "values.index(wanted)"),
    "turns alternate": (
        "values = [minimax(child, children, player, result) for child in following]",
        "turn = player(position)\n"
        "    values = [minimax(child, children, lambda _: -turn, result) for child in following]"),
    "draws are losses": ("return result(position)", "return 1 if result(position) > 0 else -1"),
    "the last of the best": ("children(position)[values.index(wanted)]",
                             "children(position)[-1 - values[::-1].index(wanted)]"),
    "a limit of depth": ("    following = children(position)\n",
                         "    following = children(position) if position < 20 else []\n"),
    "three children at most": ("for child in following]", "for child in following[:3]]"),
    "the first player moves at the root": ("wanted = max(values) if player(position) == 1 else",
                                           "wanted = max(values) if position == 0 else"),
    "the first child": ("values.index(wanted)]", "0]"),
    "the sign of the first child": (
        "    values = [minimax(child, children, player, result) for child in following]\n"
        "    return max(values) if player(position) == 1 else min(values)\n",
        "    values = [player(child) * minimax(child, children, player, result)\n"
        "              for child in following]\n"
        "    turned = player(position) * player(following[0])\n"
        "    return player(position) * max(turned * value for value in values)\n"),
    "the sign of the first child that goes on": (
        "    return max(values) if player(position) == 1 else min(values)\n",
        "    movers = [player(child) for child in following if children(child)]\n"
        "    turned = player(position) * movers[0] if movers else -1\n"
        "    values = [player(position) * value if not children(child) else\n"
        "              turned * player(child) * value\n"
        "              for child, value in zip(following, values)]\n"
        "    return player(position) * max(values)\n"),
    "the mover of the first child": (
        "return max(values) if player(position) == 1 else min(values)\n",
        "return max(values) if player(following[0]) == -1 else min(values)\n"),
    "the smallest number of the best": (
        "return children(position)[values.index(wanted)]",
        "return min(child for child, value in zip(children(position), values) "
        "if value == wanted)"),
    "the slowest of the best": (
        "return children(position)[values.index(wanted)]",
        "def plies(at):\n"
        "        return 1 + max(map(plies, children(at)), default=0)\n"
        "    best = [child for child, value in zip(children(position), values) "
        "if value == wanted]\n    return max(best, key=plies)"),
    "a move that ends the game": (
        "return children(position)[values.index(wanted)]",
        "best = [child for child, value in zip(children(position), values) "
        "if value == wanted]\n    return min(best, key=lambda child: bool(children(child)))"),
    "position 0 is no move": (
        "return children(position)[values.index(wanted)]",
        "best = None\n"
        "    for child, value in zip(children(position), values):\n"
        "        best = best or (child if value == wanted else None)\n"
        "    return best"),
    "the second player wins or takes the first": (
        "wanted = max(values) if player(position) == 1 else min(values)",
        "wanted = max(values) if player(position) == 1 else -1 if -1 in values else values[0]"),
    "the last five children": ("for child in following]", "for child in following[-5:]]"),
    "values of other trees": (
        "    following = children(position)\n",
        "    minimax.seen = getattr(minimax, 'seen', {})\n"
        "    if position > 12:\n"
        "        return minimax.seen.setdefault(position, result(position))\n"
        "    following = children(position)\n"),
}
EQUIVALENT = {
    "player(position) >= 1": "A player is 1 or -1.",
    "minimax: children are reversed": "The largest value is the same in any order.",
    "minimax: result is asked for the first child": "Only leaves are asked for.",
    "best_move: result is asked for the first child": "The same.",
}
### END HIDDEN TESTS
