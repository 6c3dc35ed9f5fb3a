"""`dlgo report`, `rate`, `compare`, `sprt` and `power`: what is typed and what is printed.

The work is done in `reports/`, which is imported only when a command runs.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from dlgo.files import check_apart
from experiments.options import Number, named_games, together

_REPLICATES = Number(int, 0, 100_000)
_ELO = Number(float, -2000, 2000)
_ERROR = Number(float, 1e-9, 0.499)  # of a sequential test
_ANCHOR = click.option("--anchor", default=None, metavar="NAME=RATING",
                       help="Give one entrant this rating; the others keep their distances. "
                       "Default: the mean of the field is 0.")
_NO_FIRST_MOVE = click.option(
    "--no-first-move", is_flag=True, help="Estimate no first-move advantage. Use it for lists that "
    "do not say who moved first, such as lists that name the winner first.")


@click.command()
@click.argument("ledger", type=click.Path())
@click.option("--out", type=click.Path(), default="out/report", show_default=True,
              help="Folder to write the page, tables and plots to.")
@_ANCHOR
@click.option("--bootstrap", type=_REPLICATES, default=400, show_default=True, metavar="N",
              help="Check the intervals by resampling the opening pairs N times; 0: no check.")
@click.option("--planned", type=Number(int, 0), metavar="N",
              help="Total number of games; the page reloads itself until the ledger holds them.")
@click.option("--latest", is_flag=True,
              help="Show only the newest version of each engine of your own.")
@_NO_FIRST_MOVE
@named_games()
def report(
    ledger: str, out: str, anchor: str | None, bootstrap: int, planned: int | None, latest: bool,
    no_first_move: bool,
) -> None:
    """Write a page on the games in LEDGER: ratings, tables, plots, games to replay.

    In place of a ledger, a CSV of games will do, as `dlgo rate` reads it.
    """
    from experiments.arena.entrants import canonical
    from reports.rate import parse_anchor
    from reports.report import write_report

    anchored, progress = parse_anchor(anchor) if anchor else None, partial(click.echo, err=True)
    for path in write_report(
        ledger, out, anchored, bootstrap, progress, planned, latest, canonical, not no_first_move
    ):
        click.echo(path)


@click.command()
@click.argument("games_file", metavar="FILE", type=click.Path())
@_ANCHOR
@click.option("--bootstrap", type=_REPLICATES, default=0, metavar="N",
              help="Check the intervals by resampling the opening pairs N times.")
@click.option("--seed", type=Number(int, 0), default=1, show_default=True,
              help="Seed of the resampling.")
@click.option("--csv", type=click.Path(dir_okay=False), help="Also write the table to this file.")
@click.option("--beyond-elo", is_flag=True, help="Also print residuals by pair, and the orders by "
              "Nash averaging and alpha-Rank.")
@_NO_FIRST_MOVE
def rate(
    games_file: str, anchor: str | None, bootstrap: int, seed: int, csv: str | None,
    beyond_elo: bool, no_first_move: bool,
) -> None:
    """Rate the entrants in FILE: a ledger, or a CSV with the columns first, second, result.

    `result` is 1, 0.5 or 0 as the first mover sees it. The columns game, pair and moves are
    optional.
    """
    from experiments.arena.entrants import canonical
    from experiments.progress import shown_count
    from reports.rate import lines, parse_anchor, rate_file, write_ratings

    if csv:
        check_apart(csv, games_file)
    anchored = parse_anchor(anchor) if anchor else None
    with shown_count("samples of the bootstrap") as show:
        ratings = rate_file(
            games_file, anchored, bootstrap, seed, lambda n_samples: show(n_samples, bootstrap),
            canonical, not no_first_move)
    for line in lines(ratings, beyond_elo):
        click.echo(line)
    if csv:
        click.echo(write_ratings(ratings, csv))


_elo_model_option = click.option(
    "--elo-model", type=click.Choice(["logistic", "normalized"]), default="logistic",
    show_default=True, help="Scale of Elo differences; normalized Elo needs the same number of "
    "games whatever the share of draws.")
_sprt_options = together(
    click.option("--game", default="", help="Use only games of this game, such as connect4."),
    click.option("--elo0", type=_ELO, default=0, show_default=True,
                 help="Elo difference under hypothesis H0."),
    click.option("--elo1", type=_ELO, default=20, show_default=True,
                 help="Elo difference under hypothesis H1."),
    click.option("--alpha", type=_ERROR, default=0.05, show_default=True,
                 help="Probability of accepting H1 if H0 is true."),
    click.option("--beta", type=_ERROR, default=0.05, show_default=True,
                 help="Probability of accepting H0 if H1 is true."),
    _elo_model_option,
)


@click.command()
@click.argument("games_file", metavar="FILE", type=click.Path())
@click.argument("entrant")
@click.argument("opponent")
@_sprt_options
def compare(
    games_file: str, entrant: str, opponent: str, game: str, **hypotheses: Any
) -> None:
    """Compare two entrants by their games against each other: score, Elo, tests.

    FILE is a ledger or a CSV of games. Name ENTRANT and OPPONENT as `dlgo tournament` takes
    them, or copy their names from the output of `dlgo ledger`, `rate` or `report`.
    """
    from experiments.arena.entrants import canonical
    from reports.compare import compare as compare_lines
    from reports.sprt import SprtBounds

    bounds = SprtBounds(**hypotheses)
    for line in compare_lines(games_file, entrant, opponent, bounds, game, canonical):
        click.echo(line)


@click.command()
@click.argument("games_file", metavar="FILE", type=click.Path())
@click.argument("entrant")
@click.argument("opponent")
@_sprt_options
@click.option("--budget", type=Number(int, 1),
              help="Stop without a decision after this many pairs of games.")
def sprt(
    games_file: str, entrant: str, opponent: str, game: str, budget: int | None, **hypotheses: Any
) -> None:
    """Test step by step, in the games in FILE, whether ENTRANT is stronger than OPPONENT.

    The sequential probability ratio test (SPRT) decides between the Elo differences of H0 and
    H1. It says after how many pairs of games it stopped, and why.
    """
    from experiments.arena.entrants import canonical
    from reports.compare import sprt_lines
    from reports.sprt import SprtBounds

    bounds = SprtBounds(**hypotheses)
    for line in sprt_lines(games_file, entrant, opponent, bounds, game, budget, canonical):
        click.echo(line)


@click.command()
@click.option("--elo", type=_ELO, help="Elo difference to detect. Default: a table of differences.")
@click.option("--games", "count", type=Number(int, 1, 1_000_000_000),
              help="Print the smallest difference that a match of this many games can detect.")
@click.option("--power", type=Number(float, 0.001, 0.999999), default=0.8, show_default=True,
              help="Probability of detecting the difference.")
@click.option("--alpha", type=Number(float, 1e-9, 0.999), default=0.05, show_default=True,
              help="Probability of finding a difference where there is none.")
@click.option("--sides", type=Number(int, 1, 2), default=2, show_default=True,
              help="2: test whether the two differ; 1: test whether the first is stronger.")
@click.option("--draws", type=Number(float, 0, 0.999), default=0.0, show_default=True,
              help="Share of draws between equally strong players.")
@_elo_model_option
def power(
    elo: float | None, count: int | None, elo_model: str, **settings: Any
) -> None:
    """Compute how many games you need to detect an Elo difference."""
    from reports.power import power_lines

    for line in power_lines(elo, count, elo_model=elo_model, **settings):
        click.echo(line)
