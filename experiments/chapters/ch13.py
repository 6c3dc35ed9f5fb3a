"""Chapter 13: which of AlphaGo's networks is worth what?

    python -m experiments.chapters.ch13 --quick

Connect Four with the networks that come with the package (`connect4-alphago`).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from dlgo import GameState, get_game, kernels
from engines.alphago.bundle import find_bundle
from engines.fast_policy.policy import FastPolicy
from engines.learning.networks.leaf_evaluator import NetworkEvaluator, encoder_of
from engines.learning.networks.runtimes import load_runtime
from experiments.chapters.experiment import Row, experiment, match, mean_row, script
from experiments.figures import COLOURS, INK
from experiments.measures.connect4 import shipped_positions

GAME = get_game("connect4")
BUNDLE = find_bundle(None, GAME)


@experiment(quick={"positions": 300}, full={"positions": 3000}, unit="", digits=2, size=(8.0, 5.0),
            quantity="mean squared error")
def leaves(positions: int) -> Iterator[Row]:
    """How far is a leaf's value from the exact result? It is (1 - lambda) v + lambda z, where z is
    the mean of 1, 4 or 32 rollouts. Look for the lambda with the smallest mean squared error."""
    solved = shipped_positions()
    rows = np.random.default_rng(1).permutation(len(solved))[:positions]
    truth = np.array([solved[row].value for row in rows], float)
    batch = kernels.make_batch(GameState.new_game(GAME).kernel_state, len(rows))
    for place, row in enumerate(rows):
        kernels.copy_into(kernels.row(batch, place), solved[row].state.kernel_state)
    policy, critic = (load_runtime(BUNDLE.network(part)) for part in ("supervised", "value"))
    encoder = encoder_of(policy.card, GAME)
    network = NetworkEvaluator(policy, encoder, critic=critic)
    fast = NetworkEvaluator(policy, encoder, FastPolicy.load(BUNDLE.fast, GAME).rollout())
    v = network.evaluate(batch, len(rows))[1].copy()
    for rollouts in (1, 4, 32):
        z = np.mean([fast.evaluate(batch, len(rows))[1] for _ in range(rollouts)], axis=0)
        for tenths in range(0, 11, 2 if positions < 1000 else 1):
            errors = ((1 - tenths / 10) * v + tenths / 10 * z - truth) ** 2
            yield mean_row(f"{rollouts} rollout{'s' * (rollouts > 1)}, lambda {tenths / 10:g}",
                           errors, rollouts=rollouts, tenths=tenths)
        alone = min(v, z, key=lambda values: np.mean((values - truth) ** 2))
        gains = (alone - truth) ** 2 - ((v + z) / 2 - truth) ** 2
        yield mean_row(f"gain of half and half, {rollouts} rollout{'s' * (rollouts > 1)}", gains)


@leaves.drawing
def _(table: pd.DataFrame, axes: Axes) -> None:
    curves = table.dropna(subset="tenths")
    for (rollouts, rows), colour in zip(curves.groupby("rollouts"), COLOURS, strict=False):
        axes.plot(rows["tenths"] / 10, rows["value"], "o-", color=colour, markersize=5,
                  label=f"{rollouts:g} rollout{'s' * (rollouts > 1)}")
        axes.fill_between(rows["tenths"] / 10, rows["low"], rows["high"], color=colour, alpha=0.15)
    axes.axhline(table["value"].iloc[0], color=INK, linestyle="--", linewidth=1.5)
    axes.set(xlabel="lambda: weight of the rollouts", ylabel=leaves.axis_label, ylim=(0, None))
    axes.legend()


@leaves.conclusion
def _(table: pd.DataFrame) -> str:
    best = table.loc[table.dropna(subset="tenths").groupby("rollouts")["value"].idxmin()]
    return ("The network alone (lambda 0) errs by "
            f"{leaves.text(table.iloc[0])}. Best: " + "; ".join(
                f"{row['label']}: {leaves.text(row)}" for _, row in best.iterrows()) + ".")


@experiment(quick={"pairs": 10}, full={"pairs": 100}, reference=50, size=(8.0, 5.0))
def parts(pairs: int) -> Iterator[Row]:
    """What is each part of AlphaGo worth in matches? Policy networks alone or as priors, and values
    of a leaf. Searches have 100 simulations."""
    drawn = "supervised:choose=sample,temperature=1,model="
    search = "alphago:sims=100"
    for label, one, other in (
        ("reinforced against supervised, alone", drawn + str(BUNDLE.network("reinforced")),
         drawn + str(BUNDLE.network("supervised"))),
        ("supervised against reinforced, as prior", search, f"{search},prior=reinforced"),
        ("mixture against value network", search, f"{search},lambda=0"),
        ("mixture against rollouts", search, f"{search},lambda=1"),
        ("rollouts: fast policy against random", f"{search},lambda=1",
         f"{search},lambda=1,rollout=light"),
        ("AlphaGo against AlphaZero", search, "alphazero:sims=100"),
    ):
        yield match("connect4", one, other, pairs, label)


if __name__ == "__main__":
    script(__doc__, leaves, parts)
