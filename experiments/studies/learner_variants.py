"""Chapters 9 to 12: what each ingredient of learning without search brings, and a pitfall costs.

    python -m experiments.studies.learner_variants --learner ppo --game connect4 --iterations 200 \\
        --variant mask=no --variant normalize=no --variant "pool_share=0" --seeds 3 [--quick]

Trains a learner with its usual settings, changed by --set, and once more for each --variant, each
with several seeds. What is compared is equal cost: the run that was cheapest sets a limit of CPU
time, and each other run is represented by its last network within it. These networks play each
other from random openings, each with its likeliest moves. On a busy machine CPU time is not to be
relied on: there --equal games has the games of the training for its limit.

The unit of chance is the run, not the game: two runs that differ in nothing but the seed may be far
apart. So a variant's Elo is the mean over its seeds, and the difference from the base has a
confidence interval by Welch's t test over runs. Where it contains 0, the table says so.

With --workers or --cluster, so many runs are trained at the same time, each whole in one process.
CPU times of different machines or of a crowded one do not compare: take --equal games there.

Runs, games, `runs.csv` and `variants.csv` stay in the folder of --out; the same command continues.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click
import pandas as pd

from engines.isolation.describe import read_spec
from engines.learners import LEARNERS, learner_class
from engines.learning.networks.card import read_card
from engines.learning.networks.store import network_folder
from engines.learning.reinforcement.config import ReinforcementConfig
from engines.learning.reinforcement.learner import train, with_precision
from engines.learning.runs import PrintedProgress
from experiments.cluster.chosen import new_jobs
from experiments.command import run
from experiments.number import Number
from experiments.options import cluster_option, out_option, pairs_option, quick_option
from experiments.studies.az_curve import Point
from experiments.studies.equal_cost import BASE, compare_runs, run_folder, runs_of, write_tables
from experiments.studies.whole_runs import WholeRun, do_runs, train_learner

_TINY = ("games=60", "network=mlp:hidden=32,layers=1", "save_every=1", "precision=float32")
_PITFALLS = {
    "policy_gradient": ("loss=reinforce", "mask=no", "normalize=no", "entropy=0", "pool_share=0",
                        "random_share=0", "draw_reward=-1", "discount=1"),
    "actor_critic": ("mask=no", "normalize=no", "entropy=0", "value_weight=0.05"),
    "q_learning": ("mask=no", "td_lambda=1", "form=pair", "window_iterations=1"),
    "ppo": ("mask=no", "normalize=no", "entropy=0", "pool_share=0", "random_share=0",
            "recorded=network", "gae_lambda=1"),
}


def configs_of(
    learner: str, game: str, iterations: int, common: Sequence[str], variants: Sequence[str],
    seeds: int,
) -> dict[str, list[ReinforcementConfig]]:
    """The base and its variants by label.

    Raises:
        SpecError: see `runs_of`.
    """
    kind = learner_class(learner).config
    return runs_of(partial(kind.make, game), kind.parse, iterations, common, variants, seeds)


def network_points(folder: Path, method: str) -> list[Point]:
    """The networks that a run has kept, each as an entrant without a search."""
    points = []
    for path in sorted(folder.glob("nets/*/card.json")):
        training = read_card(path.parent).training
        points.append(Point(
            int(path.parent.name), 1, training.get("cpu_seconds", 0.0),
            training.get("games", 0.0), read_spec(f"{method}:model={path.parent}").text,
        ))
    return points


def compare(
    learner: str, configs: dict[str, list[ReinforcementConfig]], out: Path, pairs: int,
    equal: str = "cpu_seconds", workers: int | None = None, cluster: str | None = None,
) -> pd.DataFrame:
    """Train what has not been trained, and let it play: a row a run.

    Args:
        equal: the attribute of a point that the cheapest run limits for all.
        workers: runs that are trained at the same time, on each machine; by default one after the
            other, and on a cluster one a core.
        cluster: see `cluster_option`.
    """
    ways: dict[tuple[str, int], list[Point]] = {}
    if workers or cluster:
        _train_all(learner, configs, out, workers, cluster)
    for label, runs in configs.items():
        for config in runs:
            print(f"\n{label}, seed {config.seed}")
            folder = run_folder(out, label, config.seed)
            train(learner_class(learner), config, folder, PrintedProgress())
            ways[label, config.seed] = network_points(folder, learner)
    return compare_runs(
        ways, configs[BASE][0].game, out, pairs, equal, workers, cluster
    )


def _train_all(
    learner: str, configs: dict[str, list[ReinforcementConfig]], out: Path,
    workers: int | None, cluster: str | None,
) -> None:
    """Train all runs that have not ended, each by whoever is free."""
    missing = []
    for label, runs in configs.items():
        for config in runs:
            folder = run_folder(out, label, config.seed)
            if not network_folder(folder, config.iterations).exists():
                # Machines may differ in what suits them; runs that are compared must not.
                usual = config if folder.exists() else with_precision(config)
                missing.append(WholeRun(folder, train_learner, (learner, usual)))
    if missing:
        print(f"\ntraining {len(missing)} runs, several at a time")
        game = configs[BASE][0].game
        with new_jobs(cluster, print, (game,), workers) as jobs:
            do_runs(jobs, missing, print)


@click.command()
@click.option("--learner", default="policy_gradient", show_default=True,
              type=click.Choice(list(LEARNERS)), help="What learns.")
@click.option("--game", default="connect4", show_default=True, help="Game to learn.")
@click.option("--iterations", default=100, show_default=True, type=Number(int, 1),
              help="Iterations of each run.")
@click.option("--seeds", default=3, show_default=True, type=Number(int, 1),
              help="Runs of each variant.")
@click.option("--set", "common", multiple=True, help="A setting of all runs; may be repeated.")
@click.option("--variant", "variants", multiple=True, help='Settings of one more set of runs, such '
              'as "mask=no"; may be repeated. By default the pitfalls of the learner.')
@click.option("--equal", default="cpu", show_default=True, type=click.Choice(["cpu", "games"]),
              help="What is equal for all: the CPU time of the training, or its games.")
@pairs_option(20)
@click.option("--workers", type=Number(int, 1, 1000), default=None,
              help="Runs that are trained at the same time; by default one after the other, and on "
                   "a cluster one a core. Games are played by as many processes.")
@cluster_option
@out_option("out/learner_variants")
@quick_option("Tiny runs of tic-tac-toe with two variants")
def main(
    learner: str, game: str, iterations: int, seeds: int, common: tuple[str, ...],
    variants: tuple[str, ...], equal: str, pairs: int, workers: int | None, cluster: str | None,
    out: Path, quick: bool,
) -> None:
    """Train a learner in several ways, and see what each is worth at equal cost."""
    variants = variants or _PITFALLS[learner]
    out = out / learner
    if quick:
        game, iterations, seeds, common, pairs = "tictactoe", 2, 2, _TINY, 3
        variants, out = variants[:1], out.with_name(f"{learner}-quick")
    configs = configs_of(learner, game, iterations, common, variants, seeds)
    frame = compare(learner, configs, out, pairs, "games" if equal == "games" else "cpu_seconds",
                    workers, cluster)
    write_tables(frame, out)


if __name__ == "__main__":
    run(main)
