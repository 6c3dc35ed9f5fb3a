"""AlphaZero here and elsewhere by CPU minutes of training: mistakes in solved positions, and games.

    python -m tests.studies.peers FOLDER                    # 50 ms of CPU a move each
    python -m tests.studies.peers FOLDER --sims 32          # equal simulations

FOLDER has what the scripts beside this file keep, such as FOLDER/mctx/12 after 12 CPU minutes, and
FOLDER/dlgo, a run of `dlgo train alphazero`. The environment needs the packages of all of them. The
last table is also in FOLDER/peers-50ms.csv.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pandas as pd

from dlgo import get_game
from dlgo.specs import quote_value
from engines.jobs import Processes
from engines.learning.networks.card import read_card
from experiments import options
from experiments.arena.schedule import Plan
from experiments.arena.tournament import run_tournament
from experiments.command import run
from experiments.measures.mistakes import Measured, print_mistakes
from experiments.measures.solved import solved_positions
from reports import tables
from reports.rate import rate_file

# The script of each peer, and the milliseconds of CPU of a simulation on a 2-core AMD EPYC.
PEERS = {
    "openspiel": ("openspiel_alphazero.py", 0.15), "mctx": ("mctx_alphazero.py", 0.047),
    "general": ("alpha_zero_general.py", 8.5), "general64": ("alpha_zero_general.py", 0.9),
}
MINUTES = 3, 12, 30, 60, 120


def entrants(folder: Path, ms: float, sims: int | None) -> Iterator[str]:
    """The specifications of all networks in a folder, named by learner and CPU minutes."""
    nets = sorted((folder / "dlgo" / "nets").glob("*"))
    costs = [read_card(net).total_cpu_seconds or 0.0 for net in nets]
    for minutes in MINUTES:
        if costs and costs[-1] >= 0.9 * 60 * minutes:
            _, net = max((cost, net) for cost, net in zip(costs, nets, strict=True)
                         if cost <= 60 * minutes)
            budget = f"sims={sims}" if sims else f"cpu={ms / 1000}"
            yield f"alphazero:name=dlgo {minutes},model={quote_value(str(net))},{budget}"
        for name, (script, each) in PEERS.items():
            if (network := folder / name / f"{minutes}").exists():
                yield (f"{Path(__file__).with_name(script)}:Player:name={name} {minutes},"
                       f"folder={quote_value(str(network))},sims={sims or max(2, int(ms / each))}")


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True))
@click.option("--ms", default=50.0, show_default=True, help="Milliseconds of CPU a move.")
@click.option("--sims", type=int, help="Simulations a move of all, instead of --ms.")
@click.option("--pairs", default=3, show_default=True, help="Openings of a match.")
@click.option("--count", default=50, show_default=True, help="Positions of each class.")
@options.workers_option
def main(
    folder: Path, ms: float, sims: int | None, pairs: int, count: int, workers: int | None
) -> None:
    """Measure mistakes, play what is missing, print ratings."""
    texts, kind = [*entrants(folder.resolve(), ms, sims)], f"{sims}sims" if sims else f"{ms:g}ms"
    path, ledger = folder / f"mistakes-{kind}.csv", folder / f"games-{kind}.sqlite"
    if not path.exists() or {*pd.read_csv(path)["engine"]} != {*texts}:
        with Processes(workers) as jobs:
            print_mistakes(texts, solved_positions(get_game("connect4"), count, jobs), jobs, path)
    run_tournament(Plan(("connect4",), tuple(texts), pairs, seed=1).canonical(), ledger, workers)
    errors = pd.read_csv(path)
    errors["entrant"] = errors["engine"].str.extract("name=([^,]*)", expand=False)
    errors = errors.groupby("entrant")[[*Measured._fields[:3]]].sum()
    table = rate_file(ledger)[0].rows.merge(errors, on="entrant").round(1)
    table = table[["entrant", "rating", "low95", "high95", "games", "mean_cpu_ms", *errors]]
    print(table.to_string(index=False))
    tables.write_csv(table, folder / f"peers-{kind}.csv")


if __name__ == "__main__":
    run(main)
