"""What programs that learned to play have cost in training, from 1959 to this package.

    python -m experiments.studies.training_compute [--out docs/images/training_compute.png]

The table `results/training_compute.csv` says for each program where its number comes from. A row
without `operations` is an estimate: device-years, times a device's peak operations per second,
times the share of the peak that training reaches.

What to look for: how far apart the programs are, and that the most expensive one is not the newest.
"""

from __future__ import annotations

from pathlib import Path

import click
import pandas as pd

from experiments.command import run
from experiments.figures import BLUE, GREEN, INK, ORANGE, drawing
from experiments.options import FILE
from reports.tables import read_csv

TABLE = Path(__file__).parent / "results/training_compute.csv"
SECONDS_A_YEAR = 365.25 * 24 * 3600


def training_compute() -> pd.DataFrame:
    """The table, with the operations of every program."""
    table = read_csv(TABLE)
    estimate = table["device_years"] * SECONDS_A_YEAR * table["peak"] * table["share"]
    table["operations"] = table["operations"].fillna(estimate)
    return table


def draw(path: Path) -> None:
    """Draw year against operations: programs of this package, language models, and others."""
    table = training_compute()
    with drawing(path, size=(8.0, 6.0)) as (axes,):
        for row in table.itertuples():
            here = row.year == 2026
            colour = GREEN if here else ORANGE if row.program.startswith("GPT") else BLUE
            axes.plot(row.year, row.operations, "s" if here else "o", color=colour, markersize=10)
            right = row.label == "right"
            axes.annotate(row.program, (row.year, row.operations), color=INK, va="center",
                          xytext=(9 if right else -9, 0), textcoords="offset points",
                          ha="left" if right else "right")
        axes.set(yscale="log", ylim=(1e7, 1e26), xlim=(1955, 2037), xlabel="year",
                 ylabel="operations of the whole training")
        axes.set_yticks([10.0**power for power in range(8, 27, 3)])
        axes.grid(axis="y", alpha=0.3)


@click.command()
@click.option("--out", type=FILE, default=Path("out/training_compute.png"), show_default=True,
              help="Picture to write.")
def main(out: Path) -> None:
    """Draw training compute by year, and print each number with its source."""
    for row in training_compute().itertuples():
        print(f"{row.year}  {row.operations:8.1e}  {row.program}: {row.source}")
    draw(out)


if __name__ == "__main__":
    run(main)
