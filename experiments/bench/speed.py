"""Speed of rollouts and MCTS, compared with OpenSpiel, on one thread.

Measured from the start position of each game:

* rollouts: random games to the end, in compiled code. Compared with OpenSpiel's states driven from
  Python, its only way to play random games.
* mcts: simulations of the UCT search with one rollout a leaf, in searches of 1,000 (a fresh
  tree each). Compared with OpenSpiel's C++ `MCTSBot` with the same settings.
* 2 threads: simulations per second of longer searches on two threads, compared with one thread. It
  needs two idle cores.
* states: moves of random games through the Python `GameState`. Compared with OpenSpiel's states
  from Python.

The measurements alternate, so that a machine that becomes slower slows all alike; the median of the
rounds counts.
"""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import Any

import click
import numpy as np

from dlgo import GameSpec, GameState, get_game, kernels
from dlgo.files import write_csv
from dlgo.rates import Meter, rates_in_turns
from dlgo.rng import make_rng
from dlgo.text import number_of
from engines.registry import build_engine

SIMULATIONS = 1000
# Number of simulations of a search on two threads, so large that starting them does not matter.
THREADED_SIMULATIONS = 20_000
DEFAULT_GAMES = (
    "tictactoe", "connect4", "connectn:cols=9,rows=7,n=5", "go:size=9", "go:size=19", "draughts",
    "hex", "othello", "breakthrough",
)


def run_bench(games: list[GameSpec], seconds: float, rounds: int, csv: Path | None) -> None:
    """Measure, print the table and optionally write it as CSV."""
    rows = []
    click.echo(f"one thread, median of {number_of(rounds, 'round')} of {seconds:g} s; per second")
    click.echo(f"{'game':<28}{'what':<10}{'dlgo':>12}{'other':>12}{'ratio':>8}  other")
    for game in games or [get_game(name) for name in DEFAULT_GAMES]:
        others = {"one thread": _mcts(game, THREADED_SIMULATIONS), **_open_spiel_meters(game)}
        for unit, meter, other, label in (
            ("rollouts", _rollouts(game), "rollouts", "OpenSpiel from Python"),
            ("mcts", _mcts(game), "mcts", "OpenSpiel's MCTSBot in C++"),
            ("2 threads", _mcts(game, THREADED_SIMULATIONS, 2), "one thread", "dlgo, one thread"),
            ("states", _states(game), "states", "OpenSpiel from Python"),
        ):
            beside = [others[other]] if other in others else []
            ours, *theirs = map(median, rates_in_turns([meter, *beside], seconds, rounds))
            their, ratio = (theirs[0], ours / theirs[0]) if theirs else (None, None)
            label = label if theirs else "no OpenSpiel, or not its game"
            rows.append([str(game), unit, ours, their, ratio, label])
            texts = (f"{their:,.0f}", f"{ratio:.1f}") if theirs else ("-", "-")
            click.echo(f"{game!s:<28}{unit:<10}{ours:>12,.0f}{texts[0]:>12}{texts[1]:>8}  {label}")
        if csv:  # after each game, so that Ctrl-C loses one game at most
            write_csv(csv, ["game", "what", "dlgo_per_s", "other_per_s", "ratio", "other"], rows)


def _rollouts(game: GameSpec) -> Meter:
    state = GameState.new_game(game).kernel_state
    work = game.scratch_state(state)
    rng = make_rng(1)

    def meter() -> int:
        kernels.rollouts(state, work, rng, 1000)
        return 1000

    return meter


def _mcts(game: GameSpec, simulations: int = SIMULATIONS, threads: int = 1) -> Meter:
    # Options at their defaults, but no subtree kept: each search starts afresh, as theirs does.
    engine = build_engine(f"mcts:sims={simulations},threads={threads},reuse=no", game, seed=1)
    state = GameState.new_game(game)

    def meter() -> int:
        return engine.select_move(state).cost.simulations

    return meter


def _states(game: GameSpec) -> Meter:
    generator = np.random.default_rng(1)

    def meter() -> int:
        state = GameState.new_game(game)
        moves = 0
        while not state.is_over() and moves < 1000:
            actions = state.legal_actions()
            state = state.apply_move(game.move_of(actions[generator.integers(len(actions))]))
            moves += 1
        return moves

    return meter


def _open_spiel_meters(game: GameSpec) -> dict[str, Meter]:
    try:
        import pyspiel
    except ImportError:
        return {}
    from engines.adapters.openspiel import openspiel_name

    name = openspiel_name(game)
    if name is None:
        return {}
    theirs = pyspiel.load_game(name)
    one_rollout = pyspiel.RandomRolloutEvaluator(1, 1)
    bot = pyspiel.MCTSBot(
        theirs, one_rollout, 2.0, SIMULATIONS, 1000, False, 1, False,
        pyspiel.ChildSelectionPolicy.UCT,
    )
    start = theirs.new_initial_state()
    generator = np.random.default_rng(1)

    def mcts() -> int:
        bot.step(start)
        return SIMULATIONS

    def play_one(state: Any) -> int:
        moves = 0
        while not state.is_terminal():
            actions = state.legal_actions()
            state.apply_action(actions[generator.integers(len(actions))])
            moves += 1
        return moves

    def rollouts() -> int:
        play_one(theirs.new_initial_state())
        return 1

    def states() -> int:
        return play_one(theirs.new_initial_state())

    return {"rollouts": rollouts, "mcts": mcts, "states": states}
