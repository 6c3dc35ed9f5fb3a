"""A lock on a file or folder that only one process at a time may write.

Two tournaments on one ledger would play the same games twice; two trainings in one folder would
overwrite each other's checkpoints. The lock is on a small file of its own, by `flock`. The system
releases it when the process ends in any way, so no lock is left over; the file itself stays and has
no meaning.

The package filelock is not used: it empties the file when it tries to lock it, so that a message
could not name the process that holds the lock.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dlgo.errors import DlgoError
from dlgo.files import make_folder


@contextmanager
def held(path: Path, what: str, used_by: str, other: str, error: type[DlgoError]) -> Iterator[None]:
    """Hold the lock of something while the block runs.

    Args:
        path: the lock's file; made with its folders if it is not there.
        what: the name of the locked file in messages: "ledger my.sqlite".
        used_by: a kind of process that may hold it already: "tournament".
        other: the thing that the user can name instead: "file".
        error: the class to raise if another process holds the lock, or it cannot be written.
    """
    try:
        import fcntl
    except ImportError:  # not on this system
        yield
        return
    make_folder(path.parent, error=error, remedy=f"name another {other}")
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as problem:
        raise error(
            f"{what} cannot be locked: {problem.strerror}: {path}; name another {other}"
        ) from problem
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as problem:
            who = os.read(descriptor, 20).decode("ascii", "replace").strip() or "unknown"
            raise error(
                f"{what} is in use by another {used_by} (process {who}); wait for it, or name "
                f"another {other}"
            ) from problem
        except OSError as problem:  # a file system without locks
            raise error(
                f"{what} cannot be locked: {problem.strerror}; name a {other} on a local disk"
            ) from problem
        with suppress(OSError):  # for the message above only
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)
