"""Time limits turned into node limits, for a search that can stop after any node and go on.

Compiled code does not look at the time. So it searches in slices of some milliseconds, each
as many nodes as the speed so far allows, and the clock is read between them: a limit is
overrun by a fraction of a slice. Used by `engine.py`.
"""

from __future__ import annotations

import time

from engines.base import Budget

NO_LIMIT = 1 << 62
# Seconds of a slice: long enough that the call costs nothing, short enough for Ctrl-C.
_SLICE = 0.01
_FIRST_NODES = 100
_LEAST_NODES = 20


class Clock:
    """Started when it is made."""

    def __init__(self, budget: Budget) -> None:
        self._nodes = budget.nodes or NO_LIMIT
        self._began = time.perf_counter()
        self._limits = [
            (clock, clock(), seconds)
            for clock, seconds in (
                (time.process_time, budget.cpu), (time.perf_counter, budget.wall)
            )
            if seconds is not None
        ]

    def node_limit(self, nodes: int) -> int:
        """Up to how many nodes the search may go before the next look, having visited `nodes`."""
        if nodes == 0:
            return min(self._nodes, _FIRST_NODES)
        speed = nodes / max(time.perf_counter() - self._began, 1e-6)
        seconds = min([_SLICE, *(self._left(*limit) for limit in self._limits)])
        return min(self._nodes, nodes + max(_LEAST_NODES, int(speed * seconds)))

    def spent(self, nodes: int) -> bool:
        """Whether a limit has been reached; the last hundredth of a time is left for the rest."""
        return nodes >= self._nodes or any(
            self._left(clock, start, seconds) < 0.01 * seconds
            for clock, start, seconds in self._limits
        )

    @staticmethod
    def _left(clock, start: float, seconds: float) -> float:
        return seconds - (clock() - start)
