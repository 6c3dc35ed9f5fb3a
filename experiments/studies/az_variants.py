"""Chapter 14: which settings of self-play and training are worth what they cost?

    python -m experiments.studies.az_variants --game connect4 --iterations 8 --set games=600 \\
        --variant seed=2 --variant forced=2 --variant "search=gumbel sims=24" [--quick]

Trains a game's preset, changed by --set, and once more for each --variant with its settings
changed. What is compared is equal cost: the run that was cheapest sets a limit of CPU time, and
each of the others is represented by its last network within it. These networks play each other,
each with as many simulations a move as --sims says; 1 is the network alone. The learning rate
does not fall during these runs, so that one that is cut short is not at a disadvantage.

What to look for: how far two runs are apart that differ in nothing but the seed (--variant
seed=2). A setting that gains less than that has not been shown to gain anything. What helps in
the first minutes may harm later, and the other way round.

Runs, games and `variants.csv` stay in the folder of --out, so the same command continues.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click
import pandas as pd

from dlgo.errors import SpecError
from engines.alphazero.config import AlphaZeroConfig, make_config, parse_settings
from engines.alphazero.run import train
from engines.learning.runs import PrintedProgress
from experiments.arena.progress import BarReporter, PlainReporter
from experiments.arena.schedule import Plan
from experiments.arena.tournament import run_tournament
from experiments.cluster.chosen import games_on, jobs_on
from experiments.command import run
from experiments.number import Number
from experiments.options import cluster_option, out_option, pairs_option, price_option, quick_option
from experiments.studies.az_curve import Point, more_option, network_points, rated_points
from reports.tables import write_csv

BASE = "base"
_TINY = ("network=resnet:blocks=1,filters=8", "games=20", "sims=8", "workers=1")


def configs_of(
    game: str, iterations: int, common: Sequence[str], variants: Sequence[str]
) -> dict[str, AlphaZeroConfig]:
    """The base and its variants by label; a variant's settings are separated by blanks.

    Raises:
        SpecError: for an unknown setting, or a variant that changes nothing.
    """
    usual = {"decay": 1.0, **parse_settings(common), "iterations": iterations}
    configs = {BASE: make_config(game, **usual)}
    for text in variants:
        config = make_config(game, **{**usual, **parse_settings(text.split())})
        same = [label for label, other in configs.items() if other == config]
        if same:
            raise SpecError(f"variant {text!r} is the same as {same[0]!r}; change something else")
        configs[text] = config
    return configs


def within(points: Sequence[Point], limit: float, cost: str = "cpu_seconds") -> Point:
    """The last network that cost no more than so many CPU seconds, or games."""
    return max(
        (point for point in points if getattr(point, cost) <= limit),
        key=lambda point: point.iteration,
    )


def compare(
    configs: dict[str, AlphaZeroConfig], out: Path, sims: int, pairs: int, more: str,
    cluster: str | None = None, price: float | None = None,
) -> pd.DataFrame:
    """Train what has not been trained, let it play; a row for each variant, the best first."""
    ways: dict[str, list[Point]] = {}
    for number, (label, config) in enumerate(configs.items()):
        print(f"\n{label}: training, {number + 1} of {len(configs)}")
        folder = out / "".join(c if c.isalnum() or c in "=.-" else "_" for c in label)
        progress = PrintedProgress()
        with jobs_on(cluster, progress.line, (config.game,), price=price) as jobs:
            train(config, folder, progress, jobs)
        ways[label] = network_points(folder, config.iterations, (sims,), more)
    limit = min(points[-1].cpu_seconds for points in ways.values())
    chosen = {label: within(points, limit) for label, points in ways.items()}
    engines = tuple(point.engine for point in chosen.values())
    plan = Plan((configs[BASE].game,), engines, pairs=pairs, seed=1).canonical()
    reporter = BarReporter() if sys.stderr.isatty() else PlainReporter(sys.stdout)
    with games_on(cluster, price=price) as games:
        run_tournament(plan, out / "games.sqlite", progress=reporter, elsewhere=games)
    frame = rated_points(plan.games[0], list(chosen.values()), (), out / "games.sqlite")
    frame.insert(0, "variant", list(chosen))
    return frame.sort_values("rating", ascending=False)


@click.command()
@click.option("--game", default="connect4", show_default=True, help="Game to learn.")
@click.option("--iterations", "--rounds", default=8, show_default=True,
              type=Number(int, 1), help="Iterations of each run.")
@click.option("--set", "common", multiple=True, help="A setting of all runs; may be repeated.")
@click.option("--variant", "variants", multiple=True, help='Settings of one more run, such as '
              '"search=gumbel sims=24"; may be repeated. By default another seed and forced=2.')
@click.option("--sims", default=64, show_default=True, type=Number(int, 1),
              help="Simulations a move in the games that compare.")
@pairs_option(30)
@more_option
@out_option("out/alphazero/variants")
@cluster_option
@price_option
@quick_option("Tiny runs of tic-tac-toe")
def main(
    game: str, iterations: int, common: tuple[str, ...], variants: tuple[str, ...], sims: int,
    pairs: int, more: str, out: Path, cluster: str | None, price: float | None, quick: bool,
) -> None:
    """Train a game in several ways and see which network is best for the same cost."""
    if quick:
        game, iterations, common, sims, pairs = "tictactoe", 2, _TINY, 8, 3
        out = out.with_name(out.name + "-quick")
    configs = configs_of(game, iterations, common, variants or ("seed=2", "forced=2"))
    frame = compare(configs, out, sims, pairs, more, cluster, price)
    write_csv(frame, out / "variants.csv")
    print(f"\n{'Elo':>6}  {'95% interval':<14} {'CPU s':>7} {'iteration':>9} {'games':>7}  variant")
    for row in frame.itertuples(index=False):
        interval = f"{row.low95:.0f} to {row.high95:.0f}"
        print(f"{row.rating:6.0f}  {interval:<14} {row.cpu_seconds:7,.0f} {row.iteration:9.0f} "
              f"{row.games:7,.0f}  {row.variant}")
    print(out / "variants.csv")


if __name__ == "__main__":
    run(main)
