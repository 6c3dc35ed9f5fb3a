"""`dlgo perft` and `dlgo bench`: positions counted, and how fast."""

from __future__ import annotations

import time
from pathlib import Path

import click

from experiments.options import Number, csv_option


@click.command()
@click.argument("game")
@click.option("--depth", type=Number(int, 0, 100), required=True, help="Number of plies to count.")
def perft(game: str, depth: int) -> None:
    """Count the move sequences of GAME, ply by ply: the classic test of the rules."""
    from dlgo import GameState, get_game

    spec, first = get_game(game), min(depth, 1)
    start = GameState.new_game(spec).kernel_state
    spec.perft(start, first)  # compiles before the clock runs
    for plies in range(first, depth + 1):
        began = time.perf_counter()
        count = spec.perft(start, plies)
        click.echo(f"depth {plies:>2}  {count:>15,}  {time.perf_counter() - began:8.3f} s")


@click.command()
@click.option("--game", "games", multiple=True,
              help="Game to measure; may be repeated. Default: all games.")
@click.option("--seconds", type=Number(float, 0.01, 600), default=1.0, show_default=True,
              help="Length of one measurement.")
@click.option("--rounds", type=Number(int, 1, 100), default=3, show_default=True,
              help="Number of rounds; each measures everything once.")
@csv_option
def bench(games: tuple[str, ...], seconds: float, rounds: int, csv: Path | None) -> None:
    """Measure rollouts and simulations per second; compare with OpenSpiel if installed.

    The rows of a game: random games in compiled code (rollouts), simulations of a tree search
    (mcts), the same on two threads, and moves of random games in Python (states).
    """
    from dlgo import get_game
    from experiments.bench.speed import run_bench

    run_bench([get_game(game) for game in games], seconds, rounds, csv)
