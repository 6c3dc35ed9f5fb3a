"""Chapters 9 to 14: what settings of a learner are worth at equal cost, and what pitfalls cost.

    python -m experiments.studies.variants --learner ppo --game connect4 --iterations 200 \\
        --variant mask=no --variant normalize=no --variant "pool_share=0" --seeds 3 [--quick]
    python -m experiments.studies.variants --learner alphazero --iterations 8 --set games=600 \\
        --variant forced=2 --variant "search=gumbel sims=24 iterations=20"

Trains a learner with its usual settings, changed by --set, and once more for each --variant, each
with several seeds. What is compared is equal cost: the run that was cheapest sets a limit of CPU
time, and each other run is represented by its last network within it. So a variant whose iterations
are cheap should have more of them. These networks play each other from random openings: each its
likeliest moves, or, if alphazero learned, with as many simulations a move as --sims says. On a busy
machine CPU time is not to be relied on: there --equal games has the games of the training for its
limit. The learning rate does not fall during these runs, so that one that is cut short is not at a
disadvantage.

The unit of chance is the run, not the game: two runs that differ in nothing but the seed may be far
apart (`runs.csv`). So a variant's Elo is the mean over its seeds, and the difference from the base
has a confidence interval by Welch's t test over runs. Where it contains 0, the table says so. What
helps in the first minutes may harm later, and the other way round.

With --workers or --cluster, several runs of a learner without search are trained at the same time,
each whole in one process; AlphaZero's runs follow each other, and a cluster plays their games. CPU
times of different machines or of a crowded one do not compare: take --equal games there.

Runs, games, `runs.csv` and `variants.csv` stay in the folder of --out; the same command continues.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
import numpy as np
import pandas as pd

from dlgo.errors import SpecError
from engines.alphazero import config as alphazero_config
from engines.alphazero import run as alphazero_run
from engines.alphazero.config import AlphaZeroConfig
from engines.learners import LEARNERS, config_class, learner_class
from engines.learning.networks.store import network_folder
from engines.learning.reinforcement.config import ReinforcementConfig
from engines.learning.reinforcement.learner import train, with_precision
from engines.learning.runs import PrintedProgress
from experiments import options
from experiments.arena.schedule import Plan
from experiments.cluster.chosen import jobs_on, new_jobs
from experiments.command import run
from experiments.options import Number
from experiments.studies.rated import Point, more_option, network_points, play, rated_points
from experiments.studies.whole_runs import WholeRun, do_runs, train_learner
from reports.tables import write_csv

# The label of the runs in which nothing is changed.
BASE = "base"
_TINY = {
    True: ("network=resnet:blocks=1,filters=8", "games=20", "sims=8", "workers=1"),
    False: ("games=60", "network=mlp:hidden=32,layers=1", "save_every=1", "precision=float32"),
}
USUAL = {
    "policy_gradient": ("loss=reinforce", "mask=no", "normalize=no", "entropy=0", "pool_share=0",
                        "random_share=0", "draw_reward=-1", "discount=1"),
    "actor_critic": ("mask=no", "normalize=no", "entropy=0", "value_weight=0.05"),
    "q_learning": ("mask=no", "td_lambda=1", "form=pair", "window_iterations=1"),
    "ppo": ("mask=no", "normalize=no", "entropy=0", "pool_share=0", "random_share=0",
            "recorded=network", "gae_lambda=1"),
    "alphazero": ("search=gumbel sims=24 fast_sims=8", "forced=2"),
}

Config = AlphaZeroConfig | ReinforcementConfig


def configs_of(
    learner: str, game: str, iterations: int, common: Sequence[str], variants: Sequence[str],
    seeds: int = 1,
) -> dict[str, list[Config]]:
    """The base and its variants by label, each with seeds from 1; blanks separate settings.

    Raises:
        SpecError: for an unknown setting, for one that has an option of its own, or for a variant
            that changes nothing.
    """
    parse = config_class(learner).parse
    make = alphazero_config.make_config if learner == "alphazero" else config_class(learner).make
    usual = parse(common)
    if "iterations" in usual:
        raise SpecError("--set iterations: the iterations of all runs are named by --iterations")
    configs: dict[str, list[Config]] = {}
    for label in (BASE, *variants):
        changed = parse(label.split()) if label != BASE else {}
        if "seed" in usual or "seed" in changed:
            where = "--set seed" if "seed" in usual else f"variant {label!r}"
            raise SpecError(f"{where}: seeds are counted from 1; take --seeds")
        settings = {"decay": 1.0, "iterations": iterations, **usual, **changed}
        runs = [make(game, **{**settings, "seed": seed + 1}) for seed in range(seeds)]
        same = [other for other, theirs in configs.items() if theirs == runs]
        if same:
            raise SpecError(f"variant {label!r} is the same as {same[0]!r}; change something else")
        configs[label] = runs
    return configs


def within(points: Sequence[Point], limit: float, cost: str = "cpu_seconds") -> Point:
    """The last network that cost at most that number of CPU seconds, or games."""
    return max(
        (point for point in points if getattr(point, cost) <= limit),
        key=lambda point: point.iteration,
    )


def _folder(out: Path, label: str, config: Config) -> Path:
    name = "".join(c if c.isalnum() or c in "=.-" else "_" for c in label)
    return out / f"{name}-{config.seed}"


def _train_together(
    learner: str, configs: Mapping[str, Sequence[Config]], out: Path, workers: int | None,
    cluster: str | None,
) -> None:
    """Train all runs that have not ended, each by whoever is free."""
    missing = []
    for label, runs in configs.items():
        for config in runs:
            folder = _folder(out, label, config)
            if not network_folder(folder, config.iterations).exists():
                # Machines may differ in what suits them; runs that are compared must not.
                usual = config if folder.exists() else with_precision(config)
                missing.append(WholeRun(folder, train_learner, (learner, usual)))
    if missing:
        print(f"\ntraining {len(missing)} runs, several at a time")
        game = configs[BASE][0].game
        with new_jobs(cluster, print, (game,), workers) as jobs:
            do_runs(jobs, missing, print)


def _train(
    learner: str, config: Config, folder: Path, cluster: str | None, price: float | None
) -> None:
    progress = PrintedProgress()
    if learner != "alphazero":
        train(learner_class(learner), config, folder, progress)
        return
    with jobs_on(cluster, progress.line, (config.game,), price=price) as jobs:
        alphazero_run.train(config, folder, progress, jobs)


def compare(
    learner: str, configs: Mapping[str, Sequence[Config]], out: Path, pairs: int,
    equal: str = "cpu_seconds", sims: int = 1, more: str = "", workers: int | None = None,
    cluster: str | None = None, price: float | None = None,
) -> pd.DataFrame:
    """Train what has not been trained, and let it play; a row for each run.

    Args:
        out: folder of the runs and of the ledger, `games.sqlite`; nothing is played twice.
        pairs: openings of each match, each played with both colours.
        equal: the attribute of a point that the cheapest run limits for all.
    """
    if learner != "alphazero" and (workers or cluster):
        _train_together(learner, configs, out, workers, cluster)
    ways: dict[tuple[str, int], list[Point]] = {}
    for label, runs in configs.items():
        for config in runs:
            print(f"\n{label}, seed {config.seed}: run {len(ways) + 1} of "
                  f"{len(configs) * len(runs)}")
            folder = _folder(out, label, config)
            _train(learner, config, folder, cluster, price)
            ways[label, config.seed] = network_points(folder, None, (sims,), more, learner)
    limit = min(getattr(points[-1], equal) for points in ways.values())
    chosen = {key: within(points, limit, equal) for key, points in ways.items()}
    engines = tuple(point.engine for point in chosen.values())
    plan = Plan((configs[BASE][0].game,), engines, pairs=pairs, seed=1).canonical()
    play(plan, out / "games.sqlite", workers, cluster, price)
    frame = rated_points(plan.games[0], list(chosen.values()), (), out / "games.sqlite")
    frame.insert(0, "variant", [label for label, _ in chosen])
    frame.insert(1, "seed", [seed for _, seed in chosen])
    return frame


def summary(frame: pd.DataFrame) -> pd.DataFrame:
    """A row for each variant: mean Elo over its runs, and the difference from the base.

    Args:
        frame: with the columns variant, rating and cpu_seconds, a row a run.
    """
    from scipy import stats

    base = frame.loc[frame["variant"] == BASE, "rating"].to_numpy(float)
    rows = []
    for label, part in frame.groupby("variant", sort=False):
        ratings = part["rating"].to_numpy(float)
        row = {"variant": label, "runs": len(ratings), "elo": ratings.mean(),
               "cpu_seconds": part["cpu_seconds"].mean(), "difference": math.nan,
               "low95": math.nan, "high95": math.nan, "verdict": ""}
        if label != BASE:
            low = high = math.nan
            if min(len(ratings), len(base)) > 1 and np.ptp(ratings) + np.ptp(base) > 0:
                interval = stats.ttest_ind(ratings, base, equal_var=False).confidence_interval()
                low, high = float(interval.low), float(interval.high)
            row |= {"difference": ratings.mean() - base.mean(), "low95": low, "high95": high,
                    "verdict": "better" if low > 0 else "worse" if high < 0
                    else "not different from luck"}
        rows.append(row)
    return pd.DataFrame(rows)


@click.command()
@click.option("--learner", default="policy_gradient", show_default=True,
              type=click.Choice([*LEARNERS, "alphazero"]), help="What learns.")
@click.option("--game", default="connect4", show_default=True, help="Game to learn.")
@click.option("--iterations", type=Number(int, 1), default=None,
              help="Iterations of each run; 100 by default, of alphazero 8.")
@click.option("--seeds", default=3, show_default=True, type=Number(int, 1),
              help="Runs of each variant.")
@click.option("--set", "common", multiple=True, help="A setting of all runs; may be repeated.")
@click.option("--variant", "variants", multiple=True, help='Settings of one more set of runs, such '
              'as "mask=no"; may be repeated. By default the pitfalls of the learner; of alphazero '
              'Gumbel with few simulations, and forced=2.')
@click.option("--equal", default="cpu", show_default=True, type=click.Choice(["cpu", "games"]),
              help="What is equal for all: the CPU time of the training, or its games.")
@click.option("--sims", default=64, show_default=True, type=Number(int, 1),
              help="Simulations a move of alphazero's networks in the games that compare.")
@options.pairs_option(20)
@more_option
@click.option("--workers", type=Number(int, 1, 1000), default=None,
              help="Runs that are trained at the same time; by default one after the other, and on "
                   "a cluster one a core. Games are played by as many processes.")
@options.cluster_option
@options.price_option
@options.out_option("out/variants")
@options.quick_option("Tiny runs of tic-tac-toe with one variant")
def main(
    learner: str, game: str, iterations: int | None, seeds: int, common: tuple[str, ...],
    variants: tuple[str, ...], equal: str, sims: int, pairs: int, more: str, workers: int | None,
    cluster: str | None, price: float | None, out: Path, quick: bool,
) -> None:
    """Train a learner in several ways, and see what each is worth at equal cost."""
    searches = learner == "alphazero"
    variants, out = variants or USUAL[learner], out / learner
    if quick:
        game, iterations, seeds, common, sims, pairs = "tictactoe", 2, 2, _TINY[searches], 8, 3
        variants, out = variants[:1], out.with_name(f"{learner}-quick")
    iterations = iterations or (8 if searches else 100)
    configs = configs_of(learner, game, iterations, common, variants, seeds)
    frame = compare(learner, configs, out, pairs, "games" if equal == "games" else "cpu_seconds",
                    sims if searches else 1, more, workers, cluster, price)
    write_csv(frame, out / "runs.csv")
    table = summary(frame)
    write_csv(table, out / "variants.csv")
    print(f"\n{'Elo':>6} {'difference':>10}  {'95% interval':<16} {'CPU s':>7}  variant")
    for row in table.itertuples(index=False):
        interval = "" if math.isnan(row.low95) else f"{row.low95:+.0f} to {row.high95:+.0f}"
        difference = "" if row.variant == BASE else f"{row.difference:+.0f}"
        print(f"{row.elo:6.0f} {difference:>10}  {interval:<16} {row.cpu_seconds:7,.0f}  "
              f"{row.variant}{f': {row.verdict}' if row.verdict else ''}")
    print(out / "variants.csv")


if __name__ == "__main__":
    run(main)
