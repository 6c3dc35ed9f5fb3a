"""The `dlgo` command. Each subcommand parses its arguments here and works elsewhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

import dlgo
from dlgo import get_game
from experiments.cli import ratings as ratings_cli
from experiments.cli.connectx import connectx as connectx_commands
from experiments.cli.data import data as data_commands
from experiments.cli.data import generate as generate_command
from experiments.cli.ledger import ledger as ledger_commands
from experiments.cli.train import doctor as doctor_command
from experiments.cli.train import models as models_command
from experiments.cli.train import train as train_commands
from experiments.command import run


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(dlgo.__version__, prog_name="dlgo")
def cli() -> None:
    """Compare ways of playing board games: play, rate, measure."""


@cli.command()
def games() -> None:
    """List the games and their options."""
    from dlgo.games import game_class, game_names

    for name in game_names():
        cls = game_class(name)
        click.echo(f"{name:<12}{(cls.__doc__ or '').splitlines()[0]}")
        _echo_options(cls.options)


@cli.command()
def engines() -> None:
    """List the engines, their options and the budgets they obey."""
    from engines.base import BUDGET_OPTIONS
    from engines.registry import EngineSpec, engine_class, engine_names
    from engines.termination import TERMINATION_OPTIONS

    click.echo("Write an engine as name:key=value,key=value - for example mcts:sims=800,c=1.4\n")
    for name in engine_names():
        cls = engine_class(name)
        click.echo(f"{name:<12}{cls.summary}")
        budgets = [option for option in BUDGET_OPTIONS if option.name in cls.budgets]
        if budgets:
            click.echo(f"    budget a move (default {EngineSpec.parse(name)}):")
        _echo_options(budgets)
        if cls.options:
            click.echo("    options:")
        _echo_options(cls.options)
    click.echo("all engines")
    _echo_options(TERMINATION_OPTIONS)


@cli.command()
@click.argument("game", required=False)
def encoders(game: str | None) -> None:
    """List the encoders of GAME, and what each plane shows; without GAME, their names."""
    from dlgo.encoders import default_encoder, encoder_names, get_encoder
    from dlgo.games import game_names

    if game is None:
        for name in game_names():
            click.echo(f"{name}: {', '.join(encoder_names(get_game(name)))}")
        click.echo("\n`dlgo encoders GAME` says what their planes show")
        return
    spec = get_game(game)
    for name in encoder_names(spec):
        encoder = get_encoder(name, spec)
        size = "x".join(map(str, encoder.shape))
        past = f", looks {encoder.history} positions back" if encoder.history else ""
        default = ", the default" if name == default_encoder(spec) else ""
        click.echo(f"{name:<12}{size}{past}{default}")
        for plane, doc in enumerate(encoder.planes):
            click.echo(f"{plane:>5}  {doc}")


def _echo_options(options: Sequence) -> None:
    for option in options:
        default = "" if option.default is None else f", default {option.default}"
        limits = (option.range_text() + default).removeprefix(", ")
        limits = f" ({limits})" if limits else ""
        click.echo(f"      {option.name:<11}{option.help}{limits}")


@cli.command()
@click.argument("game")
@click.option("--depth", type=click.IntRange(0, 100), required=True, help="Plies to count.")
def perft(game: str, depth: int) -> None:
    """Count the move sequences of GAME, ply by ply: the classic test of the rules."""
    from experiments.play.perft import perft_counts

    for row in perft_counts(get_game(game), depth):
        click.echo(f"depth {row.depth:>2}  {row.count:>15,}  {row.seconds:8.3f} s")


@cli.command()
@click.argument("game", required=False)
@click.option("--first", default=None,
              help="Who moves first: human by default, or as in the file of --resume.")
@click.option("--second", default=None,
              help="Who moves second: mcts:sims=1000 by default, or as in the file.")
@click.option("--delay", type=click.FloatRange(0, 60), default=0.5, show_default=True,
              help="Seconds to look at the board after an engine's move.")
@click.option("--seed", type=int, default=None, help="Seed of the engines; random by default.")
@click.option("--hint", default=None, metavar="ENGINE",
              help="Who answers `hint`: mcts:sims=2000 by default.")
@click.option("--eval", "evaluation", is_flag=True,
              help="Show what an engine expects after each of its moves.")
@click.option("--save", type=click.Path(), default=None, metavar="FILE",
              help="Write the game there after every move.")
@click.option("--resume", type=click.Path(), default=None, metavar="FILE",
              help="Go on with a saved game (SGF, PDN or a text of moves).")
@click.option("--board", is_flag=True, help="Play in a window, by clicks.")
def play(game: str | None, board: bool, **options: Any) -> None:
    """Play GAME: you against an engine, or engine against engine.

    A player is `human` or an engine such as mcts:sims=800 (see `dlgo engines`). GAME can be
    left out with --resume. docs/play.md tells more.
    """
    from experiments.play.play import play_game

    play_game(game, board, **options)


@cli.command()
@click.argument("file", type=click.Path())
@click.option("--out", required=True, type=click.Path(),
              help="What to write: .gif or .html for the moves, .png for the last position.")
@click.option("--slot", default=None,
              help="Which game, if FILE is a ledger: its slot, or its number from 1.")
@click.option("--delay", type=click.FloatRange(0.02, 60), default=0.7, show_default=True,
              help="Seconds a move.")
def show(file: str, out: str, slot: str | None, delay: float) -> None:
    """Draw a recorded game: FILE is SGF, PDN, a text of moves, or a ledger with --slot."""
    from experiments.play.board_animation import check_ending, load_game, show_game

    def progress(done: int, of: int) -> None:
        if sys.stderr.isatty():
            click.echo(f"\rframe {done} of {of}", err=True, nl=done == of)

    check_ending(Path(out))
    click.echo(show_game(load_game(Path(file), slot), Path(out), delay, progress))


@cli.command()
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
    rate = None
    if wanted.target_elo is not None:
        # The arena knows no ratings, and reports know no arena: they meet here.
        from reports.ratings import fit_ratings as rate
    test = None
    if wanted.sprt is not None:
        from reports.sprt import Sprt, SprtBounds

        bounds = SprtBounds(*wanted.sprt, wanted.alpha, wanted.beta)

        def test() -> Sprt:
            return Sprt(bounds, budget=wanted.max_pairs)

    run_tournament(wanted, ledger, workers, limits=limits, rate=rate, test=test, retry=retry)


@cli.command()
@click.argument("game")
@click.option("--engine", default="solver", show_default=True, help="Who analyses.")
@click.option("--stdin", "from_stdin", is_flag=True, required=True,
              help="Read positions from standard input, one a line.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@click.option("--all-moves", is_flag=True, help="Add the exact score of every legal move.")
def analyze(game: str, engine: str, from_stdin: bool, as_json: bool, all_moves: bool) -> None:
    """Say of each position (a line of moves) the best move, score, nodes and CPU time."""
    from experiments.play.analyze import analyze as analyze_lines
    from experiments.play.analyze import lines_there

    lines = lines_there(sys.stdin.buffer)
    for found in analyze_lines(get_game(game), engine, lines, all_moves, as_json):
        click.echo("\n".join(found))


@cli.command()
@click.option("--engine", default="mcts:sims=1000", show_default=True, help="Who plays.")
@click.option("--game", default="go:size=19", show_default=True,
              help="What is played until a command changes it.")
@click.option("--seed", type=int, default=None, help="Seed of the engine; random by default.")
def gtp(engine: str, game: str, seed: int | None) -> None:
    """Serve the Go Text Protocol on standard input and output, for Sabaki, gogui, bridges."""
    from experiments.gtp.server import serve

    serve(get_game(game), engine, int.from_bytes(os.urandom(4), "big") if seed is None else seed)


@cli.command()
@click.option("--game", "games_", multiple=True, help="A game; all by default.")
@click.option("--seconds", type=click.FloatRange(0.05, 600), default=1.0, show_default=True,
              help="Length of one measurement.")
@click.option("--rounds", type=click.IntRange(1, 100), default=3, show_default=True,
              help="Measurements of each thing, in turns; the median counts.")
@click.option("--csv", type=click.Path(dir_okay=False), default=None, help="Write the table here.")
def bench(games_: tuple[str, ...], seconds: float, rounds: int, csv: str | None) -> None:
    """Measure rollouts and simulations a second, beside OpenSpiel where it is installed."""
    from experiments.bench.speed import run_bench

    run_bench([get_game(game) for game in games_], seconds, rounds, csv)


cli.add_command(ledger_commands)
cli.add_command(train_commands)
cli.add_command(models_command)
cli.add_command(doctor_command)
cli.add_command(connectx_commands)
for command in (ratings_cli.report, ratings_cli.rate, ratings_cli.compare, ratings_cli.sprt,
                ratings_cli.power):
    cli.add_command(command)
cli.add_command(generate_command)
cli.add_command(data_commands)


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point of `dlgo`."""
    run(cli, arguments, "dlgo")


if __name__ == "__main__":
    main()
