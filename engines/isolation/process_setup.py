"""What a process of the pool does first: it takes less than the server that asks it."""

from __future__ import annotations

import contextlib
import os

from engines.programs import processes

# Set by the pool: megabytes that the process may use beyond what it has when it starts.
MEMORY = "DLGO_POOL_MEMORY_MB"
# How much the system prefers the server, so that pages stay quick while engines think.
_NICENESS = 5


def limit_process() -> None:
    """Limit memory and priority of this process and all that it starts."""
    processes.offer_to_the_oom_killer()
    with contextlib.suppress(OSError, AttributeError):
        os.nice(_NICENESS)
    megabytes = os.environ.get(MEMORY, "")
    if megabytes.isdigit():
        processes.limit_growth(int(megabytes))
