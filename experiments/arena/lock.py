"""A lock on a ledger: two tournaments that write one file would play the same games twice.

The lock is on a file beside the ledger, by `flock`. The system releases it when the process
ends, however it ends, so that no lock is ever left over; the file itself stays, and means
nothing. Called by `tournament.py`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dlgo.errors import LedgerError


@contextmanager
def ledger_lock(ledger: str | Path) -> Iterator[None]:
    """Hold the lock of a ledger.

    Raises:
        LedgerError: if another process holds it, or the folder cannot be written to.
    """
    try:
        import fcntl
    except ImportError:  # not on this system: SQLite still keeps the file whole
        yield
        return
    # Two names of one file share the lock.
    path = Path(os.path.realpath(ledger))
    path = path.with_name(path.name + ".lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise LedgerError(
            f"ledger {ledger} cannot be locked: {error.strerror}: {path}; name another file"
        ) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            who = os.read(descriptor, 20).decode("ascii", "replace").strip() or "unknown"
            raise LedgerError(
                f"ledger {ledger} is in use by another tournament (process {who}); "
                "wait for it, or name another file"
            ) from error
        except OSError as error:  # a file system without locks
            raise LedgerError(
                f"ledger {ledger} cannot be locked: {error.strerror}; name a file on a local disk"
            ) from error
        with suppress(OSError):  # for the message above only
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(descriptor)
