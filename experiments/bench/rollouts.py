"""Rollouts a second by their kind: uniform, heavy, and drawn from a linear policy. One thread.

    python -m experiments.bench.rollouts [--game go9] [--policy out/fast/go9.npz]

Every kind plays from the start position to the end, as a search would have it do from a leaf; the
kinds take turns, and the median of the rounds counts. What a rollout by the policy costs does not
depend on its weights, but for the length of its games: without --policy, all weights are 0.

What to look for: moves a second of the policy, which AlphaGo needs at least 20,000 of.
"""

from __future__ import annotations

import time
from typing import Any

import click
import numpy as np

from dlgo import GameSpec, get_game, kernels
from dlgo.jit import kernel
from dlgo.rng import make_rng
from engines.fast_policy.policy import FastPolicy
from engines.fast_policy.rollout import draw_action
from engines.treesearch.evaluators import HeavyRollout, LightRollout, value_of
from engines.treesearch.search import Scratch, new_scratch
from experiments.bench.measure import Meter, median_rates
from experiments.command import run
from experiments.number import Number

_ROLLOUTS = 100
_PLAYED = 200  # games in which the plies of a rollout are counted


@kernel
def play_many(evaluator, state, work, scratch, rng, n):
    """Values of `n` rollouts from `state`, added up, as player 0 sees them."""
    total = 0.0
    for _ in range(n):
        kernels.copy_into(work, state)
        scratch.played[:] = kernels.NOBODY
        total += value_of(evaluator, work, scratch, rng)
    return total


def plies_of(policy: FastPolicy, seed: int) -> float:
    """Mean plies of a game drawn by the policy from the start."""
    game = policy.game
    evaluator, actions = policy.rollout(), np.empty(game.num_actions, np.int64)
    start, rng = game.new_kernel_state(), make_rng(seed)
    work = game.scratch_state(start, room=evaluator.most_plies + 1)
    return _count_plies(evaluator, start, work, actions, rng, _PLAYED) / _PLAYED


@kernel
def _count_plies(evaluator, state, work, actions, rng, n):
    from_start = 0
    for _ in range(n):
        kernels.copy_into(work, state)
        for _ in range(evaluator.most_plies):
            if kernels.terminal(work):
                break
            kernels.play(work, draw_action(evaluator, work, actions, rng))
            from_start += 1
    return from_start


def meter(game: GameSpec, evaluator: Any, seed: int) -> Meter:
    """Rollouts from the start; they are the units."""
    start, rng = game.new_kernel_state(), make_rng(seed)
    work = game.scratch_state(start, room=getattr(evaluator, "most_plies", 0) + 1)
    scratch: Scratch = new_scratch(game.num_actions)

    def play() -> int:
        play_many(evaluator, start, work, scratch, rng, _ROLLOUTS)
        return _ROLLOUTS

    return play


@click.command()
@click.option("--game", default="go9", show_default=True, help="Game to measure.")
@click.option("--policy", "path", type=click.Path(dir_okay=False), default=None,
              help="A trained fast policy; by default one whose weights are all 0.")
@click.option("--seconds", type=Number(float, 0.01, 60), default=1.0, show_default=True,
              help="CPU seconds of one measurement.")
@click.option("--rounds", type=Number(int, 1, 100), default=5, show_default=True,
              help="Measurements of each kind, in turns; the median counts.")
@click.option("--seed", type=Number(int), default=1, show_default=True, help="Seed of the games.")
def main(game: str, path: str | None, seconds: float, rounds: int, seed: int) -> None:
    """Print rollouts a second of each kind, and the policy's moves a second."""
    spec = get_game(game)
    policy = FastPolicy.load(path, spec) if path else FastPolicy.uniform(spec)
    kinds = {
        "light": LightRollout(), "heavy": HeavyRollout(),
        f"policy {'as trained' if path else 'untrained'}": policy.rollout(),
    }
    meters = [meter(spec, evaluator, seed) for evaluator in kinds.values()]
    rates = median_rates(meters, seconds, rounds, time.thread_time)
    click.echo(f"{spec}: one thread, median of {rounds} rounds of {seconds:g} CPU s each")
    click.echo("| rollout | a second | times policy |\n|---|---:|---:|")
    for name, rate in zip(kinds, rates, strict=True):
        click.echo(f"| {name} | {rate:,.0f} | {rate / rates[-1]:.2f} |")
    plies = plies_of(policy, seed)
    click.echo(f"policy: {plies * rates[-1]:,.0f} moves a second, {plies:.1f} a rollout")


if __name__ == "__main__":
    run(main)
