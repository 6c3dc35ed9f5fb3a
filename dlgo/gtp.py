"""Commands, responses and arguments of GTP as text (GTP version 2, draft 2; Farneback 2002).

    [id] command_name [arguments] \\n        a command
    =[id] result \\n\\n                       it worked
    ?[id] message \\n\\n                      it did not

Moves are written as the game writes them (`GameSpec.move_text`, `parse_move`): for Go those
are GTP's vertices, `D4`, `J11`, `pass`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from dlgo.errors import DlgoError
from dlgo.moves import Player
from dlgo.text import excerpt

# The largest `int` of the protocol.
MAX_INT = 2**31 - 1
# The largest 32-bit float (IEEE 754).
_MAX_FLOAT = 3.4028235e38

# All control characters but HT and LF.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
_COLORS = {"b": Player.black, "black": Player.black, "w": Player.white, "white": Player.white}


class GtpError(DlgoError):
    """A command that cannot be carried out, or a program that breaks the protocol."""


@dataclass(frozen=True)
class Command:
    """A command."""

    id: int | None  # the number before it, or None
    name: str  # the command's name; case matters.
    arguments: tuple[str, ...] = ()  # the words after it


def clean(text: str) -> str:
    """Without control characters except LF, tabs as spaces: sections 3.1 and 2.4."""
    return _CONTROL.sub("", text).replace("\t", " ")


def parse_command(line: str) -> Command | None:
    """The command in a line, or None if the line has only spaces and a comment."""
    words = clean(line).partition("#")[0].split()
    number = None
    if words and words[0].isascii() and words[0].isdigit() and len(words[0]) <= 10:
        number = int(words.pop(0))
        if not words:  # a number without a command: the caller refuses the empty name
            return Command(number, "")
    return Command(number, words[0], tuple(words[1:])) if words else None


def format_command(command: Command) -> str:
    """The line that `parse_command` reads, with its line break."""
    number = () if command.id is None else (str(command.id),)
    return " ".join((*number, command.name, *command.arguments)) + "\n"


def format_response(number: int | None, text: str, ok: bool = True) -> str:
    """A response with its two line breaks.

    Empty lines inside the text would end the response too early; they get a space.
    """
    text = re.sub(r"\n(?=\n)", "\n ", clean(text).rstrip())
    mark = ("=" if ok else "?") + ("" if number is None else str(number))
    return f"{mark} {text}".rstrip() + "\n\n"


def parse_response(text: str) -> tuple[bool, int | None, str]:
    """Read a whole response: whether the command worked, its number, its result. Raises
    GtpError."""
    text = clean(text).strip()
    match = re.match(r"([=?])([0-9]{1,10})?(?=\s|$)", text)
    if not match:
        raise GtpError(f"{shown(text)} is not a GTP response: those begin with = or ?")
    number = None if match[2] is None else int(match[2])
    return match[1] == "=", number, text[match.end() :].strip()


def parse_color(text: str) -> Player:
    """`b`, `black`, `w` or `white` in any case. Raises GtpError for other words."""
    if text.lower() not in _COLORS:
        raise GtpError(f"syntax error: {shown(text)} is not a colour; write black or white")
    return _COLORS[text.lower()]


def parse_int(text: str, name: str) -> int:
    """A whole number from 0 to 2^31 - 1. Raises GtpError, naming `name`, for other words."""
    number = int(text) if re.fullmatch("[0-9]{1,10}", text) else -1
    if not 0 <= number <= MAX_INT:
        raise GtpError(
            f"syntax error: {name} {shown(text)} is not a whole number from 0 to 2^31 - 1"
        )
    return number


def parse_float(text: str, name: str) -> float:
    """A 32-bit float. Raises GtpError, naming `name`, for other words."""
    try:
        # Python reads more than the protocol: "1_000", "nan", digits of other scripts.
        number = float(text) if re.fullmatch(r"[0-9.eE+-]{1,40}", text) else math.nan
    except ValueError:
        number = math.nan
    if not abs(number) <= _MAX_FLOAT:
        raise GtpError(f"syntax error: {name} {shown(text)} is not a number")
    return number


def shown(text: str, length: int = 60) -> str:
    """Foreign text for a message: an excerpt in quotes."""
    return repr(excerpt(text, length))
