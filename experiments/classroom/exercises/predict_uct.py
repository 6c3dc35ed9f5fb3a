"""Predict the next step of a search: UCT (chapter 4).

TREE shows a search with UCT after some simulations, a row for each node:

    (number, parent, player, visits, total, untried)

`player`, 1 or -1, chooses among the children of the node, and need not alternate. `total` is the
sum of the results for player 1. `untried` is the number of moves without a child. The root is 0.

The next simulation walks down from the root: at a node without untried moves, to the child with the
largest score. The first node with an untried move gets a new child. From there, a random game ends
with RESULT for player 1, and the result is backed up.

The score of a child is the share of wins of the player who chooses (draws count half), plus C times
the square root of ln(visits of the node) / visits of the child.

Answer with numbers that you have worked out on paper, or with a program.
"""

from __future__ import annotations

import math

C: float
RESULT: int
TREE: list[tuple[int, int | None, int, int, float, int]]


def scores(node: int) -> list[float]:
    """The scores of the children of a node without untried moves, in the order of TREE.

    Three digits after the point are enough. The question is asked for nodes of `path()`.

    >>> len(scores(0))
    """
    ### BEGIN SOLUTION
    [(player, parent_visits)] = [(row[2], row[3]) for row in TREE if row[0] == node]
    return [(1 + player * total / visits) / 2 + C * math.sqrt(math.log(parent_visits) / visits)
            for _, parent, _, visits, total, _ in TREE if parent == node]
    ### END SOLUTION


def path() -> list[int]:
    """The nodes of the next simulation, from the root to the one that gets the new child.

    >>> path()[0]
    0
    """
    ### BEGIN SOLUTION
    nodes, untried = [0], {row[0]: row[5] for row in TREE}
    while not untried[nodes[-1]]:
        children = [row[0] for row in TREE if row[1] == nodes[-1]]
        values = scores(nodes[-1])
        nodes.append(children[values.index(max(values))])
    return nodes
    ### END SOLUTION


def means() -> list[float]:
    """The mean result for player 1 at each node of the path after the simulation.

    The root comes first, the new child last. Three digits after the point are enough.

    >>> len(means()) - len(path())
    1
    """
    ### BEGIN SOLUTION
    counts = {row[0]: (row[3], row[4]) for row in TREE}
    return [(counts[node][1] + RESULT) / (counts[node][0] + 1) for node in path()] + [RESULT]
    ### END SOLUTION


### BEGIN HIDDEN TESTS
import random
from numbers import Real

import numpy as np

from engines.registry import build_engine
from engines.watching.events import BackedUp, Proved, Selected
from engines.watching.recording import watch
from experiments.classroom.checks import HandIn, check, require, short
from experiments.classroom.variants import decimal
from experiments.museum.tree_game import tree_game

# What the search of the textbook did next.
PATH: list[int]
SCORES: dict[int, list[float]]
MEANS: list[float]
# Digits after the point that answers need; the least lead of the best child.
_DIGITS, _LEAD = 3, 0.01


def variant(rng: random.Random):
    """The next simulation of a search in which wrong rules lead to other children."""
    while True:
        c = decimal(rng, 0.4, 1.2, 3)
        game = tree_game(_drawn(rng))
        engine = build_engine(f"textbook-mcts:c_uct={c},sims={rng.randrange(14, 24)}", game,
                              rng.randrange(1 << 30))
        recording = watch(engine, game.start())
        ends = [number for number, event in enumerate(recording.events)
                if isinstance(event, BackedUp)]
        tree, following = recording.tree(ends[-2] + 1), recording.events[ends[-2] + 1:]
        steps = [event for event in following if isinstance(event, Selected)]
        if not _instructive(tree, steps) or not following[-1].value or any(
                isinstance(event, Proved) for event in recording.events):
            continue
        rows = [(node.number, node.parent, _sign(node), node.visits, node.total,
                 len(tree.position(node.number).sensible_moves()) - len(node.children))
                for node in tree.nodes.values()]
        numbers, after = following[-1].path[::-1], recording.tree().nodes
        return {
            "C": c, "RESULT": int(following[-1].value), "TREE": rows, "PATH": list(numbers[:-1]),
            "SCORES": {step.node: list(step.scores) for step in steps},
            "MEANS": [after[n].total / after[n].visits for n in numbers],
        }


def _drawn(rng: random.Random) -> str:
    """A random tree for `tree_game`, in which players sometimes move twice."""
    def position(player: str, plies: int) -> str:
        if not plies:
            return f"{player}~{rng.randrange(-8, 9) / 10}"
        other = "ox"["xo".index(player)]
        moves = " ".join(position(player if rng.random() < 0.3 else other, plies - 1)
                         for _ in range(rng.randrange(2, 4)))
        return f"{player}({moves})"

    return position(rng.choice("xo"), 2)


def _sign(node) -> int:
    return 1 if node.mover == "black" else -1


def _instructive(tree, steps) -> bool:
    """Whether either player chooses on the path, no choice is close, a choice has children where
    either player moves, and a search for the best mean or for the other player would take another
    path."""
    wrong_paths, mixed, choosers = {"mean": False, "view": False}, False, set()
    for step in steps:
        children = tree.nodes[step.node].children
        means = [_sign(tree.nodes[step.node]) * tree.nodes[child].worth for child in children]
        best, *others = sorted(step.scores, reverse=True)
        if not others or best - others[0] < _LEAD:
            return False
        turned = [score - mean for score, mean in zip(step.scores, means, strict=True)]
        movers = {_sign(tree.nodes[child]) for child in children if tree.nodes[child].worth}
        mixed |= len(movers) == 2
        choosers |= {_sign(tree.nodes[step.node])} if movers else set()
        wrong_paths["mean"] |= children[means.index(max(means))] != step.child
        wrong_paths["view"] |= children[turned.index(max(turned))] != step.child
    return len(choosers) == 2 and mixed and all(wrong_paths.values())


def _require_near(answer, right: list[float], name: str, hint: str) -> None:
    answer = answer.tolist() if isinstance(answer, np.ndarray) else answer
    require(isinstance(answer, list | tuple) and len(answer) == len(right)
            and all(isinstance(number, Real) for number in answer),
            f"{name} returned {short(answer)}; return a list of {len(right)} numbers.")
    wrong = next((place for place, pair in enumerate(zip(answer, right, strict=True), 1)
                  if not abs(pair[0] - pair[1]) <= 0.6 * 10**-_DIGITS), 0)
    require(not wrong, f"{name} returned {short(answer)}; value {wrong} of {len(right)} is wrong. "
            f"{hint}")


@check("The path of the next simulation", points=4)
def the_path(hand_in: HandIn) -> None:
    hand_in.expect("path", equals=PATH, hint="Who chooses at each node? Which node has untried "
                   "moves?")


@check("The scores of the children at the root", points=2)
def at_root(hand_in: HandIn) -> None:
    _require_near(hand_in.call("scores", 0), SCORES[0], "scores(0)",
                  "Whose wins are counted? Which visits are in the logarithm?")


@check("The scores further down", points=2)
def below(hand_in: HandIn) -> None:
    for node in list(SCORES)[1:]:
        _require_near(hand_in.call("scores", node), SCORES[node], f"scores({node})",
                      "Who chooses at this node?")


@check("The means after the simulation", points=2)
def the_means(hand_in: HandIn) -> None:
    _require_near(hand_in.call("means"), MEANS, "means()",
                  "Each node of the path, and the new child, has one more visit.")


CHECKS = [the_path, at_root, below, the_means]
PLANTED = {
    "the view of player 1": ("(1 + player * total / visits)", "(1 + total / visits)"),
    "the view of player -1": ("(1 + player * total / visits)", "(1 - total / visits)"),
    "the opponent's wins": ("(1 + player * total / visits)", "(1 - player * total / visits)"),
    "the movers of the children": (
        "    return [(1 + player * total / visits) / 2 + C * math.sqrt(math.log(parent_visits) / "
        "visits)\n            for _, parent, _, visits",
        "    return [(1 - player * total / visits) / 2 + C * math.sqrt(math.log(parent_visits) / "
        "visits)\n            for _, parent, player, visits"),
    "no exploration": (" + C * math.sqrt(math.log(parent_visits) / visits)", ""),
    "the log of the child's visits": ("math.log(parent_visits)", "math.log(visits)"),
    "c is another one": ("+ C * math", "+ 1.3 * math"),
    "one step": ("while not untried[nodes[-1]]:", "if not untried[nodes[-1]]:"),
    "not counted": ("(counts[node][0] + 1)", "counts[node][0]"),
    "the wrong result": ("(counts[node][1] + RESULT)", "(counts[node][1] - RESULT)"),
    "no new child": (" + [RESULT]", ""),
}
EQUIVALENT = {
    "total * player": "A product is the same in any order.",
    "values[::-1]": "No scores are equal.", "__import__('random')": "The same.",
    "row[0]: row[1]": "Gives the right numbers for this TREE, as work on paper would.",
    "nodes.index(max(nodes))": "The same.",
}
### END HIDDEN TESTS
