"""What compiling buys: the textbook engines beside the compiled ones, which search the same way.

    python -m experiments.bench.compiling [--quick] [--game connect4]

For each game and each search: nodes or simulations a CPU second, measured in turns in one
process (the median of the rounds, and of their ratios), and how much stronger the compiled engine
is with as much CPU time for a move: Elo from games in pairs, openings drawn, colours swapped.

The compiled engines have nothing switched on that the textbook lacks: alpha-beta deepens and
cuts, without a table and without orders of moves; the tree searches start each move afresh. In
games without a network, PUCT has equal priors and the game's own estimate.

What to look for: random games gain most, for they are all rules and no Python; where a network
answers for every leaf, it takes the time and little is gained. A hundred times the speed is
not a hundred times the strength: what it is worth depends on the game and on the time.

Rates and games are kept in the folder of --out, so the same command continues where it was
stopped. The results stand in docs/compiling.md.
"""

from __future__ import annotations

import itertools
import json
import statistics
import sys
import time
from pathlib import Path
from typing import NamedTuple

import click

from dlgo import GameSpec, GameState, get_game
from dlgo.errors import ModelError
from dlgo.files import make_folder, write_file
from dlgo.rates import Meter, rates_in_turns
from engines.base import Budget
from engines.learning.networks.leaf_evaluator import model_for
from engines.minimax.stack import TECHNIQUE_HELP
from engines.registry import EngineSpec, build_engine
from experiments import options
from experiments.arena.progress import PlainReporter
from experiments.arena.schedule import Plan
from experiments.arena.tournament import run_tournament
from experiments.bench.measure import random_positions
from experiments.command import run
from experiments.options import Number
from reports.compare import elo_text
from reports.csv_import import load_games
from reports.head_to_head import head_to_heads

GAMES = ("tictactoe", "connect4", "connectn:cols=9,rows=7,n=5", "draughts", "go:size=9")
# Random plies before the positions on which speed is measured.
PLIES = 2


class Search(NamedTuple):
    """One search, twice."""

    title: str  # of its rows
    engines: tuple[str, str]  # the textbook's and the compiled one, without a budget
    unit: str  # of `Cost`, what is counted
    portions: tuple[int, int]  # how many of these each search is asked for when speed is measured

    def entrants(self, budget: str) -> tuple[str, ...]:
        """Both engines with a budget, as the ledger writes them."""
        return tuple(EngineSpec.parse(f"{text}{',' if ':' in text else ':'}{budget}").text
                     for text in self.engines)


def searches(game: GameSpec) -> tuple[Search, ...]:
    """What is compared in a game."""
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
    """Searches the positions one after the other, and says how much work each was."""
    limit = Budget(**{"sims" if search.unit == "simulations" else "nodes": search.portions[which]})
    engine = build_engine(search.engines[which], states[0].game, seed=1)
    turn = itertools.cycle(states)

    def work() -> int:
        return getattr(engine.select_move(next(turn), limit).cost, search.unit)

    return work


def speed(search: Search, game: GameSpec, seconds: float, rounds: int, seed: int) -> list[float]:
    """Textbook and compiled, each a CPU second, and how many times the latter is faster."""
    states = random_positions(game, PLIES, 8, seed)
    meters = [meter(search, which, states) for which in (0, 1)]
    slow, fast = rates_in_turns(meters, seconds, rounds, time.process_time)
    ratios = [b / a for a, b in zip(slow, fast, strict=True)]
    return [statistics.median(slow), statistics.median(fast), statistics.median(ratios)]


def strength(ledger: Path, game: GameSpec, entrants: tuple[str, ...]) -> str:
    """How much stronger the compiled engine is by its games in the ledger: cells of the table."""
    textbook, compiled = entrants
    (match,) = head_to_heads(load_games(ledger), compiled, textbook, str(game))
    score = match.pairs.score_interval()
    low, value, high = map(elo_text, (score.low95, score.value, score.high95))
    return f"{score.value:.0%} | {value} | {low} to {high}"


@click.command()
@options.games_option(GAMES)
@click.option("--cpu", type=Number(float, 0.001, 60), default=0.02, show_default=True,
              help="CPU seconds a move in the games.")
@options.measuring_options(0.5, 5)
@options.pairs_option(10)
@options.seed_option
@options.out_option("out/compiling")
@options.quick_option("Two games, short measurements, few games")
def main(
    games: tuple[str, ...], cpu: float, seconds: float, rounds: int, pairs: int, seed: int,
    out: Path, quick: bool,
) -> None:
    """Print what compiling buys: speed, and strength at equal CPU time."""
    if quick:
        games, cpu, seconds, rounds, pairs = ("tictactoe", "connect4"), 0.01, 0.1, 3, 3
        out = out.with_name(out.name + "-quick")
    make_folder(out)
    kept, ledger = out / "rates.json", out / "games.sqlite"
    rates = json.loads(kept.read_text()) if kept.exists() else {}
    rows = [(game, search) for game in map(get_game, games) for search in searches(game)]
    names = [f"{game}, {search.title}, {rounds} x {seconds:g} s" for game, search in rows]
    for name, (game, search) in zip(names, rows, strict=True):
        if name not in rates:
            print(f"speed: {name}", file=sys.stderr)
            rates[name] = speed(search, game, seconds, rounds, seed)
            write_file(kept, json.dumps(rates, indent=1))
    matches: dict[tuple[str, ...], list[str]] = {}
    for game, search in rows:
        matches.setdefault(search.entrants(f"cpu={cpu:g}"), []).append(str(game))
    for entrants, together in matches.items():
        plan = Plan(tuple(together), entrants, pairs=pairs, seed=seed, kind="match")
        run_tournament(plan, ledger, workers=1, progress=PlainReporter(sys.stderr))
    print(f"\n{2 * pairs} games each at {cpu:g} CPU s a move; rates a CPU second, median of "
          f"{rounds} rounds of {seconds:g} s\n")
    print("| game | search | counted | textbook /s | compiled /s | times | compiled scores | Elo "
          "| 95% interval |")
    print("|---|---|---|---:|---:|---:|---:|---:|---|")
    for name, (game, search) in zip(names, rows, strict=True):
        slow, fast, ratio = rates[name]
        score = strength(ledger, game, search.entrants(f"cpu={cpu:g}"))
        print(f"| {game} | {search.title} | {search.unit} | {slow:,.0f} | {fast:,.0f} | "
              f"{ratio:,.1f} | {score} |")


if __name__ == "__main__":
    run(main)
