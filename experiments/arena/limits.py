"""The limits of players, and the check whether a player exceeds them.

An entrant's own budget (`mcts:cpu=0.1`) limits each of its moves; the `Limits` of a tournament hold
for all entrants. Every move is charged to an `Account`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from dlgo.records.failures import Failure
from dlgo.system.processes import run_delay
from engines.base import Budget, Cost
from engines.isolation.channel import MOST_TIMES
from experiments.arena.entrants import Entrant
from experiments.arena.plan_keys import Limits

# How far a move may go beyond its budget: whichever is more. An engine looks at the clock
# every few milliseconds, and the scheduler of a busy machine may take it away for longer.
GRACE_SHARE = 0.1
GRACE_SECONDS = 0.05
# Of counted budgets (sims, nodes, evals): an engine may finish the batch it is in.
GRACE_COUNT = 100

# Wall seconds to build an engine, which may have to compile.
PREPARE_TIMEOUT = 600.0
# Wall seconds for the process of an external engine to start, and those beyond its timeout after
# which it has stopped the worker that asks it.
START_TIMEOUT, _OUTSIDE_GRACE = 60.0, 5.0


def allowed_seconds(limit: float) -> float:
    """The limit with its grace."""
    return limit + max(GRACE_SHARE * limit, GRACE_SECONDS)


class Overrun(NamedTuple):
    """What was overrun, and a phrase that says by how much."""

    failure: Failure
    text: str


class Account:
    """What one player may spend on each move (`budget`) and has spent in one game. `delay` tells
    for how many seconds the player was ready to think but had no core; by default this process."""

    def __init__(
        self, budget: Budget, limits: Limits, delay: Callable[[], float] | None = None
    ) -> None:
        self._run_delay = delay or run_delay
        self._budget, self._limits = budget, limits
        self.cpu = self.wall = 0.0
        self._timed = (budget.cpu, budget.wall, limits.game_cpu, limits.game_wall) != (None,) * 4
        self._on_wall = budget.wall is not None or limits.game_wall is not None
        self._delay = 0.0

    def begin(self) -> None:
        """A move begins."""
        if self._on_wall:
            self._delay = self._run_delay()

    def charge(self, cost: Cost, wall: float) -> Overrun | None:
        """Book a move, its `cost` as the engine says; returns what was overrun, or None.

        `wall` seconds are the referee's. Those for which other programs had taken the cores, though
        the engine was ready to go on, are not held against it.
        """
        budget, timeout = self._budget, self._limits.move_timeout
        for count, most, noun in (
            (cost.simulations, budget.sims, "simulations"), (cost.nodes, budget.nodes, "nodes"),
            (cost.evaluations, budget.evals, "evaluations"),
        ):
            if most is not None and count > most + max(GRACE_SHARE * most, GRACE_COUNT):
                return Overrun(Failure.OVER_COUNT, f"{count:,} {noun} for a move, {most:,} asked")
        if self._on_wall:
            wall = max(wall - (self._run_delay() - self._delay), 0.0)
        if wall > timeout:
            return Overrun(Failure.OVER_WALL, f"{wall:.3g} s of wall time for a move, {timeout:g} "
                                              "s allowed (move_timeout)")
        return self._overrun_time(cost, wall) if self._timed else None

    def _overrun_time(self, cost: Cost, wall: float) -> Overrun | None:
        self.cpu += cost.cpu_seconds
        self.wall += wall
        budget, limits = self._budget, self._limits
        over_cpu, over_wall = Failure.OVER_CPU, Failure.OVER_WALL
        for failure, seconds, limit, text in (
            (over_cpu, cost.cpu_seconds, budget.cpu, "CPU time for a move, {} s asked (cpu)"),
            (over_wall, wall, budget.wall, "wall time for a move, {} s asked (wall)"),
            (over_cpu, self.cpu, limits.game_cpu, "CPU time in the game, {} s allowed (game_cpu)"),
            (over_wall, self.wall, limits.game_wall,
             "wall time in the game, {} s allowed (game_wall)"),
        ):
            if limit is not None and seconds > allowed_seconds(limit):
                return Overrun(failure, f"{seconds:.3g} s of {text.format(f'{limit:g}')}")
        return None


def silence_limit(
    entrant: Entrant, limits: Limits, thinking: bool, sandboxed: bool = False
) -> float:
    """Wall seconds after which a silent worker is killed in which an entrant thinks, or prepares.

    An external engine has its own limits: a worker that is silent for longer has been stopped by
    it. Only engines of ours may have to compile for long. The time in which a `sandboxed` one waits
    for a core does not count.
    """
    if sandboxed:
        return MOST_TIMES * (limits.move_timeout if thinking else PREPARE_TIMEOUT) + _OUTSIDE_GRACE
    if entrant.is_outside:
        return limits.move_timeout + (_OUTSIDE_GRACE if thinking else START_TIMEOUT)
    if thinking:
        return hard_limit(entrant.budget, limits)
    return limits.move_timeout if entrant.spec.startswith("gtp:") else PREPARE_TIMEOUT


def hard_limit(budget: Budget, limits: Limits) -> float:
    """Wall seconds after which a silent engine is killed.

    Its game is lost long before, but whether it answers late or never, only time tells. CPU
    seconds pass slowly on a busy machine; so that limit is a loose one.
    """
    seconds = limits.move_timeout
    if budget.cpu is not None:
        seconds = min(seconds, 10 * allowed_seconds(budget.cpu) + 10)
    for wall in (budget.wall, limits.game_wall):
        if wall is not None:
            seconds = min(seconds, 2 * allowed_seconds(wall) + 1)
    return seconds
