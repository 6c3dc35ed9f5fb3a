"""`dlgo ledger FILE ...`: look into a ledger, check it, take games out of it.
"""

from __future__ import annotations

from typing import Any

import click

from experiments.command import log
from experiments.options import Number, named_games, together


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("file", type=click.Path())
@click.pass_context
def ledger(context: click.Context, file: str) -> None:
    """List, check, export, repair or remove the games in the ledger FILE."""
    context.obj = file


_filters = together(
    click.option("--game", help="Select games of this game, such as connect4."),
    click.option("--engine", help="Select games of this entrant."),
    click.option("--failed", is_flag=True, help="Select games that an engine lost by a failure."),
)


@ledger.command("list")
@_filters
@click.option("--limit", type=Number(int, 1), help="Maximum number of games to list.")
@click.pass_obj
def list_games(file: str, /, limit: int | None, **filters: Any) -> None:
    """List games: slot, result, number of plies, reason."""
    from experiments.arena.inspect_ledger import list_lines

    for line in list_lines(file, limit, **filters):
        log(line)


@ledger.command()
@named_games()
@click.pass_context
def check(context: click.Context) -> None:
    """Replay all games by the rules; the exit status is 1 if a game is invalid."""
    from experiments.arena.inspect_ledger import check_lines

    status = 0
    for line, is_bad in check_lines(context.obj):
        log(line)
        status |= is_bad
    context.exit(status)


@ledger.command()
@_filters
@click.option("--csv", type=click.Path(dir_okay=False), help="Write the games to this table.")
@click.option("--sgf", type=click.Path(file_okay=False),
              help="Write games of Go to this folder, one SGF file each.")
@click.option("--pdn", type=click.Path(file_okay=False),
              help="Write games of draughts to this folder, one PDN file each.")
@click.pass_obj
def export(
    file: str, /, csv: str | None, sgf: str | None, pdn: str | None, **filters: Any
) -> None:
    """Write games as CSV, SGF or PDN."""
    from experiments.arena.inspect_ledger import export_games

    if not (csv or sgf or pdn):
        raise click.UsageError("no file to write; add --csv FILE, --sgf FOLDER or --pdn FOLDER")
    for line in export_games(file, csv, sgf, pdn, **filters):
        log(line)


@ledger.command()
@click.pass_obj
def repair(file: str) -> None:
    """Remove damaged rows and keep a copy; then run the same tournament again."""
    from experiments.arena.inspect_ledger import repair_ledger

    for line in repair_ledger(file):
        log(line)


@ledger.command()
@click.pass_obj
def workers(file: str) -> None:
    """Show what each machine of a cluster played, and how fast."""
    from experiments.arena.inspect_ledger import worker_lines

    for line in worker_lines(file):
        log(line)


@ledger.command()
@_filters
@click.option("--slot", help="Select the game with this slot.")
@click.option("--worker", metavar="NAME",
              help="Select games of this machine, as `dlgo ledger FILE workers` names it.")
@click.pass_obj
def purge(file: str, /, **which: Any) -> None:
    """Remove games; the same tournament then plays them again."""
    from experiments.arena.inspect_ledger import purge_ledger

    if not any(which.values()):
        raise click.UsageError(
            "no games selected; add --worker, --slot, --game, --engine or --failed"
        )
    click.echo(purge_ledger(file, **which))
