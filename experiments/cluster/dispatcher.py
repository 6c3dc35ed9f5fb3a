"""Which machine does which task, and which result counts: exactly one for each task.

A task that takes far longer than others is given to a second machine. The first result counts.
Since tasks have their seeds in them, it does not matter whose result that is, unless a budget
counts seconds. This module knows neither Ray nor the time of day.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from dlgo.errors import DlgoError
from dlgo.records.ledger import Check
from dlgo.rng import derive_seed
from engines.jobs.protocol import Outcome, Source
from engines.jobs.worker import Result

# A task is slow after this many times the usual seconds between its going and its coming back,
# and after this many seconds at least.
_SLOW, _SLOW_SECONDS = 3.0, 3.0
# Weight of the latest task in the usual seconds.
_WEIGHT = 0.05
# How many machines may hold the same task.
_MOST_HOLDERS = 3


@dataclass
class _Entry:
    task: Any
    wanted: int = 1  # how many machines are to do it
    holders: dict[str, float] = field(default_factory=dict)  # machine -> since when
    values: dict[str, Any] = field(default_factory=dict)  # machine -> its result
    failed: dict[str, DlgoError] = field(default_factory=dict)

    def may_go_to(self, machine: str) -> bool:
        return not any(machine in those for those in (self.holders, self.values, self.failed))


class Dispatcher:
    """Gives out the tasks of a source, and takes results in.

    Args:
        differs: what differs between two results of a task; "" if they are equal.
        verify_share: the share of tasks that two machines do; names and seed decide which.
        repeatable: whether doing a task twice must give equal results: only such are chosen.
    """

    def __init__(
        self, source: Source[Any],
        differs: Callable[[Any, Any], str] = lambda one, other: "", verify_share: float = 0.0,
        seed: int = 0, repeatable: Callable[[Any], bool] = lambda task: True,
    ) -> None:
        self._source, self._differs = source, differs
        self._share, self._seed, self._repeatable = verify_share, seed, repeatable
        self._entries: dict[str, _Entry] = {}  # tasks that are not closed
        self._queue: deque[str] = deque()  # tasks that another machine has to do
        self._exhausted = False  # the source had nothing, and no result has come since
        self._usual = 0.0
        self.done = 0  # results that count
        self.late = 0  # results that came after the counted one
        self.again = 0  # tasks that were given to another machine because one was lost or late
        self.compared: list[Check] = []  # results that came twice; the reader clears it

    def assign(self, machine: str, count: int, now: float, idle: bool = False) -> list[Any]:
        """Up to `count` tasks for a machine; one that is idle may get tasks that are slow
        elsewhere. `now`: seconds on any clock that only goes forward."""
        given: list[_Entry] = []
        for _ in range(len(self._queue)):
            if len(given) == count:
                break
            key = self._queue.popleft()
            entry = self._entries.get(key)
            if entry is None or len(entry.values) >= entry.wanted:
                continue
            if not entry.values and not self._source.wanted(entry.task):
                del self._entries[key]
            elif entry.may_go_to(machine):
                given.append(entry)
            else:
                self._queue.append(key)
        room = count - len(given)
        taken = self._source.take(room)
        self._exhausted = room > 0 and not taken
        for task in taken:
            self._entries[task.key] = _Entry(task)
            given.append(self._entries[task.key])
        if idle and not given and self._usual:
            given = self._slow_ones(machine, count, now)
            self.again += len(given)
        for entry in given:
            entry.holders[machine] = now
        return [entry.task for entry in given]

    def _slow_ones(self, machine: str, count: int, now: float) -> list[_Entry]:
        limit = max(_SLOW_SECONDS, _SLOW * self._usual)
        slow = [
            entry for entry in self._entries.values()
            if 0 < len(entry.holders) < _MOST_HOLDERS and not entry.values
            and entry.may_go_to(machine) and now - max(entry.holders.values()) > limit
        ]
        return sorted(slow, key=lambda entry: max(entry.holders.values()))[:count]

    def returned(
        self, machine: str, results: Iterable[Result], now: float, others: int = 1
    ) -> list[Outcome]:
        """Take in what a machine brings; the results that count. Without `others`, an error counts
        at once."""
        fresh: list[Outcome] = []
        for key, value, error, amount in results:
            entry = self._entries.get(key)
            if entry is None or machine in entry.values:
                self.late += 1
                continue
            since = entry.holders.pop(machine, None)
            if entry.values:
                self._compare(key, value, error, machine)
            elif error is not None and others and not entry.failed.keys() - {machine}:
                entry.failed[machine] = error  # it may be the machine: another one tries
                if not entry.holders and key not in self._queue:
                    self._queue.append(key)
                continue
            else:
                if since is not None:
                    self._usual += (now - since - self._usual) * (_WEIGHT if self._usual else 1.0)
                entry.values[machine] = value
                self.done += 1
                fresh.append(Outcome(entry.task, value, error, amount, machine))
                if error is not None:
                    entry.holders.clear()
                elif self._is_chosen(entry):
                    entry.wanted = 2
                    if not entry.holders:
                        self._queue.append(key)
            if not entry.holders and len(entry.values) >= entry.wanted:
                del self._entries[key]
        self._exhausted = self._exhausted and not fresh
        self._source.finished([outcome.value for outcome in fresh if outcome.error is None])
        return fresh

    def _is_chosen(self, entry: _Entry) -> bool:
        drawn = derive_seed(self._seed, "played twice", entry.task.key) / 2.0**63
        return drawn < self._share and self._repeatable(entry.task)

    def _compare(self, key: str, value: Any, error: DlgoError | None, machine: str) -> None:
        """A second value of a task. If it differs, a third machine decides which one is right."""
        entry = self._entries[key]
        self.late += len(entry.values) >= entry.wanted
        if error is not None:
            entry.wanted = len(entry.values)
            return
        repeatable = self._repeatable(entry.task)
        differences = [
            self._differs(known, value) if repeatable else "" for known in entry.values.values()
        ]
        self.compared += [
            Check(key, other, machine, difference or None)
            for other, difference in zip(entry.values, differences, strict=True)
        ]
        entry.values[machine] = value
        if differences[0] and len(entry.values) == 2:
            entry.wanted = 3
            self._queue.append(key)

    def lost(self, machine: str, keys: Sequence[str]) -> int:
        """Others do these tasks of a machine. Returns the number of these tasks without a
        result."""
        count = 0
        for key in keys:
            entry = self._entries.get(key)
            if entry is None or entry.holders.pop(machine, None) is None or entry.holders:
                continue
            if len(entry.values) >= entry.wanted:
                del self._entries[key]
            elif key not in self._queue:
                self._queue.appendleft(key)
            count += not entry.values
        self.again += count
        return count

    def waiting(self) -> int:
        """The approximate number of tasks that no machine has yet."""
        return len(self._queue) + self._source.remaining()

    def unchecked(self) -> int:
        """How many tasks that were to be done twice lack a second result."""
        return sum(0 < len(entry.values) < entry.wanted for entry in self._entries.values())

    def is_done(self, machines: int) -> bool:
        """Whether no result is missing, and the source had nothing more when it was last asked. A
        single machine cannot check itself, and two cannot decide which of them is right."""
        return self._exhausted and not self._source.is_open() and not any(
            not entry.values or len(entry.values) < entry.wanted <= machines
            for entry in self._entries.values()
        )
