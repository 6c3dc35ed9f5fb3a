"""The GTP commands, but for those of `analysis.py`: sections 6.3.1 to 6.3.6 and KGS's extensions.

Each takes the session and the command's arguments, which are texts, and returns the result; None:
nothing to say.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dlgo import __version__
from dlgo.api import Move, Player, Point, parse_point, point_text
from dlgo.errors import DlgoError, NotationError, SpecError, system_reason
from dlgo.games import get_game
from dlgo.games.go.board import MAX_SIZE
from dlgo.games.go.scoring import dead_chains, likely_dead, score
from dlgo.games.go.state import Go, handicap_points
from dlgo.gtp import GtpError, parse_color, parse_float, parse_int
from experiments.gtp.clock import Clock
from experiments.gtp.session import Session, position
from experiments.play.game_file import positions, read_game_file

_SMALLEST = 2


def _note(text: str) -> None:
    """Write to standard error, where front ends keep their log."""
    print(f"dlgo gtp: {text}", file=sys.stderr, flush=True)


# --- administration and play ---


def quit_(session: Session) -> None:
    session.closing = True


def boardsize(session: Session, size: str, *height: str) -> None:
    lines = parse_int(size, "size")
    if any(number != size for number in height):
        raise GtpError(f"unacceptable size: {' by '.join((size, *height))} is not a square")
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
    if note:
        _note(note)


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


# --- handicap ---


def fixed_handicap(session: Session, number_of_stones: str) -> str:
    stones = parse_int(number_of_stones, "number of stones")
    try:
        points = handicap_points(Go.of(session.game).size, stones)
    except SpecError:
        points = ()
    if not points:
        raise GtpError("invalid number of stones")
    return _place(session, points)


def place_free_handicap(session: Session, number_of_stones: str) -> str:
    """Place handicap stones on the star points."""
    number = parse_int(number_of_stones, "number of stones")
    size = Go.of(session.game).size
    if not 2 <= number < size**2:
        raise GtpError("invalid number of stones")
    for stones in range(min(number, 9), 1, -1):
        try:
            return _place(session, handicap_points(size, stones))
        except SpecError:
            continue  # fewer star points; the protocol allows to place fewer stones
    # No star points: two stones about the centre, which every board from 2x2 on has room for.
    low, high = (size + 1) // 2, size // 2 + 1
    return _place(session, (Point(low, low), Point(high, high if high > low else low + 1)))


def set_free_handicap(session: Session, *vertices: str) -> None:
    size = Go.of(session.game).size
    try:
        points = [parse_point(text, size, size) for text in vertices]
    except NotationError as error:
        raise GtpError(f"bad vertex list: {error}") from None
    if not 2 <= len(points) < size**2 or len(set(points)) < len(points):
        raise GtpError("bad vertex list: expected two or more different points")
    _place(session, points)


def _place(session: Session, points: tuple[Point, ...] | list[Point]) -> str:
    if session.game.stones(session.state):
        raise GtpError("board not empty")
    session.start_at(position(session.game, points, (), Player.white))
    return " ".join(map(point_text, points))


# --- time ---


def time_settings(
    session: Session, main_time: str, byo_yomi_time: str, byo_yomi_stones: str
) -> None:
    stones = parse_int(byo_yomi_stones, "stones")
    session.clock = Clock(_seconds(main_time), _seconds(byo_yomi_time), stones)


def _seconds(text: str) -> float:
    """A time. Whole numbers by the protocol, but some controllers send fractions."""
    seconds = parse_float(text, "time")
    if seconds < 0:
        raise GtpError(f"syntax error: time {text} is negative")
    return seconds


def time_left(session: Session, color: str, time: str, stones: str) -> None:
    # Even a negative one is taken: a clock can be overdrawn.
    seconds = max(parse_float(time, "time"), 0.0)
    session.clock.left[parse_color(color)] = (seconds, parse_int(stones, "stones"))


def kgs_time_settings(session: Session, kind: str, *numbers: str) -> None:
    """`none`, `absolute MAIN`, `byoyomi MAIN PERIOD PERIODS`, `canadian MAIN BYO STONES`."""
    counts = {"none": 0, "absolute": 1, "byoyomi": 3, "canadian": 3}
    if kind not in counts:
        raise GtpError(f"syntax error: expected {', '.join(counts)}")
    values = numbers[: counts[kind]]
    if len(values) < counts[kind]:
        raise GtpError(f"syntax error: {kind} takes {counts[kind]} numbers")
    clock = Clock(japanese=kind == "byoyomi")
    if values:
        clock.main_time = _seconds(values[0])
    if len(values) == 3:
        clock.byo_time = _seconds(values[1])
        clock.byo_stones = parse_int(values[2], "stones or periods")
    session.clock = clock


# --- the end of the game ---


def final_score(session: Session) -> str:
    """The score by area, without the stones that random games mostly capture."""
    counted = score(session.state, likely_dead(session.state))
    margin = counted.black - counted.white - session.komi
    return f"{'B' if margin > 0 else 'W'}+{abs(margin):.12g}" if margin else "0"


def final_status_list(session: Session, status: str) -> str:
    """`alive`, `dead` or `seki`; seki is not recognised, so that list is empty."""
    if status not in ("alive", "dead", "seki"):
        raise GtpError("syntax error: expected alive, dead or seki")
    state = session.state
    occupied, dead = state.game.stones(state).keys(), dead_chains(state)
    points = {"alive": occupied - dead, "dead": dead, "seki": set()}[status]
    return "\n".join(map(point_text, sorted(points)))


def kgs_genmove_cleanup(session: Session, color: str) -> str:
    """A move; pass only after the opponent's dead stones are captured."""
    player = parse_color(color)
    state = session.turn_of(player)
    stones = state.game.stones(state)
    move = Move.pass_turn()
    if any(stones[point] is player.other for point in likely_dead(state)):
        _, decision = session.choose(player)
        plays = [m for m in (decision.move, *decision.policy) if m.is_play]
        move = next(iter(plays), move)
    session.play(player, state.game.move_text(move))
    return state.game.move_text(move)


def kgs_rules(session: Session, rules: str) -> None:
    if rules not in ("chinese", "aga", "new_zealand"):
        raise GtpError("unsupported rules: choose chinese, aga or new_zealand (area scoring)")


# --- records ---


def loadsgf(session: Session, file: str, *more: str) -> None:
    """The words are a path, which may have spaces, and then a move number or nothing."""
    whole, path = Path(" ".join((file, *more))), Path(" ".join((file, *more[:-1])))
    try:
        numbered = more and not whole.exists() and (more[-1].isdigit() or path.exists())
    except OSError as error:  # as of too long a name
        raise GtpError(f"cannot load file: {system_reason(error)}") from None
    until = parse_int(more[-1], "move number") if numbered else None
    path = path if numbered else whole
    try:
        saved = read_game_file(path)
        if not isinstance(saved.state.game, Go):
            raise DlgoError(f"{path} is a game of {saved.state.game}")
        states = positions(saved.state)
        if saved.state.last_move is not None and saved.state.last_move.is_resign:
            states.pop()
        if until is not None:
            plies = [ply for number, ply in saved.plies.items() if number < until]
            states = states[: max(plies, default=0) + 1]
        session.change_game(session.game_of_size(saved.state.game.size), states)
    except DlgoError as error:
        raise GtpError(f"cannot load file: {error}") from None
    for note in saved.notes:
        _note(note)
    session.set_komi(session.komi if saved.komi is None else saved.komi)


# Commands that any game has, and those that only Go has.
COMMANDS: dict[str, Callable[..., Any]] = {
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
    "time_settings": time_settings,
    "time_left": time_left,
    "kgs-time_settings": kgs_time_settings,
    "kgs-game_over": lambda session: None,
}
GO_COMMANDS: dict[str, Callable[..., Any]] = {
    "boardsize": boardsize,
    "komi": komi,
    "fixed_handicap": fixed_handicap,
    "place_free_handicap": place_free_handicap,
    "set_free_handicap": set_free_handicap,
    "final_score": final_score,
    "final_status_list": final_status_list,
    "kgs-genmove_cleanup": kgs_genmove_cleanup,
    "kgs-rules": kgs_rules,
    "loadsgf": loadsgf,
}
