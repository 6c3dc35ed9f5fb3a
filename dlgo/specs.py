"""Specification strings: `name:key=value,key=value`, for games and engines alike.

`go:size=9,komi=7.5` and `mcts:sims=800,c_uct=1.4` follow one grammar, so one parser, one
checker and one way of printing them serve both. The canonical text of a specification
leaves out most options at their default; it is the identity of a game or an entrant in every
record, so `mcts:sims=800` and `mcts:sims=800,c_uct=0.4` (the default) name the same player.

A comma between double quotes separates nothing: `key=a "b, c"`. A value that is quoted as a
whole loses its quotes, and in it `\\"` and `\\\\` stand for a quote and a backslash.
"""

from __future__ import annotations

import difflib
import math
import re
import reprlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dlgo.errors import DlgoError, SpecError
from dlgo.text import excerpt

OptionValue = int | float | str | bool

# Characters of the longest settings of a specification; paths of files are part of them.
_LONGEST_SPEC = 10_000
# Bounds of numbers that name none: what 64 bits hold, and what formulas can still square.
_LARGEST_INT = 2**63 - 1
_LARGEST_FLOAT = 1e100


_VERSION = re.compile(r"(?s)(.*)@([0-9a-f]{8})")


def with_version(spec: str, digest: str) -> str:
    """A specification with the version of its sources, whose digest is given; "" adds nothing."""
    return f"{spec}@{digest[:8]}" if digest else spec


def split_version(spec: str) -> tuple[str, str]:
    """The specification, and the beginning of the digest ("" for what belongs to this project)."""
    match = _VERSION.fullmatch(spec)
    return (match[1], match[2]) if match else (spec, "")


def check_number(
    value: object, what: str, kind: type = float, low: float = -math.inf, high: float = math.inf,
    error: type[DlgoError] = SpecError,
) -> int | float:
    """The one check of numbers: finite, of its kind, within its range.

    Args:
        value: a number or its text; "1e4" is a welcome way to write the whole number 10000.
        what: what it is, for the message, such as "engine mcts: sims".
        kind: int or float.
        low, high: inclusive bounds; none at all are still some (64 bits, 1e100).
        error: what to raise.

    Raises:
        DlgoError: naming `what`, the value, and the range.
    """
    text = str(value)
    shown = text if len(text) <= 40 else reprlib.repr(text).strip("'\"")
    noun = "whole number" if kind is int else "number"
    try:
        if isinstance(value, bool):
            raise ValueError
        number = kind(text) if kind is float or "e" not in text.lower() else _whole(text)
    except OverflowError:  # "1e999": infinite
        number = math.inf
    except ValueError:
        raise error(f"{what}={shown!r} is not a {noun}") from None
    largest = _LARGEST_INT if kind is int else _LARGEST_FLOAT
    if not max(low, -largest) <= number <= min(high, largest):  # also refuses nan
        allowed = range_text(low, high, kind) or f"-{largest:.3g} to {largest:.3g}"
        raise error(f"{what}={shown} is out of range ({allowed})")
    return number


def _whole(text: str) -> int:
    """The whole number that is written with an exponent. Raises ValueError if it is not whole."""
    number = float(text)
    if number != int(number):
        raise ValueError
    return int(number)


def range_text(low: float, high: float, kind: type = float) -> str:
    """The bounds of a number in words; empty when there are none."""
    largest = _LARGEST_INT if kind is int else _LARGEST_FLOAT
    if low <= -largest:
        return "" if high >= largest else f"at most {high:g}"
    return f"at least {low:g}" if high >= largest else f"{low:g} to {high:g}"


@dataclass(frozen=True)
class Option:
    """One setting of a game or an engine.

    Args:
        name: the key in the specification string.
        default: its value when absent; its type is the option's type. `None` means
            "absent" and then `kind` must be given.
        help: one line for `dlgo engines` and `dlgo games`.
        low, high: inclusive bounds of a number.
        choices: the allowed values of a word.
        kind: the type, when it cannot be read off the default.
        always: print it even at its default, because readers expect to see it.
        nests: the value is a specification itself, of an engine.
        function: the value may name a function of the user's own, as FILE.py:NAME.
    """

    name: str
    default: OptionValue | None
    help: str
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] = ()
    kind: type | None = None
    always: bool = False
    nests: bool = False
    function: bool = False

    @property
    def type(self) -> type:
        """The Python type of a value: int, float, str or bool."""
        return self.kind or type(self.default)

    def parse(self, text: str, owner: str) -> OptionValue:
        """The value that `text` stands for. Raises SpecError naming `owner` otherwise."""
        kind = self.type
        if kind is bool:
            if text.lower() in ("1", "true", "yes", "on"):
                return True
            if text.lower() in ("0", "false", "no", "off"):
                return False
            raise SpecError(f"{owner}: {self.name}={text!r} is not yes or no")
        if kind is str:
            own = self.function and (":" in text or text.endswith(".py"))
            if self.choices and text not in self.choices and not own:
                raise SpecError(
                    f"{owner}: {self.name}={text!r} is not one of {self.range_text()}"
                )
            return text
        return check_number(text, f"{owner}: {self.name}", kind, self.low, self.high)

    def range_text(self) -> str:
        """The bounds in words, for messages and listings; empty when there are none."""
        if self.choices:
            return ", ".join((*self.choices, *(["FILE.py:NAME"] if self.function else [])))
        return range_text(self.low, self.high, self.type)


# A value quoted as a whole.
_QUOTED = re.compile(r"(?s)" r'"((?:[^"\\]|\\.)*)"')
# A piece between commas: anything but commas and quotes, or quoted text.
_PIECE = re.compile(r"(?s)" r'(?:[^,"]|"(?:[^"\\]|\\.)*")*')


def split_spec(text: str, owner: str, bare: str = "") -> tuple[str, dict[str, str]]:
    """Split `name:key=value,...` into the name and its settings, all still text.

    Args:
        text: the specification.
        owner: what it specifies ("game", "engine"), for the message.
        bare: the key of a first value that is written without one, if that is allowed.

    Raises:
        SpecError: if the text does not follow the grammar or repeats a key.
    """
    name, colon, rest = text.strip().partition(":")
    if not name:
        raise SpecError(f"{owner} {text!r} has no name; write name:key=value,key=value")
    return name, split_settings(rest if colon else None, f"{owner} {text!r}", bare)


def split_settings(text: str | None, what: str, bare: str = "") -> dict[str, str]:
    """The settings after a name's colon, still text; None: there was no colon.

    Args:
        what: the whole specification, for messages.
        bare: the key of a first value that is written without one, if that is allowed.

    Raises:
        SpecError: if the text does not follow the grammar or repeats a key.
    """
    settings: dict[str, str] = {}
    if text and len(text) > _LONGEST_SPEC:
        raise SpecError(f"{excerpt(what, 60)} has settings of {len(text):,} characters; write at "
                        f"most {_LONGEST_SPEC:,}")
    if text == "":
        raise SpecError(f"{what} ends after the colon; write name:key=value")
    for number, part in enumerate(_pieces(text, what) if text else ()):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if bare and number == 0 and part.strip() and not (equals and key.isidentifier()):
            key, equals, value = bare, "=", part.strip()
        if not (key and equals and value):
            raise SpecError(f"{what}: {part!r} is not key=value")
        if key in settings:
            raise SpecError(f"{what} sets {key} twice")
        settings[key] = _unquoted(value)
    return settings


def _pieces(text: str, what: str) -> list[str]:
    """The text between the commas that are not quoted. Raises SpecError for an open quote."""
    pieces, start = [], 0
    while start <= len(text):
        end = _PIECE.match(text, start).end()
        if text[end : end + 1] == '"':
            raise SpecError(f"{what}: the quote at {text[end:]!r} is not closed")
        pieces.append(text[start:end])
        start = end + 1
    return pieces


def _unquoted(value: str) -> str:
    match = _QUOTED.fullmatch(value)
    return re.sub(r"\\(.)", r"\1", match[1], flags=re.DOTALL) if match else value


def quote_value(value: str) -> str:
    """A value as `split_spec` reads it: in quotes where it would otherwise be torn or changed."""
    piece = _PIECE.fullmatch(value)
    if value and piece and value == value.strip() and not _QUOTED.fullmatch(value):
        return value
    return '"' + re.sub(r'(["\\])', r"\\\1", value) + '"'


def check_settings(
    owner: str, options: Iterable[Option], settings: Mapping[str, Any]
) -> dict[str, OptionValue | None]:
    """Every option's value, defaults filled in. Raises SpecError on the first bad one."""
    table = {option.name: option for option in options}
    for key in settings:
        if key not in table:
            raise SpecError(
                f"{owner} has no option {key!r}{suggest(key, table)}"
                f"{'; it has ' + ', '.join(table) if table else ''}"
            )
    return {
        name: option.parse(str(settings[name]), owner) if name in settings else option.default
        for name, option in table.items()
    }


def format_spec(name: str, options: Iterable[Option], values: Mapping[str, Any]) -> str:
    """The canonical text: options in declared order, those at their default left out."""
    parts = []
    for option in options:
        value = values[option.name]
        if value is None or (value == option.default and not option.always):
            continue
        text = f"{value:.12g}" if isinstance(value, float) else str(value).lower() \
            if isinstance(value, bool) else quote_value(str(value))
        parts.append(f"{option.name}={text}")
    return f"{name}:{','.join(parts)}" if parts else name


def suggest(word: str, known: Iterable[str]) -> str:
    """` (did you mean X?)` for a near miss, else nothing."""
    close = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean {close[0]}?)" if close else ""
