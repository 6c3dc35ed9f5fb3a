"""`dlgo play`, `show`, `analyze`, `watch` and `gtp`: one game at a time."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click

from experiments.number import Number, move_timeout
from experiments.options import named_games, show_output_option


@click.command()
@click.argument("game", required=False)
@click.option("--first", default=None,
              help="Who moves first: human by default, or as in the file of --resume.")
@click.option("--second", default=None,
              help="Who moves second: mcts:sims=1000 by default, or as in the file of --resume.")
@click.option("--delay", type=Number(float, 0, 60), default=0.5, show_default=True,
              help="Seconds to look at the board after an engine's move.")
@click.option("--seed", type=Number(int), default=None,
              help="Seed of the engines; random by default.")
@click.option("--hint", default=None, metavar="ENGINE",
              help="Engine that answers `hint`: mcts:sims=2000 by default.")
@click.option("--eval", "evaluation", is_flag=True,
              help="Show what an engine expects after each of its moves.")
@click.option("--save", type=click.Path(), default=None, metavar="FILE",
              help="Write the game to this file after every move.")
@click.option("--resume", type=click.Path(), default=None, metavar="FILE",
              help="Go on with a saved game (SGF, PDN or a text of moves).")
@show_output_option
@click.option("--board", is_flag=True, help="Play in a window, by clicks.")
@move_timeout
def play(game: str | None, board: bool, **options: Any) -> None:
    """Play GAME: you against an engine, or engine against engine.

    A player is `human` or an engine such as mcts:sims=800 (see `dlgo engines`). GAME can be
    left out with --resume, unless its rules are a file of your own. docs/play.md tells more.
    """
    from experiments.play.play import play_game

    play_game(game, board, **options)


@click.command()
@click.argument("file", type=click.Path())
@click.option("--out", required=True, type=click.Path(),
              help="File to write: .gif or .html shows the moves, .png the last position.")
@click.option("--slot", default=None,
              help="Game to draw, if FILE holds several: its number from 1, or its slot.")
@named_games()
@click.option("--delay", type=Number(float, 0.02, 60), default=0.7, show_default=True,
              help="Seconds a move.")
def show(file: str, out: str, slot: str | None, delay: float) -> None:
    """Draw a recorded game: FILE is SGF, PDN, a text of moves, or a ledger with --slot."""
    from experiments.play.board_animation import check_ending, load_game, show_game

    def progress(done: int, of: int) -> None:
        if sys.stderr.isatty():
            click.echo(f"\rframe {done} of {of}", err=True, nl=done == of)

    check_ending(Path(out))
    saved = load_game(Path(file), slot)
    for note in saved.notes:
        click.echo(f"note: {note}", err=True)
    click.echo(show_game(saved, Path(out), delay, progress))


@click.command()
@click.argument("game", metavar="GAME|FILE")
@click.option("--engine", default=None,
              help="Engine that analyses: solver for positions, mcts:sims=1000 for a game.")
@click.option("--stdin", "from_stdin", is_flag=True,
              help="Read positions of GAME from standard input, one a line.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
@click.option("--all-moves", is_flag=True,
              help="Add the exact score of every legal move, with --stdin.")
@click.option("--html", type=click.Path(path_type=Path), default=None, metavar="OUT",
              help="Write the review of FILE as a page that needs no other file.")
@click.option("--sgf", type=click.Path(path_type=Path), default=None, metavar="OUT",
              help="Write the review of FILE, a game of Go, as SGF with comments and variations.")
@click.option("--slot", default=None,
              help="Game to review, if FILE holds several: its number from 1, or its slot.")
@named_games(expose=True)
@click.option("--no-exact", is_flag=True,
              help="Do not prove values, also where the game can be solved.")
@move_timeout
def analyze(
    game: str, engine: str | None, from_stdin: bool, as_json: bool, all_moves: bool,
    html: Path | None, sgf: Path | None, slot: str | None, named: tuple[str, ...], no_exact: bool,
    move_timeout: float,
) -> None:
    """Find the mistakes of a recorded game, or analyse positions.

    FILE is SGF, PDN, a text of moves, or a ledger with --slot: every move with what it was worth,
    and what was better. With --stdin, say of each position of GAME (a line of moves) the best
    move, score, nodes and CPU time.
    """
    from experiments.cli.analyze import analyze_positions, check_choice, review_file

    check_choice(game, from_stdin, {
        "--html": html, "--sgf": sgf, "--slot": slot, "--game": named, "--no-exact": no_exact,
    }, all_moves)
    if from_stdin:
        analyze_positions(game, engine or "solver", all_moves, as_json, move_timeout)
    else:
        review_file(game, slot, engine, not no_exact, as_json, html, sgf, move_timeout)


@click.command()
@click.argument("game")
@click.option("--engine", default="textbook-mcts:sims=30", show_default=True,
              help="Engine to be watched: one of the textbook engines.")
@click.option("--moves", default="start", metavar="MOVES",
              help="Moves that lead to the position, as for `analyze`; the start by default.")
@click.option("--seed", type=Number(int), default=1, show_default=True, help="Seed of the engine.")
@click.option("--tree", type=click.Path(path_type=Path, dir_okay=False), default=None,
              metavar="FILE", help="Draw the tree to this SVG file.")
@click.option("--nodes", type=Number(int, 1, 2000), default=40, show_default=True,
              help="Nodes in the drawing.")
@click.option("--events", type=click.Path(path_type=Path, dir_okay=False), default=None,
              metavar="FILE", help="Write the events to this JSON file.")
@click.option("--steps", type=Number(int, 0), default=None,
              help="Tell and draw only so many steps; all by default.")
def watch(
    game: str, engine: str, moves: str, seed: int, tree: Path | None, nodes: int,
    events: Path | None, steps: int | None,
) -> None:
    """Tell step by step how an engine comes to its move in GAME, and draw its tree."""
    from dlgo import get_game
    from experiments.play.analyze import read_position
    from experiments.play.watch import watch_search

    state = read_position(get_game(game), moves)
    for line in watch_search(state, engine, seed, tree, events, nodes, steps):
        click.echo(line)


@click.command()
@click.option("--engine", default="mcts:sims=1000", show_default=True, help="Engine that plays.")
@click.option("--game", default="go:size=19", show_default=True,
              help="Game that is played until a command changes it.")
@click.option("--seed", type=Number(int), default=None,
              help="Seed of the engine; random by default.")
@move_timeout
def gtp(engine: str, game: str, seed: int | None, move_timeout: float) -> None:
    """Serve the Go Text Protocol on standard input and output, for Sabaki, GoGui, bridges."""
    from dlgo import get_game
    from experiments.gtp.server import serve

    seed = int.from_bytes(os.urandom(4), "big") if seed is None else seed
    serve(get_game(game), engine, seed, move_timeout)
