"""Tasks done by worker processes of this machine, none of which can stop the others.

A pool of our own, because the ones in the standard library give up all their work when a process
is killed. Here a task whose worker was lost is done again, or is worth what its `Watch` says: an
engine that takes its process down, or hangs, loses that one game. A new worker takes the place.

The processes live until they are closed, so that they start and compile once. With short tasks,
a worker always holds more of them than it can finish until this process looks again.
"""

from __future__ import annotations

import multiprocessing
import pickle
import time
from collections import Counter, deque
from collections.abc import Callable, Generator
from contextlib import suppress
from multiprocessing.connection import wait
from typing import Any

from dlgo.faults import suspicion
from dlgo.records.failures import Failure
from dlgo.system import guards, processes
from engines.jobs.protocol import (
    Amount,
    Executor,
    Outcome,
    Source,
    WorkerError,
    WorkerExit,
    Workplace,
)
from engines.jobs.worker import Report, starting_worker, work

# Wall seconds for workers to end by themselves once they are about to.
_SHUTDOWN_TIMEOUT = 5.0
# A process may be killed from outside, mainly when memory runs out, and its work is done again.
# After that many losses, it is the work that ends processes, or they cannot start.
_MOST_LOSSES = 3
# Look at least this often whether all workers live and none is overdue: a child of an engine may
# hold the pipe open, so that the death of a worker shows in no other way.
_HEALTH_CHECK = 0.25
# The same while nothing is under way, but something may be asked for.
_IDLE_CHECK = 0.02
# Seconds between two looks at a worker's memory, where that is limited.
_MEMORY_CHECK = 0.5
# Seconds of short tasks that a worker is sent: more than passes between two of its messages.
_WORK_AHEAD = 0.5
# Bytes of a report; those of any batch of games are far fewer. The first four bytes of whatever an
# engine may write into our pipe as text are a larger number.
_LONGEST = (1 << 27) - 1
# Bytes of tasks sent at once: they must fit into a pipe (64 KiB) that a hanging worker does not
# empty, or this process would hang too.
_MOST_BYTES = 50_000


class _Worker:
    def __init__(self, workplace: Workplace, guard: guards.Workers) -> None:
        context = multiprocessing.get_context("spawn")
        size = workplace.shared_bytes
        memory = context.RawArray("B", size) if size else None
        theirs, self._inbox = context.Pipe(duplex=False)
        self.results, ours = context.Pipe(duplex=False)  # through which it answers
        self.process = context.Process(
            target=work, args=(theirs, ours, memory, workplace), daemon=False
        )
        with (
            guard.starting() as self._guard, guards.environment(workplace.environment),
            starting_worker(),
        ):
            self.process.start()
        self._guard.guard(self.process)
        for end in (theirs, ours):
            end.close()  # else a pipe would not end with the process
        self.watch = workplace.watch(memory)
        self._limit = workplace.memory_mb
        self._memory = self._next_memory_check = 0.0
        self._oom_kills = processes.oom_kills()
        self._since, self._answered, self._time_limit = time.monotonic(), 0, 0.0
        self._exit: WorkerExit | None = None
        self.tasks: deque[Any] = deque()  # those it has not yet answered for, in its order
        self.started = self.retired = False  # it is ready; it has ended of its own will
        self.amount = Amount()  # how far its task is

    def send(self, tasks: list[Any]) -> int:
        """Hand it tasks; returns their size in bytes. If it is dead, that shows later."""
        if not self.tasks:
            self._since = time.monotonic()
        self.tasks.extend(tasks)
        data = pickle.dumps(tasks)
        with suppress(OSError):
            self._inbox.send_bytes(data)
        return len(data)

    def receive(self) -> list[Outcome]:
        """The outcomes since the last call."""
        outcomes: list[Outcome] = []
        while self._exit is None:
            try:
                if not self.results.poll():
                    break
                message = self.results.recv_bytes(_LONGEST)
            except (EOFError, ConnectionError):
                self._lose(Failure.DIED, "process died")
                break
            except OSError:  # too long
                self._lose(Failure.NONSENSE, "process sent nonsense")
                break
            try:
                report = pickle.loads(message)
            except Exception:  # whatever an engine wrote there, it is no message of ours
                report = None
            keys = [task.key for task in self.tasks]
            if not isinstance(report, Report) or \
                    [result.key for result in report.results] != keys[: len(report.results)]:
                self._lose(Failure.NONSENSE, "process sent nonsense")
                break
            if not self.started:
                self.started, self._memory = True, processes.memory(self.process.pid or 0)
            for _, value, error, amount in report.results:
                outcomes.append(Outcome(self.tasks.popleft(), value, error, amount))
            self._answered += len(report.results)
            self._since = time.monotonic()
            self.retired, self.amount = report.retired, report.amount
        return outcomes

    def current(self) -> Any | None:
        """The task at which it is."""
        return self.watch.current(self.tasks, self._answered) if self.started else None

    def patience(self) -> float:
        """Seconds for which it may stay silent from now on."""
        if self.started and not self.tasks:
            return float("inf")
        deadline, self._time_limit = self.watch.deadline(self.current(), self._since)
        return max(deadline - time.monotonic(), 0.0)

    def is_lost(self) -> bool:
        """Whether it is dead, overdue or too large. Call it after `receive`: what was sent in time
        counts, even if this process was held up."""
        if not self.process.is_alive():
            self._lose(Failure.DIED, "process died")
        elif self.patience() == 0.0:
            # Check again: its writing to the shared memory may have been incomplete.
            time.sleep(0.001)
            if self.patience() == 0.0:
                self._lose(Failure.TIMEOUT, f"no answer within {self._time_limit:g} s")
        if self._exit is None and self._limit is not None:
            self._check_memory(self._limit)
        return self._exit is not None

    def _check_memory(self, megabytes: int) -> None:
        if not self.started or time.monotonic() < self._next_memory_check:
            return
        self._next_memory_check = time.monotonic() + _MEMORY_CHECK
        without = self.watch.others()
        text = processes.excess(self.process.pid or 0, self._memory, megabytes, without)
        if text:
            self._lose(Failure.OVER_MEMORY, text)

    def _lose(self, failure: Failure, text: str) -> None:
        self._exit = self._exit or WorkerExit(failure, text)

    def reap(self, losses: Counter[str]) -> tuple[Outcome | None, list[Any]]:
        """End a lost worker, and all that it has started. Returns what its task is worth (None if
        it is to be done again), and the tasks to be done; adds to `losses`, of workers by task."""
        assert self._exit is not None
        worker_exit = self._exit if self._exit.failure is not Failure.DIED else self._death()
        task, remaining = self.current(), list(self.tasks)
        self.end()
        if self.retired or not remaining:
            return None, remaining
        guilty = remaining[0] if task is None else task
        losses[guilty.key] += 1
        times = losses[guilty.key]
        value = None if task is None else self.watch.value_of_lost(task, worker_exit, times)
        if value is None and times < _MOST_LOSSES:
            return None, remaining
        remaining.remove(guilty)
        if value is not None:
            return Outcome(guilty, value), remaining
        doing = f"at the same work, {guilty.key}" if self.started else "while starting"
        return Outcome(guilty, error=WorkerError(
            f"{times} worker processes were lost {doing} ({worker_exit.text}){suspicion()}; check "
            "the messages above and the free memory, then run the same command again to continue"
        )), remaining

    def _death(self) -> WorkerExit:
        self.process.join(_SHUTDOWN_TIMEOUT)  # a pipe closes a moment before its process ends
        code = self.process.exitcode
        if code is None:  # alive, but it can never be heard again
            return WorkerExit(Failure.DIED, "process died (it closed its pipe)")
        was_killed = processes.was_killed(code)
        if was_killed and processes.oom_kills() > self._oom_kills:
            return WorkerExit(
                Failure.OVER_MEMORY, "out of memory: process killed by the system", True)
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return WorkerExit(Failure.DIED, f"process died ({how})", was_killed)

    def dismiss(self) -> None:
        with suppress(OSError):
            self._inbox.send(None)  # it ends by itself

    def end(self) -> None:
        """End the process and all that it has started."""
        self._guard.end()
        self.results.close()
        self._inbox.close()


class Processes(Executor):
    """Does tasks in `count` worker processes, one a core by default, started when needed."""

    def __init__(self, count: int | None = None, workplace: Workplace | None = None) -> None:
        self.count = count or processes.core_count()
        self.workplace = workplace or Workplace()
        self._workers: list[_Worker] = []
        self._again: deque[Any] = deque()  # tasks that were lost with their workers
        self._losses: Counter[str] = Counter()
        self._guard = guards.Workers()
        self._began, self._ended = 0.0, 0
        self._task_bytes = 1  # of the largest task so far, sent alone: together they need less

    def prepare(self, workplace: Workplace, log: Callable[[str], None]) -> None:
        self.close()
        self.workplace = workplace
        workplace.prepare(log)

    def rounds(self, source: Source[Any]) -> Generator[list[Outcome], None, None]:
        self._ended = 0
        try:
            while self._hand_out(source) or source.is_open():
                self._wait()
                yield []
                for worker in tuple(self._workers):
                    outcomes = worker.receive()
                    if worker.is_lost():
                        self._workers.remove(worker)
                        outcome, remaining = worker.reap(self._losses)
                        outcomes += [outcome] if outcome is not None else []
                        self._again.extend(remaining)
                    if outcomes:
                        self._ended += len(outcomes)
                        source.finished([o.value for o in outcomes if o.error is None])
                        yield outcomes
        finally:  # if it was stopped half way, what is under way is of no use
            self._again.clear()
            self._end([worker for worker in self._workers if worker.tasks])

    def _hand_out(self, source: Source[Any]) -> bool:
        """Keep every worker busy, with new ones while there is more. False when all is done."""
        if not self._ended:
            self._began = time.monotonic()  # the time of starting is not a time of tasks
        size = self._bundle(source) if self.workplace.bundles else 1
        for worker in sorted(self._workers, key=lambda worker: len(worker.tasks)):
            if 2 * len(worker.tasks) <= size and (worker.started or not worker.tasks):
                if not (tasks := self._take(source, size)):
                    break
                self._send(worker, tasks)
        while (
            len(self._workers) < self.count and all(worker.tasks for worker in self._workers)
            and (tasks := self._take(source, 1))
        ):
            self._send(self._start(), tasks)
        return any(worker.tasks for worker in self._workers) or bool(self._again)

    def _bundle(self, source: Source[Any]) -> int:
        """Tasks that a worker does in `_WORK_AHEAD` seconds; fewer when few are left."""
        rate = self._ended / max(time.monotonic() - self._began, 1e-3) / self.count
        share = source.remaining() // (2 * self.count)
        return max(1, min(_MOST_BYTES // self._task_bytes, int(rate * _WORK_AHEAD), share))

    def _take(self, source: Source[Any], count: int) -> list[Any]:
        """The next tasks, those first that a lost worker has left."""
        tasks: list[Any] = []
        while self._again and len(tasks) < count:
            task = self._again.popleft()
            if source.wanted(task):
                tasks.append(task)
        return tasks + source.take(count - len(tasks))

    def _send(self, worker: _Worker, tasks: list[Any]) -> None:
        self._task_bytes = max(self._task_bytes, worker.send(tasks) // len(tasks))

    def _start(self) -> _Worker:
        self._workers.append(_Worker(self.workplace, self._guard))
        return self._workers[-1]

    def _wait(self) -> None:
        busy = any(worker.tasks for worker in self._workers)
        patience = min((worker.patience() for worker in self._workers), default=_IDLE_CHECK)
        wait([worker.results for worker in self._workers],
             timeout=min(patience, _HEALTH_CHECK if busy else _IDLE_CHECK))

    def _end(self, workers: list[_Worker]) -> None:
        for worker in tuple(workers):
            worker.end()
            self._workers.remove(worker)

    def under_way(self) -> Amount:
        amounts = [worker.amount for worker in self._workers]
        return Amount(sum(a.items for a in amounts), sum(a.positions for a in amounts))

    def glances(self) -> list[Any]:
        glances = [worker.watch.glance(worker.current()) for worker in self._workers]
        return [glance for glance in glances if glance is not None]

    def close(self) -> None:
        """End the processes, finished or not; idle ones may close their engines."""
        self._end([worker for worker in self._workers if worker.tasks])
        for worker in self._workers:
            worker.dismiss()
        until = time.monotonic() + _SHUTDOWN_TIMEOUT
        for worker in self._workers:
            worker.process.join(max(0.0, until - time.monotonic()))
        self._end(self._workers)
        self._guard.close()
