"""Progress of a run: its speed and the time left."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from dlgo.text import duration

# Seconds after which a speed is known, however long the first items took.
_LONGEST_START = 60.0


class Status(NamedTuple):
    """The progress of a run within an iteration."""

    unit: str  # the name of an iteration
    iteration: int  # from 1
    iterations: int  # of the run
    phase: str  # what is going on
    done: int  # items of the phase, of
    of: int
    items: str  # what is counted
    rate: float | None  # items a second, where that is known
    left: float | None  # seconds to the end of the run, where that is known

    def __str__(self) -> str:
        remaining = "" if self.left is None else f", about {duration(self.left)} left"
        rate = "" if self.rate is None else (
            f", {self.rate:{',.0f' if self.rate >= 10 else '.2g'}} {self.items}/s")
        return (f"{self.unit} {self.iteration} of {self.iterations}: {self.phase}, {self.done:,} "
                f"of {self.of:,} {self.items}{rate}{remaining}")


class Progress:
    """Receives the progress of a run; this class shows nothing. Subclasses show what they get."""

    def line(self, text: str) -> None:
        """Report a line to keep: an iteration is done."""

    def status(self, status: Status) -> None:
        """Report the present state; called often."""

    def end(self) -> None:
        """The run has ended, or was interrupted; another one may follow."""


class Pace:
    """Items a second of one phase after the other; each begins when the one before has ended.

    The first items do not count: until they are done, code is compiled and workers start.
    """

    def __init__(self) -> None:
        self._phase, self._latest = "", time.monotonic()
        self._start, self._first = self._latest, (0.0, 0)  # time and number of the first items

    def rate(self, phase: str, done: int) -> float | None:
        """Of the current phase; None until it was measured for as long as the first items took."""
        if phase != self._phase:
            self._phase, self._start, self._first = phase, self._latest, (0.0, 0)
        self._latest = time.monotonic()
        if not self._first[1]:
            self._first = self._latest, done
        seconds, items = self._latest - self._first[0], done - self._first[1]
        longest = min(self._first[0] - self._start, _LONGEST_START)
        return items / seconds if items > 0 and seconds >= max(longest, 1.0) else None


def stage_progress(
    progress: Progress, stage: str, number: int, stages: int, items: str = "games"
) -> Callable[[int, int], None]:
    """A function that reports the progress of a stage without iterations, called with items done,
    and of how many; `number` counts from 1."""
    pace = Pace()

    def tell(done: int, of: int) -> None:
        rate = pace.rate(stage, done)
        remaining = (of - done) / rate if rate else None
        progress.status(Status("stage", number, stages, stage, done, of, items, rate, remaining))

    return tell
