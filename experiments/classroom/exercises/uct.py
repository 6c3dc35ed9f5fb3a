"""UCT: a tree that grows towards good moves (chapter 4).

A game is given by functions of a position (a number): `children(position)`, none if the game is
over; `player(position)`, who is to move, +1 or -1; and `rollout(position)`, which plays the game to
its end at random and returns the result for the FIRST player: 1, 0 or -1. The players need not take
turns: after some moves, the same player moves again.

A simulation starts at the root. It follows the rule below until it reaches a position without
visits, or the end of the game. There it plays one rollout, and it adds a visit and the result to
every position on the path. Each child of a position is tried once before any child is tried twice;
then the child with the largest score is chosen.

The root counts as visited once before the first simulation.
"""

from __future__ import annotations

import math
from collections.abc import Callable

C: float  # weight of exploration


def uct_score(wins: float, visits: int, parent_visits: int) -> float:
    """A child's share of wins, plus C times the square root of ln(the parent's visits) / visits.

    Args:
        wins: of the player who CHOOSES among the children, draws counted half.
        visits: of the child, at least 1.

    >>> uct_score(3, 4, 1)
    0.75
    >>> uct_score(3, 4, 10)
    >>> uct_score(0.5, 1, 8)
    """
    ### BEGIN SOLUTION
    return wins / visits + C * math.sqrt(math.log(parent_visits) / visits)
    ### END SOLUTION


def search(
    root: int, children: Callable[[int], list[int]], player: Callable[[int], int],
    rollout: Callable[[int], int], simulations: int,
) -> list[int]:
    """The visits of the root's children, in their order, after some simulations.

    >>> children = {0: [1, 2], 1: [], 2: []}.get
    >>> rollout = {0: 0, 1: 1, 2: -1}.get
    >>> search(0, children, lambda position: 1, rollout, 2)
    [1, 1]
    >>> search(0, children, lambda position: 1, rollout, 8)
    >>> search(0, children, lambda position: -1, rollout, 30)
    """
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
                (visits[child] + who * total[child]) / 2, visits[child], visits[node],
            )))
        result = rollout(path[-1])
        for node in path:
            visits[node] = visits.get(node, 0) + 1
            total[node] = total.get(node, 0.0) + result
    return [visits.get(child, 0) for child in children(root)]
    ### END SOLUTION


### BEGIN HIDDEN TESTS
import random

from experiments.classroom.checks import HandIn, agrees, asked, check, require
from experiments.classroom.exercises.minimax import Tree, deep, grown_thrice
from experiments.classroom.variants import decimal


def variant(rng: random.Random):
    return {"C": decimal(rng, 0.4, 1.6, 6)}


class Game(Tree):
    """A tree with results at its leaves, and rollouts that are drawn, and recorded, here."""

    def __init__(self, nested, first: int = 1, turns: str = "alternate", seed: int = 4) -> None:
        super().__init__(nested, turns, seed, first)
        self._rollouts = random.Random(seed)
        self.begun: list[tuple[int, int]] = []  # the position of each rollout, and its result
        self.parents = {child: node for node, some in enumerate(self.children_of) for child in some}

    def rollout(self, position: int) -> int:
        last = position
        while self.children_of[last]:
            last = self._rollouts.choice(self.children_of[last])
        self.begun.append((position, self.results[last]))
        return self.results[last]

    def visits(self, hand_in: HandIn, simulations: int) -> list[int]:
        """What a search answers."""
        self.begun.clear()
        children, player, _ = self.functions()
        visits = hand_in.call(
            "search", self.root, children, player, self.rollout, simulations)
        wanted = [0] * len(children(self.root))
        require(not asked(visits, wanted) and visits is not None and len(visits) == len(wanted),
                f"search(...) returned {visits!r}: it must return a list with a number for each "
                f"of {len(wanted)} children.")
        return list(visits)

    def require_rule(self, hand_in: HandIn, simulations: int) -> None:
        """Require that each simulation follows the rule, whichever of equal children it takes.

        The first simulation may start at the root, which then has no visit before.
        """
        problem = self._problem(self.visits(hand_in, simulations))
        require(not problem, f"{problem} This is {self.text}, with C = {C}.")

    def _problem(self, visits: list[int]) -> str:
        """What is wrong with the rollouts and with the answer; "" if nothing."""
        count, total = {self.root: int(self.begun[0][0] != self.root)}, {}
        for number, (begun, result) in enumerate(self.begun, 1):
            path = [begun]
            while path[0] != self.root:
                path.insert(0, self.parents[path[0]])
            if len(path) == 1 and count[self.root]:
                return f"Rollout {number} starts at the root."
            if count.get(begun) and self.children_of[begun]:
                return f"Rollout {number} starts at position {begun}, which had visits before."
            for node, child in zip(path, path[1:], strict=False):
                children, mover = self.children_of[node], self.players[node]
                new = [one for one in children if not count.get(one)]
                scores = {} if new else {
                    one: uct_score((count[one] + mover * total[one]) / 2, count[one],
                                   count[node]) for one in children}
                if child not in new and (new or scores[child] < max(scores.values()) - 1e-9):
                    who = "first" if mover == 1 else "second"
                    why = f"the children {new} have no visits" if new else (
                        "the scores are " + ", ".join(f"{n}: {scores[n]:.4f}" for n in children))
                    return (f"In simulation {number}, at position {node}, where the {who} player "
                            f"moves, you chose child {child}, but {why}.")
            for node in path:
                count[node] = count.get(node, 0) + 1
                total[node] = total.get(node, 0) + result
        wanted = [count.get(child, 0) for child in self.children_of[self.root]]
        return "" if visits == wanted else (
            f"Your simulations visited the children {wanted} times, but search returned {visits}.")


@check("Each simulation is one rollout and one visit of a child", points=1)
def counts(hand_in: HandIn) -> None:
    for simulations in (1, 7, 60):
        game = Game([[1, -1], [0, 0], [-1, [1, 0]]])
        visits = game.visits(hand_in, simulations)
        at_root = [position for position, _ in game.begun[:1]].count(game.root)
        require(sum(visits) + at_root == simulations == len(game.begun),
                f"After {simulations} simulations the children have {visits} visits, and "
                f"{len(game.begun)} rollouts were asked for.")


@check("Each child is tried once before any child is tried twice", points=1)
def all_once(hand_in: HandIn) -> None:
    visits = Game([1, -1, -1, -1, -1]).visits(hand_in, 5)
    require(set(visits) <= {0, 1} and sum(visits) >= 4,
            f"After 5 simulations with 5 children their visits are {visits}.")
    game = Game([[1, 1], [1, 1]])
    game.visits(hand_in, 7)
    begun = {position for position, _ in game.begun} - {game.root}
    require(len(begun) == 6, "A rollout starts at a position without visits: with six "
            f"positions below the root, your rollouts started at {len(begun)}.")


@check("The winning move gets most visits, for either player", points=1)
def wins(hand_in: HandIn) -> None:
    for first in (1, -1):
        game = Game([-first, first, 0], first)
        visits, begun = game.visits(hand_in, 400), [position for position, _ in game.begun]
        require(visits.index(max(visits)) == 1 and visits[1] > 240,
                f"Of three moves that lose, win and draw, your visits are {visits}, with player "
                f"{first} to move. Whose wins do you count?")
        wanted = [begun.count(child) for child in game.children_of[game.root]]
        require(visits == wanted, f"The rollouts began {wanted} times at the children, but search "
                                  f"returned {visits}.")


@check("Each simulation follows the largest score, as the player to move sees it", points=3)
def follows(hand_in: HandIn) -> None:
    for first in (1, -1):
        # The first move looks good to random play: one answer in five refutes it.
        tempting = [[first, first, first, first, -first], [0, 0, 0, 0, 0]]
        Game(tempting, first).require_rule(hand_in, 60)
    Game(deep(9)[0]).require_rule(hand_in, 20)
    for seed in range(10):
        Game(grown_thrice(seed + 60), (1, -1)[seed % 2], seed=seed).require_rule(hand_in, 16)


@check("The same player may move twice", points=2)
def twice(hand_in: HandIn) -> None:
    for seed in range(10, 15):
        Game(grown_thrice(seed + 60), (1, -1)[seed % 2], "any", seed).require_rule(hand_in, 40)


CHECKS = [
    agrees("The score is the share of wins plus a bonus for few visits", uct_score,
           [(3, 4, 10), (0, 1, 1), (7.5, 20, 100), (2, 8, 9),
            (123456.5, 200000, 3000000), (0, 1000, 1000)],
           "See the formula.", points=2),
    counts, all_once, wins, follows, twice,
]
PLANTED = {
    "the log of the child's visits": ("math.log(parent_visits) / visits",
                                      "math.log(visits) / parent_visits"),
    "c inside the square root": ("C * math.sqrt(math.log(parent_visits) / visits)",
                                 "math.sqrt(C * math.log(parent_visits) / visits)"),
    "the first player's wins for both": ("who * total[child]", "total[child]"),
    "the opponent's wins": ("who * total[child]", "-who * total[child]"),
    "turns alternate": ("node, who = path[-1], player(path[-1])",
                        "node, who = path[-1], player(root) * (-1) ** (len(path) - 1)"),
    "the leaf is not counted": ("for node in path:", "for node in path[:2]:"),
    "c is another one": ("+ C * math.sqrt", "+ 0.3 * math.sqrt"),
    "draws are losses": ("(visits[child] + who * total[child]) / 2",
                         "(visits[child] + who * total[child]) // 2"),
    "the visits of the root": ("visits[child], visits[node],", "visits[child], visits[root],"),
    "one simulation too few": ("in range(simulations):", "in range(simulations - 1):"),
    "a limit of depth": ("            if new:\n", "            if len(path) > 3:\n"
                         "                break\n            if new:\n"),
    "a random child": ("path.append(max(following, key=lambda child: uct_score(",
                       "path.append(max(following, key=lambda child: 0 * len(path) + child % 7 if "
                       "visits[node] > 20 else uct_score("),
    "the sign of the first child": ("who * total[child]", "-player(following[0]) * total[child]"),
    "the signs of the children": ("who * total[child]", "-player(child) * total[child]"),
    "the player at the leaf": ("result = rollout(path[-1])",
                               "result = rollout(path[-1]) * player(path[-1])"),
    "the root is position 0": ("{root: 1}, {root: 0.0}", "{0: 1}, {0: 0.0}"),
    "visits by number": ("for child in children(root)]", "for child in sorted(children(root))]"),
    "five plies at most": ("            if new:\n", "            if len(path) > 5:\n"
                           "                break\n            if new:\n"),
    "the root has no visit": (
        "while visits.get(path[-1]) and",
        "visits[root] -= _ == 0\n        while (visits.get(path[-1]) or path == [root]) and"),
    "300 visits at most": ("visits[node] = visits.get(node, 0) + 1",
                           "visits[node] = min(visits.get(node, 0) + 1, 300)"),
    "the visits of the children": ("visits[child], visits[node],",
                                   "visits[child], sum(visits[one] for one in following),"),
    "the tree of the search before": (
        "    visits, total = {root: 1}, {root: 0.0}",
        "    visits, total = search.__dict__.setdefault('tree', ({root: 1}, {root: 0.0}))\n"
        "    visits.setdefault(root, 1)\n    total.setdefault(root, 0.0)"),
}
EQUIVALENT = {
    "visits.get(path[not 1])": "Only the new child, which ends the loop, has no visits.",
    "visits.get(path[-0])": "The same.",
    "{root: 0}": "The root may have no visit: then the first rollout starts there.",
    "continue": "The new child ends the loop in any case.",
    "{root: 1.0}": "The root's own total is never read.", "{root: -1.0}": "The same.",
    "{simulations: 0.0}": "The same.",
    "not in total]": "Positions have visits and a total, or neither.",
    "new[-1]": "Any new child may be tried first.",
}
### END HIDDEN TESTS
