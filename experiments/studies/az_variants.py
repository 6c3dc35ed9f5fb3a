"""Chapter 14: which settings of self-play and training are worth what they cost?

    python -m experiments.studies.az_variants --game connect4 --iterations 8 --set games=600 \\
        --variant forced=2 --variant "search=gumbel sims=24 iterations=20" --seeds 3 [--quick]

Trains a game's preset, changed by --set, and once more for each --variant with its settings
changed, each with several seeds. What is compared is equal cost: the run that was cheapest sets a
limit of CPU time, and each of the others is represented by its last network within it. So a
variant whose iterations are cheap should have more of them. These networks play each other, each
with as many simulations a move as --sims says; 1 is the network alone. The learning rate does not
fall during these runs, so that one that is cut short is not at a disadvantage.

What to look for: how far runs are apart that differ in nothing but the seed (`runs.csv`). A
variant's difference from the base has an interval over runs, not over games, and where that holds 0
the table says that it may be luck. What helps in the first minutes may harm later, and the other
way round.

Runs, games, `runs.csv` and `variants.csv` stay in the folder of --out; the same command continues.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click
import pandas as pd

from engines.alphazero.config import AlphaZeroConfig, make_config, parse_settings
from engines.alphazero.run import train
from engines.learning.runs import PrintedProgress
from experiments.cluster.chosen import jobs_on
from experiments.command import run
from experiments.number import Number
from experiments.options import cluster_option, out_option, pairs_option, price_option, quick_option
from experiments.studies.az_curve import Point, more_option, network_points
from experiments.studies.equal_cost import BASE, compare_runs, run_folder, runs_of, write_tables

_TINY = ("network=resnet:blocks=1,filters=8", "games=20", "sims=8", "workers=1")
_VARIANTS = ("search=gumbel sims=24 fast_sims=8", "forced=2")


def configs_of(
    game: str, iterations: int, common: Sequence[str], variants: Sequence[str], seeds: int = 1
) -> dict[str, list[AlphaZeroConfig]]:
    """The base and its variants by label.

    Raises:
        SpecError: see `runs_of`.
    """
    make = partial(make_config, game)
    return runs_of(make, parse_settings, iterations, common, variants, seeds)


def compare(
    configs: dict[str, list[AlphaZeroConfig]], out: Path, sims: int, pairs: int, more: str,
    cluster: str | None = None, price: float | None = None,
) -> pd.DataFrame:
    """Train what has not been trained, and let it play; a row for each run."""
    ways: dict[tuple[str, int], list[Point]] = {}
    for label, runs in configs.items():
        for config in runs:
            print(f"\n{label}, seed {config.seed}: training, {len(ways) + 1} of "
                  f"{len(configs) * len(runs)}")
            folder = run_folder(out, label, config.seed)
            progress = PrintedProgress()
            with jobs_on(cluster, progress.line, (config.game,), price=price) as jobs:
                train(config, folder, progress, jobs)
            ways[label, config.seed] = network_points(folder, config.iterations, (sims,), more)
    return compare_runs(
        ways, configs[BASE][0].game, out, pairs, cluster=cluster, price=price
    )


@click.command()
@click.option("--game", default="connect4", show_default=True, help="Game to learn.")
@click.option("--iterations", "--rounds", default=8, show_default=True,
              type=Number(int, 1), help="Iterations of each run.")
@click.option("--seeds", default=3, show_default=True, type=Number(int, 1),
              help="Runs of each variant.")
@click.option("--set", "common", multiple=True, help="A setting of all runs; may be repeated.")
@click.option("--variant", "variants", multiple=True, help='Settings of more runs, such as '
              '"search=gumbel sims=24"; may be repeated. By default Gumbel with few simulations '
              'and forced=2.')
@click.option("--sims", default=64, show_default=True, type=Number(int, 1),
              help="Simulations a move in the games that compare.")
@pairs_option(30)
@more_option
@out_option("out/alphazero/variants")
@cluster_option
@price_option
@quick_option("Tiny runs of tic-tac-toe")
def main(
    game: str, iterations: int, seeds: int, common: tuple[str, ...], variants: tuple[str, ...],
    sims: int, pairs: int, more: str, out: Path, cluster: str | None, price: float | None,
    quick: bool,
) -> None:
    """Train a game in several ways and see which network is best for the same cost."""
    if quick:
        game, iterations, seeds, common, sims, pairs = "tictactoe", 2, 2, _TINY, 8, 3
        out = out.with_name(out.name + "-quick")
    configs = configs_of(game, iterations, common, variants or _VARIANTS, seeds)
    write_tables(compare(configs, out, sims, pairs, more, cluster, price), out)


if __name__ == "__main__":
    run(main)
