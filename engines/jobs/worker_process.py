"""How a worker process begins and ends: with its parent, deaf to Ctrl-C, and without a word."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from engines.programs import processes

# Seconds for the reaper to end the workers of a parent that was killed, before they do it
# themselves.
_REAPER_TIME = 2.0
# Seconds between two looks whether the parent is there.
_LOOK = 0.5


@contextmanager
def starting_worker() -> Iterator[None]:
    """A process that is started in here inherits that Ctrl-C is blocked, and runs no user's script.

    It needs a second before it can ignore the signal itself. The signal is blocked rather than
    ignored, so that this process still receives it, a little later.

    `multiprocessing` would run the main script again in each process, and with it whatever the
    script asks for; no worker needs anything of it.
    """
    main = sys.modules["__main__"]
    script = vars(main).pop("__file__", None) if getattr(main, "__spec__", None) is None else None
    blocks = hasattr(signal, "pthread_sigmask")
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if blocks else None
    try:
        yield
    finally:
        if script is not None:
            main.__file__ = script
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def silence_stdout() -> None:
    """What an engine prints belongs nowhere: the tournament's own output may be a file."""
    sys.stdout.flush()
    with suppress(OSError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.close(null)


def end_with_parent() -> None:
    """From now on, end when the process that has started this one ends, with all that it started.

    For commands that run for as long as somebody looks; one that nobody has started runs on.
    """
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOK)
        processes.end_descendants()
        os._exit(1)

    if parent > 1:
        threading.Thread(target=watch, daemon=True).start()


def leave_with_parent() -> None:
    """Ignore Ctrl-C, which is the parent's to handle, and end when the parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A session of its own: Ctrl-Z then stops the parent only, and no engine loses on time for
    # it; and whatever an engine starts can be killed together with it.
    leads_group = hasattr(os, "setsid")
    if leads_group:
        os.setsid()

    def watch() -> None:
        parent = multiprocessing.parent_process()
        if parent is not None:
            parent.join()
            # The reaper does it better: from outside, everything can be stopped first.
            time.sleep(_REAPER_TIME)
            processes.end_descendants()
            if leads_group:
                os.killpg(0, signal.SIGKILL)
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
