"""Chapter 14: AlphaZero learns Connect Four; how fast its mistakes become fewer.

    python -m experiments.chapters.ch14_connect4 [--quick] [--out out/alphazero/connect4] ...

Trains with the preset of `dlgo train alphazero --game connect4` (an hour and a half on two cores;
stopped, it continues), then counts mistakes of the networks along the way by exact scores
(`experiments/measures/connect4.py`), beside plain MCTS. The curve is also written to the
run's folder, as mistakes.csv and mistakes.png. `--quick` does not train: it takes the network of
such a run, which comes with the package.

What to look for: L3 (endings) falls first, for the search sees them through; L1 (few stones) falls
last and asks for judgement. Without search (1 simulation) the network errs several times as
often. docs/lab_notebook.md has results and what they cost.

Last run, `--quick`, 2026-11-22: mistakes in 4.7% +-2.4% of 300 positions with 64
simulations and in 8.3% +-3.1% with none, where MCTS of 64 makes 23.7% +-4.8%.
"""

from __future__ import annotations

from pathlib import Path

import click
import pandas as pd

from dlgo.files import make_folder
from engines.alphazero.config import make_config
from engines.alphazero.train import train
from engines.jobs import Processes
from engines.learning.networks.card import read_card
from engines.learning.networks.store import find_model, network_folder
from engines.learning.runs import PrintedProgress
from experiments.arena.series import share_margin
from experiments.command import run
from experiments.figures import draw_bars, drawing
from experiments.measures.connect4 import CLASSES, position_sets
from experiments.measures.mistakes import measure
from experiments.options import Number, out_option, quick_option, seed_option
from reports.tables import write_csv

MODEL = "connect4-alphazero"
POINTS = 8  # networks along the way, beside the untrained one


@click.command()
@quick_option("The network that comes with the package, on positions of three classes")
@out_option("out/alphazero/connect4")
@click.option("--count", default=100, show_default=True, type=Number(int, 1),
              help="Positions a class.")
@click.option("--sims", default=64, show_default=True, type=Number(int, 2),
              help="Simulations a move.")
@seed_option
def main(quick: bool, out: Path, count: int, sims: int, seed: int) -> None:
    """Train, and print mistakes by iteration."""
    classes, workers = CLASSES, None
    if quick:
        out, classes, workers = out.with_name(f"{out.name}-quick"), ("L1_R2", "L1_R3", "L2_R2"), 1
        folders = {"as shipped": find_model(MODEL)}
    else:
        config = make_config("connect4", seed=seed)
        train(config, out, PrintedProgress())
        numbers = sorted({round(config.iterations * k / POINTS) for k in range(POINTS + 1)})
        folders = {f"iteration {number}": network_folder(out, number) for number in numbers}
    engines = [
        (name, read_card(folder).training.get("cpu_seconds", 0.0), n,
         f"alphazero:model={folder},sims={n}")
        for name, folder in folders.items() for n in (sims, 1)
    ]
    rows, out = [], make_folder(out)
    with Processes(workers) as jobs:
        sets = position_sets(out / "positions.json", classes, count, jobs)
        print(f"\nmistakes in percent, {count} positions a class\n{'':<26}{'CPU s':>9}"
              + "".join(f"{name:>8}" for name in classes) + f"{'all':>8}{'+-':>6}")
        for name, cost, n, engine in (*engines, ("mcts", 0.0, sims, f"mcts:sims={sims}")):
            measured = measure(engine, sets, jobs)
            shares = [measured[kind].share for kind in classes]
            mean = sum(shares) / len(shares)
            margin = share_margin(mean, count * len(shares))
            print(f"{f'{name}, {n} simulations':<26}{cost:>9,.0f}"
                  + "".join(f"{100 * share:>8.1f}" for share in (*shares, mean))
                  + f"{100 * margin:>6.1f}")
            rows.append([name, n, cost, *shares, mean, margin])
    frame = pd.DataFrame(rows, columns=["network", "sims", "cpu_seconds", *classes, "all",
                                        "margin"])
    write_csv(frame, out / "mistakes.csv")
    _draw(frame, sims, out / "mistakes.png")


def _draw(frame: pd.DataFrame, sims: int, path: Path) -> None:
    """Mistakes by training time, and at its end beside those of MCTS."""
    learned, last = frame[:-1], frame[-3:]
    curve = len(learned) > 2
    with drawing(path, 1 + curve, 1, (7, 4.5)) as axes:
        labels = [f"network, {sims} simulations", "network alone", f"mcts, {sims} simulations"]
        draw_bars(axes[0], dict(zip(labels, 100 * last["all"], strict=True)),
                  list(100 * last["margin"]), [f"{100 * share:.1f}%" for share in last["all"]])
        axes[0].set(title="mistakes at the end", xlim=(0, 45),
                    xlabel="% of the positions, with 95% interval")
        for n in (sims, 1) if curve else ():
            part = learned[learned["sims"] == n]
            axes[1].errorbar(part["cpu_seconds"] / 60, 100 * part["all"], 100 * part["margin"],
                             fmt="o-", capsize=4, label=labels[n == 1])
        if curve:
            axes[1].set(xlabel="CPU minutes of training", title="mistakes, %", ylim=(0, None))
            axes[1].legend()


if __name__ == "__main__":
    run(main)
