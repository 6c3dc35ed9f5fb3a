"""Progress on standard error: a bar or a status on a terminal, else a line from time to time.

A bar shows work whose items are counted; a status, a run of training with its phases.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, TextIO

from rich.console import Console
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from dlgo.text import duration, number_of, one_line
from engines.learning.run_status import Pace, Status
from engines.learning.run_status import Progress as RunEvents

# Seconds between two lines, and between two changes of a bar or a status.
_LINE_INTERVAL = 10.0
_BAR_INTERVAL = 0.1
_STATUS_INTERVAL = 0.2


def console(file: TextIO | None = None, **options: Any) -> Console:
    """A terminal, by default standard error; without any style where `NO_COLOR` is set."""
    if os.environ.get("NO_COLOR"):
        options["color_system"] = None
    return Console(file=file, stderr=file is None, highlight=False, **options)


class Count(Protocol):
    """Games or files so far: number done, number planned, and a text with speed and time left."""

    planned: int
    items: str  # what they are

    @property
    def done(self) -> int: ...

    def text(self) -> str: ...


@dataclass
class Tally:
    """Games or files, and positions so far."""

    planned: int  # games in all
    found: int = 0  # games that existed before
    made: int = 0  # games made now
    items: str = "games"  # what is counted above
    positions: int = 0  # made now
    started: float = field(default_factory=time.monotonic)
    pace: Pace = field(default_factory=Pace)

    @property
    def done(self) -> int:
        """Number of all of them."""
        return self.found + self.made

    def seconds(self) -> float:
        """Wall-clock seconds since the start."""
        return time.monotonic() - self.started

    def summary(self, games: int) -> str:
        """The result in one line; `games`: the number of games that count."""
        return (f"{number_of(games, 'game')}, {number_of(self.positions, 'position')} in "
                f"{duration(self.seconds())}")

    def text(self) -> str:
        """Positions, and where they are known, rate and time left."""
        rate = self.pace.rate(self.items, self.made)
        known = f", {duration((self.planned - self.done) / rate)} left" if rate else ""
        seconds = max(self.seconds(), 1e-9)
        return f"{self.positions:,} positions, {self.positions / seconds:,.0f}/s{known}"


class LineProgress:
    """Lines of text, for files and simple terminals; `interval`: seconds between two lines about
    games."""

    def __init__(self, stream: TextIO | None = None, interval: float = _LINE_INTERVAL) -> None:
        self._stream, self._interval = stream, interval
        self._next = 0.0

    def log(self, text: str) -> None:
        """Print a line."""
        print(one_line(text), file=self._stream or sys.stderr, flush=True)

    def begin(self, count: Count) -> None:
        """The work starts."""
        self._next = time.monotonic() + self._interval

    def show(self, count: Count) -> None:
        """Show the new count; may be called at any rate."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + self._interval
            self._show(count)

    def _show(self, count: Count) -> None:
        self.log(f"{count.done} of {count.planned} {count.items}, {count.text()}")

    def end(self, count: Count) -> None:
        """The work has ended; called after every `begin`."""


class BarProgress(LineProgress):
    """A bar at the bottom of the terminal, and lines above it."""

    def __init__(self) -> None:
        super().__init__(interval=_BAR_INTERVAL)
        self._console = console()
        self._bar = Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
            TextColumn("{task.fields[text]}"), console=self._console,
        )

    def log(self, text: str) -> None:
        self._console.print(one_line(text), markup=False, soft_wrap=True)

    def begin(self, count: Count) -> None:
        self._task = self._bar.add_task(
            count.items, total=count.planned, completed=count.done, text="")
        self._bar.start()

    def _show(self, count: Count) -> None:
        self._bar.update(self._task, total=count.planned, completed=count.done, text=count.text())

    def end(self, count: Count) -> None:
        """Stop updating the bar."""
        self._show(count)
        self._bar.stop()


@dataclass
class _Steps:
    """Things done so far, without their speed."""

    items: str
    done: int = 0
    planned: int = 0

    def text(self) -> str:
        return ""


@contextmanager
def shown_count(items: str) -> Iterator[Callable[[int, int], None]]:
    """A function that is called with the number of items done and planned; a bar shows them on a
    terminal, elsewhere nothing does."""
    if not sys.stderr.isatty():
        yield lambda done, planned: None
        return
    progress, count = BarProgress(), _Steps(items)

    def show(done: int, planned: int) -> None:
        count.done, count.planned = done, planned
        progress.show(count)

    progress.begin(count)
    try:
        yield show
    finally:
        progress.end(count)


def default_progress() -> LineProgress:
    """A bar if standard error is a terminal, else lines."""
    return BarProgress() if sys.stderr.isatty() else LineProgress()


class RunProgress(RunEvents):
    """Shows the status of a run of training on standard error; lines to keep go to standard
    output."""

    def __init__(self) -> None:
        self._live: Live | None = None
        if sys.stderr.isatty():
            # Redirected, the lines to keep would go to standard error, too.
            self._live = Live(
                console=console(), auto_refresh=False, transient=True,
                redirect_stdout=False, redirect_stderr=False)
        self._interval = _STATUS_INTERVAL if self._live else _LINE_INTERVAL
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
