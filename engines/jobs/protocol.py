"""What a task is, what all who do tasks have in common, and who does them in this process.

A task has a key and can be pickled. Most tasks are tasks: a call of a generator function at the
top level of a module. What the call yields is progress: it may be shown, and is forgotten. What it
returns is the result, and only that counts. So a task that is done twice, because a machine was
lost or seemed to be, counts once.

A task has its seeds in it and depends on no other and on nobody who does it: the same tasks have
the same results, in this process or on a hundred machines. It writes no files; whoever asked for
the work writes what comes back.

A `Workplace` says how tasks are done in a worker and watched from outside. Portions need none of
their own; the games of a tournament have one (`experiments/arena/games.py`).
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from dlgo.errors import DlgoError
from dlgo.records.failures import Failure
from dlgo.text import error_text

Item = TypeVar("Item")
# Seconds between two questions to a source that has nothing yet.
_PAUSE = 0.05


class WorkerError(DlgoError):
    """Work cannot be done: a worker was lost, or what it did failed."""


class Amount(NamedTuple):
    """How much has been done: games (or files), and positions."""

    items: int = 0
    positions: int = 0

    def plus(self, other: Amount) -> Amount:
        """Both together."""
        return Amount(self.items + other.items, self.positions + other.positions)


# Told a few times a second how much of the tasks has been done.
Tell = Callable[[Amount], None]


@dataclass(frozen=True)
class Task:
    """A task that is a call of a function."""

    key: str  # its name, unlike all others that are handed out together
    # A generator function, found by its module and name wherever it is done.
    work: Callable[..., Generator[Amount, None, Any]]
    arguments: tuple[Any, ...] = ()  # its first arguments; they can be pickled
    # Files and folders that it reads. After its arguments, `work` is given the paths where they lie
    # where it is done: these, or copies.
    needs: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What has become of a task."""

    task: Any
    value: Any = None  # its result
    error: DlgoError | None = None  # why there is no value
    amount: Amount = Amount()
    worker: str = ""  # which machine of a cluster did it


class Source(Protocol[Item]):
    """Where tasks come from. What comes next may depend on results so far."""

    def take(self, count: int) -> list[Item]:
        """Up to `count` tasks; fewer if the next ones depend on results that are not there yet."""

    def finished(self, values: list[Any]) -> None:
        """Tasks have ended with these values."""

    def wanted(self, item: Item) -> bool:
        """Whether a task that was taken is still to be done."""
        return True

    def remaining(self) -> int:
        """About how many tasks are still to be taken."""

    def is_open(self) -> bool:
        """Whether tasks may still come when there is nothing to take and nothing under way."""
        return False


class ListSource(Source[Item]):
    """Tasks that are known beforehand."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._items = deque(items)

    def take(self, count: int) -> list[Item]:
        return [self._items.popleft() for _ in range(min(count, len(self._items)))]

    def remaining(self) -> int:
        return len(self._items)


class WorkerExit(NamedTuple):
    """How a worker process was lost: `text` says it in words."""

    failure: Failure
    text: str
    was_killed: bool = False


class Watch:
    """A worker process as it is seen from outside. Here: all that is known is its task."""

    def current(self, tasks: Sequence[Any], answered: int) -> Any | None:
        """The task at which it is, of those that it has been sent and not yet `answered` for, in
        its order. `answered`: how many it has answered for before."""
        return next(iter(tasks), None)

    def deadline(self, task: Any | None, since: float) -> tuple[float, float]:
        """When it is overdue, by `time.monotonic`, and the limit that this comes from. `since`:
        when it was sent a task or last answered."""
        return math.inf, math.inf

    def value_of_lost(self, task: Any, worker_exit: WorkerExit, times: int) -> Any | None:
        """What a task is worth that has lost its `times`-th worker; None if it is done again."""
        return None

    def others(self) -> set[int]:
        """Processes below it of which somebody else watches the memory."""
        return set()

    def glance(self, task: Any | None) -> Any | None:
        """What people are shown of the task at which it is, if anything."""
        return None


class Workplace:
    """How tasks are done in a worker process, and how it is watched. It is pickled to get there."""

    bundles = False  # whether a worker is sent several short tasks at once
    board_bytes = 0  # of memory that the worker shares with whoever watches it
    environment: Mapping[str, str] = {}  # what its process finds there
    memory_mb: int | None = None  # megabytes by which it may grow; None: no limit

    def prepare(self, log: Callable[[str], None]) -> None:
        """Once on each machine, before the first worker starts there. `log` prints a line."""

    def open(self, board: Any) -> None:
        """In the worker: get ready. `board`: the shared memory, or None."""

    def do(self, task: Any) -> Generator[Amount, None, Any]:
        """In the worker: do a task."""
        return task.work(*task.arguments, *task.needs)

    def close(self) -> None:
        """In the worker: clean up."""

    def watch(self, board: Any) -> Watch:
        """Outside: a new worker, seen by what it writes into the shared memory."""
        return Watch()

    def is_repeatable(self, task: Any) -> bool:
        """Whether doing a task twice must give the same value."""
        return True

    def differs(self, one: Any, other: Any) -> str:
        """What differs between two values of a task; "" if nothing that its seeds decide does."""
        digests = [getattr(value, "digest", None) for value in (one, other)]
        return "" if digests[0] == digests[1] else "other games"


class Executor:
    """Does tasks. It may be asked again and again; used as a context, it is closed."""

    workplace = Workplace()  # how they are done

    def prepare(self, workplace: Workplace, log: Callable[[str], None]) -> None:
        """From now on, do tasks at this workplace; `log` prints a line."""
        self.workplace = workplace

    def rounds(self, source: Source[Any]) -> Iterator[list[Outcome]]:
        """Do the tasks of a source: several times a second, what has ended since the last time.

        The source is asked whenever there are idle workers, until it is neither open nor has more.
        Errors are outcomes, too. Closing the generator, or Ctrl-C while it waits, ends what is
        under way: use it inside `contextlib.closing`. Raises DlgoError if there is nobody to do the
        work.
        """
        raise NotImplementedError

    def run(self, tasks: Iterable[Any], tell: Tell = lambda amount: None) -> Iterator[Outcome]:
        """Do all tasks; yield their outcomes in the order in which they end, each once. `tell` is
        called a few times a second, also when nothing has happened. Raises DlgoError, the error of
        the first task that fails; the others are given up."""
        done = Amount()
        with closing(self.rounds(ListSource(tasks))) as rounds:
            for outcomes in rounds:
                for outcome in outcomes:
                    if outcome.error is not None:
                        raise outcome.error
                    done = done.plus(outcome.amount)
                    yield outcome
                tell(done.plus(self.under_way()))
        tell(done)

    def under_way(self) -> Amount:
        """How far the tasks are that are done now, all together."""
        return Amount()

    def glances(self) -> list[Any]:
        """What people are shown of them; see `Watch.glance`."""
        return []

    def news(self) -> list[Any]:
        """What has been learned of the machines since this was asked last, for the ledger."""
        return []

    def close(self) -> None:
        """End all workers."""

    def __enter__(self) -> Executor:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class Inline(Executor):
    """Does tasks in this process, one after the other; only Ctrl-C ends one that takes for ever."""

    _amount = Amount()

    def rounds(self, source: Source[Any]) -> Iterator[list[Outcome]]:
        self.workplace.open(None)
        try:
            while (taken := source.take(1)) or source.is_open():
                for task in taken:
                    work, done = self.workplace.do(task), Amount()
                    while True:
                        try:
                            self._amount = done = done.plus(next(work))
                        except StopIteration as end:
                            outcome = Outcome(task, end.value, amount=done)
                            break
                        except Exception as error:
                            outcome = Outcome(task, error=failure(error), amount=done)
                            break
                        yield []
                    self._amount = Amount()
                    if outcome.error is None:
                        source.finished([outcome.value])
                    yield [outcome]
                if not taken:
                    time.sleep(_PAUSE)
                    yield []
        finally:
            self.workplace.close()

    def under_way(self) -> Amount:
        return self._amount


def failure(error: BaseException) -> DlgoError:
    """What an exception of a task is for those who wait for it: one line."""
    if isinstance(error, DlgoError):
        return error
    return WorkerError(f"a worker failed: {error_text(error)}")
