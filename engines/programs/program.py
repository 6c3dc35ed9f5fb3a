"""A program as a child process: one question, one answer, and nothing left behind.

Whatever the program does - hang, die, print without end, refuse to read - `exchange` returns or
raises within the time limit. Threads read and write its pipes, because not every system can wait
for several pipes at once. A guard (`dlgo/system/guards.py`) ends it, and all that it has started,
when we end it, when we end, or when we are killed.
"""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import threading
import time
import weakref
from collections.abc import Callable
from typing import IO, Any, TypeVar

from dlgo.errors import DlgoError
from dlgo.records.failures import Failure
from dlgo.system import processes
from dlgo.system.guards import Guard
from dlgo.text import excerpt

# Bytes of standard error that are kept: its last line often says why a program died.
_KEPT_STDERR = 2000
# Characters of its last lines that are quoted.
_QUOTED = 150
# Seconds for a reaper to end everything, before we do it ourselves.
_SHUTDOWN_TIMEOUT = 2.0
# Look at least this often whether a silent program is alive.
_HEALTH_CHECK = 0.2
# Seconds for the last output of a program to arrive.
_LAST_OUTPUT = 0.05
# Bytes read at once, and how many such pieces may wait: then the program waits.
_PIECE, _MOST_PIECES = 1 << 16, 64

T = TypeVar("T")


class ProgramError(DlgoError):
    """A program failed, in the notebook's `cell` if there is one; `printed` is what it printed
    last, as the end of a message."""

    def __init__(self, failure: Failure, text: str, cell: str = "", printed: str = "") -> None:
        super().__init__(text)
        self.failure, self.text, self.cell, self.printed = failure, self.args[0], cell, printed

    def __str__(self) -> str:
        return self.text + self.printed

    def __reduce__(self) -> tuple[Any, ...]:
        return ProgramError, (self.failure, self.text, self.cell, self.printed)


class NoAnswer(ProgramError):
    """A program did not answer within `seconds`."""

    def __init__(self, seconds: float) -> None:
        super().__init__(Failure.TIMEOUT, f"no answer within {seconds:g} s")
        self.seconds = seconds


class ProgramEnded(ProgramError):
    """A program, called `noun`, has ended: `ending` is "exit code 3" or "signal 9"; "" if it runs,
    but has closed its output."""

    def __init__(self, ending: str, noun: str = "it") -> None:
        super().__init__(
            Failure.DIED, f"{noun} died ({ending})" if ending else f"{noun} closed its output")
        self.ending = ending


def _read(stream: IO[bytes], use: Callable[[bytes], None]) -> None:
    """Hand on what comes through a pipe, and b"" at its end."""
    piece = b"more"
    while piece:
        try:
            piece = os.read(stream.fileno(), _PIECE)
        except (OSError, ValueError):
            piece = b""
        use(piece)
    with contextlib.suppress(OSError):
        stream.close()


class _Reader:
    """A thread that reads one pipe of a program."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._thread = threading.Thread(target=_read, args=(stream, self._use), daemon=True)
        self._thread.start()

    def _use(self, piece: bytes) -> None:
        raise NotImplementedError

    def finish(self) -> None:
        """Wait a moment for the end: a descendant that escaped may still hold the pipe."""
        self._thread.join(_LAST_OUTPUT)


class _Answers(_Reader):
    """The standard output of a program; the program waits while too much of it is unread."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._room = threading.Semaphore(_MOST_PIECES)
        self._pieces: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.closed = False
        super().__init__(stream)

    def _use(self, piece: bytes) -> None:
        self._pieces.put(piece)
        self._room.acquire()

    def read(self, seconds: float) -> bytes:
        """The bytes that have come, or come within `seconds`; b"" if there are none. At the
        end, `closed` is True."""
        if self.closed:
            return b""
        try:
            piece = self._pieces.get(seconds > 0, max(seconds, 0.0))
        except queue.Empty:
            return b""
        self._room.release()
        self.closed = not piece
        return piece

    def finish(self) -> None:
        self._room.release(1 << 16)  # nothing holds it up any more
        super().finish()


class _Words(_Reader):
    """The end of a program's standard error; the program never waits for a reader."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.last = b""
        self.on_words: Callable[[bytes], None] = lambda data: None
        super().__init__(stream)

    def _use(self, piece: bytes) -> None:
        self.last = (self.last + piece)[-_KEPT_STDERR:]
        self.on_words(piece)


class _Writer:
    """A thread that writes to the standard input of a program, which may refuse to read."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._requests: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        with contextlib.suppress(OSError, ValueError):  # its end shows where it is read
            while (request := self._requests.get()) is not None:
                data = memoryview(request)
                while data:
                    data = data[os.write(self._stream.fileno(), data) :]
        with contextlib.suppress(OSError):
            self._stream.close()

    def write(self, request: bytes | None) -> None:
        """Write a request; None: the last one."""
        self._requests.put(request)


class Program:
    """A running program, started by its full path and its arguments, and with some variables
    besides ours. Raises ProgramError if it cannot be started."""

    def __init__(self, words: list[str], environment: dict[str, str] | None = None) -> None:
        self.output = bytearray()  # its output that has not been taken yet
        self._cpu = 0.0
        pipe = subprocess.PIPE
        try:
            guard = Guard(words, {**os.environ, **(environment or {})},
                          stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0)
        except (OSError, ValueError) as error:  # ValueError: a NUL in an argument
            reason = getattr(error, "strerror", None) or error
            raise ProgramError(Failure.CRASH, f"it could not be started: {reason}") from None
        self._process = guard.process
        process: Any = guard.process  # all three streams are pipes
        self._stdin, self._stdout = _Writer(process.stdin), _Answers(process.stdout)
        self._words = _Words(process.stderr)
        # Also without a call of `kill`: at the latest when Python ends.
        self._end = weakref.finalize(
            self, _end, guard, os.getpid(), self._stdin, self._stdout, self._words)

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

        Raises NoAnswer if it does not answer in time, ProgramEnded if it dies, and what `check`
        raises. It is not ended by that.
        """
        deadline = time.perf_counter() + timeout
        next_check = time.perf_counter() + _HEALTH_CHECK
        if request:
            self._stdin.write(request)
        late = False
        while (answer := take(self.output)) is None:
            if late:
                raise NoAnswer(timeout)
            seconds = deadline - time.perf_counter()
            late = seconds <= 0  # what came while a busy machine held us up still counts
            data = self._stdout.read(min(seconds, _HEALTH_CHECK))
            self.output += data
            if time.perf_counter() >= next_check:
                next_check = time.perf_counter() + _HEALTH_CHECK
                if check is not None:
                    check()
                # Though a child of it may hold the pipe open.
                if not data and self._process.poll() is not None:
                    data = self._stdout.read(_LAST_OUTPUT)
                    self.output += data
                    if not data:
                        raise ProgramEnded(self._ending())
            if self._stdout.closed:
                raise ProgramEnded(self._ending())
        return answer

    def _ending(self) -> str:
        try:
            code = self._process.wait(_SHUTDOWN_TIMEOUT)
        except subprocess.TimeoutExpired:
            return ""
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def last_words(self) -> str:
        """The last lines that it has written to standard error, as the end of a message."""
        self._words.finish()
        text = self._words.last.decode("utf-8", "replace")
        lines = [line for line in text.split("\n") if line.strip()][-2:]
        return f"; its last words: {excerpt(' / '.join(lines), _QUOTED)!r}" if lines else ""

    def cpu_seconds(self) -> float:
        """CPU time of the program and its descendants so far."""
        if self._end.alive and self._process.returncode is None:
            # A descendant that ended without being waited for takes its time with it.
            self._cpu = max(self._cpu, processes.cpu_of_tree(self._process.pid))
        return self._cpu

    def on_words(self, use: Callable[[bytes], None]) -> None:
        """From now on, call `use` with whatever it writes to standard error, in a thread."""
        self._words.on_words = use

    def write(self, data: bytes) -> None:
        """Write a few bytes in the middle of an exchange; that it cannot, the exchange shows."""
        self._stdin.write(data)

    def write_last(self, request: bytes, patience: float) -> None:
        """Write a last request, close its input, and give it some seconds to end by itself."""
        self._stdin.write(request)
        self._stdin.write(None)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(patience)

    def kill(self) -> None:
        """End the program and all that it has started, now."""
        self.cpu_seconds()
        self._end()


def _end(guard: Guard, owner: int, stdin: _Writer, *readers: _Reader) -> None:
    if os.getpid() != owner:
        return  # a copy of the process that started it
    guard.close(_SHUTDOWN_TIMEOUT)
    stdin.write(None)
    for reader in readers:
        reader.finish()
