"""What a search did, from the order in which it asked about positions.

Each simulation of a usual search asks about one new position. So the list of these positions tells
every choice at every node, with the visits, mean values and priors that the search had then. This
works for any program: nothing in it is looked at.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import softmax

from dlgo.api import COLUMN_LETTERS
from experiments.museum.tree_game import Node

# How means may be stretched before they are compared; "": not at all.
_STRETCHES = "", "position", "tree", "tree, both views"
# Constants that are tried in a rule.
_CONSTANTS = np.geomspace(0.02, 20, 700)[:, None]


class Choice(NamedTuple):
    """What a search knew when it chose a move; `total` and `mean` are the visits and the mean value
    of the node, `visits`, `means` and `priors` are arrays of all moves, `ranges` are those of the
    means in the whole tree: as the players to move see them, and as both do. Values are those of
    who chooses."""

    node: int
    action: int
    total: int
    mean: float
    visits: np.ndarray
    means: np.ndarray
    priors: np.ndarray
    ranges: tuple[float, float] = (0.0, 0.0)
    roles: tuple[bool, bool] = (False, False)  # whether white chooses; the opponent

    @property
    def stage(self) -> str:
        """What is known of the moves, by the one with fewest visits."""
        fewest = min(self.visits)
        return "other moves" if fewest > 1 else f"moves with {('no visit', 'one visit')[fewest]}"

    def __str__(self) -> str:
        moves = zip(COLUMN_LETTERS, self.means, self.priors, self.visits, strict=False)
        return f"{COLUMN_LETTERS[self.action]} of " + "; ".join(
            f"{letter} with mean {mean:+.2f}, prior {prior:.2f}, {count} visits"
            for letter, mean, prior, count in moves)


class Trace:
    """The choices of a search on a tree, until a simulation does not ask about a new position below
    an old one.

    Of leaves that are evaluated in one call, only the choices that led to the first one are kept:
    what a search assumes about it when it chooses the others is its own. `credit` changes visits
    and totals along the paths to the leaves of a call, if other than a right search does.

    Attributes:
        visits, totals: of each node, at the end; totals are sums of values as x sees them.
        choices: between two or more moves.
    """

    def __init__(
        self, nodes: list[Node], calls: list[list[int]],
        credit: Callable[[Trace, list[list[int]]], None] | None = None,
    ) -> None:
        self.nodes, self.choices, reached = nodes, [], np.zeros(len(nodes), bool)
        self.visits, self.totals = np.zeros(len(nodes), int), np.zeros(len(nodes))
        low, high = np.inf, -np.inf
        for leaves in calls:
            paths = [self._path(leaf) for leaf in leaves]
            if any(reached[path[-1]] or not reached[path[1:-1]].all() for path in paths):
                break
            for number, after in itertools.pairwise(paths[0]):
                node = nodes[number]
                if len(node.children) > 1:
                    below = 1 + self.visits[node.children].sum()
                    self.choices.append(Choice(
                        number, node.children.index(after), max(int(self.visits[number]), below),
                        self.mean(node.mover, number), self.visits[node.children],
                        self.mean(node.mover, node.children), np.array(node.priors),
                        (high - low, 2 * max(high, -low)),
                        (node.mover == 1, node.mover != nodes[0].mover)))
            (credit or Trace._credit)(self, paths)
            for path in paths:
                reached[path] = True
                means = [self.mean(nodes[number].mover, number) for number in path[1:]]
                low, high = min([low, *means]), max([high, *means])

    def _credit(self, paths: list[list[int]]) -> None:
        for path in paths:
            self.visits[path] += 1
            self.totals[path] += self.nodes[path[-1]].value

    def _path(self, leaf: int) -> list[int]:
        path = [leaf]
        while path[-1]:
            path.append(self.nodes[path[-1]].parent)
        return path[::-1]

    def mean(self, player: int, nodes: int | list[int]) -> Any:
        """The mean values of nodes for a player; 0 without visits."""
        return (1 - 2 * player) * self.totals[nodes] / np.maximum(self.visits[nodes], 1)


def _improved(c: np.ndarray, q: np.ndarray, p: np.ndarray, n: np.ndarray, N: int) -> np.ndarray:
    """Logits of the improved policy (Danihelka et al. 2022)."""
    return np.log(p) + c * (50 + n.max()) * q


def _behind(c: np.ndarray, q: np.ndarray, p: np.ndarray, n: np.ndarray, N: int) -> np.ndarray:
    """How far the share of visits is behind the share of the improved policy."""
    return softmax(_improved(c, q, p, n, N), axis=1) - n / (1 + n.sum())


# Rules of selection, by kind of search: the move with the best score is chosen. Scores are computed
# for constants c, from mean values q, priors p, visits n of the moves and N of their position.
RULES = {
    "puct": ("mean + c P sqrt(N) / (1 + n)",
             lambda c, q, p, n, N: q + c * p * np.sqrt(N) / (1 + n)),
    "uct": ("mean + c sqrt(log N / n)", lambda c, q, p, n, N: q + c * np.sqrt(np.log(N) / n)),
    "gumbel": ("log P + c (50 + n) mean", _behind),
}


class Fit(NamedTuple):
    """How well a rule explains choices, with the constant that explains the largest share."""

    explained: float
    constant: float
    held: dict[int, bool]  # whether it explains the choice of this number


def best_fit(choices: list[Choice], kind: str, rule: Any = None) -> Fit:
    """The best fit of the rule of a kind of search: N may count the evaluation of the position
    itself or not, or the simulation under way, and means may be stretched to lie between 0 and 1:
    at each position, as mctx does, or in the whole tree, as MuZero does."""
    fits: list[Fit] = []
    stretches = _STRETCHES[: 1 if rule else 2 if kind == "gumbel" else 4]
    for less, stretch in itertools.product((0, 1, -1), stretches):
        held = {number: row for number, choice in enumerate(choices)
                if (row := _held(choice, kind, less, stretch, rule)) is not None}
        shares = np.mean(list(held.values()) or np.ones((1, len(_CONSTANTS))), axis=0)
        best = shares.argmax()
        fits.append(Fit(float(shares[best]), float(_CONSTANTS[best, 0]),
                        {number: row[best] for number, row in held.items()}))
        if fits[-1].explained == 1:
            break
    return max(fits, key=lambda fit: fit.explained)


def _held(choice: Choice, kind: str, less: int, stretch: str, rule: Any) -> np.ndarray | None:
    """Whether the chosen move has the best score, for each constant; None if nothing is compared.

    The value of a move without visits is a search's own, except in Gumbel's.
    """
    _, chosen, total, root_value, visits, means, priors, ranges, roles = choice
    compared, rule = visits > 0, rule or RULES[kind][1]
    if isinstance(rule, tuple):  # of one role: which, the rule if it is played, and if not
        rule = rule[2 - roles[rule[0]]]
    if kind == "gumbel":
        if compared.any():  # a mixture of the evaluation and the moves' means
            prior_mean = np.average(means, weights=priors * compared)
            root_value = (root_value * total - visits @ means + (total - 1) * prior_mean) / total
        means = np.where(compared, means, root_value)
        compared = visits >= 0
    if not compared[chosen] or compared.sum() < 2:
        return None
    if stretch == "position":
        low, high = (end(root_value, *means[compared]) for end in (min, max))
        means = (means - low) / max(high - low, 1e-8)
    elif stretch and (width := ranges[stretch == "tree, both views"]) > 0:
        means = means / width
    with np.errstate(divide="ignore"):  # a move without visits
        scores = rule(_CONSTANTS, means, priors, visits, max(total - less, 1))
    return scores[:, chosen] > scores[:, compared].max(axis=1) - 1e-4
