"""Chapters 6 and 7: what is which layer, loss, step and more data worth to a network?

    python -m experiments.chapters.ch06_networks [--quick] [--game go9] [--games 500] ...
    python -m experiments.chapters.ch06_networks optimizers
    python -m experiments.chapters.ch06_networks scaling

Each study changes one thing at a time, trains every variant on the same games of a tree search,
tests it on held-out games and lets it play. Models and tables stay in --out, so that the same
command continues where it was stopped.

networks: chapter 6 in its order: dense layers or convolutions; sigmoid and squared error, or ReLU
and cross-entropy; pooling; dropout. All see one plane, as in the book. On 9x9 Go the trained
networks are shown the chapter's probe (figure 6.4): whoever moves captures two stones. Black's
capture is at index 20. The book takes the largest of its printed probabilities, at index 21, for
that capture; but there black only saves two stones. What to look for: what the loss is worth
against what the layers are worth.

optimizers: chapter 7.5; the same order of the same batches, only the steps differ. Learning rates
are the book's or Keras's where it gives none, and Adadelta's is the paper's. The decay of listing
7.26, a percent a step, leaves a tenth of the rate after 900 steps: how much does it still learn?

scaling: chapter 7.6; more planes, more games, symmetries, larger networks. What to look for: the
gap between train and held-out accuracy. A larger network is paid for in training, and again with
every move (the last two columns): is its score worth that?

Last run, 400 games of Connect Four, 2026-11-21: docs/lab_notebook.md; `--quick`: docs/chapters.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd

from dlgo import GameState, get_game
from dlgo.encoders import encoder_names
from engines.learning.data import Dataset
from engines.learning.runs import PrintedProgress
from engines.registry import build_engine
from engines.supervised.config import SupervisedConfig
from engines.supervised.trainer import train
from experiments.arena.series import play_series, share_margin
from experiments.command import run
from experiments.datasets.generate import generate, make_recipe
from experiments.figures import draw_bars, draw_scores, drawing
from experiments.options import Number, out_option, quick_option, seed_option
from experiments.progress import LineProgress
from reports.tables import write_csv

# Rows of figure 6.4 from index 0 on; x is black, to move.
_PROBE = {27: ".x o x o", 36: ".x o x o", 45: ". . x o"}
CAPTURE, ESCAPE = 20, 21

_BOOK = {"optimizer": "sgd:lr=0.01", "loss": "mse"}
_PLAIN = "cnn:pool=none,dropout=0"
NETWORKS = {
    "mlp as in 6.3.4": {"network": "mlp", **_BOOK},
    "mlp, cross-entropy, ReLU": {"network": "mlp:activation=relu"},
    "cnn as in 6.4.2": {"network": "cnn_plain", **_BOOK},
    "cnn, cross-entropy, ReLU": {"network": _PLAIN},
    "  + max pooling": {"network": "cnn:dropout=0"},
    "  + average pooling": {"network": "cnn:dropout=0,pool=average"},
    "  + dropout 0.25": {"network": "cnn:pool=none,dropout=0.25"},
    "  + dropout 0.5": {"network": "cnn:pool=none,dropout=0.5"},
    "cnn as in 6.7": {"network": "cnn", "optimizer": "sgd:lr=0.1"},
    "cnn, three convolutions": {"network": f"{_PLAIN},layers=3"},
    "cnn, 96 filters": {"network": f"{_PLAIN},filters=96"},
    "cnn, small dense layer": {"network": f"{_PLAIN},hidden=64"},
}
OPTIMIZERS = {
    "SGD": ("sgd:lr=0.1", "constant"),
    "SGD, decay 1% a step": ("sgd:lr=0.1", "decay:decay=0.01"),
    "momentum": ("momentum:lr=0.1", "constant"),
    "momentum, decay (7.26)": ("momentum:lr=0.1", "decay:decay=0.01"),
    "momentum, cosine": ("momentum:lr=0.1", "cosine"),
    "Adagrad": ("adagrad:lr=0.01", "constant"),
    "Adadelta": ("adadelta", "constant"),
    "Adam": ("adam", "constant"),
    "Adam, cosine": ("adam", "cosine"),
}
LARGER = ("small", "medium", "large", "resnet:blocks=4,filters=64")


def variants(study: str, data: Dataset, quick: bool) -> dict[str, dict[str, Any]]:
    """Settings of the networks of a study; with `quick` of those that differ most."""
    small = "cnn:filters=16,hidden=32,pool=none,dropout=0" if quick else "small"
    if study == "networks":
        found = {label: {"encoder": "oneplane"} | more for label, more in NETWORKS.items()}
        chosen = tuple(NETWORKS)[:4]
    elif study == "optimizers":
        found = {
            label: {"encoder": "oneplane", "network": small, "optimizer": optimizer,
                    "schedule": schedule} for label, (optimizer, schedule) in OPTIMIZERS.items()
        }
        chosen = ("SGD", "SGD, decay 1% a step", "momentum", "Adam")
    else:
        base = {"encoder": "threeplane", "network": small, "value_head": False}
        found = {f"encoder {name}": base | {"encoder": name} for name in encoder_names(data.game)}
        available = int(0.85 * data.n_games)  # 10% are held out, more where games are equal
        counts = [available // part for part in (8, 4, 2, 1)]
        found |= {f"{count} games": base | {"games": count} for count in counts}
        found["symmetries"] = base | {"symmetries": True}
        found |= {f"network {name.partition(':')[0]}": base | {"network": name} for name in LARGER}
        chosen = (*(f"{counts[i]} games" for i in (0, 2, 3)), "symmetries")
    return {label: found[label] for label in chosen} if quick else found


def probe() -> GameState:
    """The chapter's test position, black to move: 20 takes two stones."""
    game = get_game("go9")
    cells = {first + col: cell for first, row in _PROBE.items()
             for col, cell in enumerate(row.replace(" ", ""))}
    state = GameState.new_game(game)
    black, white = ([action for action, cell in cells.items() if cell == stone] for stone in "xo")
    for pair in zip(black, white, strict=True):
        state = state.play(*map(game.move_of, pair))
    return state


def show_probe(folder: Path) -> None:
    """Print what a network thinks of the two moves of the probe."""
    state = probe()
    policy = build_engine(f"supervised:model={folder}", state.game).select_move(state).policy
    shares = np.zeros(state.game.num_actions)
    for move, share in policy.items():
        shares[state.game.action_of(move)] = share
    print(f"  the probe: captures at {CAPTURE} with {shares[CAPTURE]:.1%} (rank "
          f"{int((shares > shares[CAPTURE]).sum()) + 1}), saves two stones at {ESCAPE} with "
          f"{shares[ESCAPE]:.1%}")


@click.command()
@click.argument("study", type=click.Choice(["networks", "optimizers", "scaling"]),
                default="networks")
@quick_option("Connect Four, three epochs, the variants that differ most")
@click.option("--game", default="go9", show_default=True, help="Game to learn.")
@click.option("--engine", default="mcts:sims=500", show_default=True,
              help="Engine whose games are learned.")
@click.option("--games", default=500, show_default=True, type=Number(int, 10),
              help="Games of the engine to learn from.")
@click.option("--data", type=click.Path(path_type=Path), default=None,
              help="Learn from the games in this folder instead.")
@click.option("--reference", default="mcts:sims=50", show_default=True,
              help="Engine that the networks play against.")
@click.option("--pairs", default=50, show_default=True, type=Number(int, 1),
              help="Openings, each played with both colours.")
@click.option("--epochs", default=10, show_default=True, type=Number(int, 1),
              help="Epochs of each training.")
@seed_option
@out_option("out/ch06_networks")
def main(
    study: str, quick: bool, game: str, engine: str, games: int, data: Path | None,
    reference: str, pairs: int, epochs: int, seed: int, out: Path,
) -> None:
    """Train the networks of chapters 6 and 7 on the same games, and compare them."""
    if quick:
        game, engine, games, data = "connect4", "mcts:sims=200", 400, None
        reference, pairs, epochs, out = "mcts:sims=20", 20, 3, out / "quick"
    if data is None:
        recipe = make_recipe(game, engine, seed=seed)
        data = generate(recipe, games, out / "games", None, LineProgress(sys.stdout))
    dataset = Dataset.open(data)
    print(f"{dataset.game}: {dataset.n_games:,} games, {dataset.n_positions:,} positions\n\n"
          f"{'variant':<26}{'held out':>10}{'':>7}{'train':>8}{'loss':>8}{'score':>8}{'':>6}"
          f"{'CPU s':>9}{'ms a move':>11}")
    rows = []
    for label, changes in variants(study, dataset, quick).items():
        folder = out / study / "".join(c if c.isalnum() else "-" for c in label)
        plan = SupervisedConfig(label, epochs=epochs, seed=seed, **changes)
        card = train(plan, dataset, folder, PrintedProgress(lines=False))
        match = play_series(dataset.game, f"supervised:model={folder}", reference, pairs, seed)
        tested, trained_on = card.accuracy["test"], card.training["data"]
        rows.append(row := {
            "variant": label.strip(), "network": card.network, "encoder": card.encoder,
            "positions": trained_on["positions"], "epochs": card.training["epochs"],
            "held_out_accuracy": tested["accuracy"],
            "held_out_margin": share_margin(tested["accuracy"], trained_on["test_positions"]),
            "held_out_cross_entropy": tested["cross_entropy"],
            "train_accuracy": card.accuracy["train"]["accuracy"],
            "score": match.points / match.games, "games": match.games,
            "training_cpu_seconds": card.training_cost["cpu_seconds"],
            "cpu_ms_a_move": match.cpu_ms[0],
        })
        print(f"{label:<26}{row['held_out_accuracy']:>10.1%}"
              f"{'+-' + format(row['held_out_margin'], '.1%'):>7}{row['train_accuracy']:>8.1%}"
              f"{row['held_out_cross_entropy']:>8.3f}{row['score']:>8.1%}"
              f"{f'+-{100 / match.games**0.5:.0f}%':>6}{row['training_cpu_seconds']:>9,.0f}"
              f"{row['cpu_ms_a_move']:>11.2f}", flush=True)
        if study == "networks" and str(dataset.game) == str(get_game("go9")):
            show_probe(folder)
    frame = pd.DataFrame(rows)
    print(f"\ntable: {write_csv(frame, out / f'{study}.csv')}")
    shares = dict(zip(frame["variant"], 100 * frame["held_out_accuracy"], strict=True))
    size = (7.0, 1.5 + 0.75 * len(rows))
    with drawing(out / f"{study}.png", 2, 1, size, sharey=True) as axes:
        draw_bars(axes[0], shares, list(100 * frame["held_out_margin"]),
                  [f"{share:.1f}%" for share in shares.values()])
        axes[0].set(xlim=(0, 1.25 * max(shares.values())), title=f"{dataset.game}, {epochs} epochs",
                    xlabel="moves of other games, %, with 95% interval")
        draw_scores(axes[1], {row["variant"]: (row["score"], row["games"] ** -0.5) for row in rows})
        axes[1].set_title(f"against {reference}")


if __name__ == "__main__":
    run(main)
