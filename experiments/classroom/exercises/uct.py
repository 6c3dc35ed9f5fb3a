"""UCT: a tree that grows towards good moves (chapter 4).

A game is given by functions of a position (a number): `children(position)`, none if the game is
over; `player(position)`, +1 or -1, who need not alternate; and `rollout(position)`, which plays
the game to its end at random and returns the result for the FIRST player: 1, 0 or -1.

A simulation starts at the root and follows the rule below to a position without visits. It plays
one rollout from there and adds the result to every position on the path. Each child of a position
is tried once before any child is tried twice.
"""

from __future__ import annotations

import math
from collections.abc import Callable


def uct_score(wins: float, visits: int, parent_visits: int, c: float) -> float:
    """The share of wins of a child, plus c times the root of (ln of the parent's visits / visits).

    Args:
        wins: of the player who CHOOSES among the children, draws counted half.
        visits: of the child, at least 1.
    """
    ### BEGIN SOLUTION
    return wins / visits + c * math.sqrt(math.log(parent_visits) / visits)
    ### END SOLUTION


def search(
    root: int, children: Callable[[int], list[int]], player: Callable[[int], int],
    rollout: Callable[[int], int], simulations: int, c: float,
) -> list[int]:
    """The visits of the root's children, in their order, after some simulations."""
    ### BEGIN SOLUTION
    visits, total = {root: 1}, {root: 0.0}  # total: of results as the first player sees them
    for _ in range(simulations):
        path = [root]
        while visits.get(path[-1]) and (following := children(path[-1])):
            new = [child for child in following if child not in visits]
            if new:
                path.append(new[0])
                break
            node, who = path[-1], player(path[-1])
            path.append(max(following, key=lambda child: uct_score(
                (visits[child] + who * total[child]) / 2, visits[child], visits[node], c,
            )))
        result = rollout(path[-1])
        for node in path:
            visits[node] = visits.get(node, 0) + 1
            total[node] = total.get(node, 0.0) + result
    return [visits.get(child, 0) for child in children(root)]
    ### END SOLUTION


### BEGIN HIDDEN TESTS
import random

from experiments.classroom.checks import HandIn, agrees, check, require
from experiments.classroom.exercises.minimax import Tree


class Game(Tree):
    """A tree with results at its leaves, and rollouts that are drawn, and counted, here."""

    def __init__(self, nested, first: int = 1) -> None:
        super().__init__(nested, first=first)
        self._rollouts = random.Random(4)
        self.begun: list[int] = []

    def rollout(self, position: int) -> int:
        self.begun.append(position)
        while self.children_of[position]:
            position = self._rollouts.choice(self.children_of[position])
        return self.results[position]

    def visits(self, hand_in: HandIn, simulations: int, c: float) -> list[int]:
        """What a search answers."""
        children, player, _ = self.functions()
        visits = hand_in.call("search", 0, children, player, self.rollout, simulations, c)
        right = isinstance(visits, list | tuple) and all(type(n) is int for n in visits)
        require(right and len(visits) == len(children(0)), f"search(...) returned {visits!r}: it "
                f"must return a number for each of {len(children(0))} children.")
        return list(visits)


@check("Each simulation is one rollout and one visit of a child", points=2)
def counts(hand_in: HandIn) -> None:
    for simulations in (1, 7, 60):
        game = Game([[1, -1], [0, 0], [-1, [1, 0]]])
        visits = game.visits(hand_in, simulations, 0.7)
        require(sum(visits) == simulations and len(game.begun) == simulations,
                f"After {simulations} simulations the children have {visits} visits, and "
                f"{len(game.begun)} rollouts were asked for.")


@check("Each child is tried once before any child is tried twice", points=1)
def all_once(hand_in: HandIn) -> None:
    visits = Game([1, -1, -1, -1, -1]).visits(hand_in, 5, 0.4)
    require(visits == [1] * 5, f"After 5 simulations with 5 children their visits are {visits}.")
    game = Game([[1, 1], [1, 1]])
    game.visits(hand_in, 6, 1.0)
    require(len(set(game.begun)) == 6, "A rollout starts at a position without visits: with six "
            f"positions below the root, your six rollouts started at {len(set(game.begun))}.")


@check("The winning move gets most visits, for either player", points=2)
def wins(hand_in: HandIn) -> None:
    for first in (1, -1):
        visits = Game([-first, first, 0], first).visits(hand_in, 200, 0.4)
        require(visits.index(max(visits)) == 1 and visits[1] > 120,
                f"Of three moves that lose, win and draw, your visits are {visits}, with player "
                f"{first} to move. Whose wins do you count?")


@check("The opponent chooses their best answer", points=2)
def answers(hand_in: HandIn) -> None:
    for first in (1, -1):
        # The first move looks good to random play: one answer in five refutes it.
        game = Game([[first, first, first, first, -first], [0, 0, 0, 0, 0]], first)
        visits = game.visits(hand_in, 600, 0.6)
        require(visits[1] > visits[0],
                f"The first move loses to one answer of five, the second one draws; your visits "
                f"are {visits}, with player {first} to move. Who chooses the answer?")


@check("The same player may move twice", points=1)
def twice(hand_in: HandIn) -> None:
    game = Game([[-1, -1, -1, -1, 1], [0, 0, 0, 0, 0]])
    game.players = [1] * len(game.players)
    visits = game.visits(hand_in, 600, 0.6)
    require(visits[0] > visits[1],
            f"The first player moves twice and can win with the first move; your visits are "
            f"{visits}. Ask who is to move.")


CHECKS = [
    agrees("The score is the share of wins plus a bonus for few visits", uct_score,
           [(3, 4, 10, 1.5), (0, 1, 1, 1.0), (7.5, 20, 100, 0.4), (2, 8, 9, 0.0)],
           "See the formula.", points=2),
    counts, all_once, wins, answers, twice,
]
PLANTED = {
    "the log of the child's visits": ("math.log(parent_visits) / visits",
                                      "math.log(visits) / parent_visits"),
    "c inside the root": ("c * math.sqrt(math.log(parent_visits) / visits)",
                          "math.sqrt(c * math.log(parent_visits) / visits)"),
    "the first player's wins for both": ("who * total[child]", "total[child]"),
    "the opponent's wins": ("who * total[child]", "-who * total[child]"),
    "turns alternate": ("node, who = path[-1], player(path[-1])",
                        "node, who = path[-1], player(root) * (-1) ** (len(path) - 1)"),
    "the leaf is not counted": ("for node in path:", "for node in path[:2]:"),
}
### END HIDDEN TESTS
