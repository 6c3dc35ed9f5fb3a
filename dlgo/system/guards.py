"""Guards: no process that we start outlives us, even if we are killed.

On Windows a job object does that: the system ends all its processes when its last handle closes.
On POSIX it takes a process of its own that stands by, the reaper.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from dlgo.system import processes, reaper

# Descriptors of guards, which must not live on in a copy of this process: the reapers would wait.
_open: set[int] = set()


class Guard:
    """Ends a program, and all that it has started, once it is closed."""

    def __init__(self, words: list[str], environment: Mapping[str, str], **pipes: Any) -> None:
        """Start the program; `pipes` as for Popen. Raises OSError or ValueError if that fails."""
        if processes.CAN_FORK:
            theirs, self._control = os.pipe()
            command = [sys.executable, reaper.SCRIPT, "run", str(theirs), *words]
            try:
                # In our own process group on purpose: the arena kills a worker by its group.
                self.process = subprocess.Popen(
                    command, pass_fds=(theirs,), env=dict(environment), **pipes)
            except (OSError, ValueError):
                os.close(self._control)
                raise
            finally:
                os.close(theirs)
            _open.add(self._control)
        else:
            from dlgo.system.windows import Job

            self.process = subprocess.Popen(words, env=dict(environment), **pipes)
            self._job = Job(self.process.pid)

    def close(self, patience: float) -> None:
        """End the program. A reaper has `patience` seconds before we do its work."""
        if not processes.CAN_FORK:
            self._job.end()
        else:
            _open.discard(self._control)
            with contextlib.suppress(OSError):
                os.close(self._control)
        try:
            self.process.wait(patience)
        except subprocess.TimeoutExpired:  # stopped, perhaps
            processes.end_tree(self.process.pid)
            self.process.wait()


class Workers:
    """The guard of worker processes, which `multiprocessing` starts."""

    def __init__(self) -> None:
        self._mark, self._count = processes.new_mark(), 0
        self._reaper: Any = None

    @contextmanager
    def starting(self) -> Iterator[Worker]:
        """A worker that is started in here, by `Worker.guard`, is ended with us."""
        worker = Worker()
        if not processes.CAN_FORK:
            yield worker
            return
        if self._reaper is None:
            self._reaper = subprocess.Popen(
                [sys.executable, reaper.SCRIPT, self._mark],
                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True,
            )
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()  # or it would be started with a worker's mark
        self._count += 1
        worker.mark = f"{self._mark}{self._count};"
        with environment({processes.MARK: worker.mark}):
            yield worker

    def close(self) -> None:
        """No workers are left: end the guard."""
        if self._reaper is not None:
            self._reaper.stdin.close()
            self._reaper.wait()
            self._reaper = None


class Worker:
    """A guarded worker."""

    mark: str | None = None
    _job: Any = None

    def guard(self, process: Any) -> None:
        """The process has just started."""
        self.process = process
        if not processes.CAN_FORK:
            from dlgo.system.windows import Job

            self._job = Job(process.pid)

    def end(self) -> None:
        """End the process, and all that it has started."""
        if self._job is None:
            processes.end_tree(self.process.pid, self.mark)
        else:
            self._job.end()
        self.process.kill()
        self.process.join()


@contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    """The environment of processes that are started in the block."""
    old_values = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in old_values.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _forget() -> None:
    for control in _open:
        with contextlib.suppress(OSError):
            os.close(control)
    _open.clear()


processes.in_copies(_forget)
