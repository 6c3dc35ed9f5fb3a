"""JSON and TOML that others wrote: bounded in size and depth, and refused in one line.

    read_json(Path("card.json"))        a file
    read_json(request.body)             a text
    read_toml(Path("plan.toml"))

The message of an error says which file it is, what is wrong with it, and where.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dlgo.errors import DlgoError, FormatError

# Errors of code that gets a value of another type: a number for a list, a list for a table.
# Among the ValueErrors are those of `read_json` and `read_toml`.
MALFORMED = (ValueError, LookupError, TypeError, AttributeError, OverflowError)
MOST_BYTES = 1 << 26
MOST_LEVELS = 100  # of lists and tables in each other


def read_json(
    source: Path | str | bytes, name: str = "", *, most_bytes: int = MOST_BYTES,
    object_pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None = None,
) -> Any:
    """The value that a file, or a text, holds as JSON. Raises FormatError if it holds none.

    Args:
        name: of the source, in messages; the path by default.
        most_bytes: the size that it may have.
        object_pairs_hook: see `json.loads`.
    """
    name = name or (str(source) if isinstance(source, Path) else "it")
    try:
        value = json.loads(_text_of(source, most_bytes), object_pairs_hook=object_pairs_hook)
        _check_depth(value)
    except json.JSONDecodeError as error:
        reason = f"is not JSON: {error.msg} (at line {error.lineno}, column {error.colno})"
    except _PROBLEMS as error:
        reason = _reason(error, "JSON")
    else:
        return value
    raise FormatError(f"{name} {reason}")


def read_toml(
    source: Path | str | bytes, name: str = "", *, error: type[DlgoError] = FormatError,
    most_bytes: int = MOST_BYTES,
) -> dict[str, Any]:
    """The table that a file, or a text, holds as TOML. Raises FormatError, or the class `error`,
    if it holds none.

    Args:
        name: of the source, in messages; the path by default.
        most_bytes: the size that it may have.
    """
    name, text = name or (str(source) if isinstance(source, Path) else "it"), ""
    try:
        text = _text_of(source, most_bytes)
        table = tomllib.loads(text)
        _check_depth(table)
    except tomllib.TOMLDecodeError as problem:
        reason = f"is not TOML: {problem}{_remedy(text, str(problem))}"
    except _PROBLEMS as problem:
        reason = _reason(problem, "TOML")
    else:
        return table
    raise error(f"{name} {reason}")


# Errors of reading a text, and of parsing one that is too deep or has a number of 5,000 digits.
_PROBLEMS = (OSError, ValueError, RecursionError)


def read_bounded(path: Path, most_bytes: int = MOST_BYTES) -> bytes:
    """The content of a file. Raises FormatError if it is larger: a device may never end."""
    with path.open("rb") as file:
        data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise FormatError(f"is larger than {most_bytes:,} bytes")
    return data


def _text_of(source: Path | str | bytes, most_bytes: int) -> str:
    """The text of a file or of bytes in UTF-8. Raises ValueError if it is too large."""
    if isinstance(source, Path):
        source = read_bounded(source, most_bytes)
    if len(source) > most_bytes:
        raise FormatError(f"is larger than {most_bytes:,} bytes")
    return source if isinstance(source, str) else source.decode("utf-8-sig")


def _check_depth(value: Any) -> None:
    """Raise RecursionError if lists and tables stand in each other more than `MOST_LEVELS` deep."""
    level = [value]
    for _ in range(MOST_LEVELS + 1):
        level = [item for group in level if isinstance(group, dict | list)
                 for item in (group.values() if isinstance(group, dict) else group)]
    if level:
        raise RecursionError


def _reason(problem: Exception, form: str) -> str:
    """Why a source is not of a form, as the end of a sentence that begins with its name."""
    if isinstance(problem, OSError):
        return f"cannot be read: {problem.strerror or problem}"
    if isinstance(problem, FormatError):
        return str(problem)
    if isinstance(problem, UnicodeDecodeError):
        return f"is not {form}: byte {problem.start + 1:,} is not UTF-8"
    if isinstance(problem, RecursionError):
        return f"is nested deeper than {MOST_LEVELS} levels"
    return "holds a number with too many digits"


def _remedy(text: str, problem: str) -> str:
    """What to write in the line that an error of TOML names: for a word of other formats, such as
    `yes`, and for a date that does not exist."""
    if not (place := re.search(r"at line (\d+)", problem)):
        return ""
    line = text.splitlines()[int(place[1]) - 1]
    if word := re.fullmatch(r"\s*([\w-]+)\s*=\s*(yes|no|on|off|True|False)\s*(#.*)?", line):
        value = "true" if word[2] in ("yes", "on", "True") else "false"
        return f"; write {word[1]} = {value}"
    if date := re.search(r"=\s*(\d+-\d+-\d+)", line):
        return f"; {date[1]} is not a date: write year-month-day, as in 2026-03-31"
    return ""
