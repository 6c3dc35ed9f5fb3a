"""`dlgo ledger FILE ...`: look into a ledger, check it, take games out of it.
"""

from __future__ import annotations

from typing import Any

import click

from experiments.command import say
from experiments.options import Number, named_games, together


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("file", type=click.Path())
@click.pass_context
def ledger(context: click.Context, file: str) -> None:
    """Look into the ledger FILE: its games, and whether they are valid."""
    context.obj = file


_filters = together(
    click.option("--game", help="Only this game."),
    click.option("--engine", help="Only games of this entrant."),
    click.option("--failed", is_flag=True, help="Only games lost by a failure."),
)


@ledger.command("list")
@_filters
@click.option("--limit", type=Number(int, 1), help="Most games to list.")
@click.pass_obj
def list_games(file: str, limit: int | None, **filters: object) -> None:
    """List games: slot, result, plies, reason."""
    from experiments.arena.inspect_ledger import list_lines

    for line in list_lines(file, limit, **filters):
        say(line)


@ledger.command()
@named_games()
@click.pass_context
def check(context: click.Context) -> None:
    """Play all games again by the rules; exit status 1 if one of them is not valid."""
    from experiments.arena.inspect_ledger import check_lines

    status = 0
    for line, is_bad in check_lines(context.obj):
        say(line)
        status |= is_bad
    context.exit(status)


@ledger.command()
@_filters
@click.option("--csv", type=click.Path(dir_okay=False), help="A table of games.")
@click.option("--sgf", type=click.Path(file_okay=False),
              help="Folder for games of Go, a file each.")
@click.option("--pdn", type=click.Path(file_okay=False),
              help="Folder for games of draughts, a file each.")
@click.pass_obj
def export(
    file: str, csv: str | None, sgf: str | None, pdn: str | None, **filters: object
) -> None:
    """Write games to other files."""
    from experiments.arena.inspect_ledger import export_games

    if not (csv or sgf or pdn):
        raise click.UsageError("name a target: --csv FILE, --sgf FOLDER or --pdn FOLDER")
    for line in export_games(file, csv, sgf, pdn, **filters):
        say(line)


@ledger.command()
@click.pass_obj
def repair(file: str) -> None:
    """Set damaged rows aside; the same tournament plays those games again."""
    from experiments.arena.inspect_ledger import repair_ledger

    for line in repair_ledger(file):
        say(line)


@ledger.command()
@click.pass_obj
def workers(file: str) -> None:
    """What each machine of a cluster has played, how fast, and where it differs from others."""
    from experiments.arena.inspect_ledger import worker_lines

    for line in worker_lines(file):
        say(line)


@ledger.command()
@_filters
@click.option("--slot", help="Only the game of this slot.")
@click.option("--worker", metavar="NAME",
              help="Only games of this machine, as `dlgo ledger FILE workers` calls it.")
@click.pass_obj
def purge(file: str, **which: Any) -> None:
    """Take games out; the same tournament plays them again."""
    from experiments.arena.inspect_ledger import purge_ledger

    if not any(which.values()):
        raise click.UsageError("say which games: --worker, --slot, --game, --engine or --failed")
    click.echo(purge_ledger(file, **which))
