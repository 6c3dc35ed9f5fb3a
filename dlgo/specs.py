"""Settings, each declared once as an `Option`, and specifications: `name:key=value,key=value`.

Games, engines, plans, trainers and commands declare their settings in this way. Values are checked,
and listings, help texts and the tables of the docs are made, from the declaration.

`go:size=9,komi=7.5` and `mcts:sims=800,c_uct=1.4` follow one grammar, so one parser, one
checker and one way of printing them serve both. The canonical text of a specification
leaves out most options at their default; it is the identity of a game or an entrant in every
record, so `mcts:sims=800` and `mcts:sims=800,c_uct=0.4` (the default) name the same player.

A comma between double quotes does not separate: `key=a "b, c"`. A value that is quoted as a whole
loses its quotes; within it, write `\\"` and `\\\\` for a quote and a backslash.

A value that cannot be used raises SpecError, which names the owner, the setting, the value and its
range.
"""

from __future__ import annotations

import difflib
import math
import re
import reprlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from dlgo.errors import DlgoError, SpecError, without_secrets
from dlgo.text import excerpt

OptionValue = int | float | str | bool

# Characters of the longest settings of a specification; paths of files are part of them.
_LONGEST_SPEC = 10_000
# Bounds of numbers without own bounds: 64 bits, and floats whose squares are finite.
_LARGEST_INT = 2**63 - 1
_LARGEST_FLOAT = 1e100


_VERSION = re.compile(r"(?s)(.*)@([0-9a-f]{8})")


def with_version(spec: str, digest: str) -> str:
    """A specification with the version of its sources, whose digest is given; "" adds nothing."""
    return f"{spec}@{digest[:8]}" if digest else spec


def split_version(spec: str) -> tuple[str, str]:
    """The specification, and the beginning of the digest ("" for parts of this project)."""
    match = _VERSION.fullmatch(spec)
    return (match[1], match[2]) if match else (spec, "")


def check_number(
    value: object, name: str, kind: type = float, low: float = -math.inf, high: float = math.inf,
    error: type[DlgoError] = SpecError,
) -> int | float:
    """The one check of numbers: finite, of its kind, within its range.

    Args:
        value: a number or its text; "1e4" and "10000.0" may be written for the whole number 10000.
        name: its name in the message, such as "engine mcts: sims".
        low, high: inclusive bounds; without them 64 bits and 1e100 are the bounds.
    """
    text = str(value)
    value_text = setting_text(value) if isinstance(value, float) else text
    value_text = value_text if len(value_text) <= 40 else reprlib.repr(value_text).strip("'\"")
    try:
        if isinstance(value, bool):
            raise ValueError
        number = float(text) if {"e", "."} & {*text.lower()} else kind(text)
        if kind is int and isinstance(number, float) and math.isfinite(number):
            if number % 1:
                raise ValueError
            number = int(number)
    except ValueError:
        noun = "whole number" if kind is int else "number"
        raise error(f"{name}={value_text!r} is not a {noun}") from None
    largest = _LARGEST_INT if kind is int else _LARGEST_FLOAT
    if not max(low, -largest) <= number <= min(high, largest):  # also rejects nan
        allowed = range_text(low, high, kind)
        if not abs(number) <= largest and (high if number > 0 else -low) >= largest:
            allowed = f"{max(low, -largest):.3g} to {min(high, largest):.3g}"
        raise error(f"{name}={value_text} is out of range ({allowed})")
    return number


def range_text(low: float, high: float, kind: type = float) -> str:
    """The bounds of a number in words; empty when there are none."""
    largest = _LARGEST_INT if kind is int else _LARGEST_FLOAT
    if low <= -largest:
        return "" if high >= largest else f"at most {_number(high)}"
    return f"at least {_number(low)}" if high >= largest else f"{_number(low)} to {_number(high)}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:g}"


def _is_specs(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str | dict) for item in value)


def _is_rising(value: object) -> bool:
    return (isinstance(value, list) and len(value) > 0
            and all(type(number) is int and number > 0 for number in value)
            and sorted(set(value)) == value)


def _is_pair(value: object) -> bool:
    if not isinstance(value, list | tuple) or len(value) != 2:
        return False
    return all(type(number) in (int, float) for number in value)


# Values that only files and Python can give: a name for messages, and a function that checks one.
_STRUCTURES = {
    list: ("a list of texts or tables", _is_specs),
    tuple: ("a list of two numbers", _is_pair),
    range: ("a list of whole numbers that rise, such as [4, 16, 64]", _is_rising),
    dict: ("a table", lambda value: isinstance(value, dict)),
    datetime: ("a date, such as 2026-11-20T23:59:00", lambda value: isinstance(value, date)),
}


@dataclass(frozen=True)
class Option:
    """One setting of a game, an engine, a plan, a trainer or a command."""

    name: str  # the key in specifications and plan files; on the command line with dashes
    default: Any  # of the option's type; None: absent, then `kind` must be given
    help: str  # one line for listings, help texts and docs
    low: float = -math.inf  # inclusive bounds of a number
    high: float = math.inf
    choices: tuple[str, ...] = ()  # the allowed values of a word
    # The type, when it cannot be read off the default. Plans also have `list`, of specifications,
    # `tuple`, of two numbers, `range`, of numbers that rise, `dict` and `datetime`.
    kind: type | None = None
    always: bool = False  # print it even at its default, because readers expect to see it
    nests: bool = False  # the value is a specification itself, of an engine
    function: bool = False  # the value may name a function of the user's own, as FILE.py:NAME
    source: str = ""  # the paper it comes from

    @property
    def type(self) -> type:
        """The Python type of a value: int, float, str or bool; in plans also those of `kind`."""
        return self.kind or type(self.default)

    def parse(self, value: object, owner: str) -> Any:
        """The checked value of a text, or of a value from a file or from Python."""
        kind, full_name = self.type, f"{owner}: {self.name}"
        if kind in _STRUCTURES:
            noun, fits = _STRUCTURES[kind]
            if not fits(value):
                raise SpecError(f"{full_name}={value!r} is not {noun}")
            if kind is tuple and isinstance(value, Iterable):
                return tuple(check_number(n, full_name, float, self.low, self.high) for n in value)
            return value
        text = str(value)
        if kind is bool:
            if text.lower() in ("1", "true", "yes", "on"):
                return True
            if text.lower() in ("0", "false", "no", "off"):
                return False
            raise SpecError(f"{full_name}={text!r} is not yes or no")
        if kind is str:
            own = self.function and (":" in text or text.endswith(".py"))
            if self.choices and text not in self.choices and not own:
                raise SpecError(f"{full_name}={text!r} is not one of {self.range_text()}")
            if isinstance(value, list | dict):
                raise SpecError(f"{full_name}={text} is not a text")
            return text
        return check_number(value, full_name, kind, self.low, self.high)

    def range_text(self) -> str:
        """The bounds in words, for messages and listings; empty when there are none."""
        if self.choices:
            return ", ".join((*self.choices, *(["FILE.py:NAME"] if self.function else [])))
        return range_text(self.low, self.high, self.type)

    @property
    def remarks(self) -> str:
        """Range, default and source, for listings: `0 to 1, default 0.25, Wu 2019`."""
        default = "" if self.default in (None, "") else f"default {setting_text(self.default)}"
        return ", ".join(filter(None, (self.range_text(), default, self.source)))


def setting_text(value: object) -> str:
    """A value as text, which `Option.parse` reads back."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def options_table(options: Iterable[Option], title: str = "setting") -> str:
    """The settings as a table for the docs, in Markdown."""
    lines = [f"| {title} | default | range | meaning |", "|---|---|---|---|"]
    for option in options:
        default = "" if option.default in (None, "") else f"`{setting_text(option.default)}`"
        source = f" ({option.source})" if option.source else ""
        lines.append(f"| `{option.name}` | {default} | {option.range_text()} | {option.help}"
                     f"{source} |")
    return "\n".join(lines) + "\n"


# A value quoted as a whole.
_QUOTED = re.compile(r"(?s)" r'"((?:[^"\\]|\\.)*)"')
# A piece between commas: anything but commas and quotes, or quoted text.
_PIECE = re.compile(r"(?s)" r'(?:[^,"]|"(?:[^"\\]|\\.)*")*')


def split_spec(text: str, owner: str, bare: str = "") -> tuple[str, dict[str, str]]:
    """Split `name:key=value,...` into the name and its settings, all still text.

    Messages name the `owner` ("game", "engine"). `bare` is the key of a first value that is
    written without one, if that is allowed.
    """
    name, colon, settings = text.strip().partition(":")
    if not name:
        raise SpecError(f"{owner} {text!r} has no name; write name:key=value,key=value")
    return name, split_settings(settings if colon else None, f"{owner} {text!r}", bare)


def split_settings(text: str | None, whole: str, bare: str = "") -> dict[str, str]:
    """The settings after a name's colon, still text; None: there was no colon.

    `whole` is the whole specification, for messages; `bare` as in `split_spec`.
    """
    settings: dict[str, str] = {}
    if text and len(text) > _LONGEST_SPEC:
        raise SpecError(f"{excerpt(whole, 60)} has settings of {len(text):,} characters; write at "
                        f"most {_LONGEST_SPEC:,}")
    if text == "":
        raise SpecError(f"{whole} ends after the colon; write name:key=value")
    for number, part in enumerate(_pieces(text, whole) if text else ()):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if bare and number == 0 and part.strip() and not (equals and key.isidentifier()):
            key, equals, value = bare, "=", part.strip()
        if not (key and equals and value):
            shown = repr(part) if part in without_secrets(whole) else "what follows a comma"
            raise SpecError(f"{whole}: {shown} is not key=value")
        if key in settings:
            raise SpecError(f"{whole} sets {key} twice")
        match = _QUOTED.fullmatch(value)
        settings[key] = re.sub(r"(?s)\\(.)", r"\1", match[1]) if match else value
    return settings


def _pieces(text: str, whole: str) -> list[str]:
    """The text between the commas that are not quoted."""
    pieces, start = [], 0
    while start <= len(text):
        piece = _PIECE.match(text, start)  # also matches nothing
        end = piece.end() if piece else start
        if text[end : end + 1] == '"':
            raise SpecError(f"{whole}: the quote at {text[end:]!r} is not closed")
        pieces.append(text[start:end])
        start = end + 1
    return pieces


def quote_value(value: str) -> str:
    """A value as `split_spec` reads it: in quotes where it would otherwise be torn or changed."""
    piece = _PIECE.fullmatch(value)
    if value and piece and value == value.strip() and not _QUOTED.fullmatch(value):
        return value
    return '"' + re.sub(r'(["\\])', r"\\\1", value) + '"'


def parse_settings(
    owner: str, options: Iterable[Option], settings: Mapping[str, Any], noun: str = "option"
) -> dict[str, Any]:
    """The values that are given, checked.

    Messages name the `owner` of the settings, and call one of them a `noun`.
    """
    table = {option.name: option for option in options}
    if not isinstance(settings, Mapping):
        raise SpecError(f"{owner} is {settings!r}, not a table of {noun}s")
    for name in settings:
        if name not in table:
            options_text = f"; it has {', '.join(table)}" if table else ""
            raise SpecError(f"{owner} has no {noun} {name!r}{suggest(name, table)}{options_text}")
    return {name: table[name].parse(value, owner) for name, value in settings.items()}


def check_settings(
    owner: str, options: Iterable[Option], settings: Mapping[str, Any], noun: str = "option"
) -> dict[str, Any]:
    """Every option's value, defaults filled in; see `parse_settings`."""
    options = tuple(options)
    values = parse_settings(owner, options, settings, noun)
    return {option.name: values.get(option.name, option.default) for option in options}


def format_spec(name: str, options: Iterable[Option], values: Mapping[str, Any]) -> str:
    """The canonical text: options in declared order, those at their default left out."""
    parts = []
    for option in options:
        value = values[option.name]
        if value is None or (value == option.default and not option.always):
            continue
        text = str(value).lower() if isinstance(value, bool) else setting_text(value)
        parts.append(f"{option.name}={quote_value(text)}")
    return f"{name}:{','.join(parts)}" if parts else name


def suggest(word: str, names: Iterable[str]) -> str:
    """` (did you mean X?)` for a near miss, else nothing."""
    close = difflib.get_close_matches(word, list(names), n=1)
    return f" (did you mean {close[0]}?)" if close else ""
