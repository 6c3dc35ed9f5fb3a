"""What `dlgo analyze` does: positions from standard input, or a recorded game."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from experiments.command import say, standard_input


def check_choice(
    game: str, from_stdin: bool, of_file: dict[str, Any], all_moves: bool
) -> None:
    """Refuse options that do not go together.

    Args:
        of_file: options that are for a recorded game, with what has been given.
    """
    if from_stdin:
        for option, value in of_file.items():
            if value:
                raise click.UsageError(f"{option} is for a recorded game; leave out --stdin")
    elif all_moves:
        raise click.UsageError("--all-moves is for positions of a game; add --stdin")
    elif not Path(game).exists():
        raise click.UsageError(
            f"{game}: there is no such file; to analyse positions of a game, add --stdin"
        )


def analyze_positions(
    game: str, engine: str, all_moves: bool, as_json: bool, move_timeout: float
) -> None:
    """Answer line by line."""
    from dlgo import get_game
    from experiments.play.analyze import analyze, lines_there

    lines = lines_there(standard_input("positions").buffer)
    for answers in analyze(get_game(game), engine, lines, all_moves, as_json, move_timeout):
        click.echo("\n".join(answers))


def review_file(
    name: str, slot: str | None, engine: str | None, exact: bool,
    as_json: bool, html: Path | None, sgf: Path | None, move_timeout: float,
) -> None:
    """Review a recorded game, print and write what has been found.

    Raises:
        DlgoError: if it cannot be read or written, or the engine is of no use for it.
        KeyboardInterrupt: after Ctrl-C, when all that is known has been printed and written.
    """
    from dlgo import DlgoError
    from dlgo.files import write_file
    from experiments.play.board_animation import load_game
    from experiments.review.console import DEFAULT_ENGINE, review_game, review_json, review_lines
    from experiments.review.exact import exact_engine
    from experiments.studio.review_page import review_html
    from experiments.studio.review_view import Reviewed, reviewed_sgf

    saved = load_game(Path(name), slot)
    for note in saved.notes:
        say(f"note: {note}", err=True)
    game, engine = saved.state.game, engine or DEFAULT_ENGINE
    if sgf is not None and game.name != "go":
        raise DlgoError(f"--sgf {sgf}: only games of Go are written as SGF; use --html")
    for out in filter(None, (html, sgf)):
        if not out.absolute().parent.is_dir():
            raise DlgoError(f"{out}: there is no folder {out.absolute().parent}; create it first")

    def progress(done: int, of: int) -> None:
        if sys.stderr.isatty():
            click.echo(f"\rposition {done} of {of}", err=True, nl=done == of)

    review, finished = review_game(saved.state, engine, exact, move_timeout, progress)
    for line in review_json(review) if as_json else review_lines(review, saved):
        say(line)
    prover = exact_engine(game) if exact else None
    reviewed = Reviewed(review, saved, engine, prover or "")
    if html is not None:
        say(f"{write_file(html, review_html(reviewed))}", err=True)
    if sgf is not None:
        say(f"{write_file(sgf, reviewed_sgf(reviewed))}", err=True)
    if not finished:
        raise KeyboardInterrupt(
            f"stopped after {review.done} of {len(review.states)} positions; these are above"
        )
