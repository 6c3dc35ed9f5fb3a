"""Who does which item of work, and which result counts: exactly one for each item.

An item that a worker does not bring back in time is given to another; so it may be done twice, and
then the first result counts and the second is recognised. Since items have their seeds in them, it
does not matter whose result that is, unless a budget counts seconds. Nothing here knows Ray or the
time of day: the tests, and the simulation of a thousand workers, call it as the cluster does.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

from dlgo.errors import DlgoError
from dlgo.rng import derive_seed
from engines.jobs.protocol import Source

Item = TypeVar("Item")

# An item is overdue after so many times the usual seconds between its going and its coming back,
# and so many seconds at least; sooner, if somebody has nothing else to do.
_OVERDUE, _OVERDUE_IDLE = 10.0, 3.0
_OVERDUE_SECONDS, _OVERDUE_IDLE_SECONDS = 20.0, 3.0
# Weight of the latest item in the usual seconds.
_WEIGHT = 0.05
# Seconds between two looks for such items.
_LOOK = 1.0
# How many workers may hold the same item.
_MOST_HOLDERS = 3


class Ticket(NamedTuple):
    """An item in the hands of a worker.

    Attributes:
        key: the item's name.
        attempt: how often it has been given out, this time included.
        item: what is to be done.
    """

    key: str
    attempt: int
    item: Any


class Result(NamedTuple):
    """What a worker brings back: a value, or an error."""

    key: str
    attempt: int
    value: Any = None
    error: DlgoError | None = None


class Compared(NamedTuple):
    """A result that two workers have brought.

    Attributes:
        key: the item's name.
        worker: whose result counts.
        other: who brought it a second time.
        difference: what differs; "" if nothing does.
        asked: whether it was done again on purpose. Two that differ are compared with a third.
    """

    key: str
    worker: str
    other: str
    difference: str
    asked: bool


@dataclass
class _Entry(Generic[Item]):
    """An item that has been taken from the source and is not closed yet."""

    item: Item
    attempts: int = 0
    holders: dict[str, float] = field(default_factory=dict)  # worker -> since when
    failed: dict[str, DlgoError] = field(default_factory=dict)
    winner: str = ""
    value: Any = None
    checking: bool = False
    disputed: tuple[str, Any] | None = None  # who brought another value, and which


    def knows(self, worker: str) -> bool:
        """Whether it has brought a value."""
        return worker == self.winner or self.disputed is not None and worker == self.disputed[0]


@dataclass
class Counts:
    """What has happened so far.

    Attributes:
        done: results that count.
        late: results that came when another counted already.
        again: items that were given to another worker because one was lost or late.
        foreign: results of items that nobody was given.
    """

    done: int = 0
    late: int = 0
    again: int = 0
    foreign: int = 0


class Dispatcher(Generic[Item]):
    """Gives out the items of a source, and takes results in.

    Args:
        source: of the items.
        key_of: an item's name.
        differs: what differs between two results of an item; "" if they are equal.
        verify_share: the share of items that are done twice, by different workers. Which they are
            depends on their names and the seed only.
        seed: of that choice.
        repeatable: whether doing an item twice must give equal results: only such are chosen.

    Attributes:
        counts: what has happened so far.
        compared: results that came twice; whoever reads them takes them off.
    """

    def __init__(
        self, source: Source[Item], key_of: Callable[[Item], str],
        differs: Callable[[Any, Any], str] = lambda one, other: "", verify_share: float = 0.0,
        seed: int = 0, repeatable: Callable[[Item], bool] = lambda item: True,
    ) -> None:
        self._source, self._key_of, self._differs = source, key_of, differs
        self._share, self._seed, self._repeatable = verify_share, seed, repeatable
        self._entries: dict[str, _Entry[Item]] = {}
        self._again: deque[str] = deque()
        self._to_check: deque[str] = deque()
        self._closed: set[str] = set()
        self._undone = 0  # entries without a result
        self._exhausted = False  # the source had nothing, and no result has come since
        self._usual = self._next_look = 0.0
        self._held: Counter[str] = Counter()
        self.counts = Counts()
        self.compared: list[Compared] = []

    # --- giving out -------------------------------------------------------------------------

    def assign(self, worker: str, count: int, now: float, idle: bool = False) -> list[Ticket]:
        """Up to `count` items for a worker.

        Args:
            now: seconds on any clock that only goes forward.
            idle: whether it has nothing to do: it then may get what another seems slow with.
        """
        tickets: list[Ticket] = []
        self._take_back_overdue(now)
        for queue in (self._again, self._to_check):
            for _ in range(len(queue)):
                if len(tickets) >= count:
                    return tickets
                key = queue.popleft()
                entry = self._entries.get(key)
                if entry is None or (entry.winner and not entry.checking):
                    continue
                if worker in entry.holders or worker in entry.failed or entry.knows(worker):
                    queue.append(key)
                elif not entry.winner and not self._source.wanted(entry.item):
                    self._forget(key)
                else:
                    tickets.append(self._give(key, entry, worker, now))
        room = count - len(tickets)
        taken = self._source.take(room)
        self._exhausted = room > 0 and not taken
        for item in taken:
            key = self._key_of(item)
            self._entries[key] = _Entry(item)
            self._undone += 1
            tickets.append(self._give(key, self._entries[key], worker, now))
        if idle and not tickets and self._usual:
            tickets += self._slow_ones(worker, count, now)
        return tickets

    def _give(self, key: str, entry: _Entry[Item], worker: str, now: float) -> Ticket:
        entry.attempts += 1
        entry.holders[worker] = now
        self._held[worker] += 1
        return Ticket(key, entry.attempts, entry.item)

    def _take_back_overdue(self, now: float) -> None:
        if not self._usual or now < self._next_look:
            return
        self._next_look = now + _LOOK
        limit = max(_OVERDUE_SECONDS, _OVERDUE * self._usual)
        waiting = set(self._again)
        for key, entry in self._entries.items():
            latest = max(entry.holders.values(), default=now)
            if (
                not entry.winner and key not in waiting and now - latest > limit
                and len(entry.holders) < _MOST_HOLDERS
            ):
                self._again.append(key)
                self.counts.again += 1

    def _slow_ones(self, worker: str, count: int, now: float) -> list[Ticket]:
        """Items that others have had for long."""
        limit = max(_OVERDUE_IDLE_SECONDS, _OVERDUE_IDLE * self._usual)
        slow = [
            (max(entry.holders.values()), key, entry) for key, entry in self._entries.items()
            if entry.holders and not entry.winner and worker not in entry.holders
            and worker not in entry.failed and len(entry.holders) < _MOST_HOLDERS
            and now - max(entry.holders.values()) > limit
        ]
        slow.sort(key=lambda row: row[:2])
        self.counts.again += len(slow[:count])
        return [self._give(key, entry, worker, now) for _, key, entry in slow[:count]]

    # --- taking in --------------------------------------------------------------------------

    def returned(
        self, worker: str, results: Iterable[Result], now: float, others: int = 1
    ) -> list[tuple[Result, Item]]:
        """Take in what a worker brings; those results that count, with their items.

        Args:
            others: how many other workers there are: without any, an error counts at once.
        """
        fresh: list[tuple[Result, Item]] = []
        for result in results:
            entry = self._entries.get(result.key)
            if entry is None:
                if result.key in self._closed:
                    self.counts.late += 1
                else:
                    self.counts.foreign += 1
                continue
            if not 1 <= result.attempt <= entry.attempts:
                self.counts.foreign += 1
                continue
            since = entry.holders.pop(worker, None)
            self._held[worker] -= since is not None
            if entry.winner:
                if not entry.knows(worker):
                    self._compare(result, entry, worker)
                else:
                    self.counts.late += 1
            elif result.error is not None and others and not entry.failed.keys() - {worker}:
                entry.failed[worker] = result.error  # it may be the machine: another one tries
                if not entry.holders and result.key not in self._again:
                    self._again.append(result.key)
            else:
                if since is not None:
                    self._usual += (now - since - self._usual) * (_WEIGHT if self._usual else 1.0)
                self._accept(result, entry, worker)
                fresh.append((result, entry.item))
        self._exhausted = self._exhausted and not fresh
        self._source.finished([result.value for result, _ in fresh if result.error is None])
        return fresh

    def _accept(self, result: Result, entry: _Entry[Item], worker: str) -> None:
        entry.winner = worker
        self.counts.done += 1
        self._undone -= 1
        chosen = self._is_chosen(result.key, entry.item)
        if result.error is None and (chosen or entry.holders):
            entry.value, entry.checking = result.value, chosen
            if chosen and not entry.holders:
                self._to_check.append(result.key)
        else:
            self._close(result.key)

    def _is_chosen(self, key: str, item: Item) -> bool:
        drawn = derive_seed(self._seed, "played twice", key) / 2.0**63
        return drawn < self._share and self._repeatable(item)

    def _compare(self, result: Result, entry: _Entry[Item], worker: str) -> None:
        """A second value of an item. If it differs, a third worker is to say who is right."""
        self.counts.late += not entry.checking
        if result.error is None:
            known = [(entry.winner, entry.value), *([entry.disputed] if entry.disputed else [])]
            differences = [
                self._differs(value, result.value) if self._repeatable(entry.item) else ""
                for _, value in known
            ]
            self.compared += [
                Compared(result.key, who, worker, difference, entry.checking)
                for (who, _), difference in zip(known, differences, strict=True)
            ]
            entry.checking = bool(differences[0]) and entry.disputed is None
            if entry.checking:
                entry.disputed = worker, result.value
                self._to_check.append(result.key)
        if not entry.holders and not entry.checking:
            self._close(result.key)

    def _close(self, key: str) -> None:
        del self._entries[key]
        self._closed.add(key)

    def _forget(self, key: str) -> None:
        """An item that is not to be done any more."""
        self._undone -= not self._entries[key].winner
        self._close(key)

    def lost(self, worker: str) -> int:
        """A worker does not answer: others do what it had. Returns how much that was."""
        count = self._held[worker] = 0
        for key, entry in [*self._entries.items()]:
            if entry.holders.pop(worker, None) is None or entry.holders:
                continue
            if not entry.winner:
                count += 1
                if key not in self._again:
                    self._again.appendleft(key)
            elif entry.checking:
                self._to_check.append(key)
            else:
                self._close(key)
        self.counts.again += count
        return count

    # --- looking ----------------------------------------------------------------------------

    def items(self) -> list[Item]:
        """Items that have been taken and may still be given to somebody."""
        return [entry.item for entry in self._entries.values()]

    def held_by(self, worker: str) -> int:
        """How many items a worker has."""
        return self._held[worker]

    def waiting(self) -> int:
        """How many items nobody has yet, about."""
        return len(self._again) + len(self._to_check) + self._source.remaining()

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
