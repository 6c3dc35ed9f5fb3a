"""The inside of a worker process: it does the tasks that it is sent, one by one.

Through one pipe the parent sends lists of tasks, or None (go home). Through another the worker
sends a `Report` a few times a second, rather than for each task: with short ones, a message would
cost more than the task. It ends with its parent, ignores Ctrl-C, and prints nothing.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from dlgo.errors import DlgoError
from dlgo.plugins import starting_process
from dlgo.system import console, processes
from dlgo.system.reaper import adopt_orphans
from dlgo.text import error_text
from engines.jobs.protocol import Amount, WorkerError, Workplace, failure

# Results are sent after this many seconds: rarely enough that two workers do not keep the parent
# busy, often enough that little is done again after a crash.
_SEND_AFTER = 0.2
# The share of its memory limit above which a worker starts afresh between two tasks, so that no
# game suffers from memory that others have left behind.
_RETIRE_AT = 0.7
# Seconds for the reaper to end the workers of a parent that was killed, before they do it
# themselves.
_REAPER_TIME = 2.0


class Result(NamedTuple):
    """The outcome of the task with this key."""

    key: str
    value: Any = None
    error: DlgoError | None = None
    amount: Amount = Amount()


class Report(NamedTuple):
    """A message of a worker."""

    results: list[Result]  # since the last message
    amount: Amount = Amount()  # how far the task under way is
    retired: bool = False  # it ends by itself now; others do its remaining tasks


def work(inbox: Connection, results: Connection, memory: Any, workplace: Workplace) -> None:
    """The main function of the process: do what comes until there is no more."""
    leave_with_parent()
    adopt_orphans()
    # If a child that an engine has forked kept this pipe open, and this process were killed while
    # it writes, the parent would wait for the rest of the message.
    processes.in_copies(results.close)
    processes.offer_to_the_oom_killer()
    silence_stdout()
    workplace.open(memory)
    worker = _Worker(results, workplace)
    try:
        worker.send()
        if workplace.memory_mb is not None:
            processes.limit_growth(workplace.memory_mb)
        with suppress(EOFError, BrokenPipeError, ConnectionResetError):  # the parent is gone
            while not worker.retired and (tasks := inbox.recv()) is not None:
                for task in tasks:
                    if not worker.retired:
                        worker.do(task)
                if worker.results:
                    worker.send()
        workplace.close()
    finally:  # as long as this process lives, it is the parent of all that were left behind
        processes.end_descendants()


class _Worker:
    """Does tasks and sends their results, several at a time."""

    def __init__(self, pipe: Connection, workplace: Workplace) -> None:
        self._pipe, self._workplace = pipe, workplace
        self._pid = os.getpid()
        self._memory = processes.memory(self._pid)
        self.results: list[Result] = []
        self._sent = time.monotonic()
        self.retired = False

    def do(self, task: Any) -> None:
        value, error, done = None, None, Amount()
        try:
            steps = self._workplace.do(task)
            while True:
                try:
                    done = done.plus(next(steps))
                except StopIteration as end:
                    value = end.value
                    break
                if self._is_time():
                    self.send(done)
        except (BrokenPipeError, ConnectionResetError):
            raise
        except Exception as problem:  # shown as one line
            error = failure(problem)
        if os.getpid() != self._pid:
            os._exit(0)  # an engine has doubled this process: only one may go on
        self.results.append(Result(task.key, value, error, done))
        if self._is_time():
            self.retired = self._is_full()
            self.send()

    def send(self, amount: Amount | None = None) -> None:
        """Send all results that have not been sent, and how far the task under way is."""
        try:
            message = pickle.dumps(Report(self.results, amount or Amount(), self.retired))
        except Exception as problem:
            error = WorkerError(f"a result cannot be sent: {error_text(problem)}")
            message = pickle.dumps(Report(
                [result._replace(value=None, error=error) for result in self.results]))
        self._pipe.send_bytes(message)
        self.results, self._sent = [], time.monotonic()

    def _is_time(self) -> bool:
        return time.monotonic() - self._sent >= _SEND_AFTER

    def _is_full(self) -> bool:
        """Whether the memory limit is too near to begin another task."""
        limit = self._workplace.memory_mb
        if limit is None:
            return False
        grown = processes.memory(self._pid, with_children=False) - self._memory
        return grown > _RETIRE_AT * limit * 2**20


@contextmanager
def starting_worker() -> Iterator[None]:
    """A process that is started in here does not hear Ctrl-C, and runs no user's script.

    `multiprocessing` would run the main script again in each process, and with it whatever the
    script asks for.
    """
    main = sys.modules["__main__"]
    script = vars(main).pop("__file__", None) if getattr(main, "__spec__", None) is None else None
    try:
        with console.without_ctrl_c(), starting_process():
            yield
    finally:
        if script is not None:
            main.__file__ = script


def silence_stdout() -> None:
    """What an engine prints belongs nowhere: the tournament's own output may be a file."""
    sys.stdout.flush()
    with suppress(OSError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.close(null)


def leave_with_parent() -> None:
    """Ignore Ctrl-C, which is the parent's to handle, and end when the parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    processes.lead_a_group()  # Ctrl-Z stops the parent only, and no engine loses on time for it

    def watch() -> None:
        parent = multiprocessing.parent_process()
        if parent is not None:
            parent.join()
            # The reaper works better: from outside, it can stop everything first.
            time.sleep(_REAPER_TIME)
            processes.end_descendants()
            processes.end_own_group()

    threading.Thread(target=watch, daemon=True).start()
