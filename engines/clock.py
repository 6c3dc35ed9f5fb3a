"""Time limits for compiled searches, which can stop after any node or simulation and go on.

Compiled code does not look at the time. So it works in slices of some milliseconds, each of as
many steps (nodes, simulations) as the speed so far allows, and the clock is read in between: a
limit is overrun by a fraction of a slice. The time in which machine code is made or loaded does not
count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from dlgo.jit import cpu_time, wall_time
from engines.decision import Budget

NO_LIMIT = 1 << 62
# Seconds of a slice: long enough that the call costs nothing, short enough for Ctrl-C.
_SLICE = 0.01

_stop: ContextVar[Callable[[], bool] | None] = ContextVar("stop", default=None)


@contextmanager
def stopped_by(stop: Callable[[], bool]) -> Iterator[None]:
    """End searches in this block, as at a time limit, once `stop` returns true; it is called
    between slices."""
    token = _stop.set(stop)
    try:
        yield
    finally:
        _stop.reset(token)


def is_stopped() -> bool:
    """Whether the enclosing block of `stopped_by`, if any, has to end."""
    stop = _stop.get()
    return stop is not None and stop()


class Clock:
    """Starts when it is made; watches `cpu` and `wall` of the budget.

    Args:
        most: how many steps the search may take; None: any number.
        first: steps of the first slice, before the speed is known.
        always: work in slices even without a time limit, so that Ctrl-C is heard.
    """

    def __init__(
        self, budget: Budget, most: int | None = None, first: int = 16, always: bool = False
    ) -> None:
        self._most = NO_LIMIT if most is None else most
        self._first = first
        self._began = wall_time()
        self._limits = [
            (clock, clock(), seconds)
            for clock, seconds in ((cpu_time, budget.cpu), (wall_time, budget.wall))
            if seconds is not None
        ]
        self._stop = _stop.get()
        self._sliced = always or bool(self._limits) or self._stop is not None

    def next_stop(self, done: int) -> int:
        """Up to how many steps the search may go before the next look, having taken `done`."""
        if not self._sliced:
            return self._most
        if done == 0:
            return min(self._most, self._first)
        speed = done / max(wall_time() - self._began, 1e-6)
        seconds = min([_SLICE, *(self._left(*limit) for limit in self._limits)])
        return min(self._most, done + max(1, self._first // 5, int(speed * seconds)))

    def is_over(self, done: int) -> bool:
        """Whether a limit is reached; the last hundredth of a time is left for the rest."""
        return (
            done >= self._most
            or (self._stop is not None and self._stop())
            or any(
                self._left(clock, start, seconds) < 0.01 * seconds
                for clock, start, seconds in self._limits
            )
        )

    @staticmethod
    def _left(clock: Callable[[], float], start: float, seconds: float) -> float:
        return seconds - (clock() - start)
