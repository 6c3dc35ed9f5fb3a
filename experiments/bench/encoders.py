"""How many positions a second each encoder encodes, on one thread.

    python -m experiments.bench.encoders [--games go9,connect4] [--seconds 1] [--rounds 3]

For each game, positions come from two kinds of games: random ones, and games of `mcts` against
itself, which look more like what networks see. They are encoded in batches of 64 by the compiled
`encode_many`, each from its own window of earlier positions. What counts is the thread's CPU time,
and the median of the rounds, in which the encoders of a game take turns.

The results stand in docs/encoders.md.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from dlgo import GameSpec, GameState, get_game, kernels
from dlgo.encoders import Encoder, encode_many, encoder_names, get_encoder
from engines.registry import build_engine
from experiments.command import run as run_command

BATCH = 64
BATCHES = 4


def random_states(game: GameSpec, count: int, seed: int) -> list[GameState]:
    """Positions of random games in which nobody fills own eyes, drawn from all of their plies."""
    generator = np.random.default_rng(seed)
    actions = np.empty(game.num_actions, np.int64)

    def choose(state: GameState) -> Any:
        n = kernels.search_actions(state.kernel_state, actions)
        return game.move_of(int(actions[generator.integers(n)]))

    return _drawn(game, choose, count, generator)


def engine_states(game: GameSpec, count: int, seed: int, engine: str) -> list[GameState]:
    """Positions of games of an engine against itself, after a random opening."""
    generator = np.random.default_rng(seed)
    player = build_engine(engine, game, seed)
    player.warm_up()

    def choose(state: GameState) -> Any:
        if len(state.moves()) < game.opening_plies:
            actions = state.legal_actions()
            return game.move_of(int(actions[generator.integers(len(actions))]))
        return player.select_move(state).move

    return _drawn(game, choose, count, generator)


def _drawn(
    game: GameSpec, choose: Callable[[GameState], Any], count: int, generator: np.random.Generator
) -> list[GameState]:
    states: list[GameState] = []
    while len(states) < 2 * count:
        state = GameState.new_game(game)
        while not state.is_over() and len(states) < 4 * count:
            states.append(state)
            move = choose(state)
            if move.is_resign:
                break
            state = state.apply_move(move)
    return [states[i] for i in generator.choice(len(states), count, replace=False)]


def meter(encoder: Encoder, states: list[GameState]) -> Callable[[], int]:
    """Encodes all the states once, and says how many they are."""
    length = encoder.history + 1
    longest = max((state.kernel_state for state in states), key=lambda s: sum(map(np.size, s)))
    batches = []
    for start in range(0, len(states), BATCH):
        part = states[start : start + BATCH]
        windows = kernels.make_batch(encoder.game.scratch_state(longest), len(part) * length)
        known = np.zeros(len(part), np.int64)
        for i, state in enumerate(part):
            window, known[i] = encoder.window(state)
            for j in range(known[i]):
                target = kernels.row(windows, i * length + j)
                kernels.copy_into(target, kernels.row(window, j))
        batches.append((windows, known, len(part)))
    out = np.empty((BATCH, *encoder.shape), np.float32)

    def run() -> int:
        for windows, known, n in batches:
            encode_many(encoder.kernel, windows, known, n, out)
        return len(states)

    return run


def measure(meters: list[Callable[[], int]], seconds: float, rounds: int) -> list[float]:
    """Positions a CPU second of each meter, measured in turns; the first call does not count."""
    for run in meters:
        run()
    rates: list[list[float]] = [[] for _ in meters]
    for _ in range(rounds):
        for run, found in zip(meters, rates, strict=True):
            done, began = 0, time.thread_time()
            while (spent := time.thread_time() - began) < seconds:
                done += run()
            found.append(done / spent)
    return [statistics.median(found) for found in rates]


def main() -> None:
    """Parse the command line and print a table for each game."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--games", nargs="+", help="games", default=[
        "tictactoe", "connect4", "connectn:cols=9,rows=7,n=5", "draughts", "go9", "go19",
    ])
    parser.add_argument("--encoders", nargs="+", help="only these", default=None)
    parser.add_argument("--engine", default="mcts:sims=100", help="whose games are encoded")
    parser.add_argument("--seconds", type=float, default=0.5, help="per encoder and round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    print(f"| game | encoder | planes | random games | {arguments.engine} |")
    print("|---|---|---:|---:|---:|")
    for spec in arguments.games:
        game = get_game(spec)
        kinds = (
            random_states(game, BATCHES * BATCH, arguments.seed),
            engine_states(game, BATCHES * BATCH, arguments.seed, arguments.engine),
        )
        names = arguments.encoders or encoder_names(game)
        encoders = [get_encoder(name, game) for name in names]
        meters = [meter(encoder, states) for encoder in encoders for states in kinds]
        rates = measure(meters, arguments.seconds, arguments.rounds)
        for i, encoder in enumerate(encoders):
            print(
                f"| {game} | `{encoder.name}` | {len(encoder.planes)} | {rates[2 * i]:,.0f} | "
                f"{rates[2 * i + 1]:,.0f} |", flush=True,
            )


if __name__ == "__main__":
    run_command(main)
