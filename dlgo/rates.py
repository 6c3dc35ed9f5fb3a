"""Speeds from alternating measurements.

All things that are compared are measured round after round: a machine that becomes slower
meanwhile slows all of them alike.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

# A function that does some work and returns the number of units done.
Meter = Callable[[], int]


def rates_in_turns(
    meters: Sequence[Meter], seconds: float, rounds: int,
    clock: Callable[[], float] = time.perf_counter,
) -> list[list[float]]:
    """Units a second of each meter, one number per round.

    The first call of each meter compiles and is not counted. A measurement takes `seconds` by the
    `clock`: wall time by default; `time.thread_time` counts CPU seconds.
    """
    for meter in meters:
        meter()
    rates: list[list[float]] = [[] for _ in meters]
    for _ in range(rounds):
        for meter, measured in zip(meters, rates, strict=True):
            units, start = 0, clock()
            while (spent := clock() - start) < seconds or not units:
                units += meter()
            measured.append(units / spent)
    return rates
