"""The `dlgo` command. Each subcommand parses its arguments here and works elsewhere.

Whatever a user does wrong ends in one line on standard error and a non-zero exit status:
2 for wrong input, 130 for Ctrl-C, 1 for trouble with files, 70 for a fault of the program.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

import dlgo
from dlgo import DlgoError, GameState, get_game
from experiments.ledger_cli import ledger as ledger_commands


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


def _echo_options(options: Sequence) -> None:
    for option in options:
        default = "" if option.default is None else f", default {option.default}"
        limits = f" ({(option.range_text() + default).removeprefix(', ')})"
        click.echo(f"      {option.name:<11}{option.help}{limits}")


@cli.command()
@click.argument("game")
@click.option("--depth", type=click.IntRange(0, 100), required=True, help="Plies to count.")
def perft(game: str, depth: int) -> None:
    """Count the move sequences of GAME, ply by ply: the classic test of the rules."""
    from experiments.perft import perft_counts

    for row in perft_counts(get_game(game), depth):
        click.echo(f"depth {row.depth:>2}  {row.count:>15,}  {row.seconds:8.3f} s")


@cli.command()
@click.argument("game")
@click.option("--first", default="human", show_default=True, help="Who moves first.")
@click.option("--second", default="mcts:sims=1000", show_default=True, help="Who moves second.")
@click.option("--delay", type=click.FloatRange(0, 60), default=0.5, show_default=True,
              help="Seconds to look at the board after an engine's move.")
@click.option("--seed", type=int, default=None, help="Seed of the engines; random by default.")
def play(game: str, first: str, second: str, delay: float, seed: int | None) -> None:
    """Play GAME in the console: you against an engine, or engine against engine.

    A player is `human` or an engine such as mcts:sims=800 (see `dlgo engines`).
    """
    from experiments.console import Console, make_player

    spec = get_game(game)
    seed = int.from_bytes(os.urandom(4), "big") if seed is None else seed
    players = [make_player(text, spec, seed + i) for i, text in enumerate((first, second))]
    Console(GameState.new_game(spec), players, delay=delay).run()


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
              help="At most so many pairs a meeting, with a target.")
@click.option("--pairing", default=None,
              help="With a target: even, or adaptive (where ratings are least certain).")
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
    run_tournament(wanted, ledger, workers=workers, limits=limits, rate=rate, retry=retry)


@cli.command()
@click.argument("ledger", type=click.Path())
@click.option("--out", type=click.Path(), default="out/report", show_default=True,
              help="Folder for tables and plots.")
def report(ledger: str, out: str) -> None:
    """Rate the games of LEDGER: ratings, tables and strength-per-compute plots."""
    from reports.report import write_report

    for path in write_report(ledger, out):
        click.echo(path)


@cli.command()
@click.argument("game")
@click.option("--engine", default="solver", show_default=True, help="Who analyses.")
@click.option("--stdin", "from_stdin", is_flag=True, required=True,
              help="Read positions from standard input, one a line.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@click.option("--all-moves", is_flag=True, help="Add the exact score of every legal move.")
def analyze(game: str, engine: str, from_stdin: bool, as_json: bool, all_moves: bool) -> None:
    """Say of each position (a line of moves) the best move, score, nodes and CPU time."""
    from experiments.analyze import analyze as analyze_lines

    lines = click.get_text_stream("stdin", errors="replace")
    for line in analyze_lines(get_game(game), engine, lines, all_moves, as_json):
        click.echo(line)


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


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point: run a command, turn errors into one line and an exit status."""
    if os.environ.get("DLGO_TRACEBACK"):
        cli.main(arguments, prog_name="dlgo")
        return
    try:
        status = cli.main(arguments, prog_name="dlgo", standalone_mode=False)
        sys.exit(status if isinstance(status, int) else 0)
    except click.ClickException as error:
        _fail(error.format_message().replace("\n", " "), 2)
    except DlgoError as error:
        _fail(str(error), 2)
    except (KeyboardInterrupt, click.Abort) as error:
        _fail(str(error) or "stopped", 130)
    except BrokenPipeError:
        # The reader of our output has gone; that is its right. Nothing more can be written.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        _fail(f"{error.strerror or error}: {error.filename}" if error.filename else str(error), 1)
    except Exception as error:  # the last line of defence: no traceback reaches a user
        _fail(
            f"internal error: {type(error).__name__}: {error}; "
            "run again with DLGO_TRACEBACK=1 for the details of a bug report", 70,
        )


def _fail(message: str, status: int) -> None:
    click.echo(f"dlgo: {message}", err=True)
    sys.exit(status)


if __name__ == "__main__":
    main()
