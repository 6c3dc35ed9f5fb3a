"""What a search did, from the order in which it asked about positions.

Each simulation of a usual search asks about one new position. So the list of these positions tells
every choice at every node, with the visits, mean values and priors that the search had then. This
works for any program: nothing in it is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from experiments.museum.tree_game import TreeGame


class Option(NamedTuple):
    """A move of a node before a simulation: its visits, its mean for who chooses, its prior."""

    action: int
    visits: int
    mean: float
    prior: float


class Choice(NamedTuple):
    """The choice of a simulation at a node; `visits` of the node include its own evaluation."""

    simulation: int
    node: int
    visits: int
    chosen: Option
    others: list[Option]


class Trace:
    """The choices of a search on a tree in which no simulation reached an end.

    Attributes:
        visits, totals: of each node, at the end; totals are sums of values as x sees them.
        complete: whether each simulation asked about one new position below an old one.
    """

    def __init__(self, game: TreeGame, asked: list[int]) -> None:
        self.game, self.choices, self.complete = game, [], bool(asked)
        self.visits = np.zeros(len(game.values), int)
        self.totals = np.zeros(len(game.values))
        for number, leaf in enumerate(asked):
            path = list(self._path(leaf))
            if self.visits[leaf] or (len(path) > 2 and not self.visits[path[-2]]):
                self.complete = False
                break
            for node, after in zip(path, path[1:], strict=False):
                self.choices.append(self._choice(number, node, after))
            self.visits[path] += 1
            self.totals[path] += game.values[leaf]

    def _path(self, leaf: int) -> list[int]:
        path = [leaf]
        while path[-1]:
            path.append(self.game.parents[path[-1]])
        return path[::-1]

    def _choice(self, simulation: int, node: int, after: int) -> Choice:
        sign = 1 - 2 * self.game.mover(node)
        options = [
            Option(action, int(self.visits[child]),
                   sign * self.totals[child] / max(self.visits[child], 1), prior)
            for (action, child), prior in zip(
                enumerate(self.game.children(node)), self.game.priors[node], strict=False)
            if child >= 0
        ]
        action = self.game.children(node).index(after)
        return Choice(simulation, node, int(self.visits[node]),
                      next(option for option in options if option.action == action),
                      [option for option in options if option.action != action])

    def share(self, node: int) -> dict[int, int]:
        """Visits of each action of a node."""
        return {action: int(self.visits[child])
                for action, child in enumerate(self.game.children(node)) if child >= 0}


def dominated(trace: Trace, priors: bool, skip_root: bool) -> Iterator[tuple[Choice, Option]]:
    """Choices of a move although another one has a better mean, a higher prior and fewer visits.

    No rule that trades value, prior and visits against each other makes such a choice.

    Args:
        priors: whether priors count; also compare moves without visits by them.
    """
    for choice in trace.choices:
        mine = choice.chosen
        for other in choice.others if choice.node or not skip_root else ():
            if bool(mine.visits) != bool(other.visits):
                continue  # the value of a move without visits is each search's own
            gains = (other.mean - mine.mean, mine.visits - other.visits,
                     other.prior - mine.prior if priors else 0.0)
            if min(gains) >= -1e-6 and max(gains) > 1e-6:
                yield choice, other
                break


# What the bonus of a move is multiplied with, by the visits of its parent N and its own n.
RULES = {
    "puct": {
        "P sqrt(N) / (1 + n)": lambda p, parent, own: p * np.sqrt(parent) / (1 + own),
        "P sqrt(N - 1) / (1 + n)": lambda p, parent, own: p * np.sqrt(parent - 1) / (1 + own),
    },
    "uct": {
        "sqrt(log N / n)": lambda p, parent, own: np.sqrt(np.log(parent) / own),
        "sqrt(log(N - 1) / n)": lambda p, parent, own: np.sqrt(
            np.log(np.maximum(parent - 1, 1)) / own),
    },
}


class Fit(NamedTuple):
    """How well a rule explains the choices, with the constant that explains most of them."""

    rule: str
    constant: float
    explained: float  # share of the choices
    choices: int


def best_fit(trace: Trace, kind: str) -> Fit:
    """The rule of a kind that explains most choices between visited moves."""
    return max((_fit(trace, name, bonus) for name, bonus in RULES[kind].items()),
               key=lambda fit: fit.explained)


def _fit(trace: Trace, name: str, bonus: object) -> Fit:
    rows, groups = [], []
    for number, choice in enumerate(trace.choices):
        for other in choice.others:
            if other.visits and choice.chosen.visits:
                gain = bonus(choice.chosen.prior, choice.visits, choice.chosen.visits) - bonus(
                    other.prior, choice.visits, other.visits)
                rows.append((choice.chosen.mean - other.mean, gain))
                groups.append(number)
    if not rows:
        return Fit(name, 0.0, 1.0, 0)
    means, gains = np.array(rows).T
    # Each pair holds on one side of this constant: try one in each gap of the most frequent ones.
    with np.errstate(divide="ignore", invalid="ignore"):
        bounds = -means / gains
    bounds = np.sort(bounds[np.isfinite(bounds) & (bounds > 0)])
    tries = np.concatenate([[1e-3], (bounds[1:] + bounds[:-1]) / 2, [10.0]])
    tries = tries[:: max(1, len(tries) // 400)]
    wrong = (means[:, None] + gains[:, None] * tries) < -1e-6
    order = np.unique(groups, return_inverse=True)[1]
    bad = np.zeros((order.max() + 1, len(tries)), bool)
    np.logical_or.at(bad, order, wrong)
    shares = 1 - bad.mean(axis=0)
    best = int(shares.argmax())
    return Fit(name, float(tries[best]), float(shares[best]), len(bad))
