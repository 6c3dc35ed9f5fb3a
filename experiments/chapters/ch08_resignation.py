"""Chapter 8.3: how soon may an engine resign, and how often would that give a game away?

    python -m experiments.chapters.ch08_resignation [--quick] [--game go9] [--engine mcts:sims=400]
        [--games 100] [--seed 1] [--out out/resignation]

An engine that resigns below a threshold never learns whether it was right. So here it plays
itself to the end, its estimates are stored with every move, and afterwards each threshold is
tried on them: three estimates in a row below it, and the game would have been resigned.

What to look for: the false resignations, games that would have been given up and were not
lost in the end, and the share of the moves that resigning saves. A threshold is good while
the first stays below a few percent. `resign=0.05` in any engine's specification uses one.

Last run: `--quick`, 2026-11-22: below 0.05, 123 of 200 games resigned, none of them wrongly
(3.0% at most), 7.8% of the moves saved; below 0.3, 3.3% +-2.8% wrongly.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from dlgo.files import make_folder
from dlgo.records.ledger import GameRecord
from engines.termination import PATIENCE, Resignation
from experiments.arena.progress import PlainReporter
from experiments.arena.schedule import Plan
from experiments.arena.series import share_margin
from experiments.arena.tournament import games_of_plan, run_tournament
from experiments.command import run
from experiments.figures import BLUE, RED, drawing
from experiments.options import Number, out_option, quick_option, seed_option

THRESHOLDS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3)


@click.command()
@quick_option("200 games of Connect Four")
@click.option("--game", default="go9", show_default=True, help="Game to play.")
@click.option("--engine", default="mcts:sims=400", show_default=True,
              help="Engine that plays itself; it must estimate its chances.")
@click.option("--games", type=Number(int, 2), default=100, show_default=True,
              help="Games to play, no two from the same opening.")
@seed_option
@out_option("out/resignation")
def main(quick: bool, game: str, engine: str, games: int, seed: int, out: Path) -> None:
    """Play an engine against itself and count what resigning would have done."""
    if quick:
        game, games = "connect4", 200
    records = played(game, engine, games, seed, out)
    print(f"\n{len(records)} games of {engine} on {game}, {PATIENCE} estimates in a row")
    print(f"{'threshold':>10}{'resigned':>10}{'false':>8}{'false %':>9}{'+-':>6}"
          f"{'moves saved %':>15}")
    shares, margins, saves = [], [], []
    for threshold in THRESHOLDS:
        resigned, false, saved = tried(records, threshold)
        share = false / max(resigned, 1)
        shares.append(100 * share)
        margins.append(100 * share_margin(share, max(resigned, 1)))
        saves.append(100 * saved)
        print(f"{threshold:>10g}{resigned:>10}{false:>8}{shares[-1]:>9.1f}{margins[-1]:>6.1f}"
              f"{saves[-1]:>15.1f}")
    with drawing(out / "ch08_resignation.png", size=(9, 5)) as (axes,):
        axes.errorbar(THRESHOLDS, shares, margins, fmt="o-", color=RED, capsize=5,
                      label="of the resigned games not lost in the end")
        axes.plot(THRESHOLDS, saves, "s--", color=BLUE, label="of all moves saved")
        axes.set(xlabel="resign below this chance of winning", ylabel="%", ylim=(0, None),
                 title=f"{len(records)} games of {engine}, {game}")
        axes.legend()


def played(game: str, engine: str, games: int, seed: int, out: Path) -> list[GameRecord]:
    """Games of an engine against itself, no two from the same opening; those of `out` are kept."""
    plan = Plan((game,), (engine,), games, seed=seed, kind="mirror").canonical()
    path = make_folder(out) / "games.sqlite"
    run_tournament(plan, path, progress=PlainReporter(sys.stdout))
    return games_of_plan(plan, path)


def tried(
    records: list[GameRecord], threshold: float, patience: int = PATIENCE
) -> tuple[int, int, float]:
    """Games resigned, resigned but not lost, and the share of all moves that is saved."""
    resigned = false = saved = moves = 0
    for record in records:
        moves += (length := len(record.moves.split()))
        rules = [Resignation(threshold, patience), Resignation(threshold, patience)]
        for cost in record.costs:
            if cost.value is not None and rules[cost.player].update(cost.value):
                resigned += 1
                saved += length - cost.ply
                false += record.result != (0 if cost.player == 0 else 1)
                break
    return resigned, false, saved / max(moves, 1)


if __name__ == "__main__":
    run(main)
