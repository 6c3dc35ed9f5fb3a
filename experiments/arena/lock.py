"""A lock on a ledger: two tournaments that write one file would play the same games twice.

Called by `tournament.py` and `inspect_ledger.py`; calls `dlgo/lock.py`.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from pathlib import Path

from dlgo.errors import LedgerError
from dlgo.lock import held


def ledger_lock(ledger: str | Path) -> AbstractContextManager[None]:
    """Hold the lock of a ledger; SQLite keeps the file whole where the system has no locks.

    Raises:
        LedgerError: if another process holds it, or the folder cannot be written to.
    """
    # Two names of one file share the lock.
    path = Path(os.path.realpath(ledger))
    return held(
        path.with_name(path.name + ".lock"), f"ledger {ledger}", "tournament", "file", LedgerError
    )
