"""The messages of OGS as text and as values.

    [command, data]              from the server: an event
    [number, data, error]        from the server: the answer to a request
    [command, data, number]      to the server; the number only where an answer is wanted

A point is two letters, column and row from the upper left corner, `aa`; a pass is `..`. In lists
of moves it is `[x, y, milliseconds]`, a pass `[-1, -1]`. The names are those of OGS's own library
(github.com/online-go/goban, `src/engine/protocol`). A server can send anything, so what is read
here is checked, and what is wrong raises a `ProtocolError` that names it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from dlgo.api import Move, Point
from dlgo.errors import DlgoError
from dlgo.games.go.board import MAX_SIZE
from dlgo.text import excerpt

PASS = ".."
PLAY, SCORING, FINISHED = "play", "stone removal", "finished"
_MISSING = object()
_MOST_MOVES = 5000


class ProtocolError(DlgoError):
    """A message that cannot be what the protocol says."""


class Message(NamedTuple):
    """What the server has sent: an event, or the answer to a request."""

    name: str  # of the event; "" for an answer
    number: int  # of the request that it answers; 0 for an event
    data: Any


def parse_message(text: str | bytes) -> Message:
    """Read a message. Raises ProtocolError if it is not JSON, or not a list that begins with a name
    or a number."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        raise ProtocolError(f"the server sent invalid JSON: {_shown(text)}") from None
    head, data = (*values, None, None)[:2] if isinstance(values, list) else (None, None)
    if isinstance(head, str):
        return Message(head, 0, data)
    if type(head) is int:
        return Message("", head, data)
    raise ProtocolError(f"the server sent something that is not a message: {_shown(text)}")


def format_message(command: str, data: Any, number: int = 0) -> str:
    """The text of a message to the server."""
    return json.dumps([command, data, number] if number else [command, data])


def parse_move(value: Any, size: int) -> Move:
    """A move from its two letters, or from `[x, y, ...]`. Raises ProtocolError for anything else,
    and off the board."""
    if isinstance(value, str) and len(value) == 2:
        x, y = (-1, -1) if value == PASS else (ord(value[0]) - 97, ord(value[1]) - 97)
    elif isinstance(value, list) and len(value) >= 2 and all(type(v) is int for v in value[:2]):
        x, y = value[:2]
    elif isinstance(value, dict) and type(value.get("x")) is type(value.get("y")) is int:
        x, y = value["x"], value["y"]
    else:
        raise ProtocolError(f"{_shown(value)} is not a move")
    if (x, y) == (-1, -1):
        return Move.pass_turn()
    if not (0 <= x < size and 0 <= y < size):
        raise ProtocolError(f"the move {_shown(value)} is off the {size}x{size} board")
    return Move.play(Point(size - y, x + 1))


def format_move(move: Move, size: int) -> str:
    """The two letters of a play or a pass."""
    return format_points([move.point], size) if move.point is not None else PASS


def parse_points(text: Any, size: int) -> frozenset[Point]:
    """Points from their letters in a row. Raises ProtocolError."""
    if not isinstance(text, str) or len(text) % 2:
        raise ProtocolError(f"{_shown(text)} is not a row of points")
    moves = [parse_move(text[i : i + 2], size) for i in range(0, len(text), 2)]
    return frozenset(move.point for move in moves if move.point is not None)


def format_points(points: Iterable[Point], size: int) -> str:
    """The letters of points in a row, sorted, so that equal sets give equal texts."""
    return "".join(sorted(
        chr(96 + point.col) + chr(97 + size - point.row) for point in points))


@dataclass(frozen=True)
class GameData:
    """A game as the server tells it, checked."""

    id: int
    size: int
    rules: str  # `chinese`, `aga`, `japanese` and others
    komi: float  # without compensation for handicap stones
    handicap: int  # stones; 0 and 1: none
    free_handicap: bool  # whether Black places them by moves in a row
    compensation: int  # points that White gets for them
    black_stones: frozenset[Point]  # on the board at the start
    white_stones: frozenset[Point]
    white_begins: bool  # after those stones
    moves: tuple[Move, ...]  # from the start on
    phase: str  # `PLAY`, `SCORING` or `FINISHED`
    players: tuple[tuple[int, str], tuple[int, str]]  # number and name of Black and of White
    time_control: dict[str, Any]  # as sent, like `clock`
    clock: dict[str, Any]
    removed: frozenset[Point]  # stones that are marked as dead
    outcome: str = ""  # of a finished game
    winner: int | None = None  # the number of a player

    def with_move(self, move: Move) -> GameData:
        """The same, a move later."""
        return replace(self, moves=(*self.moves, move))


def parse_game(data: Any) -> GameData:
    """Read `gamedata`. Raises ProtocolError, naming what is wrong."""
    if not isinstance(data, dict):
        raise ProtocolError(f"{_shown(data)} is not a game")
    size = board_size(data)
    start = get(data, "initial_state", dict, {})
    raw_moves = get(data, "moves", list, [])
    if len(raw_moves) > _MOST_MOVES:
        raise ProtocolError(f"{len(raw_moves)} moves are more than a game can have")
    handicap = int(number(data, "handicap", 0))
    free = bool(data.get("free_handicap_placement"))
    black_stones = parse_points(start.get("black") or "", size)
    if handicap > 1 and not free and not black_stones:
        raise ProtocolError(f"the {handicap} handicap stones are not in initial_state")
    compensation = 0
    if data.get("score_handicap") and handicap > 1:
        compensation = handicap - bool(data.get("aga_handicap_scoring"))
    winner, players = data.get("winner"), get(data, "players", dict)
    return GameData(
        id=int(number(data, "game_id", data.get("id"))),
        size=size,
        rules=get(data, "rules", str, "japanese").lower(),
        komi=number(data, "komi", 0.0),
        handicap=handicap,
        free_handicap=free,
        compensation=compensation,
        black_stones=black_stones,
        white_stones=parse_points(start.get("white") or "", size),
        white_begins=data.get("initial_player") == "white",
        moves=tuple(parse_move(value, size) for value in raw_moves),
        phase=get(data, "phase", str, PLAY),
        players=(_account(get(players, "black", dict)), _account(get(players, "white", dict))),
        time_control=_time_control(data),
        clock=get(data, "clock", dict, {}),
        removed=parse_points(data.get("removed") or "", size),
        outcome=excerpt(str(data.get("outcome") or ""), 60),
        winner=winner if type(winner) is int else None,
    )


def board_size(data: dict[str, Any]) -> int:
    """The lines of a square board. Raises ProtocolError for others, and beyond our rules."""
    width, height = number(data, "width"), number(data, "height")
    if width != height or not 2 <= width <= MAX_SIZE or width != int(width):
        raise ProtocolError(
            f"the board has {width:g}x{height:g} points; ours are square, 2 to {MAX_SIZE} lines"
        )
    return int(width)


def _account(data: dict[str, Any], default: Any = _MISSING) -> tuple[int, str]:
    return int(number(data, "id", default)), excerpt(str(data.get("username", "?")), 40)


def _time_control(data: dict[str, Any]) -> dict[str, Any]:
    """`time_control`, or in challenges of some kinds `time_control_parameters`."""
    for key in ("time_control", "time_control_parameters"):
        if isinstance(data.get(key), dict):
            return data[key]
    return {}


class Challenge(NamedTuple):
    """An invitation to a game."""

    id: int
    player: tuple[int, str]  # the number and the name of who asks
    settings: dict[str, Any]  # as sent: `width`, `height`, `rules`, `ranked`, `handicap`, `komi`
    time_control: dict[str, Any]  # as sent


def parse_challenge(data: dict[str, Any]) -> Challenge:
    """Read a notification of the type `challenge`. Raises ProtocolError."""
    user = _account(get(data, "user", dict, {}), 0)
    return Challenge(int(number(data, "challenge_id")), user, data, _time_control(data))


def get(data: dict[str, Any], key: str, kind: type, default: Any = _MISSING) -> Any:
    """A value of this kind. Null and nothing are the default. Raises ProtocolError."""
    value = data.get(key)
    value = default if value is None else value
    if value is _MISSING:
        raise ProtocolError(f"{key} is missing")
    if not isinstance(value, kind):
        raise ProtocolError(f"{key}={_shown(value)} is not a {kind.__name__}")
    return value


def number(data: dict[str, Any], key: str, default: Any = _MISSING) -> float:
    """A finite number that may have been sent as text. Raises ProtocolError."""
    value = get(data, key, object, default)
    try:
        result = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        result = math.nan
    if not abs(result) <= 2**53:
        raise ProtocolError(f"{key}={_shown(value)} is not a number")
    return result


def _shown(value: Any) -> str:
    if isinstance(value, bytes):
        value = value[:200].decode("utf-8", "replace")
    return repr(excerpt(str(value), 60))
