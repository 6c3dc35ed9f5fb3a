"""`dlgo play`: sets up a session from the options and shows it in the console."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import cast

from dlgo import DlgoError, GameState, get_game
from dlgo.system.processes import end_with_parent
from experiments.play.console import Console
from experiments.play.game_file import SavedGame, read_game_file
from experiments.play.session import DEFAULT_HINT, Session, make_player, player_from_file

_DEFAULTS = ("human", "mcts:sims=1000")


def open_session(
    game: str | None, first: str | None, second: str | None, seed: int | None, hint: str | None,
    save: str | None, resume: str | None, move_timeout: float,
) -> Session:
    """A game to play; arguments are the command's options, None for defaults. Raises DlgoError."""
    saved = _begin(game, resume)
    state = saved.state
    seed = int.from_bytes(os.urandom(4), "big") if seed is None else seed
    players = [
        make_player(
            option or player_from_file(name) or default, state.game, seed + place, move_timeout
        )
        for place, (option, name, default) in enumerate(
            zip((first, second), (saved.black, saved.white), _DEFAULTS, strict=True)
        )
    ]
    return Session(
        state, players, hint or DEFAULT_HINT, seed + len(players),
        Path(save) if save else None, Path(resume) if resume else None, move_timeout, saved,
    )


def play_session(session: Session, delay: float, evaluation: bool) -> None:
    """Play the game in the console, as `Console`. Raises DlgoError."""
    end_with_parent()
    try:
        _read_and_write_anything()
        Console(session, delay, evaluation).run()
    finally:
        session.close()
    if session.unsaved:
        raise DlgoError(f"the game could not be saved: {session.unsaved}")


def _begin(game: str | None, resume: str | None) -> SavedGame:
    if resume is None:
        if game is None:
            raise DlgoError("name a GAME, such as connect4, or a file with --resume FILE")
        return SavedGame(GameState.new_game(get_game(game)))
    named = None if game is None else get_game(game)  # before the file, which may need its code
    saved = read_game_file(Path(resume))
    for note in saved.notes:
        print(f"note: {note}", file=sys.stderr)
    if named is not None and named != saved.state.game:
        raise DlgoError(
            f"{resume} is a game of {saved.state.game}, not of {named}; leave GAME out"
        )
    return saved


def _read_and_write_anything() -> None:
    """Show and read bytes that are not text as question marks, without errors."""
    for stream in (sys.stdin, sys.stdout):
        with suppress(AttributeError, ValueError):
            cast(TextIOWrapper, stream).reconfigure(errors="replace")
