"""Output files: written whole or not at all.

    write_file(path, "text or bytes")
    write_csv(path, header, rows)
    with open_output(path, text=True) as file: ...      written piece by piece
    with output_path(path) as temporary: ...            for libraries that want a name

A file gets its content under another name in the same folder and is then renamed, which file
systems do in one step: a reader sees the old file or the new one, and a full disk leaves the old
one. Links are followed, and an existing file keeps its mode. Devices and pipes are written to as
they are.
"""

from __future__ import annotations

import contextlib
import csv
import errno
import functools
import os
import re
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from dlgo.errors import DlgoError

# These name what a process has open, wherever the system says that they lead.
_SPECIAL_NAMES = ("/dev/fd/", "/dev/std", "/proc/")
_TEMPORARY = re.compile(r"(?s)\..*\.\d+-[0-9a-f]{8}\.tmp(\..*)?")
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def write_file(
    path: Path | str, content: bytes | str, *, error: type[DlgoError] = DlgoError,
    remedy: str = "name another file", sync: bool = True,
) -> Path:
    """Make `content` (text as UTF-8) the content of the file `path`; return the path.

    Args:
        error: what to raise if the file cannot be written. remedy: how its message ends.
        sync: wait until the disk has the content, so that a power cut cannot lose it.

    Raises:
        DlgoError: if the file cannot be written; an old one is then untouched.
    """
    data = content.encode() if isinstance(content, str) else content
    with open_output(path, error=error, remedy=remedy, sync=sync) as file:
        file.write(data)
    return Path(path)


def write_csv(
    path: Path | str, header: Sequence[str], rows: Iterable[Sequence[Any]], *,
    error: type[DlgoError] = DlgoError,
) -> int:
    """Write a table as CSV and return the number of rows. What cannot be encoded becomes `?`."""
    count = 0
    with open_output(path, text=True, error=error) as file:
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

    Args:
        text: whether to open it as UTF-8 text (characters that have no code become `?`).
        error, remedy, sync: as for `write_file`.

    Raises:
        DlgoError: if the file cannot be written; an old one is then untouched.
    """
    how: dict[str, Any] = (
        {"mode": "w", "encoding": "utf-8", "errors": "replace", "newline": ""} if text
        else {"mode": "wb"}
    )
    with _reported(path, error, remedy):
        target = _target(path)
        if target is None:
            with _open_device(path, **how) as file:
                yield file
            return
        with _temporary_beside(target, "") as (temporary, descriptor):
            with open(descriptor, **how) as file:  # noqa: PTH123
                yield file
                file.flush()
                if sync:
                    os.fsync(file.fileno())
            temporary.replace(target)


@contextlib.contextmanager
def output_path(
    path: Path | str, *, error: type[DlgoError] = DlgoError, remedy: str = "name another file"
) -> Iterator[Path]:
    """The name of a file to write, which replaces `path` if the block ends without an exception.

    It has the ending of `path`, for libraries that go by it.

    Raises:
        DlgoError: if the file cannot be written; an old one is then untouched.
    """
    with _reported(path, error, remedy):
        target = _target(path)
        suffix = Path(path).suffix
        if target is None:
            with tempfile.TemporaryDirectory() as folder:
                temporary = Path(folder) / f"output{suffix}"
                yield temporary
                with temporary.open("rb") as source, _open_device(path, mode="wb") as file:
                    shutil.copyfileobj(source, file)
            return
        with _temporary_beside(target, suffix) as (temporary, descriptor):
            try:
                mode = stat.S_IMODE(os.fstat(descriptor).st_mode)
                yield temporary
                temporary.chmod(mode)  # the library may have made the file anew
                with temporary.open("rb") as file:
                    os.fsync(file.fileno())
                temporary.replace(target)
            finally:
                os.close(descriptor)


def make_folder(
    folder: Path, *, error: type[DlgoError] = DlgoError, remedy: str = "name another folder"
) -> Path:
    """Create `folder` if need be, and return it. Raises DlgoError if that fails."""
    with _reported(folder, error, remedy):
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(None, "it is write-protected")
    return folder


@contextlib.contextmanager
def _reported(path: Path | str, error: type[DlgoError], remedy: str) -> Iterator[None]:
    """Turn what the operating system refuses into one line."""
    try:
        yield
    except OSError as problem:
        raise error(f"cannot write {path}: {problem.strerror or problem}; {remedy}") from None


def _target(path: Path | str) -> Path | None:
    """The file that a link leads to; None if `path` is a device or a pipe.

    Raises:
        OSError: if it is a folder, write-protected, or cannot be a name.
    """
    absolute = os.path.abspath(path)  # noqa: PTH100 (links must not be followed here)
    if absolute.startswith(_SPECIAL_NAMES):
        return None
    try:
        status = os.stat(path)  # noqa: PTH116
    except FileNotFoundError:
        pass
    except ValueError as problem:  # a NUL in the name
        raise OSError(str(problem)) from None
    else:
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(None, "it is a folder")
        if not stat.S_ISREG(status.st_mode):
            return None
        if not os.access(path, os.W_OK):
            raise PermissionError(None, "it is write-protected")
    return Path(os.path.realpath(path))


def _open_device(path: Path | str, **how: Any) -> IO[Any]:
    """Open a device or a pipe for writing. A pipe that nobody reads is an OSError: opening it would
    wait for a reader."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(path, flags, 0o666)
    except OSError as problem:
        if problem.errno == errno.ENXIO:
            raise OSError(None, "nobody reads this pipe") from None
        raise
    os.set_blocking(descriptor, True)
    return open(descriptor, **how)  # noqa: PTH123


@functools.cache
def _remove_left_behind(folder: Path) -> None:
    """Remove the temporary files that killed processes have left in a folder, once.

    Whoever writes one holds a lock on it, which the system releases when the process ends.
    """
    try:
        import fcntl
    except ImportError:  # not on this system
        return
    for path in folder.glob(".*.tmp*"):
        with contextlib.suppress(OSError):
            if _TEMPORARY.fullmatch(path.name):
                with path.open("rb") as file:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    path.unlink()


@contextlib.contextmanager
def _temporary_beside(target: Path, suffix: str) -> Iterator[tuple[Path, int]]:
    """A new empty file in the target's folder, with its mode and owner; removed at the end.

    Yields:
        Its path, and its descriptor, open for writing.
    """
    token = f"{os.getpid()}-{secrets.token_hex(4)}"
    temporary = target.with_name(f".{target.name[:100]}.{token}.tmp{suffix}")
    _remove_left_behind(target.parent)
    descriptor = os.open(temporary, _FLAGS, 0o666)  # less what the umask takes away
    try:
        with contextlib.suppress(ImportError, OSError):
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with contextlib.suppress(FileNotFoundError):
            old = target.stat()
            with contextlib.suppress(OSError):  # only root may give files away
                os.fchown(descriptor, old.st_uid, old.st_gid)
            os.fchmod(descriptor, stat.S_IMODE(old.st_mode))
        yield temporary, descriptor
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()
