"""How many positions a second each encoder encodes, on one thread.

    python -m experiments.bench.encoders [--game go9] [--seconds 1] [--rounds 3]

For each game, positions come from two kinds of games: random ones, and games of `mcts` against
itself, which look more like what networks see. They are encoded in batches of 64 by the compiled
`encode_many`, each from its own window of earlier positions. What counts is the thread's CPU time,
and the median of the rounds, in which the encoders of a game take turns.

The results stand in docs/encoders.md.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import click
import numpy as np

from dlgo import GameSpec, GameState, get_game, kernels
from dlgo.encoders import Encoder, encode_many, encoder_names, get_encoder
from engines.isolation.describe import read_spec
from experiments.bench.measure import Meter, median_rates
from experiments.command import run
from experiments.number import Number

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
    player = read_spec(engine).build(game, seed)
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


def meter(encoder: Encoder, states: list[GameState]) -> Meter:
    """Encodes all the states once; they are the units."""
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

    def encode_all() -> int:
        for windows, known, n in batches:
            encode_many(encoder.kernel, windows, known, n, out)
        return len(states)

    return encode_all


@click.command()
@click.option("--game", "games", multiple=True, default=(
    "tictactoe", "connect4", "connectn:cols=9,rows=7,n=5", "draughts", "go9", "go19",
), show_default=True, help="Game whose positions are encoded; may be repeated.")
@click.option("--encoder", "names", multiple=True,
              help="Encoder to measure; may be repeated; all of the game by default.")
@click.option("--engine", default="mcts:sims=100", show_default=True,
              help="Engine whose games are encoded beside random ones.")
@click.option("--seconds", type=Number(float, 0.01, 60), default=0.5, show_default=True,
              help="CPU seconds of one measurement.")
@click.option("--rounds", type=Number(int, 1, 100), default=3, show_default=True,
              help="Measurements of each encoder, in turns; the median counts.")
@click.option("--seed", type=Number(int), default=1, show_default=True, help="Seed of the games.")
def main(
    games: tuple[str, ...], names: tuple[str, ...], engine: str, seconds: float, rounds: int,
    seed: int,
) -> None:
    """Print how many positions a second each encoder encodes, a table for each game."""
    click.echo(f"| game | encoder | planes | random games | {engine} |")
    click.echo("|---|---|---:|---:|---:|")
    for game in map(get_game, games):
        kinds = (
            random_states(game, BATCHES * BATCH, seed),
            engine_states(game, BATCHES * BATCH, seed, engine),
        )
        encoders = [get_encoder(name, game) for name in names or encoder_names(game)]
        meters = [meter(encoder, states) for encoder in encoders for states in kinds]
        rates = median_rates(meters, seconds, rounds, time.thread_time)
        for encoder, of_random, of_engine in zip(encoders, rates[::2], rates[1::2], strict=True):
            click.echo(
                f"| {game} | `{encoder.name}` | {len(encoder.planes)} | {of_random:,.0f} | "
                f"{of_engine:,.0f} |"
            )


if __name__ == "__main__":
    run(main)
