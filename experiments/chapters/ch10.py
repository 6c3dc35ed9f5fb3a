"""Chapter 10: what does a policy learn from nothing but who won?

    python -m experiments.chapters.ch10 --quick

Add It Up, a game without a board, and REINFORCE with several losses in Connect Four.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

import dlgo
from engines.learning.from_scratch import Loss
from engines.learning.networks.leaf_evaluator import softmax
from engines.policy_gradient.textbook import BoundedLoss, PolicyGradientLoss, TextbookReinforce
from engines.policy_gradient.textbook import softmax as masked_softmax
from experiments.chapters.experiment import Row, experiment, mean_row, script, share_row
from experiments.chapters.practice import results_against, train_batch
from experiments.figures import BLUE, COLOURS, ORANGE

CONNECT4 = dlgo.game("connect4")
CHOICES = np.arange(1, 6)
EVEN = np.full(5, 0.2)


def add_it_up(policy: np.ndarray, rng: np.random.Generator, ties: bool = False) -> np.ndarray:
    """A game of Add It Up: how much more often the winner made each choice than the loser, int[5].

    Two players choose numbers from 1 to 5, a hundred times each; the higher sum wins. With `ties`
    a tie counts as won by player 2, as in the book's program.
    """
    counts = rng.multinomial(100, policy, size=2)
    first, second = counts @ CHOICES
    if first == second and not ties:
        return np.zeros(5, int)
    return (1 if first > second else -1) * (counts[0] - counts[1])


def book_rule(policy: np.ndarray, credit: np.ndarray) -> np.ndarray:
    """Listing 10.4: add a little to each choice of the winner, subtract it for the loser's."""
    changed = np.clip(policy + 1e-4 * credit, 0, 1)
    return changed / changed.sum()


def reinforce(policy: np.ndarray, credit: np.ndarray) -> np.ndarray:
    """The gradient of log pi. Winner and loser choose equally often, so the terms -pi cancel."""
    return softmax(np.log(policy) + 2e-3 * credit)


@experiment(quick={"games": 2000}, full={"games": 20_000}, quantity="games")
def one_game(games: int) -> Iterator[Row]:
    """What does one game of Add It Up say? How often the winner chose 1 less often."""
    rng = np.random.default_rng(0)
    ones = np.array([add_it_up(EVEN, rng)[0] for _ in range(games)])
    for label, cases in (("less often", ones < 0), ("equally often", ones == 0),
                         ("more often", ones > 0)):
        yield share_row(label, cases.mean(), games)


@experiment(quick={"seeds": 5}, full={"seeds": 100}, unit="", digits=3)
def choices(seeds: int) -> Iterator[Row]:
    """Which choices are left after 2,000 games? Mean probability by the book's rule."""
    for label, rule, ties in (("book", book_rule, False),
                              ("REINFORCE", reinforce, False),
                              ("ties for player 2", book_rule, True)):
        policies = np.empty((seeds, 2001, 5))
        for seed in range(seeds):
            rng, policies[seed, 0] = np.random.default_rng(seed), EVEN
            for game in range(2000):
                credit = add_it_up(policies[seed, game], rng, ties)
                policies[seed, game + 1] = rule(policies[seed, game], credit)
        for games in range(0, 2001, 200):
            for choice in CHOICES.tolist():
                if label == "book" or (games, choice) == (2000, 5):
                    yield mean_row(f"{label}: p({choice}) after {games:,}",
                                   policies[:, games, choice - 1], rule=label, games=games,
                                   choice=choice)


@choices.drawing
def _(table: pd.DataFrame, axes: Axes) -> None:
    rows = table[table["rule"] == "book"]
    for (choice, line), colour in zip(rows.groupby("choice"), COLOURS, strict=True):
        axes.plot(line["games"], line["value"], "o-", color=colour, label=f"p({choice})")
    axes.set(xlabel="games", ylabel="probability", ylim=(0, 1))
    axes.legend(loc="upper left")


class SquaredLoss(Loss):
    """Squared distance of the policy from 1 or -1 at the move that was played."""

    def __init__(self, legal: np.ndarray) -> None:
        self._legal = legal

    def value(self, outputs: np.ndarray, labels: np.ndarray) -> float:
        errors = masked_softmax(outputs, self._legal) - labels
        return float((errors**2).sum() / len(outputs))

    def delta(self, outputs: np.ndarray, labels: np.ndarray) -> np.ndarray:
        policy = masked_softmax(outputs, self._legal)
        slopes = 2 * (policy - labels)
        return policy * (slopes - (policy * slopes).sum(axis=1, keepdims=True)) / len(outputs)


class Variant(TextbookReinforce):
    """REINFORCE with another loss, or with several steps from each batch of games."""

    def __init__(self, loss: type[Loss], steps: int, rate: float, seed: int) -> None:
        super().__init__(CONNECT4, discount=0.9, rate=rate, seed=seed)
        self.loss, self.steps = loss, steps
        self.largest: list[float] = []  # the largest logit before each step

    def step(self, decisions: list, returns: np.ndarray) -> None:
        planes, legal, labels = self.arrays(decisions, returns)
        shares = np.array([decision.share for decision in decisions])
        bounded = self.loss is BoundedLoss
        loss: Any = self.loss
        self.network.loss = loss(legal, shares) if bounded else loss(legal)
        for _ in range(self.steps):
            self.largest.append(float(np.abs(self.scores(planes)).max()))
            self.network.step(planes, labels, self.rate)


@experiment(quick={"steps": 300}, full={"steps": 500}, unit="", digits=1, tolerance=0.5)
def one_batch(steps: int) -> Iterator[Row]:
    """What happens to the logits if eight games are learned again and again?"""
    for label, loss in (("the book's loss", PolicyGradientLoss), ("bounded loss", BoundedLoss)):
        learner = Variant(loss, steps, rate=0.1, seed=1)
        train_batch(learner, 8, 1)
        for step in (0, 1, 2, 5, 10, 20, 50, 100, 200, steps - 1):
            yield {"label": label, "step": step, "value": learner.largest[step]}


@one_batch.drawing
def _(table: pd.DataFrame, axes: Axes) -> None:
    for (label, rows), colour in zip(table.groupby("label", sort=False), (ORANGE, BLUE),
                                     strict=True):
        axes.plot(rows["step"], rows["value"], "o-", color=colour, label=label)
    axes.set(yscale="log", xlabel="steps from the same batch", ylabel="largest logit")
    axes.legend()


@experiment(quick={"seeds": 3, "games": 960, "tests": 400},
            full={"seeds": 10, "games": 6400, "tests": 1000}, reference=50)
def losses(seeds: int, games: int, tests: int) -> Iterator[Row]:
    """Which learners beat the untrained network they began with? 50%: nothing was learned."""
    for label, loss, steps, rate, batch in (
        ("as in the book", PolicyGradientLoss, 1, 1.0, 64),
        ("5 steps a batch", PolicyGradientLoss, 5, 1.0, 64),
        ("5 steps, bounded loss", BoundedLoss, 5, 1.0, 64),
        ("rate / 100", PolicyGradientLoss, 1, 0.01, 64),
        ("rate x 30", PolicyGradientLoss, 1, 30.0, 64),
        ("batches of 16 games", PolicyGradientLoss, 1, 1.0, 16),
        ("squared error", SquaredLoss, 1, 1.0, 64),
    ):
        scores = []
        for seed in range(1, seeds + 1):
            learner, untrained = (Variant(loss, steps, rate, seed) for _ in range(2))
            for number in range(games // batch):
                train_batch(learner, batch, 100_000 * seed + number)
            scores.append(100 * results_against(learner, untrained, tests, seed).mean())
        yield mean_row(label, scores)


if __name__ == "__main__":
    script(__doc__, one_game, choices, one_batch, losses)
