"""Chapter 14: AlphaZero in one file with one line changed: what is each idea worth?

    python -m experiments.chapters.ch14_without [--quick] [--seeds 3]
    python -m experiments.chapters.ch14_without --csv docs/images/ch14_without.csv   # only draw

Each variant is `microzero.py` with one edited line, trained like the original. Every five
iterations the network alone is asked for a move in all 4,520 positions of tic-tac-toe: in how many
does it lose what was not lost? At the end all lines of play are tried, with and without search.

What to look for: which lines are needed, which only make learning faster, and which are not missed
in so small a game.

Last run: 2026-11-26, three seeds (docs/chapters/ch14.md).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd

from experiments.chapters import microzero
from experiments.chapters.practice import losing, solved
from experiments.command import run
from experiments.figures import BLUE, ORANGE, drawing
from experiments.options import FILE, Number, out_option, quick_option
from reports.tables import write_csv

SOURCE = Path(microzero.__file__).read_text(encoding="utf-8")
FULL = "nothing"
# What is left out -> (a piece of microzero.py, what stands in its place).
WITHOUT = {
    FULL: ("import numpy as np", "import numpy as np"),
    "noise": ("search(board, network, simulations, rng)", "search(board, network, simulations)"),
    "temperature": ("rng.choice(9, p=policy) if len(boards) <= random_plies else policy.argmax()",
                    "policy.argmax()"),
    "the sign": ("value = -simulate(", "value = simulate("),
    "symmetries": ("SYMMETRIES[rng.integers(8)]", "SYMMETRIES[0]"),
    "the terminal value": ("return node.end", "return network.evaluate(node.board)[1]"),
}
_PROGRESS = 'progress(f"iteration {iteration}: {len(examples)} positions, loss {loss:.3f}")'


def mistakes(network: Any) -> float:
    """In how many of all positions the network's best move loses what was not lost, in %."""
    boards, outcomes = solved("oneplane")
    *_, policies, _ = network.forward(boards)
    return round(100 * float(losing(policies, outcomes).mean()), 2)


def trained(left_out: str, seed: int, iterations: int) -> Iterator[dict[str, Any]]:
    """Rows of one training: mistakes every five iterations, and lines lost at the end."""
    piece, instead = WITHOUT[left_out]
    module: dict[str, Any] = {"__name__": "microzero"}
    exec(SOURCE.replace(piece, instead).replace(_PROGRESS, "progress(iteration, network)"), module)
    curve: list[tuple[int, float]] = []

    def progress(iteration: int, network: Any) -> None:
        if iteration % 5 == 0 or iteration in (1, iterations):
            curve.append((iteration, mistakes(network)))

    start = time.process_time()
    network = module["train"](seed, iterations, progress=progress)
    seconds = time.process_time() - start
    empty = np.zeros(9, dtype=int)
    lost = {sims: sum(microzero.lost_lines(empty, network, sims, first) for first in (True, False))
            for sims in (1, 40)}
    for iteration, share in curve:
        row = {"left_out": left_out, "seed": seed, "iteration": iteration, "mistakes": share}
        if iteration == iterations:
            row |= {"lines_alone": lost[1], "lines_searched": lost[40],
                    "cpu_seconds": round(seconds, 1)}
        yield row


@click.command()
@quick_option("Two iterations of one seed")
@out_option("out/ch14_without")
@click.option("--seeds", type=Number(int, 1), default=3, show_default=True,
              help="Trainings of each variant.")
@click.option("--csv", type=FILE, help="Draw the numbers in this file instead of training.")
def main(quick: bool, out: Path, seeds: int, csv: Path | None) -> None:
    """Train microzero with and without its ideas, and draw how well each variant learns."""
    if csv is None:
        rows = []
        for left_out in WITHOUT:
            for seed in range(1, 1 + (1 if quick else seeds)):
                rows += trained(left_out, seed, 2 if quick else 60)
                print("without {left_out}, seed {seed}: mistakes {mistakes}% of all positions; "
                      "lines lost {lines_alone} alone, {lines_searched} with search; "
                      "{cpu_seconds} CPU s".format(**rows[-1]), flush=True)
        csv = out / "ch14_without.csv"
        out.mkdir(parents=True, exist_ok=True)
        write_csv(pd.DataFrame(rows), csv)
    frame = pd.read_csv(csv)
    curves = frame.groupby(["left_out", "iteration"])["mistakes"].agg(["mean", "min", "max"])
    with drawing(out / "ch14_without.png", 5, 1, (4.2, 4.4), sharey=True) as axes:
        for axis, left_out in zip(axes, list(WITHOUT)[1:], strict=True):
            for name, colour, label in ((FULL, BLUE, "as it is"), (left_out, ORANGE, "without")):
                rows = curves.loc[name]
                axis.plot(rows["mean"], color=colour, label=label)
                axis.fill_between(rows.index, rows["min"], rows["max"], color=colour, alpha=0.2,
                                  lw=0)
            axis.set(title=f"without {left_out}", xlabel="iteration")
        axes[0].set(ylabel="losing mistakes, %", ylim=(0, 1.05 * curves["max"].max()))
        axes[0].legend()


if __name__ == "__main__":
    run(main)
