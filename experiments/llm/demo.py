"""Language models without a key: a tournament of mock models, and what its report finds of them.

    python -m experiments.llm.demo --out out/llm

Two models of `mock.py` play tic-tac-toe against each other and a random player. Each has a known
probability P of a good move, and Q of an answer without a legible move. The report estimates both.
Compare the two ratings: the model with malformed answers loses Elo by form, not by play. About one
interval in twenty misses the true value: in 500 tournaments of 20 pairs, 1,898 of 2,000 intervals
contained it.
"""

from __future__ import annotations

import os
from pathlib import Path

import click

from dlgo.files import make_folder
from dlgo.records.ledger import Ledger
from engines.llm.engine import URL
from experiments.command import run
from experiments.front_door import tournament
from experiments.llm.mock import MockServer
from experiments.options import Number, out_option, workers_option
from reports.forfeits import answer_frame
from reports.report import write_report
from reports.text import markdown_table

_GAME = "tictactoe"
# Name, P and Q.
MODELS = (("strong but sloppy", 0.9, 0.4), ("weak but tidy", 0.3, 0.05))


@click.command()
@click.option("--pairs", type=Number(int, 1), default=40, show_default=True,
              help="Number of openings in each match.")
@click.option("--seed", type=Number(int, 0), default=1, show_default=True,
              help="Seed of the games.")
@workers_option
@out_option("out/llm")
def main(pairs: int, seed: int, workers: int | None, out: Path) -> None:
    """Play a tournament of mock language models and print what its report finds."""
    ledger = make_folder(out) / "games.sqlite"
    models = [f"llm:mock-{skilled}-{malformed},cache=no,price_in=1,price_out=5,name={name}"
              for name, skilled, malformed in MODELS]
    with MockServer() as server:
        os.environ[URL] = server.url
        tournament(_GAME, [*models, "random"], ledger=ledger, workers=workers, pairs=pairs,
                   seed=seed)
    page = write_report(ledger, out / "report")[0]
    with Ledger(ledger, read_only=True) as opened:
        opened.show_names()
        answers = answer_frame(opened.games()).set_index("entrant")
    rows = []
    for name, skilled, malformed in MODELS:
        row = answers.loc[name]
        rows.append([name, f"{skilled:.0%}", f"{row.skill:.1%}",
                     f"{row.skill_low95:.1%} to {row.skill_high95:.1%}",
                     f"{malformed:.0%}", f"{row.malformed_share:.1%}",
                     f"{row.malformed_low95:.1%} to {row.malformed_high95:.1%}",
                     f"{row.money:.4f}"])
    click.echo(markdown_table(
        ["model", "good moves, planted", "found", "95%", "malformed, planted", "found", "95%",
         "price"], rows, left=(0,)))
    click.echo(page)


if __name__ == "__main__":
    run(main)
