"""Chapter 14: which ways of asking a network less are worth how much Elo?

    python -m experiments.studies.az_search_ladder [--quick] [--game connect4] [--row batch-8]
    python -m experiments.studies.az_search_ladder --budget wall=0.05 --row trees --row one-tree

Each row is a match of AlphaZero's search with a technique against the search without it, at an
equal budget for a move, CPU time by default: random openings, each played with both colours. It
prints the score over pairs of games and the Elo, with their 95% intervals, and what either side
did for its time: simulations and evaluations of the network, mean of all moves that it chose.

What to look for: a technique that makes twice the simulations may still lose, if they are spent
less well (leaves in batches), or on the same positions (two trees). A row is worth something where
its whole interval is above zero.

Ledgers and `ladder.csv` stay in the folder of --out; the same command continues. The results stand
in docs/engines/alphazero.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
import pandas as pd

from dlgo.games import get_game
from engines.alphazero.engine import USUAL_C_PUCT
from engines.isolation.describe import read_spec
from experiments.arena.schedule import Plan
from experiments.command import run
from experiments.options import (
    cluster_option,
    out_option,
    pairs_option,
    quick_option,
    seed_option,
    workers_option,
)
from experiments.studies.rated import play_match
from reports.compare import elo_text
from reports.csv_import import load_games
from reports.tables import by_entrant, write_csv

CACHE = "cache=20000"


@dataclass(frozen=True)
class Row:
    """A technique: its name, and the options of AlphaZero with it and without it."""

    name: str
    title: str
    options: str
    before: str


ROWS = (
    Row("cache", "the network's answers are kept", CACHE, "cache=0"),
    *(Row(f"batch-{n}", f"{n} leaves at once, with the cache", f"{CACHE},batch={n}", CACHE)
      for n in (2, 4, 8, 16)),
    Row("batch-8-bare", "8 leaves at once, without the cache", "cache=0,batch=8", "cache=0"),
    Row("trees", "two threads, a tree each", f"{CACHE},threads=2", CACHE),
    Row("one-tree", "two threads in one tree", f"{CACHE},threads=2,one_tree=yes", CACHE),
    Row("one-tree-trees", "two threads in one tree, instead of a tree each",
        f"{CACHE},threads=2,one_tree=yes", f"{CACHE},threads=2"),
    *(Row(f"average-{n}", f"mean of the answers from {n} sides of the board",
          f"average_symmetries={n}", "average_symmetries=1") for n in (2, 8)),
    *(Row(f"c-puct-{c:g}", f"weight of the prior {c:g} instead of {USUAL_C_PUCT:g}",
          f"c_puct={c:g}", f"c_puct={USUAL_C_PUCT:g}") for c in (0.4, 0.6, 1.4)),
)


def entrants(row: Row, budget: str) -> tuple[str, str]:
    """The two engines of a row, as the arena names them."""
    return (read_spec(f"alphazero:{budget},{row.options}").text,
            read_spec(f"alphazero:{budget},{row.before}").text)


def play(
    row: Row, game: str, budget: str, pairs: int, seed: int, out: Path,
    workers: int | None = None, cluster: str | None = None,
) -> dict[str, object]:
    """Play what has not been played of a row; what came of it."""
    one, other = entrants(row, budget)
    print(f"\n{row.name}: {one} against {other}", flush=True)
    cost = "".join(c if c.isalnum() or c in ".-" else "_" for c in budget)
    ledger = out / f"{row.name}-{cost}-{seed}.sqlite"
    plan = Plan((game,), (one, other), pairs=pairs, seed=seed)
    match, score = play_match(plan, ledger, workers, cluster)
    sides = by_entrant(load_games(ledger))
    costs: dict[str, float] = {}
    for which, who in (("with", one), ("without", other)):
        played = sides[(sides["entrant"] == who) & (sides["moves"] > 0)]
        for name in ("simulations", "evaluations", "cpu_ms"):
            costs[f"{name}_{which}"] = np.average(played[name], weights=played["moves"])
    return {
        "row": row.name, "title": row.title, "games": len(match.scores),
        "score": score.value, "low95": score.low95, "high95": score.high95, **costs,
    }


def print_table(frame: pd.DataFrame) -> None:
    """The rows as Markdown, for the docs."""
    print("\n| | games | score % (by pairs) | Elo | simulations | evaluations | CPU ms |")
    print("|---|---:|---|---|---|---|---|")
    for row in frame.itertuples(index=False):
        low, value, high = map(elo_text, (row.low95, row.score, row.high95))
        pairs_of = (f"{getattr(row, f'{name}_with'):,.{digits}f} : "
                    f"{getattr(row, f'{name}_without'):,.{digits}f}"
                    for name, digits in (("simulations", 0), ("evaluations", 0), ("cpu_ms", 1)))
        print(f"| {row.title} | {row.games} | {row.score:.1%} ({row.low95:.1%} to "
              f"{row.high95:.1%}) | {value} ({low} to {high}) | {' | '.join(pairs_of)} |")


@click.command()
@click.option("--game", default="connect4", show_default=True,
              help="What is played; one with a network for it.")
@click.option("--row", "names", multiple=True, help="Only this row; may be repeated.")
@click.option("--budget", default="cpu=0.02", show_default=True,
              help="What a move may cost: cpu=SECONDS, wall=SECONDS or sims=NUMBER.")
@pairs_option(100)
@seed_option
@workers_option
@cluster_option
@out_option("out/az_search_ladder")
@quick_option("One pair of games for each row")
def main(
    game: str, names: tuple[str, ...], budget: str, pairs: int, seed: int, workers: int | None,
    cluster: str | None, out: Path, quick: bool,
) -> None:
    """Tell what each technique of AlphaZero's search is worth at equal cost."""
    unknown = set(names) - {row.name for row in ROWS}
    if unknown:
        raise click.UsageError(f"no row is called {', '.join(sorted(unknown))}; rows are "
                               f"{', '.join(row.name for row in ROWS)}")
    if quick:
        pairs, budget, out = 1, "cpu=0.002", out.with_name(out.name + "-quick")
    spec = get_game(game)
    folder = out / spec.slug
    rows: Sequence[Row] = [row for row in ROWS if not names or row.name in names]
    frame = pd.DataFrame(
        [play(row, str(spec), budget, pairs, seed, folder, workers, cluster) for row in rows])
    write_csv(frame, folder / "ladder.csv")
    print_table(frame)


if __name__ == "__main__":
    run(main)
