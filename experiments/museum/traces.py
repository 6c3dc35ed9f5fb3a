"""What a search did, from the order in which it asked about positions.

Each simulation of a usual search asks about one new position. So the list of these positions tells
every choice at every node, with the visits, mean values and priors that the search had then. This
works for any program: nothing in it is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from experiments.museum.tree_game import TreeGame


class Option(NamedTuple):
    """A move of a node before a simulation: its visits, its mean for who chooses, its prior."""

    action: int
    visits: int
    mean: float
    prior: float


class Choice(NamedTuple):
    """The choice of a simulation at a node; its `visits` and `mean`, for who chooses, include its
    own evaluation."""

    simulation: int
    node: int
    visits: int
    mean: float
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
                      sign * self.totals[node] / max(self.visits[node], 1),
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
    """The rule of a kind that explains most choices: of PUCT and UCT between visited moves, of
    Gumbel's search all choices below the root."""
    if kind == "gumbel":
        return max((_fit_gumbel(trace, rescale) for rescale in (False, True)),
                   key=lambda fit: fit.explained)
    return max((_fit(trace, name, bonus, rescale) for name, bonus in RULES[kind].items()
                for rescale in (False, True)), key=lambda fit: fit.explained)


def _fit(trace: Trace, name: str, bonus: Callable[..., Any], rescale: bool) -> Fit:
    """The constant that explains most choices.

    Args:
        rescale: whether the means of a node are stretched to lie between 0 and 1, as mctx does.
    """
    rows, groups = [], []
    for number, choice in enumerate(trace.choices):
        means = [choice.mean, *(one.mean for one in (choice.chosen, *choice.others) if one.visits)]
        spread = max(max(means) - min(means), 1e-8) if rescale else 1.0
        for other in choice.others:
            if other.visits and choice.chosen.visits:
                gain = bonus(choice.chosen.prior, choice.visits, choice.chosen.visits) - bonus(
                    other.prior, choice.visits, other.visits)
                rows.append(((choice.chosen.mean - other.mean) / spread, gain))
                groups.append(number)
    if not rows:
        return Fit(f"mean + c {name}", 0.0, 1.0, 0)
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
    return Fit(f"mean + c {name}", float(tries[best]), float(shares[best]), len(bad))


def _fit_gumbel(trace: Trace, rescale: bool) -> Fit:
    """Visits follow softmax(log P + c (50 + most visits) q); q of a move without visits is mixed
    from the evaluation of its position and the means of the others (Danihelka et al. 2022).

    Args:
        rescale: whether q is stretched to lie between 0 and 1, as mctx does.
    """
    scales, right, count = np.geomspace(0.02, 2, 40), np.zeros(40), 0
    for choice in trace.choices:
        if not choice.node:
            continue
        options = [choice.chosen, *choice.others]
        visits, means, priors = (np.array([one[i] for one in options]) for i in (1, 2, 3))
        seen, total = visits > 0, visits.sum()
        own = trace.game.values[choice.node] * (1 - 2 * trace.game.mover(choice.node))
        if total:
            own = (own + total * np.average(means[seen], weights=priors[seen])) / (1 + total)
        q = np.where(seen, means, own)
        if rescale:
            q = (q - q.min()) / max(q.max() - q.min(), 1e-8)
        scores = np.log(priors) + (50 + visits.max()) * scales[:, None] * q
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        gaps = powers / powers.sum(axis=1, keepdims=True) - visits / (1 + total)
        right += gaps[:, 0] > gaps.max(axis=1) - 1e-3
        count += 1
    best = int(right.argmax())
    return Fit("log P + c (50 + n) q", float(scales[best]), right[best] / max(count, 1), count)
