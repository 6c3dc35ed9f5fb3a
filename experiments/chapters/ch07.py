"""Chapter 7: what does a test show, and what makes a network learn more?

    python -m experiments.chapters.ch07 --quick

A network in NumPy learns the moves of a tree search in Connect Four, from games made here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

import dlgo
from dlgo.encoders import get_encoder
from engines.learning.data import Batch, BatchOptions, Dataset, batches
from engines.learning.from_scratch import CrossEntropy, Dense, Network, ReLU, one_hot
from experiments.chapters.experiment import Row, experiment, scratch_folder, script, share_row
from experiments.chapters.practice import arrays
from experiments.figures import BLUE, RED
from reports.intervals import share_margin

Rule = Callable[[np.ndarray, dict[str, np.ndarray], float], np.ndarray]


@cache
def data(games: int) -> Dataset:
    """Games of a small tree search against itself."""
    folder = scratch_folder() / "games"
    return dlgo.generate("connect4", "mcts:sims=200", games=games, out=folder, workers=1)


def positions(part: Dataset) -> Batch:
    """All positions of a part, in order."""
    return next(batches(part, get_encoder("oneplane", part.game),
                        BatchOptions(part.n_positions, shuffle=False)))


def looked_up(training: Batch, tested: Batch) -> tuple[float, float]:
    """Of the tested positions, the shares whose nearest known one has the same move and winner."""
    a, b = (batch.planes.reshape(len(batch), -1) for batch in (tested, training))
    # |a - b|^2 without |a|^2, which is the same for all b.
    nearest = np.concatenate([((b**2).sum(1) - 2 * rows @ b.T).argmin(1)
                              for rows in np.array_split(a, len(a) // 128 + 1)])
    return ((training.policies[nearest].argmax(1) == tested.policies.argmax(1)).mean(),
            (training.values[nearest] == tested.values).mean())


@experiment(quick={"games": 800}, full={"games": 2000}, quantity="accuracy")
def leak(games: int) -> Iterator[Row]:
    """How good does a predictor look that only copies, by three ways to choose the test data? It
    gives the answer of the most similar position that it knows."""
    everything = positions(data(games))
    order = np.random.default_rng(1).permutation(len(everything))
    held_back, learnt = (everything.at(rows) for rows in np.split(order, [len(order) // 10]))
    train, test = map(positions, data(games).split(0.1, seed=1))
    for name, training, tested in (("known games", everything, held_back),
                                   ("other positions", learnt, held_back),
                                   ("other games", train, test)):
        move, winner = looked_up(training, tested)
        yield share_row(f"{name}: move", move, len(tested))
        # All positions of a game have one winner, so each game is one independent case.
        n = games // 10 if training is train else len(tested)
        yield share_row(f"{name}: winner", winner, n)


@experiment(quick={"matches": 10_000}, full={"matches": 100_000},
            quantity="matches that show it")
def detected(matches: int) -> Iterator[Row]:
    """How many matches show that a player who wins 60% of its games is better? They do if the 95%
    interval of the score lies above 50%."""
    rng = np.random.default_rng(1)
    for games in (20, 50, 100, 200, 400):
        shares = rng.binomial(games, 0.6, matches) / games
        above = [share - share_margin(share, games) > 0.5 for share in shares]
        yield share_row(f"{games} games", np.mean(above), matches)


def plain(gradient: np.ndarray, memory: dict[str, Any], rate: float) -> np.ndarray:
    """The step of stochastic gradient descent (SGD)."""
    return -rate * gradient


def momentum(gradient: np.ndarray, memory: dict[str, Any], rate: float) -> np.ndarray:
    """A step that keeps nine tenths of the step before."""
    memory["step"] = 0.9 * memory.get("step", 0) - rate * gradient
    return memory["step"]


def adagrad(gradient: np.ndarray, memory: dict[str, Any], rate: float) -> np.ndarray:
    """A step that is shorter for a weight with a history of large gradients (Duchi et al. 2011)."""
    memory["squares"] = memory.get("squares", 0) + gradient**2
    return -rate * gradient / (np.sqrt(memory["squares"]) + 1e-7)


def adam(gradient: np.ndarray, memory: dict[str, Any], rate: float) -> np.ndarray:
    """Momentum, divided by the size of recent gradients (Kingma and Ba 2015)."""
    n = memory["steps"] = memory.get("steps", 0) + 1
    memory["mean"] = 0.9 * memory.get("mean", 0) + 0.1 * gradient
    memory["squares"] = 0.999 * memory.get("squares", 0) + 0.001 * gradient**2
    size = np.sqrt(memory["squares"] / (1 - 0.999**n)) + 1e-8
    return -rate * memory["mean"] / (1 - 0.9**n) / size


class Learner(Network):
    """A network with two hidden layers that takes steps by a rule; `decay` shrinks them."""

    def __init__(self, rule: Rule = momentum, decay: float = 0.0, seed: int = 1) -> None:
        rng = np.random.default_rng(seed)
        super().__init__([Dense(42, 96, rng), ReLU(), Dense(96, 48, rng), ReLU(),
                          Dense(48, 7, rng)], CrossEntropy())
        self.rule, self.decay, self.steps = rule, decay, 0
        self.memories: list[dict[str, Any]] = [
            {} for layer in self.layers for _ in layer.parameters]

    def step(self, inputs: np.ndarray, labels: np.ndarray, rate: float) -> float:
        """One step on a mini-batch; returns its loss before the step."""
        outputs = self.forward(inputs)
        self.backward(self.loss.delta(outputs, labels))
        rate /= 1 + self.decay * self.steps
        self.steps += 1
        pairs = [pair for layer in self.layers
                 for pair in zip(layer.parameters, layer.gradients, strict=True)]
        for (parameter, gradient), memory in zip(pairs, self.memories, strict=True):
            parameter += self.rule(gradient, memory, rate)
        return self.loss.value(outputs, labels)


def learned(
    train: tuple[np.ndarray, np.ndarray], rate: float, epochs: int, **more: Any
) -> Iterator[Learner]:
    """A learner after each epoch."""
    inputs, moves = train
    network = Learner(**more)
    for _ in network.train(inputs, one_hot(moves, 7), epochs=epochs, batch=32, rate=rate,
                           rng=np.random.default_rng(1)):
        yield network


@experiment(quick={"games": 800, "epochs": 12}, full={"games": 500, "epochs": 40}, size=(8.0, 5.0))
def memory(games: int, epochs: int) -> Iterator[Row]:
    """Does a network learn, or memorise? Compare its accuracy in the games that it learns from with
    that in other games."""
    train, test = map(arrays, data(games).split(0.15, seed=1))
    for epoch, network in enumerate(learned(train, 0.05, epochs), start=1):
        if epoch in (1, 2, 4, 8) or epoch % 10 == 0 or epoch == epochs:
            for label, part in (("games it learns from", train), ("other games", test)):
                yield share_row(label, network.accuracy(*part), len(part[1]), epoch=epoch)


@memory.drawing
def _(table: pd.DataFrame, axes: Axes) -> None:
    for (label, rows), colour in zip(table.groupby("label", sort=False), (RED, BLUE), strict=True):
        axes.errorbar(rows["epoch"], rows["value"], (rows["high"] - rows["low"]) / 2, fmt="o-",
                      capsize=4, color=colour, label=label)
    axes.set(xlabel="epoch", ylabel="moves predicted in %, with 95% interval", ylim=(0, 100))
    axes.legend()


@experiment(quick={"games": 800, "epochs": 4}, full={"games": 2000, "epochs": 5}, size=(8.0, 6.0),
            quantity="accuracy")
def steps(games: int, epochs: int) -> Iterator[Row]:
    """Which rule for a step learns most in the same number of steps, and at which rate? The share
    of moves of other games that the network predicts."""
    train, test = map(arrays, data(games).split(0.15, seed=1))
    for name, rate, more in (
        ("SGD", 0.01, {"rule": plain}), ("SGD", 0.1, {"rule": plain}),
        ("SGD, decay 0.01", 0.1, {"rule": plain, "decay": 0.01}),
        ("momentum", 0.01, {}), ("momentum", 0.1, {}),
        ("momentum, decay 0.01", 0.1, {"decay": 0.01}),
        ("Adagrad", 0.01, {"rule": adagrad}), ("Adam", 0.002, {"rule": adam}),
    ):
        *_, network = learned(train, rate, epochs, **more)
        yield share_row(f"{name}, rate {rate:g}", network.accuracy(*test), len(test[1]))


@experiment(quick={"games": 800, "updates": 5000}, full={"games": 2000, "updates": 15_000},
            quantity="accuracy")
def scaling(games: int, updates: int) -> Iterator[Row]:
    """What are more games worth, and what are mirror images worth? Every network takes the same
    number of steps, so the fewer the games, the more often they are seen."""
    train, test = map(arrays, data(games).split(0.15, seed=1))
    for part in (16, 4, 1):
        n = len(train[1]) // part  # positions stand game after game
        inputs, moves = (rows[:n] for rows in train)
        mirrored = inputs.reshape(-1, 6, 7)[:, :, ::-1].reshape(-1, 42)
        for label, training in (
            (f"{n:,} positions", (inputs, moves)),
            (f"{n:,} and mirrored",
             (np.concatenate([inputs, mirrored]), np.concatenate([moves, 6 - moves]))),
        ):
            *_, network = learned(training, 0.05, max(1, round(32 * updates / len(training[1]))))
            yield share_row(label, network.accuracy(*test), len(test[1]))


if __name__ == "__main__":
    script(__doc__, leak, detected, memory, steps, scaling)
