"""Where a run stands: how fast it goes, and how much time it still needs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from dlgo.text import duration

# Seconds between two statuses: on a terminal, where each replaces the one before, and elsewhere.
_LIVE, _LINES = 0.2, 10.0
# The next iterations are expected to take as long as the last ones, on average.
_RECENT = 5


@dataclass(frozen=True)
class Status:
    """Where a run stands within an iteration.

    Attributes:
        unit: what an iteration is called. iteration: its number, from 1. iterations: of the run.
        phase: what is going on. done, of: how many of the phase's items are done.
        items: what is counted.
        rate: items a second. left: seconds to the end of the run, or None where it is not known.
        note: what the learner has to say besides; "": nothing.
    """

    unit: str
    iteration: int
    iterations: int
    phase: str
    done: int
    of: int
    items: str
    rate: float
    left: float | None
    note: str = ""

    def __str__(self) -> str:
        left = "" if self.left is None else f", about {duration(self.left)} left"
        rate = f"{self.rate:,.0f}" if self.rate >= 10 else f"{self.rate:.2g}"
        note = f"; {self.note}" if self.note else ""
        return (f"{self.unit} {self.iteration} of {self.iterations}: {self.phase}, {self.done:,} "
                f"of {self.of:,} {self.items}, {rate} {self.items}/s{left}{note}")


class Progress:
    """Hears how a run goes on; this one keeps it to itself."""

    def line(self, text: str) -> None:
        """Something that stays true: an iteration is done."""

    def status(self, status: Status) -> None:
        """Where the run stands now; comes often."""


class PrintedProgress(Progress):
    """Prints lines; the status on the last line of a terminal, or elsewhere every ten seconds.

    Args:
        lines: whether to print what stays true, too.
    """

    def __init__(self, lines: bool = True) -> None:
        self._lines = lines
        self._live = sys.stderr.isatty()
        self._next = time.monotonic() + (0 if self._live else _LINES)

    def line(self, text: str) -> None:
        if self._live:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
        if self._lines:
            print(text, flush=True)
        if not self._live:  # a line has just come
            self._next = time.monotonic() + _LINES

    def status(self, status: Status) -> None:
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + (_LIVE if self._live else _LINES)
        text = f"\r\033[K{str(status)[:100]}" if self._live else f"{status}\n"
        print(text, end="", file=sys.stderr, flush=True)


class Estimate:
    """Foresees the time that a run still needs.

    An iteration may have several phases. Those that come later in it are expected to take as long
    as in the iteration before; in the first one nothing is known of them.

    Args:
        history: rows of earlier iterations, with the column `wall_seconds`.
    """

    def __init__(self, history: Sequence[Mapping[str, float]]) -> None:
        self._seconds = [row["wall_seconds"] for row in history if "wall_seconds" in row]
        self._before: dict[str, float] = {}  # phase -> seconds, in the iteration before
        self.begin()

    def begin(self) -> None:
        """An iteration begins."""
        self._start = self._latest = time.monotonic()
        self._phases: dict[str, float] = {}  # phase -> when it began
        self._ends: dict[str, float] = {}

    def end(self) -> None:
        """An iteration has ended."""
        self._seconds.append(time.monotonic() - self._start)
        self._before = {
            phase: self._ends[phase] - start for phase, start in self._phases.items()
        }

    def look(self, phase: str, done: int, of: int, later: int) -> tuple[float, float | None]:
        """Items a second, and seconds left, or None.

        Args:
            phase: what is going on. done, of: its items.
            later: iterations after this one.
        """
        now = time.monotonic()
        start = self._phases.setdefault(phase, self._latest)
        self._ends[phase] = self._latest = now
        rate = done / max(now - start, 1e-3)
        if not done:
            return rate, None
        left = (of - done) / rate
        left += sum(
            seconds for name, seconds in self._before.items() if name not in self._phases
        )
        return rate, left + later * self._iteration(now - self._start + left)

    def left(self, later: int) -> float:
        """Seconds that the remaining iterations take."""
        return later * self._iteration(0.0)

    def _iteration(self, otherwise: float) -> float:
        recent = self._seconds[-_RECENT:]
        return sum(recent) / len(recent) if recent else otherwise


def stage_progress(
    progress: Progress, stage: str, number: int, stages: int, items: str = "games"
) -> Callable[[int, int], None]:
    """What tells where a stage without iterations stands, called with items done, and of how many.

    Args:
        stage: what it is called. number: its number, from 1. stages: how many there are.
    """
    estimate = Estimate([])

    def tell(done: int, of: int) -> None:
        rate, left = estimate.look(stage, done, of, later=0)
        progress.status(Status("stage", number, stages, stage, done, of, items, rate, left))

    return tell
