"""One thing changed at a time: train each variant, test it on held-out games and in play.

What the scripts of chapters 6 and 7 share. Each variant is a training plan; of each the table says
what it learned, how it plays, and what learning took. Models and tables stay in the folder of
the experiment, so that the same command continues where it was stopped.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from dlgo.files import write_csv
from engines.learning.data import Dataset
from engines.learning.networks.card import Card
from engines.learning.runs import PrintedProgress
from engines.supervised.config import SupervisedConfig
from engines.supervised.trainer import train
from experiments.arena.series import play_series, share_margin
from experiments.datasets.generate import generate, make_recipe
from experiments.figures import draw_bars, draw_scores, drawing
from experiments.options import Number, out_option, quick_option, seed_option, together
from experiments.progress import LineProgress

COLUMNS = (
    "variant", "network", "encoder", "positions", "epochs", "held_out_accuracy",
    "held_out_margin", "held_out_cross_entropy", "train_accuracy", "score", "games",
    "training_cpu_seconds", "cpu_ms_a_move",
)


@dataclass(frozen=True)
class Setting:
    """What all variants of an experiment share.

    Attributes:
        name: of the experiment; quick: smaller games, short training, few matches.
        game, engine, n_games: the data that is made where `data` is None: games of an engine.
        data: a folder of games.
        reference: who the networks play against; pairs: of openings, 0 for no games.
        epochs, seed: of the training. out: folder of the experiment.
    """

    name: str
    quick: bool
    game: str
    engine: str
    n_games: int
    data: Path | None
    reference: str
    pairs: int
    epochs: int
    seed: int
    out: Path

    def model_folder(self, label: str) -> Path:
        """Where the model of a variant stands."""
        return self.out / "models" / "".join(c if c.isalnum() else "-" for c in label)


def setting_options(name: str, **defaults: Any) -> Callable[[Callable], Callable]:
    """The options of an ablation script; they arrive as one `Setting`.

    Args:
        name: folder of the experiment in `out`. defaults: of the options.
    """
    values = {"game": "go9", "engine": "mcts:sims=500", "games": 500, "epochs": 10,
              "reference": "mcts:sims=50", "pairs": 50} | defaults
    options = (
        quick_option("Connect Four, three epochs, the variants that differ most"),
        click.option("--game", default=values["game"], show_default=True,
                     help="Game to learn."),
        click.option("--engine", default=values["engine"], show_default=True,
                     help="Engine whose games are learned."),
        click.option("--games", "n_games", default=values["games"], show_default=True,
                     type=Number(int, 10), help="Games of the engine to learn from."),
        click.option("--data", type=click.Path(path_type=Path), default=None,
                     help="Learn from the games in this folder instead."),
        click.option("--reference", default=values["reference"], show_default=True,
                     help="Engine that the networks play against."),
        click.option("--pairs", default=values["pairs"], show_default=True,
                     type=Number(int, 0), help="Openings, each played with both colours."),
        click.option("--epochs", default=values["epochs"], show_default=True,
                     type=Number(int, 1), help="Epochs of each training."),
        seed_option,
        out_option(f"out/{name}"),
    )

    def decorate(function: Callable) -> Callable:
        def command(quick: bool, **given: Any) -> None:
            if quick:
                given |= {"game": "connect4", "engine": "mcts:sims=200", "n_games": 400,
                          "data": None, "pairs": 20, "epochs": 3, "reference": "mcts:sims=20",
                          "out": given["out"] / "quick"}
            function(Setting(name, quick, **given))

        command.__doc__ = function.__doc__
        return click.command()(together(*options)(command))

    return decorate


def load_data(setting: Setting) -> Dataset:
    """The games to learn from, made first if need be."""
    folder = setting.data
    if folder is None:
        recipe = make_recipe(setting.game, setting.engine, seed=setting.seed)
        folder = generate(recipe, setting.n_games, setting.out / "games", None,
                          LineProgress(sys.stdout))
    data = Dataset.open(folder)
    print(f"{data.game}: {data.n_games:,} games, {data.n_positions:,} positions")
    return data


def compare(
    setting: Setting, data: Dataset, variants: dict[str, SupervisedConfig]
) -> list[dict[str, Any]]:
    """Train and test the variants; print the table, write results.csv."""
    rows: list[dict[str, Any]] = []
    print(f"\n{'variant':<26}{'held out':>10}{'':>7}{'train':>8}{'loss':>8}{'score':>8}{'':>8}"
          f"{'CPU s':>9}{'ms a move':>11}")
    for label, plan in variants.items():
        folder = setting.model_folder(label)
        plan = dataclasses.replace(plan, name=label, seed=setting.seed)
        row = _row(label, train(plan, data, folder, PrintedProgress(lines=False)))
        margin = ""
        if setting.pairs:
            played = play_series(
                data.game, f"supervised:model={folder}", setting.reference, setting.pairs,
                setting.seed,
            )
            row |= {"score": played.points / played.games, "games": played.games,
                    "cpu_ms_a_move": played.cpu_ms[0]}
            margin = f"+-{100 / played.games**0.5:.0f}%"
        rows.append(row)
        score = f"{row['score']:.1%}" if setting.pairs else "-"
        print(f"{label:<26}{row['held_out_accuracy']:>10.1%}"
              f"{'+-' + format(row['held_out_margin'], '.1%'):>7}{row['train_accuracy']:>8.1%}"
              f"{row['held_out_cross_entropy']:>8.3f}{score:>8}{margin:>8}"
              f"{row['training_cpu_seconds']:>9,.0f}{row['cpu_ms_a_move'] or 0:>11.2f}", flush=True)
    write_csv(setting.out / "results.csv", COLUMNS, [row.values() for row in rows])
    print(f"\ntable: {setting.out / 'results.csv'}")
    _draw(setting, data, rows)
    return rows


def _draw(setting: Setting, data: Dataset, rows: list[dict[str, Any]]) -> None:
    """The share of held-out moves of each variant, and its score where games were played."""
    bars = {row["variant"].strip(): 100 * row["held_out_accuracy"] for row in rows}
    margins = [100 * row["held_out_margin"] for row in rows]
    panels = 2 if setting.pairs else 1
    size = (7.0, 1.5 + 0.75 * len(rows))
    with drawing(setting.out / f"{setting.name}.png", panels, 1, size, sharey=True) as axes:
        draw_bars(axes[0], bars, margins, [f"{share:.1f}%" for share in bars.values()])
        axes[0].set(xlim=(0, 1.25 * max(bars.values())),
                    xlabel="moves of other games, %, with 95% interval",
                    title=f"{data.game}, {setting.epochs} epochs")
        if setting.pairs:
            draw_scores(axes[1], {
                row["variant"].strip(): (row["score"], row["games"] ** -0.5) for row in rows
            })
            axes[1].set_title(f"against {setting.reference}")


def _row(label: str, card: Card) -> dict[str, Any]:
    share, tested = card.accuracy["test"]["accuracy"], card.training["data"]["test_positions"]
    return dict.fromkeys(COLUMNS) | {
        "variant": label, "network": card.network, "encoder": card.encoder,
        "positions": card.training["data"]["positions"], "epochs": card.training["epochs"],
        "held_out_accuracy": share,
        "held_out_margin": share_margin(share, tested),
        "held_out_cross_entropy": card.accuracy["test"]["cross_entropy"],
        "train_accuracy": card.accuracy["train"]["accuracy"],
        "training_cpu_seconds": card.training_cost["cpu_seconds"],
    }
