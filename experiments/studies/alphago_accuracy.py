"""Chapter 13: does the policy network that predicts more moves play better?

    python -m experiments.studies.alphago_accuracy --game connect4 --model out/alphago/connect4

The claim (Silver et al. 2016, figure 2a): small gains in accuracy are large gains in strength.
Eight networks of four sizes learn to predict the same games, for a short and for a longer time.
They play a round robin, each its likeliest moves, without search. The measure is Spearman's rank
correlation between accuracy on held-out moves and rating; p is that of a permutation test,
one-sided.

Networks, games and `accuracy.csv` stay in the folder of --out; the same command continues.
"""

from __future__ import annotations

from pathlib import Path

import click
import pandas as pd

from dlgo.api import GameSpec
from dlgo.games import get_game
from engines.alphago.bundle import find_bundle
from engines.isolation.describe import read_spec
from engines.learning.data import Dataset
from engines.learning.networks.store import load_card
from engines.learning.runs import PrintedProgress
from engines.supervised.config import SupervisedConfig
from experiments.arena.schedule import Plan
from experiments.command import run
from experiments.options import (
    cluster_option,
    out_option,
    pairs_option,
    quick_option,
    workers_option,
)
from experiments.studies.rated import Point, play, rated_points
from reports.tables import write_csv

FILTERS = (4, 8, 16, 32)
EPOCHS = (1, 4)


def trained(
    model: Path, data: Dataset, out: Path, filters: int, epochs: int
) -> tuple[Path, float, float]:
    """A network: its folder, its accuracy on held-out moves, its CPU seconds."""
    from engines.supervised.trainer import train

    _, card = load_card(find_bundle(str(model), data.game).network("supervised"))
    settings = card.training["settings"]
    folder = out / f"filters{filters}-epochs{epochs}"
    config = SupervisedConfig(
        name=folder.name, encoder=card.encoder, network=f"alphago:layers=4,filters={filters}",
        value_head=False, optimizer=settings["optimizer"], schedule="cosine", epochs=epochs,
        batch_size=settings["batch_size"], test=settings["test"], symmetries=True, seed=1,
    )
    made = train(config, data, folder, PrintedProgress())
    return folder, made.accuracy["test"]["accuracy"], made.training_cost["cpu_seconds"]


def compare(
    model: Path, games: Path, game: GameSpec, out: Path, pairs: int, workers: int | None,
    filters: tuple[int, ...] = FILTERS, epochs: tuple[int, ...] = EPOCHS,
    cluster: str | None = None,
) -> pd.DataFrame:
    """Train and rate: a row for each network, with the correlation and its p in each."""
    from scipy import stats

    data = Dataset.open(games)
    rows = [
        {"filters": width, "epochs": count, **dict(zip(
            ("folder", "accuracy", "cpu_seconds"), trained(model, data, out, width, count),
            strict=True))}
        for width in filters for count in epochs
    ]
    points = [
        Point(row["epochs"], 1, row["cpu_seconds"], 0.0,
              read_spec(f"supervised:model={row['folder']}").text) for row in rows
    ]
    plan = Plan((str(game),), tuple(point.engine for point in points), pairs=pairs, seed=1)
    play(plan, out / "games.sqlite", workers, cluster)
    rated = rated_points(str(game), points, (), out / "games.sqlite")
    frame = pd.DataFrame(rows)
    frame["rating"] = rated["rating"].to_numpy()
    accuracy, rating = frame["accuracy"].to_numpy(), frame["rating"].to_numpy()
    test = stats.permutation_test(
        (accuracy,), lambda shuffled: stats.spearmanr(shuffled, rating).statistic,
        permutation_type="pairings", alternative="greater", n_resamples=50_000, rng=1,
    )
    frame["spearman"], frame["p"] = test.statistic, test.pvalue
    return frame


@click.command()
@click.option("--game", default="go9", show_default=True, help="What is played.")
@click.option("--model", type=click.Path(path_type=Path, exists=True, file_okay=False),
              required=True, help="Folder of the run of `dlgo train alphago`.")
@click.option("--data", type=click.Path(path_type=Path), default=None,
              help="Folder of the games; by default those of the AlphaGo.")
@pairs_option(25)
@workers_option
@cluster_option
@out_option("out/alphago_accuracy")
@quick_option("Two networks, two pairs of games")
def main(
    game: str, model: Path, data: Path | None, pairs: int, workers: int | None,
    cluster: str | None, out: Path, quick: bool,
) -> None:
    """Compare accuracy and strength of policy networks."""
    spec = get_game(game)
    out = out / f"{spec.slug}{'-quick' if quick else ''}"
    sizes = {"filters": FILTERS[:2], "epochs": EPOCHS[:1]} if quick else {}
    frame = compare(model, data or model / "games", spec, out, 2 if quick else pairs, workers,
                    cluster=cluster, **sizes)
    write_csv(frame.drop(columns="folder"), out / "accuracy.csv")
    for row in frame.sort_values("accuracy").itertuples(index=False):
        print(f"{row.filters:3} filters, {row.epochs} epochs: {row.accuracy:.1%} of the moves, "
              f"Elo {row.rating:+.0f}")
    print(f"rank correlation {row.spearman:.2f}, p = {row.p:.2g}")


if __name__ == "__main__":
    run(main)
