"""Which machine does which item of work, and which result counts: exactly one for each item.

An item that takes far longer than others is given to a second machine. It may then be done twice:
the first result counts, and the second is recognised. Since items have their seeds in them, it does
not matter whose result that is, unless a budget counts seconds. This module knows neither Ray nor
the time of day.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from dlgo.errors import DlgoError
from dlgo.records.ledger import Check
from dlgo.rng import derive_seed
from engines.jobs.protocol import Outcome, Source
from engines.jobs.worker import Result

Item = TypeVar("Item")

# An item is slow after this many times the usual seconds between its going and its coming back,
# and after this many seconds at least.
_SLOW, _SLOW_SECONDS = 3.0, 3.0
# Weight of the latest item in the usual seconds.
_WEIGHT = 0.05
# How many machines may hold the same item.
_MOST_HOLDERS = 3


@dataclass
class _Entry(Generic[Item]):
    """An item that has been taken from the source and is not closed yet."""

    item: Item
    holders: dict[str, float] = field(default_factory=dict)  # worker -> since when
    failed: dict[str, DlgoError] = field(default_factory=dict)
    winner: str = ""
    value: Any = None
    checking: bool = False
    disputed: tuple[str, Any] | None = None  # who brought another value, and which

    def knows(self, worker: str) -> bool:
        """Whether it has brought a value."""
        return worker == self.winner or self.disputed is not None and worker == self.disputed[0]


class Dispatcher(Generic[Item]):
    """Gives out the items of a source, and takes results in.

    Args:
        source: of the items.
        differs: what differs between two results of an item; "" if they are equal.
        verify_share: the share of items that are done twice, by different workers. Which they are
            depends on their names and the seed only.
        seed: of that choice.
        repeatable: whether doing an item twice must give equal results: only such are chosen.

    Attributes:
        done: results that count. late: those that came when another counted already.
        again: items that were given to another worker because one was lost or late.
        compared: results that came twice; whoever reads them clears the list.
    """

    def __init__(
        self, source: Source[Item],
        differs: Callable[[Any, Any], str] = lambda one, other: "", verify_share: float = 0.0,
        seed: int = 0, repeatable: Callable[[Item], bool] = lambda item: True,
    ) -> None:
        self._source, self._differs = source, differs
        self._share, self._seed, self._repeatable = verify_share, seed, repeatable
        self._entries: dict[str, _Entry[Item]] = {}
        self._returned: deque[str] = deque()
        self._to_check: deque[str] = deque()
        self._undone = 0  # entries without a result
        self._exhausted = False  # the source had nothing, and no result has come since
        self._usual = 0.0
        self.done = self.late = self.again = 0
        self.compared: list[Check] = []

    # --- giving out -------------------------------------------------------------------------

    def assign(self, worker: str, count: int, now: float, idle: bool = False) -> list[Item]:
        """Up to `count` items for a worker.

        Args:
            now: seconds on any clock that only goes forward.
            idle: whether it has nothing to do: it then may get items that are slow elsewhere.
        """
        given: list[Item] = []
        for queue in (self._returned, self._to_check):
            for _ in range(len(queue)):
                if len(given) >= count:
                    return given
                key = queue.popleft()
                entry = self._entries.get(key)
                if entry is None or (entry.winner and not entry.checking):
                    continue
                if worker in entry.holders or worker in entry.failed or entry.knows(worker):
                    queue.append(key)
                elif not entry.winner and not self._source.wanted(entry.item):
                    self._forget(key)
                else:
                    given.append(self._give(entry, worker, now))
        room = count - len(given)
        taken = self._source.take(room)
        self._exhausted = room > 0 and not taken
        for item in taken:
            key = item.key
            self._entries[key] = _Entry(item)
            self._undone += 1
            given.append(self._give(self._entries[key], worker, now))
        if idle and not given and self._usual:
            given += self._slow_ones(worker, count, now)
        return given

    def _give(self, entry: _Entry[Item], worker: str, now: float) -> Item:
        entry.holders[worker] = now
        return entry.item

    def _slow_ones(self, worker: str, count: int, now: float) -> list[Item]:
        """Items that others have had for long."""
        limit = max(_SLOW_SECONDS, _SLOW * self._usual)
        slow = [
            (max(entry.holders.values()), key, entry) for key, entry in self._entries.items()
            if entry.holders and not entry.winner and worker not in entry.holders
            and worker not in entry.failed and len(entry.holders) < _MOST_HOLDERS
            and now - max(entry.holders.values()) > limit
        ]
        slow.sort(key=lambda row: row[:2])
        self.again += len(slow[:count])
        return [self._give(entry, worker, now) for *_, entry in slow[:count]]

    # --- taking in --------------------------------------------------------------------------

    def returned(
        self, worker: str, results: Iterable[Result], now: float, others: int = 1
    ) -> list[Outcome]:
        """Take in what a worker brings; the results that count.

        Args:
            others: how many other workers there are: without any, an error counts at once.
        """
        fresh: list[Outcome] = []
        for result in results:
            entry = self._entries.get(result.key)
            if entry is None:
                self.late += 1
                continue
            since = entry.holders.pop(worker, None)
            if entry.winner:
                if not entry.knows(worker):
                    self._compare(result, entry, worker)
                else:
                    self.late += 1
            elif result.error is not None and others and not entry.failed.keys() - {worker}:
                entry.failed[worker] = result.error  # it may be the machine: another one tries
                if not entry.holders and result.key not in self._returned:
                    self._returned.append(result.key)
            else:
                if since is not None:
                    self._usual += (now - since - self._usual) * (_WEIGHT if self._usual else 1.0)
                self._accept(result, entry, worker)
                fresh.append(
                    Outcome(entry.item, result.value, result.error, result.amount, worker))
        self._exhausted = self._exhausted and not fresh
        self._source.finished([outcome.value for outcome in fresh if outcome.error is None])
        return fresh

    def _accept(self, result: Result, entry: _Entry[Item], worker: str) -> None:
        entry.winner = worker
        self.done += 1
        self._undone -= 1
        chosen = self._is_chosen(result.key, entry.item)
        if result.error is None and (chosen or entry.holders):
            entry.value, entry.checking = result.value, chosen
            if chosen and not entry.holders:
                self._to_check.append(result.key)
        else:
            del self._entries[result.key]

    def _is_chosen(self, key: str, item: Item) -> bool:
        drawn = derive_seed(self._seed, "played twice", key) / 2.0**63
        return drawn < self._share and self._repeatable(item)

    def _compare(self, result: Result, entry: _Entry[Item], worker: str) -> None:
        """A second value of an item. If it differs, a third worker is to say who is right."""
        self.late += not entry.checking
        if result.error is None:
            known = [(entry.winner, entry.value), *([entry.disputed] if entry.disputed else [])]
            differences = [
                self._differs(value, result.value) if self._repeatable(entry.item) else ""
                for _, value in known
            ]
            self.compared += [
                Check(result.key, who, worker, difference or None)
                for (who, _), difference in zip(known, differences, strict=True)
            ]
            entry.checking = bool(differences[0]) and entry.disputed is None
            if entry.checking:
                entry.disputed = worker, result.value
                self._to_check.append(result.key)
        if not entry.holders and not entry.checking:
            del self._entries[result.key]

    def _forget(self, key: str) -> None:
        """An item that is not to be done any more."""
        self._undone -= not self._entries[key].winner
        del self._entries[key]

    def lost(self, worker: str, keys: Sequence[str]) -> int:
        """Others do these items of a worker. Returns how many of them have no result yet."""
        count = 0
        for key in keys:
            entry = self._entries.get(key)
            if entry is None or entry.holders.pop(worker, None) is None or entry.holders:
                continue
            if not entry.winner:
                count += 1
                if key not in self._returned:
                    self._returned.appendleft(key)
            elif entry.checking:
                self._to_check.append(key)
            else:
                del self._entries[key]
        self.again += count
        return count

    # --- looking ----------------------------------------------------------------------------

    def waiting(self) -> int:
        """How many items nobody has yet, about."""
        return len(self._returned) + len(self._to_check) + self._source.remaining()

    def unchecked(self) -> int:
        """How many items that were to be done twice lack a second result."""
        return sum(entry.checking for entry in self._entries.values())

    def is_done(self, workers: int) -> bool:
        """Whether no result is missing, and the source had nothing more when it was last asked.

        Args:
            workers: how many there are. A single one cannot check itself, and two cannot tell
                who of them is right.
        """
        checking = any(
            entry.checking and workers > (1 if entry.disputed is None else 2)
            for entry in self._entries.values()
        )
        done = self._exhausted and not self._undone and not checking
        return done and not self._source.is_open()
