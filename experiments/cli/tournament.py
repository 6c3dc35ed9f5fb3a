"""`dlgo tournament`: engines against each other, games into a ledger."""

from __future__ import annotations

import click


@click.command()
@click.argument("plan", type=click.Path(dir_okay=False), required=False)
@click.option("--ledger", required=True, type=click.Path(), help="SQLite file of the games.")
@click.option("--game", "games", multiple=True, help="A game; may be repeated.")
@click.option("--engine", "engines", multiple=True, help="An entrant; may be repeated.")
@click.option("--kind", default=None, help="round-robin, gauntlet, ladder or match.")
@click.option("--challenger", "challengers", multiple=True,
              help="Who runs the gauntlet; may be repeated.")
@click.option("--pairs", type=click.IntRange(min=1), default=None,
              help="Openings a meeting, each played with both colours.")
@click.option("--opening-plies", type=click.IntRange(min=0), default=None,
              help="Random plies of an opening; each game has its own number by default.")
@click.option("--seed", type=int, default=None, help="Seed of openings and engines.")
@click.option("--target-elo", type=float, default=None,
              help="Play on until no rating's 95% interval is wider.")
@click.option("--max-pairs", type=click.IntRange(min=1), default=None,
              help="At most so many pairs a meeting, with a target or test.")
@click.option("--pairing", default=None,
              help="With a target: even, or adaptive (where ratings are least certain).")
@click.option("--sprt", type=(float, float), default=None, metavar="ELO0 ELO1",
              help="A match that ends when a sequential test tells these differences apart.")
@click.option("--alpha", type=float, default=None, help="Of the test: chance of a wrong ELO1.")
@click.option("--beta", type=float, default=None, help="Of the test: chance of a wrong ELO0.")
@click.option("--move-timeout", type=float, default=None, help="Wall seconds that end a hang.")
@click.option("--game-cpu", type=float, default=None, help="CPU seconds a player and game.")
@click.option("--game-wall", type=float, default=None, help="Wall seconds a player and game.")
@click.option("--memory-mb", type=int, default=None, help="Megabytes a worker may grow by.")
@click.option("--max-failures", type=int, default=None,
              help="Stop an entrant after so many failures in a row; 0: never.")
@click.option("--retry", is_flag=True, help="Let entrants play on that were stopped before.")
@click.option("--workers", type=click.IntRange(min=1), default=None,
              help="Processes; one per core by default.")
def tournament(
    plan: str | None, ledger: str, retry: bool, workers: int | None, **given: object
) -> None:
    """Play engines against each other, from a TOML file PLAN or from the options, or both.

    Options override the file. Interrupted at any moment, the same command continues where it
    was; with more games, engines or pairs it adds what is missing. See docs/tournaments.md.
    """
    from experiments.arena.planfile import read_plan
    from experiments.arena.tournament import run_tournament

    wanted, limits = read_plan(plan, given)
    run_tournament(wanted, ledger, workers, limits=limits, retry=retry)
