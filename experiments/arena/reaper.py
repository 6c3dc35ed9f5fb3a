"""The reaper: a small process that outlives a killed tournament and ends its workers.

`kill -9` leaves nobody behind to clean up, and an engine's children know nothing of us. So
one process does nothing but wait for the end of its standard input, which comes when the
tournament is gone, however it went. It is a script of its own, because it must not take a second to
import what it does not need.

    python reaper.py MARK
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys


def start(mark: str) -> object:
    """Start a reaper for all processes whose mark begins so; hold on to what is returned."""
    import subprocess

    command = [sys.executable, "-S", "-E", __file__, mark]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True
    )


def main(mark: str) -> None:
    """Wait, then clean up."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    with contextlib.suppress(OSError):
        while os.read(0, 1024):
            pass
    import processes  # run as a script, this file has its folder on the path, not the package

    processes.end_tree(0, mark)


if __name__ == "__main__":
    main(sys.argv[1])
