"""Players, points and moves: the vocabulary of games (chapter 3.1 of the book).

Import them from `dlgo` or `dlgo.api`; they have their own file because each file has one subject.
"""

from __future__ import annotations

import enum
from collections.abc import Hashable
from typing import NamedTuple

from dlgo.errors import NotationError


class Player(enum.Enum):
    """The two sides. Black moves first in every game."""

    black = 1
    white = 2

    @property
    def other(self) -> Player:
        """The opponent."""
        return Player.white if self is Player.black else Player.black

    @property
    def index(self) -> int:
        """The number of the player in kernels: 0 for black, 1 for white."""
        return self.value - 1

    @staticmethod
    def from_index(index: int) -> Player:
        """The player with this number in kernels."""
        return _PLAYERS[index]


_PLAYERS = (Player.black, Player.white)


class Point(NamedTuple):
    """An intersection or cell; row 1 is the bottom row, column 1 the leftmost."""

    row: int
    col: int

    def neighbors(self) -> list[Point]:
        """The four adjacent points, some of which may lie off the board."""
        return [
            Point(self.row - 1, self.col), Point(self.row + 1, self.col),
            Point(self.row, self.col - 1), Point(self.row, self.col + 1),
        ]


class Move(NamedTuple):
    """One turn: a play, a pass, or a resignation. Create it with the class methods.

    `place` is where the game plays: a `Point` in Go and tic-tac-toe, a column number in Connect
    Four, points from and to where pieces move. Moves compare and hash by value; `str(move)` is for
    people.
    """

    kind: str
    place: Hashable = None

    def __str__(self) -> str:
        return _place_text(self.place) if self.kind == "play" else self.kind

    @classmethod
    def play(cls, place: Hashable) -> Move:
        """A play at `place`."""
        return cls("play", place)

    @classmethod
    def pass_turn(cls) -> Move:
        """A pass, where the game allows one."""
        return _PASS

    @classmethod
    def resign(cls) -> Move:
        """A resignation: the opponent wins at once."""
        return _RESIGN

    @property
    def is_play(self) -> bool:
        """Whether this is a play."""
        return self.kind == "play"

    @property
    def is_pass(self) -> bool:
        """Whether this is a pass."""
        return self.kind == "pass"

    @property
    def is_resign(self) -> bool:
        """Whether this is a resignation."""
        return self.kind == "resign"

    @property
    def point(self) -> Point | None:
        """The point of the move, if its place is a point of a board (two ints)."""
        place = self.place
        if self.kind == "play" and isinstance(place, Point) and all(type(n) is int for n in place):
            return place
        return None


_PASS = Move("pass")
_RESIGN = Move("resign")
SWAP = Move.play("swap")  # the second player takes over the first stone


# Columns are lettered without I, which is too easily read as 1 (or J).
COLUMN_LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"


def parse_point(text: str, rows: int, cols: int) -> Point:
    """The point that `C3` names: a column letter (no I), then the row from the bottom."""
    text = text.strip()
    last_letter = COLUMN_LETTERS[cols - 1]
    form = f"write a column letter A-{last_letter} and a row 1-{rows}, such as C{min(3, rows)}"
    if len(text) < 2 or not (text[1:].isascii() and text[1:].isdigit()):
        raise NotationError(f"{text!r} is not a point of the board: {form}")
    if text[0] in "Ii":
        raise NotationError(f"{text!r}: the letter I is not used, J follows H")
    col = COLUMN_LETTERS.find(text[0].upper()) + 1
    row = int(text[1:]) if len(text) < 5 else 0
    if not (1 <= col <= cols and 1 <= row <= rows):
        raise NotationError(f"{text!r} lies off the {cols}x{rows} board: {form}")
    return Point(row, col)


def parse_place(text: str, rows: int, cols: int) -> Hashable:
    """The place that a move's text names: `C3`, a path `B2-B3`, or a choice `B7-B8=queen`.

    A `Point`; of a path or a choice the tuple of the points, and the word after `=` at its end.
    """
    path, equals, choice = text.partition("=")
    points = [parse_point(part, rows, cols) for part in path.split("-")]
    if len(points) == 1 and not equals:
        return points[0]
    return (*points, choice.strip().lower()) if equals else tuple(points)


def _place_text(place: Hashable) -> str:
    """A place as `parse_place` reads it."""
    if isinstance(place, Point):
        return point_text(place)
    if not isinstance(place, tuple):
        return str(place)
    points = [part for part in place if isinstance(part, Point)]
    extras = [part for part in place if not isinstance(part, Point)]
    if not points:
        return "-".join(map(str, extras))
    return "-".join(map(point_text, points)) + "".join(f"={part}" for part in extras)


def point_text(point: Point) -> str:
    """A point as `parse_point` reads it; a point outside every board as two numbers."""
    row, col = point
    if not (isinstance(col, int) and 0 < col <= len(COLUMN_LETTERS)):
        return f"({row}, {col})"
    return f"{COLUMN_LETTERS[col - 1]}{row}"
