"""A lock on a file or folder that only one process at a time may write.

Two tournaments on one ledger would play the same games twice; two trainings in one folder would
overwrite each other's checkpoints. The lock is on a small file of its own. The system releases it
when the process ends in any way, so no lock is left over; the file itself stays and has no meaning.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import lock_descriptor

from dlgo.errors import DlgoError
from dlgo.files import make_folder


@contextmanager
def held(
    path: Path, name: str, used_by: str, alternative: str, error: type[DlgoError],
) -> Iterator[None]:
    """Hold the lock of something while the block runs.

    Args:
        path: the lock's file; made with its folders if it is not there.
        name: the name of the locked file in messages: "ledger my.sqlite".
        used_by: a kind of process that may hold it already: "tournament".
        alternative: the thing that the user can name instead: "file".
        error: the class to raise if another process holds the lock, or it cannot be written.
    """
    make_folder(path.parent, error=error, remedy=f"name another {alternative}")
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as problem:
        raise error(
            f"{name} cannot be locked: {problem.strerror}: {path}; name another {alternative}"
        ) from problem
    try:
        try:
            ours = lock_descriptor(descriptor, blocking=False)
        except OSError as problem:  # a file system without locks
            raise error(
                f"{name} cannot be locked: {problem.strerror}; name a {alternative} on a local disk"
            ) from problem
        # The file names the process that holds the lock, for the message; on Windows, nobody else
        # can read its first byte meanwhile.
        os.lseek(descriptor, 1, os.SEEK_SET)
        if not ours:
            pid = os.read(descriptor, 20).decode("ascii", "replace").strip() or "unknown"
            raise error(
                f"{name} is in use by another {used_by} (process {pid}); wait for it, or name "
                f"another {alternative}"
            )
        with suppress(OSError):
            os.ftruncate(descriptor, 1)
            os.write(descriptor, f"{os.getpid()}\n".encode())
        yield
    finally:
        os.close(descriptor)
