"""Output files: written whole or not at all.

    write_file(path, "text or bytes")
    write_csv(path, header, rows)
    with open_output(path, text=True) as file: ...      written piece by piece
    with output_path(path) as temporary: ...            for libraries that need a name

A file gets its content under another name in the same folder and is then renamed, which file
systems do in one step: a reader sees the old file or the new one, and a full disk leaves the old
one. Links are followed, and an existing file keeps its mode. Devices and pipes get the whole
content at the end.

All of these raise DlgoError, or the class `error`, if the file cannot be written; the message ends
with the `remedy`.
"""

from __future__ import annotations

import contextlib
import csv
import functools
import os
import re
import secrets
import shutil
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from dlgo.errors import DlgoError

# These paths name the open files of a process, even if the system resolves them to other paths.
_SPECIAL_NAMES = ("/dev/fd/", "/dev/std", "/proc/")
_TEMPORARY = re.compile(r"(?s)\.\d+-[0-9a-f]{8}\.tmp(\..*)?")
# No file takes so long to write: a temporary one of this age was left by a killed process.
_LEFT_BEHIND_SECONDS = 3600.0


def write_file(
    path: Path | str, content: bytes | str, *, error: type[DlgoError] = DlgoError,
    remedy: str = "name another file", sync: bool = True,
) -> Path:
    """Make `content` (text as UTF-8) the content of the file `path`; return the path. Characters
    that cannot be encoded become `?`.

    `sync`: wait until the disk has the content, so that a power cut cannot lose it.
    """
    data = content.encode(errors="replace") if isinstance(content, str) else content
    with open_output(path, error=error, remedy=remedy, sync=sync) as file:
        file.write(data)
    return Path(path)


def write_csv(
    path: Path | str, header: Sequence[str], rows: Iterable[Sequence[Any]], *,
    error: type[DlgoError] = DlgoError, remedy: str = "name another file",
) -> int:
    """Write a table as CSV and return the number of rows. Characters that cannot be encoded become
    `?`."""
    count = 0
    with open_output(path, text=True, error=error, remedy=remedy) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        for count, row in enumerate(rows, 1):  # noqa: B007
            writer.writerow(row)
    return count


@contextlib.contextmanager
def open_output(
    path: Path | str, *, text: bool = False, error: type[DlgoError] = DlgoError,
    remedy: str = "name another file", sync: bool = True,
) -> Iterator[IO[Any]]:
    """A file to write to, which replaces `path` if the block ends without an exception.

    `text`: as UTF-8 (characters that have no code become `?`). `sync`: as for `write_file`.
    """
    how: dict[str, Any] = (
        {"mode": "w", "encoding": "utf-8", "errors": "replace", "newline": ""} if text
        else {"mode": "wb"}
    )
    with (
        output_path(path, error=error, remedy=remedy, sync=sync) as temporary,
        temporary.open(**how) as file,
    ):
        yield file


@contextlib.contextmanager
def output_path(
    path: Path | str, *, error: type[DlgoError] = DlgoError, remedy: str = "name another file",
    sync: bool = True,
) -> Iterator[Path]:
    """The name of a file to write, which replaces `path` if the block ends without an exception.

    It has the ending of `path`, for libraries that choose a format by the ending.
    """
    with _reported(path, error, remedy):
        target = _target(path)
        folder = target.parent if target else Path(tempfile.gettempdir())
        _remove_left_behind(folder)
        # A short name: Windows allows 259 characters for the whole path.
        temporary = folder / f".{os.getpid()}-{secrets.token_hex(4)}.tmp{Path(path).suffix}"
        temporary.touch()
        try:
            mode = (target if target and target.exists() else temporary).stat().st_mode
            yield temporary
            if target is None:
                with temporary.open("rb") as source, Path(path).open("wb") as device:
                    shutil.copyfileobj(source, device)
                return
            temporary.chmod(stat.S_IMODE(mode))
            if sync:
                with temporary.open("r+b") as file:  # Windows writes what was opened to be written
                    os.fsync(file.fileno())
            temporary.replace(target)
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)


def user_path(name: Path | str) -> Path:
    """The path that a user means: `~/bots` is in their home, if there is one; `~bot.py` is here."""
    path = Path(name)
    with contextlib.suppress(RuntimeError):
        return path.expanduser() if path.parts[:1] == ("~",) else path
    return path


def relative_path(path: Path | str) -> str:
    """The path from the working folder; on another drive of Windows, there is none."""
    try:
        return os.path.relpath(path)
    except ValueError:
        return str(path)


def check_apart(output: Path | str, *sources: Path | str) -> None:
    """Raise DlgoError if the file to write is one of those to read, which it would replace."""
    for source in sources:
        with contextlib.suppress(OSError, ValueError):
            if os.path.samefile(output, source):  # noqa: PTH121 (also of texts)
                raise DlgoError(f"{output} is the file that is read; name another one to write")


def check_folder_of(path: Path, option: str) -> None:
    """Raise DlgoError if a file, which is written later, has no folder that can be written to."""
    folder = path.absolute().parent
    if not os.access(folder, os.W_OK) and not (path.exists() and _target(path) is None):
        wrong = "is write-protected" if folder.exists() else "does not exist"
        raise DlgoError(f"{option} {path}: its folder {wrong}; name another file")


def make_folder(
    folder: Path, *, error: type[DlgoError] = DlgoError, remedy: str = "name another folder"
) -> Path:
    """Create `folder` if need be, and return it."""
    with _reported(folder, error, remedy):
        if folder.exists() and not folder.is_dir():
            raise NotADirectoryError(None, "it is a file")
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(None, "it is write-protected")
    return folder


@contextlib.contextmanager
def _reported(path: Path | str, error: type[DlgoError], remedy: str) -> Iterator[None]:
    """Turn an error of the operating system into one line."""
    try:
        yield
    except OSError as problem:
        raise error(f"cannot write {path}: {problem.strerror or problem}; {remedy}") from None


def _target(path: Path | str) -> Path | None:
    """The file that a link leads to; None if `path` is a device or a pipe."""
    if os.path.abspath(path).startswith(_SPECIAL_NAMES):  # noqa: PTH100 (links stay)
        return None
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116
    except FileNotFoundError:
        return Path(os.path.realpath(path))
    except ValueError as problem:  # a NUL in the name
        raise OSError(str(problem)) from None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(None, "it is a folder")
    if not os.access(path, os.W_OK):
        raise PermissionError(None, "it is write-protected")
    return Path(os.path.realpath(path)) if stat.S_ISREG(mode) else None


@functools.cache
def _remove_left_behind(folder: Path) -> None:
    """Remove the temporary files that killed processes have left in a folder, once."""
    for path in folder.glob(".*.tmp*"):
        with contextlib.suppress(OSError):
            old = time.time() - path.stat().st_mtime > _LEFT_BEHIND_SECONDS
            if old and _TEMPORARY.fullmatch(path.name):
                path.unlink()
