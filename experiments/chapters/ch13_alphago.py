"""Chapter 13: a glance and a guess: how well do value network and rollouts know the result?

    python -m experiments.chapters.ch13_alphago [--quick]

AlphaGo values a leaf by (1 - lambda) v + lambda z: v from the value network, z from rollouts. In
Connect Four the truth is known, so both can be marked: the mean squared error against the exact
result (from -1 to 1) of solved positions, by lambda. A search visits a good move often, so that
what counts there is the mean of many rollouts: 1 and 32 of them are shown, by random moves, by the
fast policy and by the game's heavy rollouts.

What to look for: a single rollout is worse than the network, whoever plays it, and yet a little
of it helps; and where the best lambda lies when there are many. All positions come with the
project, and so do the networks (`connect4-alphago`).

Last run: see docs/chapters/ch13.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np

from dlgo import GameState, get_game, kernels
from engines.alphago.bundle import find_bundle
from engines.fast_policy.policy import FastPolicy
from engines.learning.networks.leaf_evaluator import NetworkEvaluator, encoder_of
from engines.learning.networks.runtimes import load_runtime
from engines.search.evaluators import HeavyRollout, LightRollout
from experiments.command import run
from experiments.figures import COLOURS, drawing
from experiments.measures.connect4 import shipped_positions
from experiments.options import out_option, quick_option

GAME = get_game("connect4")
LAMBDAS = np.linspace(0, 1, 21)
ROLLOUTS = (1, 32)


def values(evaluator: NetworkEvaluator, batch: Any, n: int, times: int = 1) -> np.ndarray:
    """Mean values of the positions, each asked about so often: float64[n]."""
    return np.mean([evaluator.evaluate(batch, n)[1] for _ in range(times)], axis=0)


@click.command()
@quick_option("300 positions")
@out_option("out/ch13_alphago")
def main(quick: bool, out: Path) -> None:
    """Mark value network, rollouts and their mixture by exact results."""
    positions = shipped_positions()
    rng = np.random.default_rng(1)
    positions = [positions[i] for i in rng.permutation(len(positions))[:300 if quick else 3000]]
    truth = np.array([position.value for position in positions], float)
    n = len(positions)
    batch = kernels.make_batch(GameState.new_game(GAME).kernel_state, n)
    for i, position in enumerate(positions):
        kernels.copy_into(kernels.row(batch, i), position.state.kernel_state)
    bundle = find_bundle(None, GAME)
    policy, critic = (load_runtime(bundle.network(part)) for part in ("supervised", "value"))
    encoder = encoder_of(policy.card, GAME)
    v = values(NetworkEvaluator(policy, encoder, critic=critic), batch, n)
    print(f"{n} positions; the value network errs by {np.mean((v - truth) ** 2):.3f}\n")
    print(f"{'rollouts':<14}{'games':>6}{'alone':>8}{'best mixture':>14}{'lambda':>8}")
    curves: dict[int, dict[str, np.ndarray]] = {times: {} for times in ROLLOUTS}
    for name, rollout in (
        ("random", LightRollout()), ("fast policy", FastPolicy.load(bundle.fast, GAME).rollout()),
        ("heavy", HeavyRollout()),
    ):
        evaluator = NetworkEvaluator(policy, encoder, rollout)
        for times in ROLLOUTS:
            z = values(evaluator, batch, n, times)
            errors = np.array([
                np.mean(((1 - mixing) * v + mixing * z - truth) ** 2) for mixing in LAMBDAS])
            curves[times][name] = errors
            best = int(errors.argmin())
            print(f"{name:<14}{times:>6}{errors[-1]:>8.3f}{errors[best]:>14.3f}"
                  f"{LAMBDAS[best]:>8.2f}")

    with drawing(out / "ch13_alphago.png", 2, 1, (6.0, 4.5)) as axes:
        for axis, (times, rows) in zip(axes, curves.items(), strict=True):
            for colour, (name, errors) in zip(COLOURS, rows.items(), strict=False):
                axis.plot(LAMBDAS, errors, color=colour, label=name)
                axis.plot(LAMBDAS[errors.argmin()], errors.min(), "o", color=colour)
            axis.set(title=f"{times} rollout{'s' if times > 1 else ''} a position",
                     xlabel="lambda: share of the rollouts", ylabel="mean squared error")
            axis.legend()


if __name__ == "__main__":
    run(main)
