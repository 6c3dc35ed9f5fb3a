"""`dlgo report`, `rate`, `compare`, `sprt` and `power`: what is typed and what is printed.

The work is done in `reports/`, which is imported only when a command runs.
"""

from __future__ import annotations

import sys
from functools import partial

import click

from experiments.options import Number, named_games, together

_REPLICATES = Number(int, 0, 100_000)
_ELO = Number(float, -2000, 2000)
_ERROR = Number(float, 1e-9, 0.499)  # of a sequential test
_ANCHOR = click.option("--anchor", default=None, metavar="NAME=RATING",
                       help="Set an entrant's rating; by default 0 is the mean of the field.")


@click.command()
@click.argument("ledger", type=click.Path())
@click.option("--out", type=click.Path(), default="out/report", show_default=True,
              help="Folder for the page, tables and plots.")
@_ANCHOR
@click.option("--bootstrap", type=_REPLICATES, default=400, show_default=True, metavar="N",
              help="Check the intervals by N tournaments drawn from the opening pairs; 0 leaves it "
              "out.")
@click.option("--planned", type=Number(int, 0), metavar="N",
              help="Games to come in all: until they are there, the page says so and reloads.")
@click.option("--latest", is_flag=True,
              help="Show only the last version of each engine from outside.")
@named_games()
def report(
    ledger: str, out: str, anchor: str | None, bootstrap: int, planned: int | None, latest: bool
) -> None:
    """Rate the games of LEDGER: a page with ratings, tables, plots and games to replay."""
    from reports.rate import parse_anchor
    from reports.report import write_report

    anchored, progress = parse_anchor(anchor) if anchor else None, partial(click.echo, err=True)
    for path in write_report(ledger, out, anchored, bootstrap, progress, planned, latest):
        click.echo(path)


@click.command()
@click.argument("games_file", metavar="FILE", type=click.Path())
@_ANCHOR
@click.option("--bootstrap", type=_REPLICATES, default=0, metavar="N",
              help="Check the intervals by N tournaments drawn from the opening pairs.")
@click.option("--seed", type=Number(int, 0), default=1, show_default=True,
              help="Seed of the bootstrap.")
@click.option("--csv", type=click.Path(dir_okay=False), help="Write the table here.")
def rate(
    games_file: str, anchor: str | None, bootstrap: int, seed: int, csv: str | None
) -> None:
    """Rate games from anywhere: FILE is a ledger, or a CSV with first, second, result.

    The result is 1, 0.5 or 0 as the first mover sees it. Columns game, pair and moves are
    used if they are there.
    """
    from reports.rate import lines, parse_anchor, rate_file, write_ratings

    def progress(done: int) -> None:
        if sys.stderr.isatty() and (done % 50 == 0 or done == bootstrap):
            click.echo(f"\rbootstrap: {done} of {bootstrap}", err=True, nl=done == bootstrap)

    anchored = parse_anchor(anchor) if anchor else None
    rated = rate_file(games_file, anchored, bootstrap, seed, progress)
    for line in lines(rated):
        click.echo(line)
    if csv:
        click.echo(write_ratings(rated, csv))


_sprt_options = together(
    click.option("--game", default="", help="Only this game."),
    click.option("--elo0", type=_ELO, default=0, show_default=True, help="Elo difference of H0."),
    click.option("--elo1", type=_ELO, default=20, show_default=True, help="Elo difference of H1."),
    click.option("--alpha", type=_ERROR, default=0.05, show_default=True,
                 help="Chance of wrongly accepting H1."),
    click.option("--beta", type=_ERROR, default=0.05, show_default=True,
                 help="Chance of wrongly accepting H0."),
)


@click.command()
@click.argument("games_file", metavar="FILE", type=click.Path())
@click.argument("entrant")
@click.argument("opponent")
@_sprt_options
def compare(
    games_file: str, entrant: str, opponent: str, game: str, elo0: float, elo1: float, alpha: float,
    beta: float,
) -> None:
    """Is ENTRANT stronger than OPPONENT? Score, Elo and tests from their games in FILE.

    FILE is what `dlgo rate` takes: a ledger, or a CSV of games.
    """
    from experiments.arena.entrants import canonical
    from reports.compare import compare as compare_lines
    from reports.sprt import SprtBounds

    bounds = SprtBounds(elo0, elo1, alpha, beta)
    for line in compare_lines(games_file, entrant, opponent, bounds, game, canonical):
        click.echo(line)


@click.command()
@click.argument("games_file", metavar="FILE", type=click.Path())
@click.argument("entrant")
@click.argument("opponent")
@_sprt_options
@click.option("--budget", type=Number(int, 1),
              help="Stop undecided after this many pairs (or games).")
def sprt(
    games_file: str, entrant: str, opponent: str, game: str, elo0: float, elo1: float, alpha: float,
    beta: float, budget: int | None,
) -> None:
    """Sequential test of ENTRANT against OPPONENT: where it stopped in FILE, and why."""
    from experiments.arena.entrants import canonical
    from reports.compare import sprt_lines
    from reports.sprt import SprtBounds

    bounds = SprtBounds(elo0, elo1, alpha, beta)
    for line in sprt_lines(games_file, entrant, opponent, bounds, game, budget, canonical):
        click.echo(line)


@click.command()
@click.option("--elo", type=_ELO, help="The Elo difference to be shown.")
@click.option("--games", "count", type=Number(int, 1, 1_000_000_000),
              help="The length of a match: what difference can it show?")
@click.option("--power", type=Number(float, 0.001, 0.999999), default=0.8, show_default=True,
              help="Chance that a match shows the difference.")
@click.option("--alpha", type=Number(float, 1e-9, 0.999), default=0.05, show_default=True,
              help="Chance that a match shows a difference where there is none.")
@click.option("--sides", type=Number(int, 1, 2), default=2, show_default=True,
              help="2 asks whether the two differ, 1 whether the first is better.")
@click.option("--draws", type=Number(float, 0, 0.999), default=0.0, show_default=True,
              help="Share of draws between equals.")
def power(
    elo: float | None, count: int | None, power: float, alpha: float, sides: int, draws: float
) -> None:
    """How many games for how small a difference?"""
    from reports.power import power_lines

    for line in power_lines(elo, count, power=power, alpha=alpha, sides=sides, draws=draws):
        click.echo(line)
