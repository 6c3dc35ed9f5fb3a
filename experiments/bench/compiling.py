"""Measures the gain of compiling: textbook engines against compiled engines with the same search.

    python -m experiments.bench.compiling [--quick] [--game connect4]

For each game and each search: nodes or simulations per CPU second, in alternating measurements in
one process (the median of the rounds, and of their ratios), and how much stronger the compiled
engine is at equal CPU time per move: its score and Elo with 95% intervals from games in pairs,
openings drawn, colours swapped.

The compiled engines use only the techniques of the textbook engines: alpha-beta with deepening and
cuts, without a table and without move ordering; tree searches with a new tree for each move. In
games without a network, PUCT has equal priors and the game's own estimate.

What to look for: random games gain most, because they consist of rules only; if a network evaluates
every leaf, it takes most of the time and compiling gains little. A hundred times the speed is not a
hundred times the strength: the gain depends on the game and on the time.

docs/lab_notebook.md has the results.
"""

from __future__ import annotations

import itertools
import time
from statistics import median
from typing import NamedTuple

import click

from dlgo import GameSpec, GameState, get_game
from dlgo.errors import ModelError
from dlgo.rates import Meter, rates_in_turns
from engines.base import Budget
from engines.learning.networks.leaf_evaluator import model_for
from engines.minimax.stack import TECHNIQUE_HELP
from engines.registry import EngineSpec, build_engine
from experiments import options
from experiments.arena.series import play_series
from experiments.bench.measure import random_positions, score_text
from experiments.command import run
from experiments.options import Number
from reports.compare import elo_text

GAMES = ("tictactoe", "connect4", "connectn:cols=9,rows=7,n=5", "draughts", "go:size=9",
         "hex:size=7", "othello", "breakthrough")
# Number of random plies before the positions for measuring speed.
PLIES = 2


class Search(NamedTuple):
    """One search in two implementations."""

    title: str  # of its rows
    engines: tuple[str, str]  # the textbook's and the compiled one, without a budget
    unit: str  # the field of `Cost` that is counted
    amounts: tuple[int, int]  # the budget of each engine when speed is measured

    def entrants(self, budget: str) -> tuple[str, ...]:
        """Both engines with a budget."""
        return tuple(EngineSpec.parse(f"{text}{',' if ':' in text else ':'}{budget}").text
                     for text in self.engines)


def searches(game: GameSpec) -> tuple[Search, ...]:
    """The searches that are compared in a game."""
    bare = ",".join(
        f"{name}=no" for name in TECHNIQUE_HELP if name not in ("cuts", "deepening")
    )
    try:
        model_for(game, "alphazero")
        guided, title = "alphazero:reuse=no", "PUCT with a network"
    except ModelError:
        guided, title = "puct:evaluator=static,c_puct=0.9,reuse=no", "PUCT with estimates"
    return (
        Search("alpha-beta", ("textbook-alphabeta", f"alphabeta:{bare}"), "nodes", (1000, 50_000)),
        Search("UCT", ("textbook-mcts", "mcts:reuse=no"), "simulations", (20, 2000)),
        Search(title, ("textbook-puct", guided), "simulations", (20, 100)),
    )


def meter(search: Search, which: int, states: list[GameState]) -> Meter:
    """A meter that searches the positions one after the other and returns the work of each."""
    limit = Budget(**{"sims" if search.unit == "simulations" else "nodes": search.amounts[which]})
    engine = build_engine(search.engines[which], states[0].game, seed=1)
    turn = itertools.cycle(states)

    def work() -> int:
        return getattr(engine.select_move(next(turn), limit).cost, search.unit)

    return work


def row(
    game: GameSpec, search: Search, cpu: float, seconds: float, rounds: int, pairs: int, seed: int
) -> str:
    """A line of the table."""
    states = random_positions(game, PLIES, 8, seed)
    meters = [meter(search, which, states) for which in (0, 1)]
    slow, fast = rates_in_turns(meters, seconds, rounds, time.process_time)
    times = median(b / a for a, b in zip(slow, fast, strict=True))
    textbook, compiled = search.entrants(f"cpu={cpu:g}")
    series = play_series(game, compiled, textbook, pairs, seed)
    low, value, high = (
        elo_text(series.share + sign * series.margin) for sign in (-1, 0, 1))
    return (f"| {game} | {search.title} | {search.unit} | {median(slow):,.0f} | "
            f"{median(fast):,.0f} | {times:,.1f} | {score_text(series)} | {value} | "
            f"{low} to {high} |")


@click.command()
@options.games_option(GAMES)
@click.option("--cpu", type=Number(float, 0.001, 60), default=0.02, show_default=True,
              help="CPU seconds a move in the games.")
@options.measuring_options(0.5, 5)
@options.pairs_option(10)
@options.seed_option
@options.quick_option("Two games, short measurements, few games")
def main(
    games: tuple[str, ...], cpu: float, seconds: float, rounds: int, pairs: int, seed: int,
    quick: bool,
) -> None:
    """Print the gain of compiling: speed, and strength at equal CPU time."""
    if quick:
        games, cpu, seconds, rounds, pairs = games[:2], 0.01, 0.1, 3, 3
    specs = [get_game(game) for game in games]
    print(f"{2 * pairs} games each at {cpu:g} CPU s a move; rates a CPU second, median of "
          f"{rounds} rounds of {seconds:g} s\n")
    print("| game | search | counted | textbook /s | compiled /s | times | compiled scores % | Elo "
          "| 95% interval |")
    print("|---|---|---|---:|---:|---:|---:|---:|---|")
    for game in specs:
        for search in searches(game):
            print(row(game, search, cpu, seconds, rounds, pairs, seed), flush=True)


if __name__ == "__main__":
    run(main)
