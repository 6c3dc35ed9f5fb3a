"""A match that goes on until a sequential test has its answer.

The workers end games in any order, but a test must not: whoever wins quickly would be counted
first. So the results of a match wait here until all pairs before theirs are complete, and are
shown to the test in the order of the plan. The answer then depends on the seed alone, not on
which core was faster.

Called by `agenda.py`. The test is handed in (`reports.sprt.Sprt`), since the arena knows no
statistics.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class TestResult(Protocol):
    """How a test stands; `reason` is one sentence."""

    @property
    def reason(self) -> str: ...


class SequentialTest(Protocol):
    """What is asked after every pair."""

    def add(self, points: float) -> bool:
        """Count a pair, in which the first entrant made so many points; whether it is over."""

    @property
    def result(self) -> TestResult:
        """How it stands."""


# Makes a new test; each game of the plan has its own.
NewTest = Callable[[], SequentialTest]


class Trial:
    """The match on one game, as the test sees it.

    Attributes:
        over: whether the test has its answer.
    """

    def __init__(self, one: str, test: SequentialTest) -> None:
        self.over = False
        self._one = one
        self._test = test
        self._next = 0
        self._points: dict[int, list[float]] = {}

    def note(self, pair: int, first: str, result: float) -> None:
        """A game of a pair has ended; `result` is as `first` sees it."""
        self._points.setdefault(pair, []).append(result if first == self._one else 1 - result)
        while not self.over and len(self._points.get(self._next, ())) == 2:
            self.over = self._test.add(sum(self._points.pop(self._next)))
            self._next += 1

    @property
    def reason(self) -> str:
        """Why it is over, or how far it is."""
        return self._test.result.reason
