"""Files that others wrote, or that were damaged since: bounded in size, refused in one line.

    read_json(Path("card.json"))        a file
    read_json(request.body)             a text
    read_toml(Path("plan.toml"))
    with reading(path, "checkpoint"):   any other file; says what is wrong with it

The message of an error says which file it is, what is wrong with it, and where. A file that cannot
be read is one of four things, with four remedies: the system does not give it (`UnreadableError`);
another version of dlgo wrote it (`VersionError`); another program or command did
(`ForeignFileError`); or it is damaged. Only a damaged file may be made again.
"""

from __future__ import annotations

import contextlib
import errno
import json
import re
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from dlgo.errors import (
    DlgoError,
    ForeignFileError,
    FormatError,
    IllegalMoveError,
    NotationError,
    UnnamedGameError,
    UnreadableError,
    VersionError,
    system_reason,
)
from dlgo.text import excerpt, with_article

# Errors of code that gets a value of another type: a number for a list, a list for a table.
# Among the ValueErrors are those of `read_json` and `read_toml`.
MALFORMED = (ValueError, LookupError, TypeError, AttributeError, OverflowError)
MOST_BYTES = 1 << 26
MOST_LEVELS = 100  # of lists and tables in each other
# The numbers of OSErrors that decoders raise about content.
_DECODERS = (None, errno.EINVAL)
# Errors of dlgo about content; others, as of an unknown game, say nothing against a file.
_OF_CONTENT = (FormatError, IllegalMoveError, NotationError)
_ARCHIVE = b"PK\3\4"  # the first bytes of a zip, such as NumPy's .npz


@contextlib.contextmanager
def reading(
    path: Path | str, kind: str, *, error: type[DlgoError] = DlgoError,
    restore: str = "restore it from a copy", other: str = "name another file",
) -> Iterator[None]:
    """Whatever goes wrong while a file is read in the block becomes an error of one line.

    The block raises ForeignFileError and VersionError with the reason alone, see `check_format`.

    Args:
        kind: what the file should be: "shard".
        error: the class to raise if the file is damaged.
        restore: the remedy then; "" if the caller adds one. other: the remedy if the file is
            something else.

    Raises `error` also if the file is missing, and FileError if it is there, not damaged, and
    cannot be used.
    """
    try:
        yield
    except Exception as problem:  # a damaged or hostile file may provoke any
        cause, reason = error, f"{path} is a damaged {kind}: {_damage(problem)}"
        remedy = f"; {restore}" if restore else ""
        if isinstance(problem, DlgoError) and (
            str(path) in str(problem) or isinstance(problem, UnnamedGameError | UnreadableError)
        ):
            raise  # it names a file already
        if isinstance(problem, ForeignFileError):
            cause, remedy = ForeignFileError, f"; {other}"
            reason = f"{path} is not {with_article(kind)}: {problem}"
        elif isinstance(problem, VersionError):
            cause, remedy = VersionError, "; use the version of dlgo that wrote it"
            reason = f"{path}, {with_article(kind)}, {problem}"
        elif isinstance(problem, OSError) and problem.errno not in _DECODERS:
            cause = error if isinstance(problem, FileNotFoundError) else UnreadableError
            reason, remedy = f"{path} cannot be read: {system_reason(problem)}", ""
        elif isinstance(problem, DlgoError) and not isinstance(problem, _OF_CONTENT):
            reason, remedy = f"{path}: {problem}", ""
        raise cause(f"{reason}{remedy}") from None


def check_format(stored: object, known: str) -> None:
    """Raise VersionError or ForeignFileError unless a file's format ("dlgo games 1") is the one
    that is known; to be called within `reading`."""
    if stored == known:
        return
    (name, _, version), (of, _, number) = str(stored).rpartition(" "), known.rpartition(" ")
    if name == of:
        raise VersionError(f"has format {version}, and this version of dlgo reads format {number}")
    raise ForeignFileError(f"its format is {stored!r}, not {known!r}")


def check_archive(path: Path) -> None:
    """Raise ForeignFileError unless a file is an archive (zip, .npz) or the beginning of one."""
    with path.open("rb") as file:
        start = file.read(len(_ARCHIVE))
    if not _ARCHIVE.startswith(start):
        raise ForeignFileError("it is not a NumPy archive (.npz)")


def _damage(problem: Exception) -> str:
    """What is wrong with a damaged file, in words that are not Python's."""
    if isinstance(problem, zipfile.BadZipFile | EOFError):
        return "it is cut off"
    if isinstance(problem, KeyError):
        return f"it has no {problem}"
    if isinstance(problem, TypeError | AttributeError | LookupError | RecursionError):
        return "it holds other values than it should"
    return excerpt(str(problem)) or type(problem).__name__


def read_json(
    source: Path | str | bytes, name: str = "", *, most_bytes: int = MOST_BYTES,
    object_pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None = None,
) -> Any:
    """The value that a file, or a text, holds as JSON. Raises FormatError if it holds none or is
    missing, UnreadableError if the system does not give it.

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
        reason = _reason(source, error, "JSON")
    else:
        return value
    raise FormatError(f"{name} {reason}")


def read_toml(
    source: Path | str | bytes, name: str = "", *, error: type[DlgoError] = FormatError,
    most_bytes: int = MOST_BYTES,
) -> dict[str, Any]:
    """The table that a file, or a text, holds as TOML. Raises FormatError, or the class `error`,
    if it holds none or is missing, UnreadableError if the system does not give it.

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
        reason = _reason(source, problem, "TOML")
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


def _reason(source: Path | str | bytes, problem: Exception, form: str) -> str:
    """Why a source is not of a form, as the end of a sentence that begins with its name. Raises
    UnreadableError if it is there, and the system does not give it."""
    if isinstance(problem, OSError):
        reason = f"cannot be read: {system_reason(problem)}"
        if isinstance(problem, FileNotFoundError):
            return reason
        raise UnreadableError(f"{source!s} {reason}") from None
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
