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


class PlainReporter:
    """Lines of text, for files and for terminals that can do no more.

    Args:
        stream: where they go; stderr by default.
        interval: seconds between two lines about games.
    """

    def __init__(self, stream: TextIO | None = None, interval: float = 10.0) -> None:
        self._stream = stream
        self._interval = interval

    def say(self, text: str) -> None:
        """Print a line."""
        print(text, file=self._stream or sys.stderr, flush=True)

    def begin(self, stored: int, planned: int) -> None:
        """The games start."""
        self._stored = self._done = stored
        self._planned, self._failures = planned, 0
        self._start = time.monotonic()
        self._next_look = self._start + self._interval

    def plan(self, planned: int) -> None:
        """More games have been decided on."""
        self._planned = planned

    def game(self, record: GameRecord) -> None:
        """A game has ended."""
        self._done += 1
        self._failures += record.failed
        if record.failed and self._failures <= _FAILURES_SHOWN:
            last = self._failures == _FAILURES_SHOWN
            more = "; further ones are only counted" if last else ""
            self.say(f"failure in {record.slot}: {record.reason}{more}")
        if time.monotonic() >= self._next_look:
            self._next_look = time.monotonic() + self._interval
            self._show()

    def _text(self) -> str:
        """Speed, time left and failures."""
        rate = (self._done - self._stored) / max(time.monotonic() - self._start, 1e-9)
        speed = f"{rate:.1f} games/s" if rate >= 1 else f"{60 * rate:.1f} games/min"
        left = duration((self._planned - self._done) / rate) if rate else "unknown time"
        return f"{speed}, {left} left, {self._failures} failures"

    def _show(self) -> None:
        self.say(f"{self._done} of {self._planned} games, {self._text()}")

    def end(self) -> None:
        """Nothing to clean up."""


class BarReporter(PlainReporter):
    """A progress bar at the bottom of the terminal, and lines above it."""

    def __init__(self) -> None:
        super().__init__(interval=_BAR_INTERVAL)
        self._console = Console(stderr=True, highlight=False)
        self._bar = Progress(
            TextColumn("games"), BarColumn(), MofNCompleteColumn(),
            TextColumn("{task.fields[text]}"), console=self._console,
        )

    def say(self, text: str) -> None:
        self._console.print(text, markup=False, soft_wrap=True)

    def begin(self, stored: int, planned: int) -> None:
        super().begin(stored, planned)
        self._task = self._bar.add_task("", total=planned, completed=stored, text="")
        self._bar.start()

    def _show(self) -> None:
        self._bar.update(self._task, total=self._planned, completed=self._done, text=self._text())

    def end(self) -> None:
        """Leave the bar as it is."""
        self._show()
        self._bar.stop()


def default_reporter() -> Reporter:
    """A bar if stderr is a terminal, else lines."""
    return BarReporter() if sys.stderr.isatty() else PlainReporter()
