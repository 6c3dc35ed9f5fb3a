"""The `dlgo` command: the groups of commands in one.

A file of this folder reads what was typed and prints the answer; the work is done elsewhere and
imported when a command runs. So `dlgo --help` comes at once, without Numba and pandas.
"""

from __future__ import annotations

from collections.abc import Sequence

import click

from experiments.cli.audit import audit
from experiments.cli.bench import bench, perft
from experiments.cli.check import check
from experiments.cli.classroom import classroom
from experiments.cli.connectx import connectx
from experiments.cli.data import data, generate
from experiments.cli.export import export
from experiments.cli.ladder import ladder
from experiments.cli.ledger import ledger
from experiments.cli.listing import encoders, engines, games, models
from experiments.cli.new import new
from experiments.cli.play import analyze, gtp, play, show, watch
from experiments.cli.puzzles import puzzles
from experiments.cli.ratings import compare, power, rate, report, sprt
from experiments.cli.tournament import tournament
from experiments.cli.train import doctor, train
from experiments.cli.web import web
from experiments.command import run


def _print_version(context: click.Context, _: click.Parameter, is_set: bool) -> None:
    if is_set:
        from dlgo.version import __version__

        click.echo(f"dlgo, version {__version__}")
        context.exit()


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version,
              help="Show the version and exit.")
def cli() -> None:
    """Compare ways of playing board games: play, rate, measure."""


for _command in (
    analyze, audit, bench, check, classroom, compare, connectx, data, doctor, encoders, engines,
    export, games, generate, gtp, ladder, ledger, models, new, perft, play, power, puzzles, rate,
    report, show, sprt, tournament, train, watch, web,
):
    cli.add_command(_command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point of `dlgo`."""
    run(cli, arguments, "dlgo")
