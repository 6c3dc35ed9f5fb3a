"""Chapter 14: what does each idea of AlphaZero contribute?

    python -m experiments.chapters.ch14 --quick

Trains microzero.py, AlphaZero for tic-tac-toe in one file, with and without its ideas. The network
that comes with the package shows what a search adds in Connect Four.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from experiments.chapters import microzero
from experiments.chapters.experiment import Row, experiment, match, script, share_row
from experiments.chapters.practice import losing, solved
from experiments.figures import INK, draw_bars

SOURCE = Path(microzero.__file__).read_text(encoding="utf-8")
EMPTY = np.zeros(9, dtype=int)
# What is left out -> (a piece of microzero.py, what stands in its place).
WITHOUT = {
    "nothing": ("import numpy as np", "import numpy as np"),
    "symmetries": ("SYMMETRIES[rng.integers(8)]", "SYMMETRIES[0]"),
    "noise": ("search(board, network, simulations, rng)", "search(board, network, simulations)"),
    "temperature": ("rng.choice(9, p=policy) if len(boards) <= random_plies else policy.argmax()",
                    "policy.argmax()"),
    "terminal values": ("return node.end", "return network.evaluate(node.board)[1]"),
    "the search": ("policy = search(board, network, simulations, rng)",
                   "policy = network.evaluate(board)[0]"),
    "the sign": ("value = -simulate(", "value = simulate("),
}
_PROGRESS = 'progress(f"iteration {iteration}: {len(examples)} positions, loss {loss:.3f}")'


def seeds_row(label: str, values: Sequence[float], **more: Any) -> Row:
    """A row: the mean of trainings from different seeds, with their lowest and highest value."""
    return {"label": label, "value": np.mean(values), "low": min(values), "high": max(values),
            **more}


def draw_ranges(table: pd.DataFrame, axes: Axes, digits: int) -> None:
    """Draw the last mean of each label as a bar, and its seeds' range as a line."""
    last = table.groupby("label", sort=False).last()
    draw_bars(axes, dict(last["value"]))
    axes.hlines(range(len(last)), last["low"], last["high"], color=INK)
    most = last["high"].max()
    for place, row in enumerate(last.itertuples()):
        axes.text(row.high + most / 50, place, f"{row.value:.{digits}f}", va="center")
    axes.set(xlim=(0, 1.15 * most))


def mistakes(network: Any) -> float:
    """The share of all positions in which the network's best move loses needlessly, in %."""
    boards, outcomes = solved("oneplane")
    *_, policies, _ = network.forward(boards)
    return 100 * float(losing(policies, outcomes).mean())


def trained(left_out: str, seed: int, at: Sequence[int]) -> list[float]:
    """Train without an idea; the mistakes after the iterations `at`."""
    module: dict[str, Any] = {"__name__": "microzero"}
    exec(SOURCE.replace(*WITHOUT[left_out]).replace(_PROGRESS, "progress(iteration, network)"),
         module)
    shares = []

    def progress(iteration: int, network: Any) -> None:
        if iteration in at:
            shares.append(mistakes(network))

    module["train"](seed, max(at), progress=progress)
    return shares


@experiment(quick={"ideas": ("nothing", "the sign"), "seeds": 2, "at": (2, 4)},
            full={"ideas": tuple(WITHOUT), "seeds": 3, "at": (15, 30, 60)}, digits=1,
            size=(8.0, 5.0), quantity="losing mistakes")
def without(ideas: Sequence[str], seeds: int, at: Sequence[int]) -> Iterator[Row]:
    """What happens without one idea of AlphaZero? The network alone plays a move in all 4,520
    positions of tic-tac-toe: how many of its moves lose what was not lost?"""
    networks = [microzero.Network(np.random.default_rng(seed + 1)) for seed in range(seeds)]
    yield seeds_row("untrained", list(map(mistakes, networks)), iterations=0)
    for left_out in ideas:
        label = "whole program" if left_out == "nothing" else f"without {left_out}"
        runs = [trained(left_out, seed + 1, at) for seed in range(seeds)]
        for iteration, shares in zip(at, zip(*runs, strict=True), strict=True):
            yield seeds_row(label, shares, iterations=iteration)


@without.drawing
def _(table: pd.DataFrame, axes: Axes) -> None:
    draw_ranges(table, axes, 1)
    axes.set_xlabel(f"{without.axis_label}, and range of seeds")


@without.conclusion
def _(table: pd.DataFrame) -> str:
    last = table.groupby("label", sort=False).last()
    worse = last.index[last["low"] > last["high"]["whole program"]]
    return f"Every seed is worse than all seeds of the whole program: {', '.join(worse) or 'none'}."


@experiment(quick={"seeds": 2, "iterations": 5}, full={"seeds": 3, "iterations": 60}, unit="lines")
def learning(seeds: int, iterations: int) -> Iterator[Row]:
    """How many lines of play does microzero lose when the opponent tries every move? Compare more
    simulations with more training."""
    networks = {
        "untrained": [microzero.Network(np.random.default_rng(seed + 1)) for seed in range(seeds)],
        "trained": [microzero.train(seed + 1, iterations, progress=lambda text: None)
                    for seed in range(seeds)],
    }
    for name, players in networks.items():
        for simulations in (1, 10, 40):
            yield seeds_row(f"{name}, {simulations} simulation{'s' * (simulations > 1)}", [
                sum(microzero.lost_lines(EMPTY, network, simulations, first)
                    for first in (True, False)) for network in players])


@learning.drawing
def _(table: pd.DataFrame, axes: Axes) -> None:
    draw_ranges(table, axes, 0)
    axes.set_xlabel("lines of play lost, and range of seeds")


class Biased:
    """A network that likes the centre, gives the first cell 1%, and values every board as even."""

    priors = np.array([0.01, 0.05, 0.05, 0.05, 0.64, 0.05, 0.05, 0.05, 0.05])

    def evaluate(self, board: np.ndarray) -> tuple[np.ndarray, float]:
        """The priors of the legal moves, and 0."""
        priors = np.where(board == 0, self.priors, 0)
        return priors / priors.sum(), 0.0


@experiment(quick={"searches": 100}, full={"searches": 1000}, quantity="searches that visit it")
def noise(searches: int) -> Iterator[Row]:
    """A network gives a move a prior of 1%. In how many searches is the move visited, with and
    without noise at the root?"""
    for simulations in (20, 40, 80):
        for name in ("without", "with"):
            rngs = [np.random.default_rng(seed) if name == "with" else None
                    for seed in range(searches)]
            share = np.mean([microzero.search(EMPTY, Biased(), simulations, rng)[0] > 0
                             for rng in rngs])
            yield share_row(f"{simulations} simulations, {name} noise", share, searches)


@experiment(quick={"pairs": 8}, full={"pairs": 100}, reference=50)
def search(pairs: int) -> Iterator[Row]:
    """What does a search add to the network in Connect Four, and what is the network worth to a
    search? `MCTS` searches with random games."""
    for label, one, other in (
        ("64 simulations against network alone", "alphazero:sims=64", "alphazero:sims=1"),
        ("network alone against MCTS 1,000", "alphazero:sims=1", "mcts:sims=1000"),
        ("64 simulations against MCTS 10,000", "alphazero:sims=64", "mcts:sims=10000"),
    ):
        yield match("connect4", one, other, pairs, label)


if __name__ == "__main__":
    script(__doc__, learning, without, noise, search)
