"""How a search that is looked at many times a second keeps time."""

from __future__ import annotations

import time
from collections.abc import Callable

from engines.base import Budget, Cost, Decision

# Of the time between two looks at a search, it searches at least so much.
_LEAST_SHARE = 0.4


class Pace:
    """Lets a search answer in time: what asking it takes is left out of what it may search.

    Args:
        interval: wall seconds between two answers.
    """

    def __init__(self, interval: float) -> None:
        self._interval = interval
        self._overhead = self._ended = 0.0

    def measure(self, search: Callable[[Budget], Decision]) -> Decision:
        """The answer of a search that is given its budget."""
        wall = max(self._interval - self._overhead, _LEAST_SHARE * self._interval)
        before, began = self._ended, time.monotonic()
        decision = search(Budget(wall=wall))
        self._ended = time.monotonic()
        # From answer to answer. Where others had their turn in between, that is not counted; and
        # something else may hold the machine: not much is made of a single time.
        waited = began - before
        extra = self._ended - began - wall + (waited if waited < self._interval / 2 else 0.0)
        self._overhead += 0.2 * (min(max(extra, 0.0), self._interval) - self._overhead)
        return decision


def sum_of_costs(one: Cost, other: Cost) -> Cost:
    """What two searches have cost together."""
    return Cost(*(getattr(one, name) + getattr(other, name) for name in Cost.__dataclass_fields__))
