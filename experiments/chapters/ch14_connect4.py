"""Chapter 14: AlphaZero learns Connect Four; how fast its mistakes become fewer.

    python -m experiments.chapters.ch14_connect4 [--quick] [--out out/alphazero/connect4] ...

Trains with the preset of `dlgo train alphazero --game connect4` (an hour and a half on two cores;
stopped, it continues), then counts mistakes of the networks along the way by exact scores
(`experiments/bench/connect4_mistakes.py`), beside plain MCTS. The curve is also written to the
run's folder, as mistakes.csv and mistakes.png.

What to look for: L3 (endings) falls first, for the search sees them through; L1 (few stones) falls
last and asks for judgement. Without search (1 simulation) the network errs several times as
often. docs/lab_notebook.md has results and what they cost.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click
import pandas as pd

from dlgo.files import output_path
from engines.alphazero.config import make_config
from engines.alphazero.run import network_folder, train
from engines.learning.networks.card import read_card
from engines.learning.runs import PrintedProgress
from experiments.bench.connect4_mistakes import CLASSES, measure, new_pool, position_sets
from experiments.command import run
from experiments.number import Number
from experiments.options import out_option, quick_option, seed_option
from reports.tables import write_csv


@click.command()
@quick_option("Two short iterations and a few positions")
@out_option("out/alphazero/connect4")
@click.option("--count", default=100, show_default=True, type=Number(int, 1),
              help="Positions a class.")
@click.option("--sims", default=64, show_default=True, type=Number(int, 2),
              help="Simulations a move.")
@seed_option
def main(quick: bool, out: Path, count: int, sims: int, seed: int) -> None:
    """Train, and print mistakes by iteration."""
    given: dict = {"seed": seed}
    classes, workers, points = CLASSES, os.cpu_count() or 1, 8
    if quick:
        given |= {"iterations": 2, "games": 10, "sims": 8, "workers": 1,
                  "network": "resnet:blocks=1,filters=8"}
        out, count, sims = out.with_name(f"{out.name}-quick"), 10, 8
        classes, workers, points = ("L2_R1", "L3_R1"), 1, 1
    config = make_config("connect4", **given)
    train(config, out, PrintedProgress())
    numbers = sorted({round(config.iterations * k / points) for k in range(points + 1)})
    engines = [
        (number, read_card(network_folder(out, number)).training.get("cpu_seconds", 0.0), n,
         f"alphazero:model={network_folder(out, number)},sims={n}")
        for number in numbers for n in (sims, 1)
    ]
    rows = []
    with new_pool(workers) as pool:
        sets = position_sets(out / "positions.json", classes, count, pool, workers)
        print(f"\nmistakes in percent, {count} positions a class\n{'':<26}{'CPU s':>9}"
              + "".join(f"{name:>8}" for name in classes))
        for number, cost, n, engine in (*engines, ("", 0.0, sims, f"mcts:sims={sims}")):
            measured = measure(engine, sets, pool, workers)
            shares = [measured[name].share for name in classes]
            what = f"iteration {number}" if number != "" else "mcts"
            print(f"{f'{what}, {n} simulations':<26}{cost:>9,.0f}"
                  + "".join(f"{100 * share:>8.1f}" for share in shares))
            rows.append([number, n, cost, *shares])
    frame = pd.DataFrame(rows, columns=["iteration", "sims", "cpu_seconds", *classes])
    write_csv(frame, out / "mistakes.csv")
    _draw(frame, classes, out / "mistakes.png")
    print(out / "mistakes.png")


def _draw(frame: pd.DataFrame, classes: Sequence[str], path: Path) -> None:
    """Mistakes by training time: a panel with search and one without, MCTS as dotted lines."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plain = frame[frame["iteration"] == ""]
    learned = frame[frame["iteration"] != ""]
    counts = sorted(set(learned["sims"]), reverse=True)
    figure, axes = plt.subplots(
        1, len(counts), figsize=(5.2 * len(counts), 4.2), sharey=True, squeeze=False,
        layout="constrained",
    )
    for axis, n in zip(axes[0], counts, strict=True):
        curve = learned[learned["sims"] == n]
        for k, name in enumerate(classes):
            axis.plot(curve["cpu_seconds"] / 60, 100 * curve[name], "o-", color=f"C{k}", label=name)
            if n > 1:
                axis.axhline(100 * plain[name].iloc[0], color=f"C{k}", ls=":", lw=1)
        axis.set(title="network alone" if n == 1 else f"{n} simulations; dotted: MCTS",
                 xlabel="CPU minutes of training")
    axes[0][0].set_ylim(bottom=0)  # once all is drawn: it ends the search for a scale
    axes[0][0].set_ylabel("mistakes, % of positions")
    axes[0][0].legend(frameon=False)
    with output_path(path) as temporary:
        figure.savefig(temporary, dpi=120)
    plt.close(figure)


if __name__ == "__main__":
    run(main)
