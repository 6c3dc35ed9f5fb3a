"""How a search that is looked at many times a second keeps time."""

from __future__ import annotations

import time
from collections.abc import Callable

from engines.base import Budget, Cost, Decision

# Of the time between two looks at a search, it searches at least so much.
_LEAST_SHARE = 0.4
# An answer that comes so many intervals late is not made up for by quicker ones.
_LATEST = 3


class Pace:
    """Lets a search answer at fixed times: what asking it takes is left out of what it may search.

    One answer that comes late does not delay those that follow.

    Args:
        interval: wall seconds between two answers.
    """

    def __init__(self, interval: float) -> None:
        self._interval = interval
        self._due = self._overhead = 0.0

    def measure(self, search: Callable[[Budget], Decision]) -> Decision:
        """The answer of a search that is given its budget."""
        began = time.monotonic()
        self._due += self._interval
        # Late at the beginning; or others had their turn, or something else holds the machine.
        if began > self._due + _LATEST * self._interval:
            self._due = began + self._interval
        wall = max(self._due - began - self._overhead, _LEAST_SHARE * self._interval)
        decision = search(Budget(wall=wall))
        extra = time.monotonic() - began - wall
        # Not much is made of a single time.
        self._overhead += 0.2 * (min(max(extra, 0.0), self._interval) - self._overhead)
        return decision


def sum_of_costs(one: Cost, other: Cost) -> Cost:
    """What two searches have cost together."""
    return Cost(*(getattr(one, name) + getattr(other, name) for name in Cost.__dataclass_fields__))
