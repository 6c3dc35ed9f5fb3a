"""Progress of a training run: a status line on a terminal, elsewhere a line every ten seconds."""

from __future__ import annotations

import sys
import time

from rich.console import Console
from rich.live import Live
from rich.text import Text

from engines.learning.runs import Progress, Status

# Seconds between two statuses: on a terminal, where each replaces the one before, and elsewhere.
_LIVE_INTERVAL, _LINE_INTERVAL = 0.2, 10.0


class RunProgress(Progress):
    """Shows the status on standard error; the lines to keep go to standard output."""

    def __init__(self) -> None:
        self._live: Live | None = None
        if sys.stderr.isatty():
            # Redirected, the lines to keep would go to standard error, too.
            self._live = Live(
                console=Console(stderr=True), auto_refresh=False, transient=True,
                redirect_stdout=False, redirect_stderr=False)
        self._interval = _LIVE_INTERVAL if self._live else _LINE_INTERVAL
        self._next = time.monotonic() + (0 if self._live else _LINE_INTERVAL)

    def line(self, text: str) -> None:
        self.end()
        print(text, flush=True)
        if self._live is None:  # a line has just come
            self._next = time.monotonic() + _LINE_INTERVAL

    def status(self, status: Status) -> None:
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + self._interval
        if self._live is None:
            print(status, file=sys.stderr, flush=True)
            return
        self._live.start()
        self._live.update(Text(str(status), no_wrap=True, overflow="ellipsis"), refresh=True)

    def end(self) -> None:
        if self._live is not None:
            self._live.stop()
