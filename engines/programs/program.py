"""A program as a child process: one question, one answer, and nothing left behind.

Whatever the program does - hang, die, print without end, refuse to read - `exchange` returns or
raises within the time limit. It runs under a reaper of its own (`reaper.py`), which ends it and
all that it has started when we end it, when we end, or when we are killed.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import subprocess
import sys
import time
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

from dlgo.errors import DlgoError
from dlgo.records.failures import Failure
from dlgo.text import excerpt
from engines.programs import processes, reaper

# Bytes of standard error that are kept: its last line often says why a program died.
_KEPT_STDERR = 2000
# Characters of its last lines that are quoted.
_QUOTED = 150
# Seconds for a reaper to end everything, before we do it ourselves.
_SHUTDOWN_TIMEOUT = 2.0
# Look at least this often whether a silent program is alive.
_HEALTH_CHECK = 0.2

T = TypeVar("T")

# Ends of pipes that must not live on in a copy of this process: the reapers would wait for it.
_controls: set[int] = set()


class ProgramError(DlgoError):
    """A program failed, in the notebook's `cell` if there is one; `printed` is what it printed
    last, as the end of a message."""

    def __init__(self, failure: Failure, text: str, cell: str = "", printed: str = "") -> None:
        super().__init__(text + printed)
        self.failure, self.text, self.cell, self.printed = failure, text, cell, printed

    def __reduce__(self) -> tuple[Any, ...]:
        return ProgramError, (self.failure, self.text, self.cell, self.printed)


class Program:
    """A running program, started by its full path and its arguments, and with some variables
    besides ours. Raises ProgramError if it cannot be started."""

    def __init__(self, words: list[str], environment: dict[str, str] | None = None) -> None:
        self.output = bytearray()  # its output that has not been taken yet
        # Called with whatever it writes to standard error.
        self.on_stderr: Callable[[bytes], None] = lambda data: None
        self._stderr = b""
        self._cpu = 0.0
        theirs, control = os.pipe()
        command = [sys.executable, "-S", "-E", reaper.SCRIPT, "run", str(theirs), *words]
        pipe = subprocess.PIPE
        try:
            # In our own process group on purpose: the arena kills a worker by its group.
            self._process = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, pass_fds=(theirs,),
                env={**os.environ, **(environment or {})},
            )
        except (OSError, ValueError) as error:  # ValueError: a NUL in an argument
            os.close(control)
            reason = getattr(error, "strerror", None) or error
            raise ProgramError(Failure.CRASH, f"it could not be started: {reason}") from None
        finally:
            os.close(theirs)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            os.set_blocking(stream.fileno(), False)
        _controls.add(control)
        # Also without a call of `kill`: at the latest when Python ends.
        self._end = weakref.finalize(self, _end, self._process, control, os.getpid())

    @property
    def pid(self) -> int:
        """The root of all its processes."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._end.alive and self._process.poll() is None

    def exchange(
        self, request: bytes, take: Callable[[bytearray], T | None], timeout: float,
        check: Callable[[], None] | None = None,
    ) -> T:
        """Send a request to its standard input and wait for the answer.

        Args:
            take: takes the answer out of `output`; None until it is complete.
            timeout: wall seconds.
            check: called a few times a second; what it raises ends the exchange.

        Raises ProgramError if it does not answer in time or dies. It is not ended by that.
        """
        deadline = time.monotonic() + timeout
        next_check = time.monotonic() + _HEALTH_CHECK
        process = self._process
        with contextlib.suppress(BlockingIOError, BrokenPipeError):
            request = request[os.write(process.stdin.fileno(), request) :]
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            if request:
                selector.register(process.stdin, selectors.EVENT_WRITE)
            if not process.stderr.closed:
                selector.register(process.stderr, selectors.EVENT_READ)
            late = False
            while (answer := take(self.output)) is None:
                if late:
                    raise ProgramError(Failure.TIMEOUT, f"no answer within {timeout:g} s")
                left = deadline - time.monotonic()
                late = left <= 0  # what came while a busy machine held us up still counts
                wait = max(min(left, _HEALTH_CHECK), 0.0)
                ready = {key.fileobj for key, _ in selector.select(wait)}
                if check is not None and time.monotonic() >= next_check:
                    check()
                    next_check = time.monotonic() + _HEALTH_CHECK
                ended = not ready and process.poll() is not None
                if process.stderr in ready and not self._drain_stderr():
                    selector.unregister(process.stderr)
                    process.stderr.close()
                if process.stdin in ready:
                    with contextlib.suppress(BlockingIOError):
                        try:
                            request = request[os.write(process.stdin.fileno(), request) :]
                        except BrokenPipeError:
                            request = b""  # its last output, or its end, is read below
                    if not request:
                        selector.unregister(process.stdin)
                if process.stdout in ready:
                    data = os.read(process.stdout.fileno(), 1 << 16)
                    if not data:
                        raise ProgramError(Failure.DIED, self._how_it_ended())
                    self.output += data
                elif ended:  # though a child of it holds the pipe open
                    raise ProgramError(Failure.DIED, self._how_it_ended())
        if not process.stderr.closed:
            self._drain_stderr()
        return answer

    def _drain_stderr(self) -> bool:
        """Read what is there, so that the program is never held up; False at its end."""
        with contextlib.suppress(BlockingIOError):
            data = os.read(self._process.stderr.fileno(), 1 << 16)
            self._stderr = (self._stderr + data)[-_KEPT_STDERR:]
            self.on_stderr(data)
            return bool(data)
        return True

    def _how_it_ended(self) -> str:
        try:
            code = self._process.wait(_SHUTDOWN_TIMEOUT)
        except subprocess.TimeoutExpired:
            return "it closed its output"
        if not self._process.stderr.closed:
            self._drain_stderr()
        return f"it died ({f'signal {-code}' if code < 0 else f'exit code {code}'})"

    def last_words(self) -> str:
        """The last lines that it has written to standard error, as the end of a message."""
        text = self._stderr.decode("utf-8", "replace")
        lines = [line for line in text.split("\n") if line.strip()][-2:]
        return f"; its last words: {excerpt(' / '.join(lines), _QUOTED)!r}" if lines else ""

    def cpu_seconds(self) -> float:
        """CPU time of the program and its descendants so far; 0 where /proc is missing."""
        if self._end.alive and self._process.returncode is None:
            with contextlib.suppress(OSError, ValueError):
                # A descendant that ended without being waited for takes its time with it.
                self._cpu = max(self._cpu, processes.cpu_of_tree(self._process.pid))
        return self._cpu

    def forget_words(self) -> None:
        """What it has written to standard error so far is not quoted any more."""
        if not self._process.stderr.closed:
            self._drain_stderr()
        self._stderr = b""

    def write(self, data: bytes) -> None:
        """Write a few bytes in the middle of an exchange; that it cannot, the exchange shows."""
        with contextlib.suppress(OSError):
            os.write(self._process.stdin.fileno(), data)

    def write_last(self, request: bytes, patience: float) -> None:
        """Write a last request, close its input, and give it some seconds to end by itself."""
        with contextlib.suppress(OSError):
            os.write(self._process.stdin.fileno(), request)
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(patience)

    def kill(self) -> None:
        """End the program and all that it has started, now."""
        self.cpu_seconds()
        self._end()


def _end(process: subprocess.Popen[bytes], control: int, owner: int) -> None:
    if os.getpid() != owner:
        return  # a copy of the process that started it
    _controls.discard(control)
    with contextlib.suppress(OSError):
        os.close(control)
    try:
        process.wait(_SHUTDOWN_TIMEOUT)
    except subprocess.TimeoutExpired:  # stopped, perhaps
        processes.end_tree(process.pid)
        process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        with contextlib.suppress(OSError):
            stream.close()


def _forget_controls() -> None:
    for control in _controls:
        with contextlib.suppress(OSError):
            os.close(control)
    _controls.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_controls)
