"""Chapter 8: how good is a bot without a search, when may it resign, and what is an Elo?

    python -m experiments.chapters.ch08 --quick
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import pandas as pd
from matplotlib.axes import Axes

from engines.termination import Resignation
from experiments.arena.schedule import Plan
from experiments.arena.series import play_series
from experiments.arena.tournament import games_of_plan, run_tournament
from experiments.chapters.experiment import (
    Row,
    experiment,
    match,
    scratch_folder,
    script,
    share_row,
)
from experiments.figures import BLUE, RED
from reports.intervals import share_margin


@experiment(quick={"pairs": 5}, full={"pairs": 20}, reference=50,
            size=(8.0, 4.0))
def one_look(pairs: int) -> Iterator[Row]:
    """Does a network that evaluates each position once beat searches on 9x9? And is it better to
    play its favourite move, or to draw one from its probabilities?"""
    for opponent in ("random", "mcts:sims=100", "mcts:sims=1000"):
        yield match("go9", "supervised", opponent, pairs, f"network against {opponent}")
    yield match("go9", "supervised", "supervised:choose=sample,temperature=1", pairs,
                "favourite against drawn move")


@experiment(quick={"pairs": 100}, full={"pairs": 500}, digits=1, tolerance=0.01,
            size=(8.0, 5.0))
def resigning(pairs: int, game: str = "connect4") -> Iterator[Row]:
    """A search plays Connect Four against itself to the end of each game. How many resigned games
    were not lost? Compare one low estimate with three. And how many moves are saved?"""
    plan = Plan((game,), ("mcts:sims=400",), pairs=pairs, seed=1, kind="mirror").canonical()
    ledger = scratch_folder() / "games.sqlite"
    run_tournament(plan, ledger)
    games = games_of_plan(plan, ledger)
    moves = sum(len(played.moves.split()) for played in games)
    for patience in (1, 3):
        for threshold in (0.02, 0.05, 0.1, 0.15, 0.2, 0.3):
            resigned = wrong = saved = 0
            for played in games:
                rules = [Resignation(threshold, patience), Resignation(threshold, patience)]
                for cost in played.costs:
                    if cost.value is not None and rules[cost.player].update(cost.value):
                        resigned += 1
                        wrong += played.result != cost.player  # the result of a loss: 0 or 1
                        saved += len(played.moves.split()) - cost.ply
                        break
            label = f"below {threshold:.0%}, {patience} in a row"
            yield share_row(label, wrong / max(resigned, 1), max(resigned, 1), below=threshold)
            if threshold == 0.1:
                yield {"label": f"moves saved, {patience} in a row", "value": 100 * saved / moves}


@resigning.drawing
def _(table: pd.DataFrame, axes: Axes) -> None:
    for patience, colour in ((1, RED), (3, BLUE)):
        rows = table[table["label"].str.match(f"below.* {patience} in")]
        axes.errorbar(rows["below"], rows["value"], (rows["high"] - rows["low"]) / 2, fmt="o-",
                      color=colour, capsize=5, label=f"{patience} low estimate" + (
                          "s in a row" if patience > 1 else ""))
    axes.set(xlabel="resign below this expected share of wins",
             ylabel="wrong resignations in %",
             ylim=(0, None))
    axes.legend()


@experiment(quick={"pairs": 60}, full={"pairs": 400}, unit="Elo", size=(8.0, 3.5),
            quantity="difference")
def elo(pairs: int) -> Iterator[Row]:
    """Do Elo differences add up? Compare the two short steps together with the long one."""
    steps = []
    for sims, fewer in ((200, 100), (400, 200), (400, 100)):
        series = play_series("go:size=5,komi=0.5", f"mcts:sims={sims}", f"mcts:sims={fewer}", pairs,
                             seed=1)
        low, middle, high = (elo_of(series.share + sign * share_margin(series.share, series.games))
                             for sign in (-1, 0, 1))
        steps.append((middle, (high - low) / 2))
        yield {"label": f"{sims} against {fewer} simulations", "value": middle, "low": low,
               "high": high}
    total, margin = steps[0][0] + steps[1][0], math.hypot(steps[0][1], steps[1][1])
    yield {"label": "sum of the first two", "value": total, "low": total - margin,
           "high": total + margin}


def elo_of(share: float) -> float:
    """The Elo difference of a score, 0 to 1."""
    return 400 * math.log10(share / (1 - share))


if __name__ == "__main__":
    script(__doc__, one_look, resigning, elo)
