"""A process a core that plays games for a learner.

Each process plays its share in lockstep with a network of its own on one thread. Two such processes
keep two cores busier than one whose network takes both: walking the trees of one runs beside
the network of the other.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from dlgo.errors import ModelError

# Games finished since the processes began, counted by all of them together; None in the parent.
_finished: Any = None


def count_game() -> None:
    """Tell the parent of a worker process that a game has ended."""
    if _finished is not None:
        with _finished.get_lock():
            _finished.value += 1


class Timed:
    """A leaf evaluator that measures how long its answers take.

    Attributes:
        seconds: wall-clock time of all answers.
    """

    history = 0

    def __init__(self, evaluator: Any) -> None:
        self._evaluator = evaluator
        self.seconds = 0.0

    def evaluate(self, leaves: Any, n: int) -> Any:
        start = time.perf_counter()
        answer = self._evaluator.evaluate(leaves, n)
        self.seconds += time.perf_counter() - start
        return answer


class WorkerPool:
    """Worker processes; they live as long as the run, so that they start and compile once."""

    def __init__(self, count: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._finished = context.Value("q", 0)
        self._pool = ProcessPoolExecutor(
            count, mp_context=context, initializer=_start, initargs=(os.getpid(), self._finished),
        )

    def results(
        self, function: Callable[[Any], Any], jobs: Sequence[Any], progress: Callable[[int], None]
    ) -> Iterator[Any]:
        """The function's result for each job, in the order in which they end.

        Args:
            function: runs in a worker process; it and the jobs must be picklable.
            progress: called a few times a second with the number of games that have ended.

        Raises:
            ModelError: if a process dies.
        """
        waiting: set[Future[Any]] = set()
        before = self._finished.value
        for job in jobs:
            with _no_interrupt():  # a process may start here
                waiting.add(self._pool.submit(function, job))
        try:
            while waiting:
                ended, waiting = wait(waiting, 0.3, FIRST_COMPLETED)
                for future in ended:
                    yield future.result()
                progress(self._finished.value - before)
        except BrokenProcessPool as error:
            raise ModelError(
                f"a process of self-play has died ({error}); look at the free memory, and run the "
                "same command again: it continues"
            ) from None

    def close(self) -> None:
        """End the processes, finished or not."""
        processes = list((self._pool._processes or {}).values())
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.kill()


@contextlib.contextmanager
def _no_interrupt() -> Iterator[None]:
    """A process that is started in here inherits that Ctrl-C is blocked.

    It needs a second before it can ignore the signal itself. This process still receives it, a
    little later.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _start(parent: int, finished: Any) -> None:
    """Leave Ctrl-C to the parent, and end when it ends."""
    import threading

    global _finished
    _finished = finished
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
