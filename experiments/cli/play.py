"""`dlgo play`, `show`, `analyze`, `watch` and `gtp`: one game at a time."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any

import click

from experiments.command import log, standard_input
from experiments.options import FILE, PATH, Number, move_timeout, named_games, show_output_option


@click.command()
@click.argument("game", required=False)
@click.option("--first", help="Player who moves first. Default: human, or as in --resume.")
@click.option("--second",
              help="Player who moves second. Default: mcts:sims=1000, or as in --resume.")
@click.option("--delay", type=Number(float, 0, 60), default=0.5, show_default=True,
              help="Seconds to show the board after an engine's move.")
@click.option("--seed", type=Number(int), help="Seed of the engines. Default: random.")
@click.option("--hint", metavar="ENGINE",
              help="Engine that answers `hint`. Default: mcts:sims=2000.")
@click.option("--eval", "evaluation", is_flag=True,
              help="Show the result that an engine expects after each of its moves as a bar.")
@click.option("--save", type=click.Path(), metavar="FILE",
              help="Write the game to this file after every move.")
@click.option("--resume", type=click.Path(), metavar="FILE",
              help="Continue a saved game (SGF, PDN or a text of moves).")
@show_output_option
@move_timeout
def play(delay: float, evaluation: bool, **options: Any) -> None:
    """Play GAME: you against an engine, or engine against engine.

    A player is `human` or an engine such as mcts:sims=800 (see `dlgo engines`). With --resume
    you can leave out GAME, unless its rules are a file of your own. See docs/play.md.
    """
    from experiments.play.play import open_session, play_session

    play_session(open_session(**options), delay, evaluation)


@click.command()
@click.argument("file", type=click.Path())
@click.option("--out", required=True, type=click.Path(),
              help="File to write: .gif or .html for all moves, .png for the last position.")
@click.option("--slot", help="Game to draw if FILE holds several: its number, from 1, or its slot.")
@named_games()
@click.option("--delay", type=Number(float, 0.02, 60), default=0.7, show_default=True,
              help="Seconds per move.")
def show(file: str, out: str, slot: str | None, delay: float) -> None:
    """Draw a recorded game: FILE is SGF, PDN, a text of moves, or a ledger with --slot."""
    from experiments.play.board_animation import check_ending, load_game, show_game
    from experiments.progress import shown_count

    check_ending(Path(out))
    saved_game = load_game(Path(file), slot)
    for note in saved_game.notes:
        click.echo(f"note: {note}", err=True)
    with shown_count("frames") as show_frames:
        image = show_game(saved_game, Path(out), delay, show_frames)
    click.echo(image)


@click.command()
@click.argument("game", metavar="GAME|FILE")
@click.option("--engine",
              help="Engine that analyses. Default: solver (positions), mcts:sims=1000 (a game).")
@click.option("--stdin", "from_stdin", is_flag=True,
              help="Read positions of GAME from standard input, one per line.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@click.option("--all-moves", is_flag=True,
              help="With --stdin: add the exact score of every legal move.")
@click.option("--html", type=PATH, metavar="OUT",
              help="Write the review of FILE to this HTML page, which needs no other file.")
@click.option("--sgf", type=PATH, metavar="OUT",
              help="Write the review of FILE, a game of Go, to this SGF file, with variations.")
@click.option("--slot",
              help="Game to review if FILE holds several: its number, from 1, or its slot.")
@named_games(expose=True)
@click.option("--no-exact", is_flag=True,
              help="Do not prove values, even if the game can be solved.")
@click.option("--seconds", type=Number(float, 0, 100_000), default=0.0,
              help="Seconds that the review of FILE takes, proofs aside: sets the simulations of "
                   "each search. Default: as ENGINE says.")
@move_timeout
def analyze(
    game: str, engine: str | None, from_stdin: bool, as_json: bool, all_moves: bool,
    move_timeout: float, **of_file: Any,
) -> None:
    """Find the mistakes of a recorded game, or analyse positions.

    FILE is SGF, PDN, a text of moves, or a ledger with --slot: you get the value of every move,
    and better moves. With --stdin, you get the best move, score, nodes and CPU time of each
    position of GAME, which is a line of moves.
    """
    if from_stdin:
        for name in filter(of_file.get, of_file):
            option = "game" if name == "named" else name.replace("_", "-")
            raise click.UsageError(f"--{option} needs a recorded game; leave out --stdin")
        _analyze_positions(game, engine or "solver", all_moves, as_json, move_timeout)
        return
    if all_moves:
        raise click.UsageError("--all-moves needs positions of a game; add --stdin")
    if not Path(game).exists():
        raise click.UsageError(
            f"file {game} does not exist; to analyse positions of a game, add --stdin"
        )
    review_file(
        game, of_file["slot"], engine, not of_file["no_exact"], as_json, of_file["html"],
        of_file["sgf"], move_timeout=move_timeout, seconds=of_file["seconds"])


def _analyze_positions(
    game: str, engine: str, all_moves: bool, as_json: bool, move_timeout: float
) -> None:
    """Answer line by line."""
    from dlgo import get_game
    from experiments.play.analyze import analyze, lines_there

    lines = lines_there(standard_input("positions").buffer)
    for answers in analyze(get_game(game), engine, lines, all_moves, as_json, move_timeout):
        click.echo("\n".join(answers))


def review_file(
    file: str, slot: str | None, engine: str | None, exact: bool, as_json: bool, html: Path | None,
    sgf: Path | None, **limits: float,
) -> None:
    """Review a recorded game, print and write what has been found; after Ctrl-C, all so far.
    `limits` are those of `review_game`: `move_timeout` and `seconds`."""
    from dlgo import DlgoError
    from dlgo.files import write_file
    from experiments.play.board_animation import load_game
    from experiments.progress import shown_count
    from experiments.review.console import DEFAULT_ENGINE, review_game, review_json, review_lines
    from experiments.review.game_review import exact_engine
    from experiments.review.words import review_sgf
    from experiments.studio.review_view import ReviewView, review_html

    saved_game = load_game(Path(file), slot)
    for note in saved_game.notes:
        log(f"note: {note}", err=True)
    game, engine = saved_game.state.game, engine or DEFAULT_ENGINE
    if sgf is not None and game.name != "go":
        raise DlgoError(f"--sgf {sgf}: only games of Go are written as SGF; use --html")
    for out in filter(None, (html, sgf)):
        if not out.absolute().parent.is_dir():
            raise DlgoError(f"{out}: there is no folder {out.absolute().parent}; create it first")
    with shown_count("positions") as show_positions:
        review, finished = review_game(
            saved_game.state, engine, exact, progress=show_positions, tell=partial(log, err=True),
            **limits)
    for line in review_json(review) if as_json else review_lines(review, saved_game):
        log(line)
    prover = (exact_engine(game) if exact else None) or ""
    if html is not None:
        page = review_html(ReviewView(review, saved_game, engine, prover))
        log(f"{write_file(html, page)}", err=True)
    if sgf is not None:
        engines = " and ".join(filter(None, (prover, engine)))
        log(f"{write_file(sgf, review_sgf(review, saved_game, engines))}", err=True)
    if not finished:
        raise KeyboardInterrupt(
            f"stopped after {review.done} of {len(review.states)} positions; these are above"
        )


@click.command()
@click.argument("game")
@click.option("--engine", default="textbook-mcts:sims=30", show_default=True,
              help="Engine to watch: one of the textbook engines.")
@click.option("--moves", default="start", metavar="MOVES",
              help="Moves that lead to the position, such as 'B2 A1'. Default: no moves.")
@click.option("--seed", type=Number(int), default=1, show_default=True, help="Seed of the engine.")
@click.option("--tree", type=FILE, metavar="FILE", help="Draw the tree to this SVG file.")
@click.option("--nodes", type=Number(int, 1, 2000), default=40, show_default=True,
              help="Maximum number of nodes in the drawing.")
@click.option("--events", type=FILE, metavar="FILE", help="Write the events to this JSON file.")
@click.option("--steps", type=Number(int, 0),
              help="Number of steps to show and draw. Default: all.")
def watch(
    game: str, engine: str, moves: str, seed: int, tree: Path | None, nodes: int,
    events: Path | None, steps: int | None,
) -> None:
    """Show step by step how an engine chooses its move in GAME, and draw its tree."""
    from dlgo import get_game
    from experiments.play.analyze import read_position
    from experiments.play.watch import watch_search

    state = read_position(get_game(game), moves)
    for line in watch_search(state, engine, seed, tree, events, nodes, steps):
        click.echo(line)


@click.command()
@click.option("--engine", default="mcts:sims=1000", show_default=True, help="Engine that plays.")
@click.option("--game", default="go:size=19", show_default=True,
              help="Game to play until a GTP command changes it.")
@click.option("--seed", type=Number(int), help="Seed of the engine. Default: random.")
@move_timeout
def gtp(engine: str, game: str, seed: int | None, move_timeout: float) -> None:
    """Speak the Go Text Protocol (GTP) on standard input and output, for Sabaki or GoGui."""
    from dlgo import get_game
    from experiments.gtp.server import serve

    seed = int.from_bytes(os.urandom(4), "big") if seed is None else seed
    serve(get_game(game), engine, seed, move_timeout)
