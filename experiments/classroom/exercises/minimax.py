"""Minimax (chapter 4).

A game tree is given by three functions of a position (which is just a number):

    children(position)   the positions after each legal move, in order; none if the game is over
    player(position)     who is to move: +1 (the first player) or -1 (the second)
    result(position)     of a game that is over, as the FIRST player sees it: 1, 0 or -1

The players need not take turns: in some games the same player moves twice in a row.
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
import random

from experiments.classroom.checks import HandIn, check


class Tree:
    """Positions are numbers, the root is 0; a nested list is a position, a number a result.

    `text` is for students: `+[0, -[1, 1]]` is a position where the first player moves. Its first
    child is a leaf with the result 0; in the second child, the second player moves.
    """

    def __init__(self, nested, turns: str = "alternate", seed: int = 0, first: int = 1) -> None:
        self.children_of: list[list[int]] = []
        self.players: list[int] = []
        self.results: list[int] = []
        self._random, self._turns = random.Random(seed), turns
        self._add(nested, first)
        self.text = (f"the tree {self.drawn(0)} (+ the first player moves, - the second; the "
                     "numbers are results)")

    def drawn(self, position: int) -> str:
        """A position and what follows, as text."""
        if not self.children_of[position]:
            return str(self.results[position])
        mark = "+" if self.players[position] == 1 else "-"
        return f"{mark}[{', '.join(map(self.drawn, self.children_of[position]))}]"

    def _add(self, nested, player: int) -> int:
        number, leaf = len(self.children_of), isinstance(nested, int)
        self.children_of.append([])
        self.players.append(player)
        self.results.append(nested if leaf else 99)
        if not leaf:
            following = -player if self._turns == "alternate" else self._random.choice((1, -1))
            self.children_of[number] = [self._add(part, following) for part in nested]
        return number

    def functions(self):
        return self.children_of.__getitem__, self.players.__getitem__, self.results.__getitem__


def grown(seed: int, depth: int, low: int = -1, high: int = 1):
    """A random nested list."""
    generator = random.Random(seed)

    def grow(left: int):
        if left == 0 or (left < depth and generator.random() < 0.15):
            return generator.randint(low, high)
        return [grow(left - 1) for _ in range(generator.randint(1, 3))]

    return grow(depth)


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
            hand_in.expect(solution.__name__, 0, *tree.functions(), shown=tree.text, hint=hint,
                           equals=solution(0, *tree.functions()))

    return run


CHECKS = [
    _check("The value of a finished game is its result", 1, minimax, [Tree(n) for n in (1, 0, -1)],
           "The position has no children."),
    _check("The first player maximises, the second minimises", 2, minimax,
           [Tree(nested, first=first) for first in (1, -1)
            for nested in ([1, 0, -1], [-1, 0], [0, 0], [-1, -1])],
           "Who is to move? Do they want a large or a small value?"),
    _check("It searches to any depth", 2, minimax,
           [*(Tree(grown(n, 4)) for n in range(8)), Tree(deep(9)), Tree(deep(40), first=-1),
            Tree([0] * 6 + [1]), Tree([0] * 6 + [-1], first=-1)],
           "Compute the tree by hand, from the leaves up."),
    _check("The same player may move twice", 2, minimax,
           [Tree(grown(n, 3), "any", n) for n in range(8)],
           "Ask who is to move at each position."),
    _check("The best move has the best value for the player to move", 3, best_move,
           [*(Tree(grown(n + 20, 3), "any", n, (1, -1)[n % 2]) for n in range(10)),
            *(Tree([0, *results, -first], first=first) for first in (1, -1)
              for results in ([0, first, 0, first], [first, first], [-first, [first], [first]])),
            *(Tree([-first] * 3, first=first) for first in (1, -1)), Tree([deep(9), 1, deep(9)])],
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
}
EQUIVALENT = {"player(position) >= 1": "A player is 1 or -1."}
### END HIDDEN TESTS
