"""`dlgo generate` and `dlgo data ...`: make training data and look into it.

Registered by `cli.py`; the work is done in `experiments/datasets/`.
"""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("game")
@click.option("--engine", required=True, help="Who plays, against itself; its choices are stored.")
@click.option("--games", type=click.IntRange(min=1), required=True, help="How many games.")
@click.option("--against", default=None, help="Another engine to play against.")
@click.option("--out", type=click.Path(path_type=Path), default=None,
              help="Folder; by default out/data/GAME-ENGINE.")
@click.option("--workers", type=click.IntRange(min=1), default=None,
              help="Processes; one per core by default.")
@click.option("--seed", type=int, default=1, show_default=True, help="Of openings and engines.")
@click.option("--opening-plies", type=click.IntRange(min=0), default=None,
              help="A game begins with 0 to so many random plies; each game's own by default.")
@click.option("--sample-plies", type=click.IntRange(min=0), default=None,
              help="Plies after that in which the move is drawn from the engine's policy; "
                   "as many as the board is wide by default.")
@click.option("--temperature", type=click.FloatRange(0, 100), default=1.0, show_default=True,
              help="Of that draw: 0 plays the best move, 1 draws by visits.")
@click.option("--shard-games", type=click.IntRange(1, 100_000), default=None,
              help="Games a file; some 5,000 positions by default.")
def generate(
    game: str, games: int, out: Path | None, workers: int | None, engine: str, **settings: object
) -> None:
    """Make training data: games of GAME by an engine against itself.

    Interrupted at any moment, the same command continues where it was; with more --games it
    adds the missing ones. See docs/data.md.
    """
    from experiments.datasets.generate import generate as make
    from experiments.datasets.generate import make_recipe

    click.echo(make(make_recipe(game, engine, **settings), games, out, workers))
