"""Language models without a key: a tournament of mock models, and what its report finds of them.

    python -m experiments.llm.demo --out out/llm

Two models of `mock.py` play tic-tac-toe against each other and a random player. Each has a known
probability P of a good move, and Q of an answer without a legible move. The report estimates Q.
The demo estimates P from the mistakes: in each position a random player errs with a known
probability, and the model with that probability times 1 - P. Compare the two ratings: the model
with malformed answers loses Elo by form, not by play. About one interval in twenty misses the true
value: in 500 tournaments of 20 pairs, 1,898 of 2,000 intervals contained it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from dlgo import get_game
from dlgo.files import make_folder
from dlgo.records.game_record import GameRecord
from dlgo.records.ledger import Ledger
from engines.llm.engine import URL
from engines.solver.outcomes import is_mistake, outcomes_of
from experiments.command import run
from experiments.front_door import tournament
from experiments.llm.mock import MockServer
from experiments.options import Number, out_option, workers_option
from reports.forfeits import answer_frame
from reports.intervals import Z95
from reports.rating_table import Estimate
from reports.report import write_report
from reports.text import markdown_table

_GAME = "tictactoe"
# Name, P and Q.
MODELS = (("strong but sloppy", 0.9, 0.4), ("weak but tidy", 0.3, 0.05))


def skill(records: Iterable[GameRecord], entrant: str, z: float = Z95) -> Estimate:
    """How often an entrant of tic-tac-toe plays well instead of at random, with the interval of
    `z` standard deviations."""
    game = get_game(_GAME)
    solve = outcomes_of(game)
    assert solve is not None
    mistakes, chances = 0, []
    for record in records:
        states = list(record.positions())
        for cost in record.costs:
            if entrant != (record.first, record.second)[cost.player]:
                continue
            outcomes = solve([states[cost.ply].actions()])[0]
            chances.append(sum(is_mistake(outcomes, action) for action in outcomes)
                           / len(outcomes))
            mistakes += is_mistake(outcomes, states[cost.ply + 1].actions()[-1])
    return good_moves(mistakes, chances, z)


def good_moves(mistakes: int, chances: Sequence[float], z: float = Z95) -> Estimate:
    """P of a player that made some mistakes, where a random one makes each with its chance.

    The interval has all P that expect the mistakes to be within `z` of their standard deviations.
    If all chances are equal, it is Wilson's. The usual one, value +- z errors, is too short where
    mistakes are few, and ends at P = 1 if there are none. P is nan where no move could be
    a mistake.
    """
    if not any(chances):
        return Estimate(math.nan, math.nan, math.nan)
    total, squares = sum(chances), sum(chance**2 for chance in chances)
    # With r = 1 - P, solve (mistakes - r * total)**2 = z**2 * (r * total - r**2 * squares).
    scale = total**2 + z**2 * squares
    middle = total * (mistakes + z**2 / 2) / scale
    width = math.sqrt(max(middle**2 - mistakes**2 / scale, 0.0))
    return Estimate(1 - mistakes / total, 1 - middle - width, 1 - middle + width)


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
        records = list(opened.games())
    answers = answer_frame(records).set_index("entrant")
    rows = []
    for name, skilled, malformed in MODELS:
        row, rating = answers.loc[name], skill(records, name)
        rows.append([name, f"{skilled:.0%}", f"{rating.value:.1%}",
                     f"{rating.low95:.1%} to {rating.high95:.1%}",
                     f"{malformed:.0%}", f"{row.malformed_share:.1%}",
                     f"{row.malformed_low95:.1%} to {row.malformed_high95:.1%}",
                     f"{row.money:.4f}"])
    click.echo(markdown_table(
        ["model", "good moves, planted", "found", "95%", "malformed, planted", "found", "95%",
         "price"], rows, left=(0,)))
    click.echo(page)


if __name__ == "__main__":
    run(main)
