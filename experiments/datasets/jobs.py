"""Runs jobs in worker processes and passes on what they report while they run.

A job is a call of a generator function at the top level of a module; what it yields is sent
here at once, so that progress can be shown. Jobs must not depend on one another or on who
runs them. The first one that fails ends all; what the others have written by then is there.

As with all of `multiprocessing`, a script that comes here needs `if __name__ == "__main__":`.
"""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

from dlgo.errors import DataError, DlgoError
from engines.programs import processes
from experiments.arena.provenance import core_count
from experiments.arena.referee import error_text
from experiments.arena.worker import leave_with_parent, silence_stdout

# Seconds in which workers that are asked to stop do so by themselves.
_SHUTDOWN_TIMEOUT = 2.0


@dataclass(frozen=True)
class Failure:
    """What a worker sends instead of more reports."""

    text: str


def run_jobs(
    function: Callable[..., Iterator[Any]], jobs: Iterable[tuple[Any, ...]],
    workers: int | None = None,
) -> Iterator[Any]:
    """Call `function(*job)` for every job; yield what the calls yield, as it comes.

    Closing the generator, or Ctrl-C while it waits, kills the workers at once. Use it inside
    `contextlib.closing`.

    Args:
        function: found by its module and name in the workers.
        jobs: handed out in this order.
        workers: processes; one a core by default, never more than jobs.

    Raises:
        DataError: with the one line of the first job that fails, or if a worker dies.
    """
    waiting = deque(jobs)
    context = multiprocessing.get_context("spawn")
    team: dict[Connection, Any] = {}
    try:
        for _ in range(min(workers or core_count(), len(waiting))):
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(theirs, function), daemon=False)
            process.start()
            theirs.close()
            team[ours] = process
            ours.send(waiting.popleft())
        while team:
            for connection in wait(list(team)):
                try:
                    message = connection.recv()
                except (EOFError, OSError):
                    process = team.pop(connection)
                    process.join(_SHUTDOWN_TIMEOUT)
                    raise DataError(
                        f"a worker process was lost (exit status {process.exitcode}); look at the "
                        "free memory, and run the same command again to go on"
                    ) from None
                if message is None:
                    if waiting:
                        connection.send(waiting.popleft())
                    else:
                        connection.send(None)
                        team.pop(connection).join(_SHUTDOWN_TIMEOUT)
                elif isinstance(message, Failure):
                    raise DataError(message.text)
                else:
                    yield message
    finally:
        for process in team.values():
            processes.end_tree(process.pid)
            process.join(_SHUTDOWN_TIMEOUT)


def _work(jobs: Connection, function: Callable[..., Iterator[Any]]) -> None:
    leave_with_parent()
    processes.adopt_orphans()
    silence_stdout()
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while (job := jobs.recv()) is not None:
            try:
                for report in function(*job):
                    jobs.send(report)
            except (BrokenPipeError, ConnectionResetError):
                raise
            except DlgoError as error:
                jobs.send(Failure(str(error)))
                break
            except Exception as error:  # shown as one line; the arena does the same with engines
                jobs.send(Failure(f"a worker failed: {error_text(error)}"))
                break
            jobs.send(None)
    processes.end_descendants()
