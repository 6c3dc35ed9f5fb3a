"""Steps per second of the vectorised environment, compared with other projects.

    python -m experiments.bench.vector [--game connect4] [--boards 1024] [--seconds 1] [--rounds 5]

A step is one move on one board, with the same work for all: draw a legal action uniformly at
random, play it, provide the observation and the mask of legal actions of the next player as arrays,
and start a new game when one ends. Compared with `dlgo.vector`:

* PettingZoo's own environment (connect_four_v3, go_v5) as `env()` makes it, one board;
* OpenSpiel's C++ states driven from Python, one board: `apply_action`, `legal_actions`,
  `observation_tensor`, the last two as NumPy arrays;
* pgx, compiled by JAX for the CPU, as many boards as `dlgo.vector`, with its automatic reset.

Packages that are not installed are left out: `pip install 'pettingzoo[classic]' open_spiel
'jax[cpu]' pgx`.

Seconds are CPU time of the whole process, so several threads count several times (pgx uses them),
and other work of the machine matters little. The measurements alternate, round after round; the
ratio is the median of the ratios of the rounds, with the smallest and the largest.
"""

from __future__ import annotations

import random
import statistics
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
import numpy as np

from dlgo import GameSpec, get_game
from dlgo.encoders import encoder_names
from dlgo.files import write_csv
from dlgo.rates import Meter, rates_in_turns
from dlgo.vector import VectorEnv
from experiments.bench.speed import open_spiel_name
from experiments.command import run
from experiments.options import Number, csv_option, games_option, measuring_options

# Number of moves in one call of a meter with one board.
MOVES = 200


def dlgo_meter(game: GameSpec, boards: int, encoder: str | None) -> Meter:
    """Plays one move on each of the boards."""
    env = VectorEnv(game, boards, encoder, seed=1)

    def step() -> int:
        env.step(env.random_actions())
        return boards

    return step


def pettingzoo_meter(game: GameSpec) -> Meter | None:
    """PettingZoo's own environment; None if it has none, or is not installed."""
    if find_spec("pettingzoo") is None or find_spec("pygame") is None:
        return None
    if game.name == "connect4":
        from pettingzoo.classic import connect_four_v3

        env = connect_four_v3.env()
    elif game.name == "go" and not game.handicap_points:
        from pettingzoo.classic import go_v5

        env = go_v5.env(board_size=game.size, komi=game.komi)
    else:
        return None
    env.reset(seed=1)
    generator = random.Random(1)

    def step() -> int:
        for _ in range(MOVES):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                observation = env.last()[0]
            legal = np.flatnonzero(observation["action_mask"])
            env.step(legal[int(generator.random() * len(legal))])
        return MOVES

    return step


def open_spiel_meter(game: GameSpec) -> Meter | None:
    """OpenSpiel's states from Python; None if it has no such game, or is not installed."""
    name = open_spiel_name(game)
    if find_spec("pyspiel") is None or name is None:
        return None
    import pyspiel

    theirs, generator = pyspiel.load_game(name), random.Random(1)
    state = theirs.new_initial_state()
    legal = state.legal_actions()

    def step() -> int:
        nonlocal state, legal
        for _ in range(MOVES):
            state.apply_action(legal[int(generator.random() * len(legal))])
            if state.is_terminal():
                state.returns()
                state = theirs.new_initial_state()
            legal = state.legal_actions()
            mask = np.zeros(theirs.num_distinct_actions(), bool)
            mask[legal] = True
            np.array(state.observation_tensor(state.current_player()), np.float32)
        return MOVES

    return step


def pgx_meter(game: GameSpec, boards: int) -> Meter | None:
    """pgx on the CPU; None if it has no such game, or JAX is not installed."""
    names = {"connect4": "connect_four", "go:size=9": "go_9x9", "go:size=19": "go_19x19"}
    if find_spec("jax") is None or find_spec("pgx") is None or str(game) not in names:
        return None
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental.wrappers import auto_reset

    env = pgx.make(names[str(game)])
    one_step = auto_reset(env.step, env.init)
    cpu = jax.devices("cpu")[0]

    @jax.jit
    def many(state: Any, key: Any) -> Any:
        draw, go_on = jax.random.split(key)
        logits = jnp.log(state.legal_action_mask.astype(jnp.float32))
        actions = jax.random.categorical(draw, logits, axis=-1)
        return jax.vmap(one_step)(state, actions, jax.random.split(go_on, boards))

    with jax.default_device(cpu):
        key = jax.random.PRNGKey(1)
        state = jax.jit(jax.vmap(env.init))(jax.random.split(key, boards))

    def step() -> int:
        nonlocal state, key
        with jax.default_device(cpu):
            key, now = jax.random.split(key)
            state = many(state, now)
            state.observation.block_until_ready()
        return boards

    return step


def meters_of(game: GameSpec, boards: int) -> dict[str, Meter]:
    """The meters for a game; the others are compared with the first."""
    meters = {
        f"dlgo.vector, {boards} boards, `planes`": dlgo_meter(game, boards, "planes"),
        f"dlgo.vector, {boards} boards, no planes": dlgo_meter(game, boards, None),
        "dlgo.vector, 1 board, `planes`": dlgo_meter(game, 1, "planes"),
        f"dlgo.vector, {boards} boards, `simple`":
            dlgo_meter(game, boards, "simple") if "simple" in encoder_names(game) else None,
        "PettingZoo, 1 board": pettingzoo_meter(game),
        "OpenSpiel from Python, 1 board": open_spiel_meter(game),
        f"pgx on the CPU, {boards} boards": pgx_meter(game, boards),
    }
    return {name: meter for name, meter in meters.items() if meter is not None}


@click.command()
@games_option(("connect4", "go9"))
@click.option("--boards", type=Number(int, 1, 10**6), default=1024, show_default=True,
              help="Number of boards in parallel.")
@measuring_options(1.0, 5)
@csv_option
def main(
    games: tuple[str, ...], boards: int, seconds: float, rounds: int, csv: Path | None
) -> None:
    """Print steps a CPU second of each environment, a table for each game."""
    rows: list[list[Any]] = []
    for game in map(get_game, games):
        meters = meters_of(game, boards)
        rates = rates_in_turns(list(meters.values()), seconds, rounds, time.process_time)
        click.echo(f"| {game}: environment | steps a second | slowest to fastest round | "
                   "first line is faster by |\n|---|---:|---:|---:|")
        for name, measured in zip(meters, rates, strict=True):
            ratios = [ours / theirs for ours, theirs in zip(rates[0], measured, strict=True)]
            click.echo(
                f"| {name} | {statistics.median(measured):,.0f} | {min(measured):,.0f} to "
                f"{max(measured):,.0f} | {statistics.median(ratios):.3g} ({min(ratios):.3g} to "
                f"{max(ratios):.3g}) |"
            )
            rows += [[game, name, number, rate] for number, rate in enumerate(measured, 1)]
        click.echo()
    if csv:
        write_csv(csv, ["game", "environment", "round", "steps_per_cpu_second"], rows)


if __name__ == "__main__":
    run(main)
