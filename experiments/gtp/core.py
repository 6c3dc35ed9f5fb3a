"""GTP commands for administration, setup and play: sections 6.3.1 to 6.3.3 and 6.3.6.

Each takes the session and the command's arguments, and returns the result; None: nothing to say.
"""

from __future__ import annotations

from collections.abc import Sequence

from dlgo import __version__
from dlgo.errors import DlgoError, NotationError
from dlgo.games import get_game
from dlgo.games.go.board import MAX_SIZE
from dlgo.gtp import GtpError, parse_color, parse_float, parse_int
from experiments.command import say
from experiments.gtp.session import Session

Arguments = Sequence[str]
_SMALLEST = 2


def arguments(given: Arguments, *names: str) -> Arguments:
    """As many arguments as there are names; further ones are ignored, as GNU Go does.

    Raises:
        GtpError: if there are fewer.
    """
    if len(given) < len(names):
        raise GtpError(f"syntax error: expected {' '.join(names)}")
    return given[: len(names)]


def quit_(session: Session, given: Arguments) -> None:
    session.closing = True


def boardsize(session: Session, given: Arguments) -> None:
    (text,) = arguments(given, "size")
    size = parse_int(text, "size")
    if not _SMALLEST <= size <= MAX_SIZE:
        raise GtpError("unacceptable size")
    try:
        session.change_game(session.game_of_size(size))
    except DlgoError as error:
        raise GtpError(f"unacceptable size: {error}") from None


def komi(session: Session, given: Arguments) -> None:
    (text,) = arguments(given, "komi")
    session.set_komi(parse_float(text, "komi"))


def play(session: Session, given: Arguments) -> None:
    color, move = arguments(given, "color", "move")
    player = parse_color(color)
    try:
        note = session.play(player, move)
    except NotationError as error:
        raise GtpError(f"syntax error: {error}") from None
    if note:  # where bridges and front ends keep their log
        say(f"dlgo gtp: {note}", err=True)


def genmove(session: Session, given: Arguments) -> str:
    (color,) = arguments(given, "color")
    return session.game.move_text(session.generate(parse_color(color)))


def reg_genmove(session: Session, given: Arguments) -> str:
    (color,) = arguments(given, "color")
    return session.game.move_text(session.choose(parse_color(color))[1].move)


def showboard(session: Session, given: Arguments) -> str:
    state = session.state
    game, player = state.game, state.next_player
    turn = (
        f"game over: {game.result_text(state)}" if state.is_over()
        else f"{player.name} ({game.piece_symbol(player.index)}) to move"
    )
    return f"\n{state}\n{turn}"


def dlgo_game(session: Session, given: Arguments) -> None:
    """An extension: play another game, such as `dlgo-game connect4`."""
    (text,) = arguments(given, "game")
    game = get_game(text)
    session.change_game(game)
    session.komi = getattr(game, "komi", 0.0)


# Commands that any game has.
COMMANDS = {
    "protocol_version": lambda session, given: "2",
    "name": lambda session, given: "dlgo",
    "version": lambda session, given: __version__,
    "quit": quit_,
    "clear_board": lambda session, given: session.clear(),
    "play": play,
    "genmove": genmove,
    "reg_genmove": reg_genmove,
    "undo": lambda session, given: session.undo(),
    "showboard": showboard,
    "dlgo-game": dlgo_game,
}
# Commands that only Go has.
GO_COMMANDS = {"boardsize": boardsize, "komi": komi}
