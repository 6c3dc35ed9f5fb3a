"""`dlgo perft` and `dlgo bench`: positions counted, and how fast."""

from __future__ import annotations

from pathlib import Path

import click

from experiments.options import Number, csv_option, measuring_options


@click.command()
@click.argument("game")
@click.option("--depth", type=Number(int, 0, 100), required=True, help="Plies to count.")
def perft(game: str, depth: int) -> None:
    """Count the move sequences of GAME, ply by ply: the classic test of the rules."""
    from dlgo import get_game
    from experiments.play.perft import perft_counts

    for row in perft_counts(get_game(game), depth):
        click.echo(f"depth {row.depth:>2}  {row.count:>15,}  {row.seconds:8.3f} s")


@click.command()
@click.option("--game", "games", multiple=True,
              help="Game to measure; may be repeated; all games by default.")
@measuring_options(1.0, 3)
@csv_option
def bench(games: tuple[str, ...], seconds: float, rounds: int, csv: Path | None) -> None:
    """Measure rollouts and simulations a second, beside OpenSpiel where it is installed."""
    from dlgo import get_game
    from experiments.bench.speed import run_bench

    run_bench([get_game(game) for game in games], seconds, rounds, csv)
