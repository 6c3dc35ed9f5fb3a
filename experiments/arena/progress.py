"""How a tournament tells people how it goes: a bar on a terminal, else a line now and then.
"""

from __future__ import annotations

import sys
import time
from typing import Protocol, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from dlgo.records.ledger import GameRecord
from dlgo.text import duration

# Failures shown one by one; a broken engine would fill the screen.
_FAILURES_SHOWN = 5
# Seconds between two changes of the bar: drawing it takes as long as a short game.
_BAR_INTERVAL = 0.1


class Reporter(Protocol):
    """Tells people how the tournament goes."""

    def say(self, text: str) -> None:
        """Print a line."""

    def begin(self, stored: int, planned: int) -> None:
        """The games start."""

    def plan(self, planned: int) -> None:
        """More games have been decided on."""

    def game(self, record: GameRecord) -> None:
        """A game has ended."""

    def end(self) -> None:
        """No more games; called after every `begin`."""


class _Count:
    """Counts games for a reporter."""

    def __init__(self, stored: int, planned: int) -> None:
        self.done, self.planned, self.failures = stored, planned, 0
        self._played = 0
        self._start = time.monotonic()

    def add(self, record: GameRecord) -> str | None:
        """Count a game; returns what to say about it, if anything."""
        self.done += 1
        self._played += 1
        self.failures += record.failed
        if not record.failed or self.failures > _FAILURES_SHOWN:
            return None
        more = "; further ones are only counted" if self.failures == _FAILURES_SHOWN else ""
        return f"failure in {record.slot}: {record.reason}{more}"

    def text(self) -> str:
        """Speed, time left and failures."""
        rate = self._played / max(time.monotonic() - self._start, 1e-9)
        speed = f"{rate:.1f} games/s" if rate >= 1 else f"{60 * rate:.1f} games/min"
        left = duration((self.planned - self.done) / rate) if rate else "unknown time"
        return f"{speed}, {left} left, {self.failures} failures"


class PlainReporter:
    """Lines of text, for files and for terminals that can do no more.

    Args:
        stream: where they go; stderr by default.
        interval: seconds between two lines about games.
    """

    def __init__(self, stream: TextIO | None = None, interval: float = 10.0) -> None:
        self._stream = stream
        self._interval = interval
        self._next_line = 0.0
        self._count = _Count(0, 0)

    def say(self, text: str) -> None:
        """Print a line."""
        print(text, file=self._stream or sys.stderr, flush=True)

    def begin(self, stored: int, planned: int) -> None:
        """The games start."""
        self._count = _Count(stored, planned)
        self._next_line = time.monotonic() + self._interval

    def plan(self, planned: int) -> None:
        """More games have been decided on."""
        self._count.planned = planned

    def game(self, record: GameRecord) -> None:
        """A game has ended."""
        remark = self._count.add(record)
        if remark:
            self.say(remark)
        if time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + self._interval
            self.say(f"{self._count.done} of {self._count.planned} games, {self._count.text()}")

    def end(self) -> None:
        """Nothing to clean up."""


class BarReporter:
    """A progress bar at the bottom of the terminal."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False)
        self._count = _Count(0, 0)
        self._next_look = 0.0
        self._bar = Progress(
            TextColumn("games"), BarColumn(), MofNCompleteColumn(),
            TextColumn("{task.fields[text]}"), console=self._console,
        )

    def say(self, text: str) -> None:
        """Print a line above the bar."""
        self._console.print(text, markup=False, soft_wrap=True)

    def begin(self, stored: int, planned: int) -> None:
        """Show the bar."""
        self._count = _Count(stored, planned)
        self._task = self._bar.add_task("", total=planned, completed=stored, text="")
        self._bar.start()

    def plan(self, planned: int) -> None:
        """More games have been decided on."""
        if planned != self._count.planned:
            self._count.planned = planned
            self._bar.update(self._task, total=planned)

    def game(self, record: GameRecord) -> None:
        """Move the bar."""
        remark = self._count.add(record)
        if remark:
            self.say(remark)
        if time.monotonic() >= self._next_look:
            self._next_look = time.monotonic() + _BAR_INTERVAL
            self._bar.update(self._task, completed=self._count.done, text=self._count.text())

    def end(self) -> None:
        """Leave the bar as it is."""
        self._bar.update(self._task, completed=self._count.done, text=self._count.text())
        self._bar.stop()


def default_reporter() -> Reporter:
    """A bar if stderr is a terminal, else lines."""
    return BarReporter() if sys.stderr.isatty() else PlainReporter()
