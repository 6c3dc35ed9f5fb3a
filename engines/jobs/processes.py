"""Portions of work done by worker processes of this machine.

The processes live until they are closed, so that they start and compile once.
"""

from __future__ import annotations

import multiprocessing
import pickle
import time
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from dlgo.errors import DlgoError
from dlgo.text import error_text
from engines.jobs.inline import steps
from engines.jobs.protocol import (
    Amount,
    Jobs,
    Outcome,
    Portion,
    Source,
    Tell,
    WorkerError,
    failure,
    results,
)
from engines.jobs.worker_process import leave_with_parent, silence_stdout, starting_worker
from engines.programs import processes

# Seconds in which workers that are asked to stop do so by themselves.
_SHUTDOWN_TIMEOUT = 2.0
# A process may be killed from outside, above all where memory runs out, and its work is done again.
# After that many losses, it is the work that ends processes.
_MOST_LOSSES = 3
# Seconds between two looks at what the workers do, and between two of a worker's reports.
_INTERVAL = 0.25


class _Worker:
    """A process, and the portion that it does."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process: BaseProcess = context.Process(target=_work, args=(theirs,), daemon=False)
        with starting_worker():
            self.process.start()
        theirs.close()
        self.portion: Portion | None = None
        self.done = Amount()

    def start(self, portion: Portion) -> None:
        """Let it do a portion. If it is dead by now, that shows when results are awaited."""
        self.portion, self.done = portion, Amount()
        with suppress(BrokenPipeError, ConnectionResetError):
            self.pipe.send(portion)

    def receive(self) -> Outcome | None:
        """What has come: the outcome of its portion, or only news of how far it is."""
        portion = self.portion
        try:
            message = self.pipe.recv()
        except (EOFError, OSError):
            self.process.join(_SHUTDOWN_TIMEOUT)
            return Outcome(portion, error=WorkerError(
                f"{_MOST_LOSSES} worker processes were lost at the same work (exit status "
                f"{self.process.exitcode}); look at the free memory, and run the same command "
                "again to go on"
            ))
        if isinstance(message, Amount):
            self.done = message
            return None
        self.portion = None
        return Outcome(portion, *message, amount=self.done)

    def end(self) -> None:
        """Kill it and what it has started."""
        processes.end_tree(self.process.pid)
        self.process.join(_SHUTDOWN_TIMEOUT)
        self.pipe.close()


class Processes(Jobs):
    """Does portions in worker processes, which start when they are needed.

    Args:
        count: of processes; one a core by default.
    """

    def __init__(self, count: int | None = None) -> None:
        self.count = count or processes.core_count()
        self._workers: list[_Worker] = []
        self._again: deque[Portion] = deque()  # that were lost with their workers

    def run_source(
        self, source: Source[Portion], tell: Tell = lambda amount: None
    ) -> Iterator[Outcome]:
        return results(self.outcomes(source, tell))

    def outcomes(
        self, source: Source[Portion], tell: Tell = lambda amount: None
    ) -> Iterator[Outcome]:
        """As `run_source`, but errors are outcomes, too, and the rest goes on."""
        done, whole = Amount(), False
        losses: Counter[str] = Counter()
        try:
            while self._hand_out(source) or source.is_open():
                busy = {worker.pipe: worker for worker in self._workers if worker.portion}
                for pipe in wait(list(busy), timeout=_INTERVAL) if busy else _pause():
                    worker = busy[pipe]
                    outcome = worker.receive()
                    if outcome is None:
                        continue
                    if worker.portion:  # it is lost
                        self._workers.remove(worker)
                        worker.end()
                        losses[outcome.portion.key] += 1
                        if losses[outcome.portion.key] < _MOST_LOSSES:
                            self._again.append(outcome.portion)
                            continue
                    done = done.plus(outcome.amount)
                    worker.done = Amount()
                    source.finished([outcome])
                    yield outcome
                amount = done
                for worker in self._workers:
                    amount = amount.plus(worker.done)
                tell(amount)
            whole = True
        finally:
            if not whole:  # stopped half way: what is under way is of no use
                self.close()

    def under_way(self) -> dict[str, Amount]:
        """How far the portions are that are done now, by key."""
        return {
            portion.key: worker.done for worker in tuple(self._workers)
            if (portion := worker.portion)
        }

    def _hand_out(self, source: Source[Portion]) -> bool:
        """Give idle workers something to do. False if nothing is under way."""
        idle = [worker for worker in self._workers if not worker.portion]
        free = self.count - len(self._workers) + len(idle)
        again = [self._again.popleft() for _ in range(min(free, len(self._again)))]
        for portion in again + source.take(free - len(again)):
            if idle:
                worker = idle.pop()
            else:
                worker = _Worker()
                self._workers.append(worker)
            worker.start(portion)
        return any(worker.portion for worker in self._workers)

    def close(self) -> None:
        """End the processes, finished or not."""
        busy = any(worker.portion for worker in self._workers)
        if not busy:
            for worker in self._workers:
                with suppress(OSError):
                    worker.pipe.send(None)
            until = time.monotonic() + _SHUTDOWN_TIMEOUT
            for worker in self._workers:
                worker.process.join(max(0.0, until - time.monotonic()))
        for worker in self._workers:
            worker.end()
        self._workers.clear()
        self._again.clear()


def _pause() -> tuple[()]:
    time.sleep(_INTERVAL / 5)
    return ()


def _work(pipe: Connection) -> None:
    """The main function of a worker process: do what comes until there is no more."""
    leave_with_parent()
    processes.adopt_orphans()
    silence_stdout()
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while (portion := pipe.recv()) is not None:
            value, error = None, None
            try:
                value = _do(portion, pipe)
            except (BrokenPipeError, ConnectionResetError):
                raise
            except Exception as problem:  # shown as one line
                error = failure(problem)
            pipe.send_bytes(_message(value, error))
    processes.end_descendants()


def _do(portion: Portion, pipe: Connection) -> object:
    """The value of a portion; the parent hears now and then how far it is."""
    work, done, next_report = steps(portion), Amount(), 0.0
    while True:
        try:
            done = done.plus(next(work))
        except StopIteration as end:
            pipe.send(done)
            return end.value
        if time.monotonic() >= next_report:
            next_report = time.monotonic() + _INTERVAL
            pipe.send(done)


def _message(value: object, error: DlgoError | None) -> bytes:
    try:
        return pickle.dumps((value, error))
    except Exception as problem:
        return pickle.dumps((None, WorkerError(f"a result cannot be sent: {error_text(problem)}")))
