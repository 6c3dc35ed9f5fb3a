"""`dlgo export web`: the studio as files that any browser opens."""

from __future__ import annotations

from pathlib import Path

import click


@click.group()
def export() -> None:
    """Write games and engines in other forms."""


@export.command()
@click.argument("out", required=False, type=click.Path(file_okay=False, path_type=Path))
@click.option("--game", "games", multiple=True, metavar="GAME",
              help="Game of the pages, such as go:size=9 or my_game.py; may be repeated. Default: "
              "all games of dlgo.")
@click.option("--engine", "engines", multiple=True, metavar="SPEC",
              help="Engine of the pages, such as mcts; may be repeated. Default: all engines that "
              "play the game and need no Python.")
@click.option("--single", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path),
              help="Write one HTML file with everything in it.")
def web(
    out: Path | None, games: tuple[str, ...], engines: tuple[str, ...], single: Path | None,
) -> None:
    """Write the studio into the folder OUT: index.html opens in any browser, without a server."""
    from experiments.tab import compile_for_any_processor

    compile_for_any_processor()
    from dlgo.errors import DlgoError
    from experiments.tab.site import make_tab, write_folder, write_single

    if (out is None) == (single is None):
        raise DlgoError("name a folder, or a file with --single FILE.html")
    tab = make_tab(games, engines, click.echo)
    if single is not None:
        size, place = write_single(tab, single), single
    elif out is not None:
        size, place = write_folder(tab, out), out / "index.html"
    click.echo(f"{size / 1000:,.0f} kB; open {place}")
