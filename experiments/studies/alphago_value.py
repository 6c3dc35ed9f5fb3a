"""Chapter 13: does a value network that learns from whole games learn them by heart?

    python -m experiments.studies.alphago_value --game connect4 --model out/alphago/connect4

The claim (Silver et al. 2016, Methods): positions of one game share a result and differ by a stone,
so that a network that learns all of them remembers games: error 0.19 on them, 0.37 on others. With
one position a game it was 0.226 and 0.234.

Two networks of the same build learn from equally many positions, for as many steps: one position
each of many games, or all positions of few. Both are tested on one position each of other games.
The squared errors are compared position by position; the interval is a bootstrap's, 95%.

Games, networks and `value.csv` stay in the folder of --out; the same command continues.
"""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np
import pandas as pd

from dlgo.api import GameSpec
from dlgo.encoders import get_encoder
from dlgo.games import get_game
from engines.alphago.bundle import find_bundle
from engines.alphago.value_games import make_value_games
from engines.learning.data import BatchOptions, Dataset, batches
from engines.learning.networks.runtimes import load_runtime
from engines.learning.networks.store import load_card
from engines.learning.runs import PrintedProgress
from engines.learning.runs.progress import stage_progress
from engines.supervised.config import SupervisedConfig
from experiments.command import run
from experiments.options import Number, out_option, quick_option
from reports.tables import write_csv

WAYS = {"one position a game": False, "whole games": True}
_SAMPLES = 2000  # of the bootstrap
# At the 0.002 of the pipeline the network that learned from whole games said the same of every
# position, from the first epoch to the last: the one filter before its dense layer was dead.
_OPTIMIZER = "adam:lr=0.0005"


def squared_errors(model: Path, data: Dataset) -> np.ndarray:
    """Of a value network at each labelled position: float64[positions]."""
    runtime = load_runtime(str(model))
    encoder = get_encoder(runtime.card.encoder, data.game)
    errors = [
        (runtime.evaluate(batch.planes)["value"][:, 0] - batch.values) ** 2
        for batch in batches(data, encoder, BatchOptions(512, shuffle=False))
    ]
    return np.concatenate(errors).astype(float)


def made(
    model: Path, game: GameSpec, folder: Path, games: int, seed: int, whole: bool, stage: int
) -> Dataset:
    """Games of the policies of an AlphaGo, made in the study's stage of that number."""
    bundle = find_bundle(str(model), game)
    return Dataset.open(make_value_games(
        folder, game, bundle.network("supervised"), bundle.network("reinforced"), games, seed,
        whole=whole, progress=stage_progress(PrintedProgress(), folder.parent.name, stage, 3),
    ))


def cut(data: Dataset, positions: int) -> Dataset:
    """The first games that hold so many positions together, or a few more."""
    return data.subset(int(np.searchsorted(np.cumsum(data.positions), positions)) + 1)


def compare(model: Path, game: GameSpec, out: Path, positions: int, epochs: int) -> pd.DataFrame:
    """Train both, and measure: a row for each way.

    Args:
        positions: to learn from.
    """
    from engines.supervised.trainer import train

    _, card = load_card(find_bundle(str(model), game).network("value"))
    settings = card.training["settings"]
    test = made(model, game, out / "test" / "games", max(200, positions // 5), 3, False, 1)
    rows, errors = [], {}
    for number, (way, whole) in enumerate(WAYS.items()):
        folder = out / ("whole" if whole else "one")
        # Games that end before their position are left out; whole ones give some ten positions.
        games = positions // 5 if whole else 2 * positions
        data = cut(made(model, game, folder / "games", games, 4 + number, whole,
                        2 + number), positions)
        config = SupervisedConfig(
            name=folder.name, encoder=card.encoder, network=card.network, policy_head=False,
            value_head=True, optimizer=_OPTIMIZER, schedule="constant", epochs=epochs,
            batch_size=settings["batch_size"], test=0.05, seed=1, keep="last",
        )
        train(config, data, folder / "model", PrintedProgress())
        errors[way] = squared_errors(folder / "model", test)
        learned, _ = data.split(test=config.test, seed=config.seed)
        rows.append({
            "way": way, "games": data.n_games, "positions": data.n_positions,
            "train_mse": squared_errors(folder / "model", learned).mean(),
            "test_mse": errors[way].mean(), "test_positions": len(errors[way]),
        })
    difference = errors["whole games"] - errors["one position a game"]
    rng = np.random.default_rng(1)
    means = [rng.choice(difference, len(difference)).mean() for _ in range(_SAMPLES)]
    frame = pd.DataFrame(rows)
    frame["difference"], frame["low95"], frame["high95"] = (
        difference.mean(), *np.quantile(means, [0.025, 0.975]))
    return frame


@click.command()
@click.option("--game", default="go9", show_default=True, help="What is played.")
@click.option("--model", type=click.Path(path_type=Path, exists=True, file_okay=False),
              required=True, help="Folder of the run of `dlgo train alphago`.")
@click.option("--positions", default=20_000, show_default=True, type=Number(int, 100),
              help="Positions that each network learns from.")
@click.option("--epochs", default=20, show_default=True, type=Number(int, 1),
              help="Times that it learns from each.")
@out_option("out/alphago_value")
@quick_option("300 positions, two epochs")
def main(game: str, model: Path, positions: int, epochs: int, out: Path, quick: bool) -> None:
    """Compare value networks that learned from single positions and from whole games."""
    spec = get_game(game)
    out = out / f"{spec.slug}{'-quick' if quick else ''}"
    frame = compare(model, spec, out, *((300, 2) if quick else (positions, epochs)))
    write_csv(frame, out / "value.csv")
    for row in frame.itertuples(index=False):
        print(f"{row.way:<20} {row.games:7,} games, {row.positions:7,} positions: error "
              f"{row.train_mse:.3f} on them, {row.test_mse:.3f} on others")
    print(f"on others, whole games err by {row.difference:+.3f} more ({row.low95:+.3f} to "
          f"{row.high95:+.3f})")


if __name__ == "__main__":
    run(main)
