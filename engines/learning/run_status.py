"""Progress of a run: its speed and the time left."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from dlgo.text import duration


class Status(NamedTuple):
    """The progress of a run within an iteration."""

    unit: str  # the name of an iteration
    iteration: int  # from 1
    iterations: int  # of the run
    phase: str  # what is going on
    done: int  # items of the phase, of
    of: int
    items: str  # what is counted
    rate: float  # items a second
    left: float | None  # seconds to the end of the run, where that is known

    def __str__(self) -> str:
        remaining = "" if self.left is None else f", about {duration(self.left)} left"
        rate = f"{self.rate:,.0f}" if self.rate >= 10 else f"{self.rate:.2g}"
        return (f"{self.unit} {self.iteration} of {self.iterations}: {self.phase}, {self.done:,} "
                f"of {self.of:,} {self.items}, {rate} {self.items}/s{remaining}")


class Progress:
    """Receives the progress of a run; this class shows nothing. Subclasses show what they get."""

    def line(self, text: str) -> None:
        """Report a line to keep: an iteration is done."""

    def status(self, status: Status) -> None:
        """Report the present state; called often."""

    def end(self) -> None:
        """The run has ended, or was interrupted; another one may follow."""


class Pace:
    """Items a second of one phase after the other; each begins when the one before has ended."""

    def __init__(self) -> None:
        self._phase, self._start = "", time.monotonic()
        self._latest = self._start

    def rate(self, phase: str, done: int) -> float:
        """Of the current phase."""
        if phase != self._phase:
            self._phase, self._start = phase, self._latest
        self._latest = time.monotonic()
        return done / max(self._latest - self._start, 1e-3)


def stage_progress(
    progress: Progress, stage: str, number: int, stages: int, items: str = "games"
) -> Callable[[int, int], None]:
    """A function that reports the progress of a stage without iterations, called with items done,
    and of how many; `number` counts from 1."""
    pace = Pace()

    def tell(done: int, of: int) -> None:
        rate = pace.rate(stage, done)
        remaining = (of - done) / rate if done else None
        progress.status(Status("stage", number, stages, stage, done, of, items, rate, remaining))

    return tell
