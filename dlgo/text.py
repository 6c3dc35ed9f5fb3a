"""Texts for people: external text on one printable line, lists, numbers of things, durations."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Container, Sequence

# Characters of the longest name of a player or engine.
LONGEST_NAME = 200


def one_line(text: str) -> str:
    """`text` on one line and printable, for terminals, tables and messages.

    Line breaks, control characters (a terminal obeys some of them) and characters that turn the
    direction of writing are shown as escapes, `\\n` and `\\x1b`, so that different texts stay
    different.
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or unicodedata.category(char) == "Zs"
        else char.encode("unicode_escape").decode() for char in text
    )


def excerpt(text: str, length: int = 300) -> str:
    """The beginning of a text, on one line and printable: at most `length` characters."""
    text = one_line(" ".join(text[: 4 * length].split()))
    return text if len(text) <= length else f"{text[: length - 3]}..."


def listing(names: Sequence[str], most: int = 3) -> str:
    """`a, b, c and 4 more`."""
    n_more = len(names) - most
    return ", ".join(names[:most]) + (f" and {n_more} more" if n_more > 0 else "")


def error_text(error: BaseException) -> str:
    """An exception in one line: `ZeroDivisionError: division by zero`."""
    text = excerpt(message_of(error))
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def message_of(error: BaseException) -> str:
    """The message of an exception; "" if a class of a user's file cannot write it."""
    try:
        return str(error)
    except Exception:
        return ""


def replace_once(text: str, old: str, new: str) -> str:
    """`text` with `old` replaced. Raises ValueError unless `old` occurs exactly once."""
    if (count := text.count(old)) != 1:
        raise ValueError(f"{old!r} occurs {count} times, not once")
    return text.replace(old, new)


def numbered(name: str, names_in_use: Container[str]) -> str:
    """A name, or the first of `name-2`, `name-3` that is not taken."""
    names = itertools.chain([name], (f"{name}-{number}" for number in itertools.count(2)))
    return next(name for name in names if name not in names_in_use)


def number_of(number: int, noun: str, plural: str = "") -> str:
    """`1 game`, `1,224 games`; `plural` if it is not the noun with an s."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def with_article(noun: str) -> str:
    """`a ledger`, `an engine`."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def duration(seconds: float) -> str:
    """Seconds for people: `2.3 s`, `12 s`, `4 min 05 s`, `2 h 07 min`."""
    if seconds < 60:
        return f"{seconds:.{1 if seconds < 10 else 0}f} s"
    minutes, remainder = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {remainder:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"


def file_slug(text: str) -> str:
    """A specification as part of a file name: `go:size=9,komi=7` is `go-size9-komi7`.

    For any name of a game in a ledger, the result is neither a path nor a hidden file.
    """
    slug = text.replace(":", "-").replace("=", "").replace(",", "-")
    return re.sub(r"[^A-Za-z0-9._-]", "_", slug).lstrip(".")
