"""Chapter 8.5: one of our engines against GNU Go, over GTP.

    python -m experiments.chapters.ch08_gnugo [--quick] [--engine SPEC] [--level 10] [--games 100]

What to look for: the score and its interval, then what a move has cost on each side.

Last run, 2026-11-21: uniform rollouts are lost against level 10 (2 of 20 games at 20,000
simulations); the same tree with heavy rollouts and RAVE scores 81 of 100 at half as many.
`--quick`, 2026-11-22: 0 of 12 games, 0% to 24.3%.

It is a tournament of two: a pair of games begins with the same four random moves, colours
swapped; the same command continues after an interruption. Games are counted by our rules: by area
after two passes, every stone on the board alive. GNU Go takes dead stones off before it passes only
with --capture-all-dead: without it, our count and its own differed in all of 10 games.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from dlgo import get_game
from dlgo.files import make_folder, write_file
from dlgo.records.ledger import GameRecord
from dlgo.records.sgf import write_sgf
from experiments.arena.progress import BarReporter, PlainReporter
from experiments.arena.schedule import Plan
from experiments.arena.series import share_margin
from experiments.arena.tournament import games_of_plan, run_tournament
from experiments.command import run
from experiments.figures import draw_scores, drawing
from experiments.opponents.gnugo import gnugo_spec
from experiments.options import Number, out_option, quick_option, seed_option, workers_option
from experiments.play.board_drawing import draw_board


@click.command()
@quick_option("12 games of uniform rollouts at level 0")
@click.option("--engine", default="mcts:sims=10000,rollout=heavy,rule=rave", show_default=True,
              help="Engine of this project.")
@click.option("--level", type=Number(int, 0, 20), default=10, show_default=True,
              help="Level of GNU Go.")
@click.option("--games", type=Number(int, 2), default=100, show_default=True,
              help="Games to play, in pairs with swapped colours.")
@click.option("--size", type=Number(int, 5, 19), default=9, show_default=True,
              help="Lines of the board.")
@click.option("--komi", type=Number(float, -1000, 1000), default=7.0, show_default=True,
              help="Points that White gets.")
@seed_option
@workers_option
@out_option("out/gnugo")
def main(
    quick: bool, engine: str, level: int, games: int, size: int, komi: float, seed: int,
    workers: int | None, out: Path,
) -> None:
    """Play the match, write ledger and SGF files, print the score."""
    if quick:
        engine, level, games, out = "mcts:sims=300", 0, 12, out / "quick"
    game = get_game("go", size=size, komi=komi)
    opponent = gnugo_spec(level)
    plan = Plan((str(game),), (engine, opponent), pairs=-(-games // 2), seed=seed).canonical()
    progress = BarReporter() if sys.stderr.isatty() else PlainReporter(sys.stdout)
    make_folder(out)
    try:
        run_tournament(plan, out / "games.sqlite", workers=workers, progress=progress)
    finally:
        records = games_of_plan(plan, out / "games.sqlite")
        _write_games(records, out)
    scores = _tell(records, plan.entrants)
    with drawing(out / "ch08_gnugo.png", 2, 1, (6, 5.4), width_ratios=(1, 1.2)) as axes:
        end = records[-1].replay()
        draw_board(axes[0], end)
        axes[0].set_title(f"the last game: {game.result_text(end)}")
        draw_scores(axes[1], scores)
        axes[1].set_title(f"{len(records)} games against GNU Go level {level}")


def _write_games(records: Sequence[GameRecord], out: Path) -> None:
    for record in records:
        ours = "white" if record.first.startswith("gtp:") else "black"
        forfeit = ("B+F" if record.result == 1 else "W+F") if record.failed else None
        data = write_sgf(
            record.replay(), black=record.first, white=record.second, result=forfeit,
            comments={0: f"opening: {record.opening}; {record.reason}"}, info={"RU": "Chinese"},
        )
        write_file(out / f"game{record.pair:04d}-{ours}.sgf", data, sync=False)


def _tell(records: Sequence[GameRecord], entrants: Sequence[str]) -> dict[str, tuple]:
    """Print score with interval, colours, failures, costs, as the first entrant sees them."""
    # Two games with the same moves are one observation.
    distinct = list({record.moves: record for record in records}.values())
    points = {True: [], False: []}  # with black, with white
    for record in distinct:
        black = record.first == entrants[0]
        points[black].append(record.result if black else 1 - record.result)
    scores = points[True] + points[False]
    low, high = _wilson(sum(scores) / len(scores), len(scores))
    print(f"\n{entrants[0]} against {entrants[1]}")
    print(f"score {sum(scores):g} of {len(scores)}: {sum(scores) / len(scores):.1%}, "
          f"95% interval {low:.1%} to {high:.1%}")
    print(f"with black {sum(points[True]):g} of {len(points[True])}, "
          f"with white {sum(points[False]):g} of {len(points[False])}; "
          f"{len(records) - len(distinct)} repeated games not counted, "
          f"{sum(record.failed for record in records)} lost by failures")
    for entrant in entrants:
        costs = [cost for record in records for cost in record.costs
                 if (record.first, record.second)[cost.player] == entrant]
        cpu, wall = (sum(getattr(c, name) for c in costs) / len(costs) for name in ("cpu", "wall"))
        print(f"{cpu:8.3f} s CPU, {wall:.3f} s wall a move: {entrant}")
    means = {name: (sum(part) / len(part), len(part)) for name, part in (
        ("all", scores), ("with black", points[True]), ("with white", points[False])) if part}
    return {name: (mean, share_margin(mean, n)) for name, (mean, n) in means.items()}


def _wilson(share: float, n: int) -> tuple[float, float]:
    """The 95% interval of a score (Wilson 1927); draws make it a little too wide."""
    z2 = 1.96**2
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = 1.96 / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return middle - half, middle + half


if __name__ == "__main__":
    run(main)
