"""How the making of data tells people how it goes: a bar on a terminal, else a line at times."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from dlgo.text import duration, one_line

# Seconds between two lines, and between two changes of the bar.
_LINE_INTERVAL = 10.0
_BAR_INTERVAL = 0.1


@dataclass
class Tally:
    """Games and positions so far.

    Attributes:
        planned: games in all.
        found: games that were there before.
        made: games made now.
        positions: positions made now.
    """

    planned: int
    found: int = 0
    made: int = 0
    positions: int = 0
    started: float = field(default_factory=time.monotonic)

    def seconds(self) -> float:
        """Wall-clock seconds since the start."""
        return time.monotonic() - self.started

    def text(self) -> str:
        """Positions, rate and time left."""
        seconds = max(self.seconds(), 1e-9)
        left = self.planned - self.found - self.made
        rest = duration(left * seconds / self.made) if self.made else "unknown time"
        return f"{self.positions:,} positions, {self.positions / seconds:,.0f}/s, {rest} left"


class LineProgress:
    """Lines of text.

    Args:
        stream: where they go; standard error by default.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream
        self._next = 0.0

    def say(self, text: str) -> None:
        """Print a line."""
        print(one_line(text), file=self._stream or sys.stderr, flush=True)

    def begin(self, tally: Tally) -> None:
        """The work starts."""
        tally.started = time.monotonic()
        self._next = tally.started + _LINE_INTERVAL

    def show(self, tally: Tally) -> None:
        """Something has been made."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _LINE_INTERVAL
            self.say(f"{tally.found + tally.made} of {tally.planned} games, {tally.text()}")

    def end(self, tally: Tally) -> None:
        """No more comes; called after every `begin`."""


class BarProgress(LineProgress):
    """A bar at the bottom of the terminal."""

    def __init__(self) -> None:
        super().__init__()
        self._console = Console(stderr=True, highlight=False)
        self._bar = Progress(
            TextColumn("games"), BarColumn(), MofNCompleteColumn(),
            TextColumn("{task.fields[text]}"), console=self._console,
        )

    def say(self, text: str) -> None:
        self._console.print(one_line(text), markup=False, soft_wrap=True)

    def begin(self, tally: Tally) -> None:
        super().begin(tally)
        self._next = 0.0
        self._task = self._bar.add_task("", total=tally.planned, completed=tally.found, text="")
        self._bar.start()

    def show(self, tally: Tally) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _BAR_INTERVAL
            self._update(tally)

    def end(self, tally: Tally) -> None:
        self._update(tally)
        self._bar.stop()

    def _update(self, tally: Tally) -> None:
        self._bar.update(self._task, completed=tally.found + tally.made, text=tally.text())


def default_progress() -> LineProgress:
    """A bar if standard error is a terminal, else lines."""
    return BarProgress() if sys.stderr.isatty() else LineProgress()
