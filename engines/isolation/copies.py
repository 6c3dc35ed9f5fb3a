"""A copy of a process for each game: what an engine does to it ends with the game.

Starting Python and loading the rules takes most of a second, forking a process that has done so a
hundredth. So the process of an engine forks before it loads the engine's file, and waits until its
copy has ended; then it is as it was, and the next game begins in the next copy.
"""

from __future__ import annotations

import contextlib
import gc
import os
from collections.abc import Sequence

from engines.programs import processes

# Exit code of a copy that was told to end.
TOLD = 77


def enter_copy(folders: Sequence[str]) -> dict[str, object]:
    """Fork; the copy returns at once, with its own number as `pid`.

    This process returns when the copy has ended as it was told to, and all that it had started
    with it: `clean` says whether `folders` hold what they did before. It ends in the same way as
    a copy that ends otherwise.
    """
    processes.adopt_orphans()
    gc.freeze()  # what the collector does not touch, both processes share
    before = _content(folders)
    copy = os.fork()
    if copy == 0:
        return {"pid": os.getpid()}
    code = os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1])
    if code != TOLD:
        if code < 0:
            os.kill(os.getpid(), -code)
        os._exit(code)
    processes.end_descendants()
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    return {"clean": _content(folders) == before}


def _content(folders: Sequence[str]) -> set[tuple[str, int, int]]:
    """Path, size and time of everything in the folders."""
    found = set()
    for folder in folders:
        for place, within, files in os.walk(folder):
            for path in (os.path.join(place, name) for name in (*within, *files)):  # noqa: PTH118
                with contextlib.suppress(OSError):
                    facts = os.lstat(path)
                    found.add((path, facts.st_size, facts.st_mtime_ns))
    return found
