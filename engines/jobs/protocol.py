"""The protocol of tasks and executors, and the executor that works in this process.

A task has a key and can be pickled. Most tasks are a `Task`: a call of a generator function at the
top level of a module. The values that it yields are progress, which may be shown and is not kept.
Only the value that it returns is the result. So a task that is done twice, because a machine was
lost or seemed to be, counts once.

A task contains its seeds. It depends neither on other tasks nor on the worker: the same tasks give
the same results, in this process or on a hundred machines. It writes no files; the caller writes
the results.

A `Workplace` defines how a worker does tasks, and how the process outside watches it. A `Task`
needs only the default one; the games of a tournament have their own (`experiments/arena/games.py`).
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol, Self, TypeVar

from dlgo.errors import DlgoError
from dlgo.faults import unforeseen
from dlgo.records.failures import Failure

Item = TypeVar("Item")
# Seconds between two requests to a source that has no task yet.
_PAUSE = 0.05


class WorkerError(DlgoError):
    """Work cannot be done: a worker was lost, or its task failed."""


class Amount(NamedTuple):
    """An amount of work: games (or files), and positions."""

    items: int = 0
    positions: int = 0

    def plus(self, other: Amount) -> Amount:
        """The sum of both."""
        return Amount(self.items + other.items, self.positions + other.positions)


# Called a few times a second with the amount of work done.
Tell = Callable[[Amount], None]


@dataclass(frozen=True)
class Task:
    """A task that is a call of a function."""

    key: str  # its name, unique among the tasks that are handed out together
    # A generator function, which every worker can import by its module and name.
    work: Callable[..., Generator[Amount, None, Any]]
    arguments: tuple[Any, ...] = ()  # its first arguments; they can be pickled
    # Files and folders that it reads. `work` gets their paths on the worker's machine after its
    # arguments: these paths, or those of copies.
    needs: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """The value that a task has returned, or the error that ended it."""

    task: Any
    value: Any = None
    error: DlgoError | None = None  # None: the task has returned
    amount: Amount = Amount()
    worker: str = ""  # the machine of a cluster that did it


class Source(Protocol[Item]):
    """A source of tasks. The next tasks may depend on results so far."""

    def take(self, count: int) -> list[Item]:
        """Up to `count` tasks; fewer if the next ones depend on missing results."""

    def finished(self, values: list[Any]) -> None:
        """Tasks have ended with these values."""
        return

    def wanted(self, item: Item) -> bool:
        """Whether a task that was taken is still needed."""
        return True

    def remaining(self) -> int:
        """The approximate number of tasks that are still to be taken."""

    def is_open(self) -> bool:
        """Whether new tasks may come when none can be taken and none is running."""
        return False


class ListSource(Source[Item]):
    """A list of tasks."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._items = deque(items)

    def take(self, count: int) -> list[Item]:
        return [self._items.popleft() for _ in range(min(count, len(self._items)))]

    def finished(self, values: list[Any]) -> None:
        """No task depends on others."""

    def remaining(self) -> int:
        return len(self._items)


class WorkerExit(NamedTuple):
    """The end of a worker process that was lost; `text` describes it."""

    failure: Failure
    text: str
    was_killed: bool = False


class Watch:
    """A worker process as seen from outside. Here, only its task is known."""

    def current(self, tasks: Sequence[Any], answered: int) -> Any | None:
        """The task that it is doing, among those that were sent and are not answered yet, in its
        order. `answered`: the number of tasks that it has answered before."""
        return next(iter(tasks), None)

    def deadline(self, task: Any | None, since: float) -> tuple[float, float]:
        """The time at which it is overdue, by `time.monotonic`, and the limit behind this. `since`:
        the time when it was sent a task or last answered."""
        return math.inf, math.inf

    def value_of_lost(self, task: Any, worker_exit: WorkerExit, times: int) -> Any | None:
        """The value of a task that has lost its `times`-th worker; None if it is done again."""
        return None

    def others(self) -> set[int]:
        """Its child processes whose memory is watched elsewhere."""
        return set()

    def glance(self, task: Any | None) -> Any | None:
        """A view of its current task for people, or None."""
        return None


class Workplace:
    """How tasks are done in a worker process, and how it is watched. It is pickled for the
    worker."""

    bundles = False  # whether a worker is sent several short tasks at once
    shared_bytes = 0  # size of the memory that the worker shares with the process outside
    environment: Mapping[str, str] = {}  # environment variables of its process
    memory_mb: int | None = None  # megabytes by which it may grow; None: no limit

    def prepare(self, log: Callable[[str], None]) -> None:
        """Called once on each machine, before the first worker starts there. `log` prints a
        line."""

    def open(self, memory: Any) -> None:
        """The worker calls this first; `memory` is the shared memory, or None."""

    def do(self, task: Any) -> Generator[Amount, None, Any]:
        """The worker calls this for each task."""
        return task.work(*task.arguments, *task.needs)

    def close(self) -> None:
        """The worker calls this at its end."""

    def watch(self, memory: Any) -> Watch:
        """The watch of a new worker, for the process outside; it reads the shared memory."""
        return Watch()


class Executor:
    """Does tasks. It can be used repeatedly; as a context manager, it is closed at the end."""

    workplace = Workplace()  # how tasks are done

    def prepare(self, workplace: Workplace, log: Callable[[str], None]) -> None:
        """From now on, do tasks at this workplace; `log` prints a line."""
        self.workplace = workplace

    def rounds(self, source: Source[Any]) -> Generator[list[Outcome], None, None]:
        """Do the tasks of a source; yield, several times a second, the outcomes since the last
        time.

        The source is asked whenever workers are idle, until it is empty and no longer open. Errors
        are outcomes, too. Closing the generator, or Ctrl-C while it waits, ends the running tasks:
        use it inside `contextlib.closing`. Raises DlgoError if there is no worker.
        """
        raise NotImplementedError

    def run(
        self, tasks: Iterable[Any], tell: Tell = lambda amount: None
    ) -> Generator[Outcome, None, None]:
        """Do all tasks; yield their outcomes in the order in which they end, each once. `tell` is
        called a few times a second, even without news. Raises DlgoError, the error of the first
        task that fails; the other tasks are given up."""
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
        """The progress of all running tasks together."""
        return Amount()

    def glances(self) -> list[Any]:
        """Views of the running tasks for people; see `Watch.glance`."""
        return []

    def close(self) -> None:
        """End all workers."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class Inline(Executor):
    """Does tasks in this process, one after the other; only Ctrl-C ends an endless task."""

    _amount = Amount()

    def rounds(self, source: Source[Any]) -> Generator[list[Outcome], None, None]:
        self.workplace.open(None)
        try:
            while (tasks := source.take(1)) or source.is_open():
                for task in tasks:
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
                if not tasks:
                    time.sleep(_PAUSE)
                    yield []
        finally:
            self.workplace.close()

    def under_way(self) -> Amount:
        return self._amount


def failure(error: Exception) -> DlgoError:
    """The exception of a task as a DlgoError with one line of text."""
    if isinstance(error, DlgoError):
        return error
    return WorkerError(f"a worker failed: {unforeseen(error)[0]}")
