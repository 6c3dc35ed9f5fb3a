"""A process that runs untrusted code, seen from its client: requests in, answers out.

Inside, `server.py` answers, in a sandbox if need be. A hang, a crash or nonsense raises a
`ProgramError` that says which, and ends the process.
"""

from __future__ import annotations

import contextlib
import functools
import os
import pickle
import sys
from collections.abc import Callable, Sequence
from typing import Any

from dlgo.jit import clocks_stopped, tell_now, wall_time
from dlgo.plugins import import_path
from dlgo.readers import MALFORMED, read_json
from dlgo.records.failures import Failure
from dlgo.system import processes
from dlgo.text import excerpt, one_line
from engines.programs import framing
from engines.programs.program import NoAnswer, Program, ProgramEnded, ProgramError
from engines.programs.sandbox import Sandbox, Watch

# Wall seconds for Python and dlgo to load, and for the rules of a game to be compiled.
START_TIMEOUT = 600.0
# Seconds for an engine to close itself.
_SHUTDOWN_TIMEOUT = 2.0
# The environment variable of --show-output: worker processes inherit it.
SHOW_OUTPUT = "DLGO_SHOW_OUTPUT"
# Bytes of an answer from a sandbox: reading one takes several times its length of our own memory.
_LONGEST_UNTRUSTED = 1 << 22
# Seconds of waiting for a core that a sandboxed process gets back, at least; and the limit of all
# its time, in multiples of its timeout.
_CORE_DELAY, MOST_TIMES = 0.1, 60
# Errors raised by an answer that cannot be read.
_NONSENSE = (framing.BrokenFrame, *MALFORMED)
# Handles an event, and returns the answer if it is a question, or else None.
OnEvent = Callable[[dict[str, Any]], dict[str, Any] | None]


class Host(Program):
    """What it prints is kept: its last lines end the message of a failure. With the variable
    `SHOW_OUTPUT`, every line is also written to our standard error, once `show_output` is called.

    Args:
        setup: "module:function", called there before anything else.
        script: what runs in it, and its arguments; by default one engine.
        longest: bytes of an answer; by default a sandbox decides.

    Raises ProgramError if it cannot be started, SandboxError if there is no working sandbox here.
    """

    def __init__(
        self, setup: str | None = None, sandbox: Sandbox | None = None,
        script: Sequence[str] = (), longest: int | None = None,
    ) -> None:
        python = [sys.executable, "-P"] if sandbox is None else sandbox.python
        script = script or ("-m", "engines.isolation.host", *([setup] if setup else []))
        command = [*python, *script]
        super().__init__(
            command if sandbox is None else sandbox.command(command),
            # With another order of sets of texts, the same seed would give another game.
            {"PYTHONPATH": os.pathsep.join(import_path()), "PYTHONHASHSEED": "0"},
        )
        if longest is None:
            longest = framing.LONGEST if sandbox is None else _LONGEST_UNTRUSTED
        self._take = functools.partial(framing.take_frame, longest=longest)
        self._watch = None if sandbox is None else Watch(self, sandbox.allowance)
        self._kills = processes.oom_kills()
        self.ended = False  # by request or for a failure
        self.answered = 0  # bytes of all answers
        self.compiled = 0  # functions, so far
        self._sandbox = sandbox
        self._thought = self._compiling = 0.0  # CPU seconds
        self.process = self.pid  # until the process says which one it is
        number = int(self.ask(timeout=START_TIMEOUT)["pid"])  # as it knows itself
        # The process in which the engine is.
        self.process = number if sandbox is None else processes.inside_of(self.pid, number)

    def show_output(self, name: str) -> None:
        """From now on, show people what it prints after `name`, if they have asked for it."""
        begun = b""  # of a line

        def show(data: bytes) -> None:
            nonlocal begun
            *lines, begun = (begun + data).split(b"\n")
            for line in lines:
                sys.stderr.write(f"{name} | {one_line(line.decode('utf-8', 'replace'))}\n")
            sys.stderr.flush()

        if os.environ.get(SHOW_OUTPUT):
            self.on_words(show)

    def ask(
        self, *request: Any, timeout: float, check: Callable[[], None] | None = None,
        on_event: OnEvent | None = None,
    ) -> dict[str, Any]:
        """The answer to a request; without one, to what it has been told.

        Args:
            timeout: wall seconds; those in which a sandboxed process waits for a core do not count.
            check: called a few times a second; what it raises ends the process.
            on_event: handles events other than those about compiling.

        Raises ProgramError if something else comes, or nothing in time, and the process is ended;
        or if the engine has failed, and the process lives on.
        """
        try:
            answer = self._exchange(_pickled(request) if request else b"", timeout, check, on_event)
        except BaseException as error:  # the answer would come to the next question
            self.kill()
            if isinstance(error, ProgramError):
                problem = self._named(error, timeout)
            elif isinstance(error, _NONSENSE):
                problem = nonsense()
            else:
                raise
        else:
            if "failure" not in answer:
                return answer
            # Untrusted code could claim that it never crashed.
            trusted = [*Failure] if self._sandbox is None else [Failure.OVER_MEMORY]
            failure = Failure.CRASH
            if answer["failure"] in trusted:
                failure = Failure(answer["failure"])
            problem = ProgramError(failure, excerpt(str(answer.get("text", ""))))
        problem.printed = self.last_words()
        raise problem

    def tell(self, *request: Any) -> None:
        """Send a request while it is at work on another; `ask` without one reads what it says."""
        self.write(_pickled(request))

    def _exchange(
        self, request: bytes, timeout: float, check: Callable[[], None] | None,
        on_event: OnEvent | None,
    ) -> dict[str, Any]:
        deadline, delay = wall_time() + timeout, self.core_delay()
        latest = wall_time() + MOST_TIMES * timeout
        seconds, events = timeout, {"compiling", "clocks"}
        if on_event is not None:
            events |= {"cell", "ask"}
        with contextlib.ExitStack() as stack:
            while True:
                try:
                    frame = self.exchange(request, self._take, seconds, check)
                except NoAnswer:
                    waited = self.core_delay() - delay
                    request, seconds = b"", min(waited, latest - wall_time())
                    if seconds < _CORE_DELAY:
                        raise
                    delay, deadline = delay + waited, deadline + seconds
                    continue
                answer = read_json(frame)
                if not isinstance(answer, dict):
                    raise ValueError
                if events.isdisjoint(answer):
                    self.answered += len(frame)
                    return answer
                request, seconds = b"", deadline - wall_time()
                if seconds <= 0:  # it may send events faster than we read them
                    raise NoAnswer(timeout)
                if "compiling" in answer:
                    tell_now()
                    self.compiled = answer["compiling"]
                    if check is not None:
                        check()
                elif "clocks" not in answer and on_event is not None:
                    reply = on_event(answer)
                    request = b"" if reply is None else _pickled(reply)
                elif self._sandbox is None:  # untrusted code could claim to be compiling
                    stack.close()
                    self._compiling += float(answer["cpu"])
                    if answer["clocks"] == "stopped":
                        stack.enter_context(clocks_stopped())
                        seconds = START_TIMEOUT

    def core_delay(self) -> float:
        """Seconds for which a sandboxed process has waited for a core, but for those in which its
        own other processes may have had it. Other processes, whose CPU time nothing limits, get no
        longer time for waiting."""
        if self._sandbox is None:
            return 0.0
        ran, waited = processes.run_times(self.process)
        return waited - max(0.0, self._cpu - ran)  # the watch measures it all the time

    def _named(self, error: ProgramError, timeout: float) -> ProgramError:
        if self._watch is not None and self._watch.verdict is not None:
            return self._watch.verdict
        if isinstance(error, NoAnswer):
            return NoAnswer(timeout)
        if not isinstance(error, ProgramEnded):
            return error
        if processes.oom_kills() > self._kills:
            text = "out of memory: process killed by the system"
            return ProgramError(Failure.OVER_MEMORY, text)
        return ProgramEnded(error.ending, "process")

    def thinking_seconds(self) -> float:
        """CPU time of all its processes so far, without compiling."""
        # The measurement from outside may lag behind the reported time of compiling.
        self._thought = max(self._thought, self.cpu_seconds() - self._compiling)
        return self._thought

    def close(self) -> None:
        """Let the engine close itself, and make sure that nothing is left."""
        if self.alive:
            self.write_last(_pickled(("close",)), _SHUTDOWN_TIMEOUT)
        self.kill()

    def kill(self) -> None:
        """End all its processes, now."""
        self.ended = True
        super().kill()


def _pickled(request: Any) -> bytes:
    return framing.frame(pickle.dumps(request))


def nonsense() -> ProgramError:
    """The error for an invalid answer."""
    return ProgramError(Failure.NONSENSE, "process sent nonsense")
