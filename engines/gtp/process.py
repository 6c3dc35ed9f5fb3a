"""A GTP program as a child process: one question, one answer, and nothing left behind.

Whatever the program does - hang, die, print nonsense or without end, refuse to read - `ask`
returns or raises within the time limit, and after an error that leaves the conversation in
doubt no process of it lives on. The texts are read in `dlgo.gtp`.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import selectors
import shlex
import shutil
import signal
import subprocess
import time
import weakref
from pathlib import Path

from dlgo.errors import SpecError
from dlgo.gtp import Command, GtpError, clean, format_command, parse_response
from dlgo.gtp.protocol import plain, shown

# Bytes of one answer; more is not an answer. `showboard` of a large board has a thousandth.
_LONGEST_ANSWER = 1 << 20
# Bytes of standard error that are kept: its last line often says why a program died.
_KEPT_STDERR = 2000
# Seconds for a program to end after `quit`.
_FAREWELL = 2.0
# Look at least this often whether a silent program is alive.
_HEALTH_CHECK = 0.2
# All processes that descend from a program carry this variable, wherever they moved to.
_MARK = "DLGO_GTP_MARK"

_numbers = itertools.count(1)


class Refusal(GtpError):
    """The program answered `?`: it does not do what was asked, but is alive and well."""


def split_command(command: str) -> list[str]:
    """The words of a command line, the program found on the PATH.

    Raises:
        SpecError: if there is none, a quote is open, or the program does not exist.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise SpecError(f"engine gtp: command {command!r}: {error}".lower()) from None
    if not words:
        raise SpecError(
            "engine gtp needs the command line of a GTP program, "
            "such as gtp:gnugo --mode gtp --level 10"
        )
    program = shutil.which(words[0])
    if program is None:
        raise SpecError(
            f"engine gtp: there is no program {words[0]!r}; install it or write its full path"
        )
    return [program, *words[1:]]


class Program:
    """A running GTP program.

    Args:
        words: the program and its arguments.
        timeout: wall seconds for an answer.

    Raises:
        GtpError: if it cannot be started.
    """

    def __init__(self, words: list[str], timeout: float) -> None:
        self.label = f"GTP program {Path(words[0]).name}"
        self.timeout = timeout
        self._mark = f"{os.getpid()}-{next(_numbers)}-{os.urandom(4).hex()};"
        environment = {**os.environ, _MARK: os.environ.get(_MARK, "") + self._mark}
        pipe = subprocess.PIPE
        try:
            # In our own process group on purpose: the arena kills a worker by its group.
            self._process = subprocess.Popen(
                words, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, env=environment
            )
        except (OSError, ValueError) as error:  # ValueError: a NUL in an argument
            reason = getattr(error, "strerror", None) or error
            raise GtpError(f"{self.label} cannot be started: {reason}") from None
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            os.set_blocking(stream.fileno(), False)
        self._output = b""
        self._stderr = b""
        self._commands = itertools.count(1)
        self._cpu = 0.0
        # Also when nobody calls `close`: at the latest when Python ends.
        self._end = weakref.finalize(self, _kill_all, self._process, self._mark)

    @property
    def alive(self) -> bool:
        """Whether it can be asked something."""
        return self._end.alive and self._process.poll() is None

    def ask(self, name: str, *arguments: str) -> str:
        """The answer to a command.

        Raises:
            Refusal: if the program answers `?`.
            GtpError: if it does not answer in time, dies or answers nonsense; it is killed.
        """
        command = Command(next(self._commands), name, arguments)
        asked = f"{name} {' '.join(arguments)}".strip()
        if not self.alive:
            raise GtpError(f"{self.label} is not running")
        try:
            ok, number, text = parse_response(self._exchange(command, asked))
            if number != command.id:
                raise GtpError(f"its answer has the number {number}, not {command.id}")
        except GtpError as error:
            self.kill()
            raise GtpError(f"{self.label}, asked {shown(asked)}: {error}{self._remark()}") from None
        except BaseException:  # Ctrl-C: the answer would come to the next question
            self.kill()
            raise
        if not ok:
            reason = plain(text) or "no reason given"
            raise Refusal(f"{self.label} refused {shown(asked)}: {reason}")
        return text

    def _exchange(self, command: Command, asked: str) -> str:
        """Send a command, and read until the empty line that ends the answer."""
        deadline = time.monotonic() + self.timeout
        unsent = format_command(command).encode()
        process = self._process
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdin, selectors.EVENT_WRITE)
            selector.register(process.stdout, selectors.EVENT_READ)
            if not process.stderr.closed:
                selector.register(process.stderr, selectors.EVENT_READ)
            while (answer := self._take_answer()) is None:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise GtpError(f"no answer within {self.timeout:g} s (option timeout)")
                ended = process.poll() is not None
                ready = {key.fileobj for key, _ in selector.select(min(left, _HEALTH_CHECK))}
                if process.stderr in ready and not self._drain_stderr():
                    selector.unregister(process.stderr)
                    process.stderr.close()
                if process.stdin in ready:
                    with contextlib.suppress(BlockingIOError):
                        try:
                            unsent = unsent[os.write(process.stdin.fileno(), unsent) :]
                        except BrokenPipeError:
                            unsent = b""  # what it said before, or that it died, is read below
                    if not unsent:
                        selector.unregister(process.stdin)
                if process.stdout in ready:
                    data = os.read(process.stdout.fileno(), 1 << 16)
                    if not data:
                        raise GtpError(self._how_it_ended())
                    self._output += data
                elif ended:  # though a child of it holds the pipe open
                    raise GtpError(self._how_it_ended())
        return answer

    def _take_answer(self) -> str | None:
        """The first whole response in the output, or None. Raises GtpError for nonsense."""
        text = self._output.replace(b"\r", b"").lstrip()
        if text and text[:1] not in (b"=", b"?"):
            if b"\n" not in text and len(text) < _LONGEST_ANSWER:
                return None
            line = clean(text.partition(b"\n")[0].decode("utf-8", "replace"))
            raise GtpError(f"it answered {shown(line)}; GTP answers begin with = or ?")
        answer, end, rest = text.partition(b"\n\n")
        if not end:
            if len(text) > _LONGEST_ANSWER:
                raise GtpError(f"its answer is longer than {_LONGEST_ANSWER >> 20} MiB")
            return None
        self._output = rest
        return answer.decode("utf-8", "replace")

    def _drain_stderr(self) -> bool:
        """Read what is there, so that the program is never held up; False at its end."""
        with contextlib.suppress(BlockingIOError):
            data = os.read(self._process.stderr.fileno(), 1 << 16)
            self._stderr = (self._stderr + data)[-_KEPT_STDERR:]
            return bool(data)
        return True

    def _how_it_ended(self) -> str:
        try:
            code = self._process.wait(_FAREWELL)
        except subprocess.TimeoutExpired:
            return "it closed its output"
        if not self._process.stderr.closed:
            self._drain_stderr()
        return f"it died ({f'signal {-code}' if code < 0 else f'exit code {code}'})"

    def _remark(self) -> str:
        text = self._stderr.decode("utf-8", "replace")
        lines = [line for line in text.split("\n") if line.strip()]
        return f"; its last words: {shown(' / '.join(lines[-2:]), 150)}" if lines else ""

    def cpu_seconds(self) -> float:
        """CPU time of the program and its descendants so far; 0 where /proc is missing."""
        if self._end.alive and self._process.returncode is None:
            with contextlib.suppress(OSError, ValueError):
                # A descendant that ended without being waited for takes its time with it.
                self._cpu = max(self._cpu, _cpu_of_tree(self._process.pid))
        return self._cpu

    def close(self) -> None:
        """Say `quit`, wait a moment, and make sure that nothing is left."""
        if self.alive:
            self.cpu_seconds()
            quit_line = format_command(Command(next(self._commands), "quit")).encode()
            with contextlib.suppress(OSError):
                os.write(self._process.stdin.fileno(), quit_line)
            with contextlib.suppress(OSError):
                self._process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_FAREWELL)
        self.kill()

    def kill(self) -> None:
        """End the program and all that it has started, now."""
        self.cpu_seconds()
        self._end()


def _kill_all(process: subprocess.Popen[bytes], mark: str) -> None:
    with contextlib.suppress(OSError):
        process.kill()
    for _ in range(10):  # a dying process may just have started another
        found = [pid for pid in _marked_processes(mark) if pid != process.pid]
        for pid in found:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        if not found:
            break
        time.sleep(0.01)
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        with contextlib.suppress(OSError):
            stream.close()


def _marked_processes(mark: str) -> list[int]:
    """The living processes whose environment holds the mark."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
    return found


def _cpu_of_tree(pid: int) -> float:
    """CPU seconds of a process, its descendants, and those of them that have ended."""
    # The CPU clock of another process, as clock_getcpuclockid(3) makes it: in nanoseconds,
    # where /proc counts hundredths of a second.
    seconds = time.clock_gettime((~pid << 3) | 2)
    # Fields 16 and 17 of stat(5); the second is a name that can hold anything but `)`.
    fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    seconds += (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in children.read_text().split():
            with contextlib.suppress(OSError):
                seconds += _cpu_of_tree(int(child))
    return seconds
