"""`dlgo generate` and `dlgo data ...`: make training data and look into it."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from experiments.command import log
from experiments.datasets.options import MOST_GAMES, RECIPE_OPTIONS
from experiments.options import (
    FILE,
    PATH,
    Number,
    cluster_option,
    cluster_options,
    move_timeout,
    named_games,
    setting_options,
    workers_option,
)


@click.command()
@click.argument("game")
@click.option("--engine", required=True,
              help="Engine that plays against itself; its choices become the data.")
@click.option("--games", type=Number(int, 1, MOST_GAMES), required=True,
              help="Number of games to play.")
@click.option("--out", type=PATH, help="Folder to write to. Default: out/data/GAME-ENGINE.")
@cluster_options
@setting_options(RECIPE_OPTIONS)
@move_timeout
def generate(
    game: str, games: int, out: Path | None, workers: int | None, engine: str, move_timeout: float,
    cluster: str | None, **settings: object,
) -> None:
    """Make training data: an engine plays GAME against itself.

    If the command is interrupted, run it again to continue; with more --games it adds the
    missing games. See docs/data.md.
    """
    from experiments.cluster import executor_on
    from experiments.datasets.generate import generate as make
    from experiments.datasets.generate import make_recipe

    recipe = make_recipe(game, engine, **settings)
    specs = filter(None, (recipe.game, recipe.engine, recipe.against))
    with executor_on(cluster, partial(log, err=True), specs, workers) as jobs:
        click.echo(make(recipe, games, out, workers, move_timeout=move_timeout, jobs=jobs))


@click.group()
def data() -> None:
    """Import, download or show training data. See docs/data.md."""


@data.command("show")
@click.argument("folder", type=PATH)
@named_games()
def show_data(folder: Path) -> None:
    """Show the contents and the origin of a FOLDER of training data."""
    from experiments.datasets.show import show_lines

    for line in show_lines(folder):
        click.echo(line)


_ARCHIVES = click.argument(
    "archives", nargs=-1, required=True, type=PATH)


@data.command("index-sgf")
@_ARCHIVES
@click.option("--csv", "table", type=FILE, help="Write one row per game to this CSV file.")
@workers_option
def index_sgf(archives: tuple[Path, ...], table: Path | None, workers: int | None) -> None:
    """Show what ARCHIVES of SGF files hold: .tar.gz, .zip, folders, single files."""
    from dlgo.errors import DataError
    from experiments.datasets.sgf_import import index_sgf as index

    lines, damaged = index(archives, table, workers)
    for line in lines:
        click.echo(line)
    if damaged:
        raise DataError(f"{damaged} cannot be read (see above)")


@data.command("import-sgf")
@_ARCHIVES
@click.option("--out", type=PATH, required=True, help="Folder to write the training data to.")
@click.option("--size", type=Number(int, 2, 25), default=19, show_default=True,
              help="Import only games on boards with this many lines.")
@click.option("--max-handicap", type=Number(int, 0),
              help="Import only games with at most this many handicap stones.")
@click.option("--min-rank", metavar="RANK",
              help="Import only games in which both players have at least this rank: 3k, 5d, 1p.")
@click.option("--min-moves", type=Number(int, 1), default=1, show_default=True,
              help="Import only games with at least this many moves.")
@click.option("--decided", is_flag=True, help="Import only games with a result.")
@click.option("--sample", type=Number(int, 1),
              help="Number of files to draw at random before other filters apply. Default: all.")
@click.option("--seed", type=Number(int), default=1, show_default=True, help="Seed of --sample.")
@workers_option
@cluster_option
def import_sgf(
    archives: tuple[Path, ...], out: Path, sample: int | None, seed: int, workers: int | None,
    cluster: str | None, **conditions: Any,
) -> None:
    """Make training data from ARCHIVES of SGF files: .tar.gz, .zip, folders, single files."""
    from dlgo.errors import DataError
    from experiments.cluster import executor_on
    from experiments.datasets.sgf_import import Filter, rank_number
    from experiments.datasets.sgf_import import import_sgf as make

    rank = conditions["min_rank"]
    if rank is not None:
        conditions["min_rank"] = rank_number(rank)
        if conditions["min_rank"] is None:
            raise DataError(f"--min-rank {rank!r} is not a rank; write 3k, 5d or 1p")
    with executor_on(cluster, partial(log, err=True), (), workers) as jobs:
        click.echo(make(archives, out, Filter(**conditions), sample, seed, workers, jobs))


@data.command("fetch-kgs")
@click.option("--out", type=PATH, required=True, help="Folder to write the archives to.")
@click.option("--page", help="Page with links to the archives. Default: the book's page.")
@click.option("--match", default="",
              help="Download only files whose names contain this text, such as 2019.")
@click.option("--limit", type=Number(int, 1), help="Maximum number of files to download.")
def fetch_kgs(out: Path, page: str | None, match: str, limit: int | None) -> None:
    """Download archives of games from a page that links to .tar.gz files."""
    from experiments.datasets.kgs import PAGE, fetch_archives

    fetch_archives(out, page or PAGE, match, limit, click.echo)
