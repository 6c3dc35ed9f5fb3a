"""How a tournament tells people how it goes: a bar on a terminal, else a line now and then."""

from __future__ import annotations

import time
from typing import TextIO

from dlgo.records.game_record import GameRecord
from dlgo.text import duration, number_of
from experiments.progress import LineProgress, default_progress

# Failures shown one by one; a broken engine would fill the screen.
_FAILURES_SHOWN = 5
# Games after the first one that say how long the others take.
_GAMES_TIMED = 5


class Reporter:
    """Counts games and has `progress` show how many there are; by default as `LineProgress`."""

    items = "games"

    def __init__(
        self, stream: TextIO | None = None, interval: float = 10.0,
        progress: LineProgress | None = None,
    ) -> None:
        self._progress = progress or LineProgress(stream, interval)

    def log(self, text: str) -> None:
        """Print a line."""
        self._progress.log(text)

    def begin(self, stored: int, planned: int) -> None:
        """The games start."""
        self._stored = self.done = stored
        self.planned, self._failures = planned, 0
        self._start = time.monotonic()
        self._progress.begin(self)

    def plan(self, planned: int) -> None:
        """More games have been decided on."""
        self.planned = planned

    def game(self, record: GameRecord) -> None:
        """A game has ended and is in the ledger."""
        if self.done == self._stored:  # the first one: until here workers started and compiled
            self._start = time.monotonic()
        self.done += 1
        self._failures += record.failed
        if record.failed and self._failures <= _FAILURES_SHOWN:
            last = self._failures == _FAILURES_SHOWN
            more = "; further ones are only counted" if last else ""
            self.log(f"failure in {record.slot}: {record.reason}{more}")
        self._progress.show(self)

    def text(self) -> str:
        """Failures, and after some games the speed and the time left."""
        failures = number_of(self._failures, "failure")
        timed = self.done - self._stored - 1
        if timed < _GAMES_TIMED:
            return failures
        rate = timed / max(time.monotonic() - self._start, 1e-9)
        speed = f"{rate:.1f} games/s" if rate >= 1 else f"{60 * rate:.1f} games/min"
        return f"{speed}, {duration((self.planned - self.done) / rate)} left, {failures}"

    def end(self) -> None:
        """No more games; called after every `begin`."""
        self._progress.end(self)


def default_reporter() -> Reporter:
    """A bar if stderr is a terminal, else lines."""
    return Reporter(progress=default_progress())
