"""GTP commands for administration, setup and play: sections 6.3.1 to 6.3.3 and 6.3.6.

Each takes the session and the command's arguments, which are texts, and returns the result; None:
nothing to say.
"""

from __future__ import annotations

from dlgo import __version__
from dlgo.errors import DlgoError, NotationError
from dlgo.games import get_game
from dlgo.games.go.board import MAX_SIZE
from dlgo.gtp import GtpError, parse_color, parse_float, parse_int
from experiments.command import say
from experiments.gtp.session import Session

_SMALLEST = 2


def quit_(session: Session) -> None:
    session.closing = True


def boardsize(session: Session, size: str) -> None:
    lines = parse_int(size, "size")
    if not _SMALLEST <= lines <= MAX_SIZE:
        raise GtpError("unacceptable size")
    try:
        session.change_game(session.game_of_size(lines))
    except DlgoError as error:
        raise GtpError(f"unacceptable size: {error}") from None


def komi(session: Session, komi: str) -> None:
    session.set_komi(parse_float(komi, "komi"))


def play(session: Session, color: str, move: str) -> None:
    player = parse_color(color)
    try:
        note = session.play(player, move)
    except NotationError as error:
        raise GtpError(f"syntax error: {error}") from None
    if note:  # where bridges and front ends keep their log
        say(f"dlgo gtp: {note}", err=True)


def genmove(session: Session, color: str) -> str:
    return session.game.move_text(session.generate(parse_color(color)))


def reg_genmove(session: Session, color: str) -> str:
    return session.game.move_text(session.choose(parse_color(color))[1].move)


def showboard(session: Session) -> str:
    state = session.state
    game, player = state.game, state.next_player
    turn = (
        f"game over: {game.result_text(state)}" if state.is_over()
        else f"{player.name} ({game.piece_symbol(player.index)}) to move"
    )
    return f"\n{state}\n{turn}"


def dlgo_game(session: Session, game: str) -> None:
    """An extension: play another game, such as `dlgo-game connect4`."""
    session.change_game(get_game(game))
    session.komi = getattr(session.game, "komi", 0.0)


# Commands that any game has.
COMMANDS = {
    "protocol_version": lambda session: "2",
    "name": lambda session: "dlgo",
    "version": lambda session: __version__,
    "quit": quit_,
    "clear_board": lambda session: session.clear(),
    "play": play,
    "genmove": genmove,
    "reg_genmove": reg_genmove,
    "undo": lambda session: session.undo(),
    "showboard": showboard,
    "dlgo-game": dlgo_game,
}
# Commands that only Go has.
GO_COMMANDS = {"boardsize": boardsize, "komi": komi}
