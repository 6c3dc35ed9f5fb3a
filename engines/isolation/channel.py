"""A process that runs untrusted code, seen from its client: requests in, answers out.

Inside, `server.py` answers, in a sandbox if need be. A hang, a crash or nonsense raises a
`ProgramError` that says which, and ends the process.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import pickle
import secrets
import sys
from collections.abc import Callable, Sequence
from typing import Any

from dlgo.jit import clocks_stopped, tell_now, wall_time
from dlgo.records.failures import Failure
from dlgo.system import processes
from dlgo.text import excerpt, one_line
from engines.programs import framing
from engines.programs.program import Program, ProgramError
from engines.programs.sandbox import Sandbox, Watch

# Wall seconds for Python and dlgo to load, and for the rules of a game to be compiled.
START_TIMEOUT = 600.0
# Seconds for an engine to close itself.
_SHUTDOWN_TIMEOUT = 2.0
# The environment variable of --show-output: worker processes inherit it.
SHOW_OUTPUT = "DLGO_SHOW_OUTPUT"
# Bytes of an answer from a sandbox: reading one takes several times its length of our own memory.
_LONGEST_UNTRUSTED = 1 << 22
# What reading an answer raises that is none.
_NONSENSE = (framing.BrokenFrame, LookupError, TypeError, ValueError, RecursionError)
# Handles an event, and returns the answer if it is a question, or else None.
OnEvent = Callable[[dict[str, Any]], dict[str, Any] | None]


class Host(Program):
    """What it prints is kept: its last lines end the message of a failure. With the variable
    `SHOW_OUTPUT`, every line is also written to our standard error, once `show_output` is called.

    Args:
        setup: "module:function", called there before anything else.
        script: what runs in it, and its arguments; by default one engine.
        longest: bytes of an answer; by default a sandbox decides.
        copies: whether untrusted code only runs in copies of it.

    Raises ProgramError if it cannot be started, SandboxError if there is no working sandbox here.
    """

    def __init__(
        self, setup: str | None = None, sandbox: Sandbox | None = None,
        script: Sequence[str] = (), longest: int | None = None, copies: bool = False,
    ) -> None:
        python = [sys.executable, "-P"] if sandbox is None else sandbox.python
        script = script or ("-m", "engines.isolation.host", *([setup] if setup else []))
        command = [*python, *script]
        super().__init__(
            command if sandbox is None else sandbox.command(command, copies),
            # With another order of sets of texts, the same seed would give another game.
            {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": "0"},
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
        self._copy = 0
        # The process in which the engine is.
        self.process = self._outside(self.ask(timeout=START_TIMEOUT))

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

    def _outside(self, answer: dict[str, Any]) -> int:
        """The number that we know the process by which has given its own in an answer."""
        number = int(answer["pid"])
        return number if self._sandbox is None else processes.inside_of(self.pid, number)

    def enter_copy(self, sandbox: Sandbox | None = None) -> None:
        """Go on in a copy of the process, until `leave_copy`; in a sandbox, if this process has
        one, too. Raises ProgramError as `ask`."""
        walls: list[Any] = []
        if sandbox is not None:
            walls = [sandbox.walls(), str(sandbox.shelf or ""), list(map(str, sandbox.readable))]
        self.process = self._outside(self.ask("enter_copy", *walls, timeout=START_TIMEOUT))
        self.forget_words()
        if self._watch is not None:
            self._copy = processes.inside_of(self.pid, 1)  # its first process; 1 if not found
            self._watch.begin(self._copy if self._copy != 1 else self.pid)

    def leave_copy(self) -> bool:
        """End the copy, and what it started. Returns whether the process lives on."""
        usable = False
        with contextlib.suppress(ProgramError):
            usable = not self.ended and (
                self.ask("leave_copy", timeout=_SHUTDOWN_TIMEOUT) == {"left": True}
            ) and (self._watch is None or self._is_original())
        if not usable:
            self.kill()
        return usable

    def _is_original(self) -> bool:
        """Whether the original process answers: untrusted code may have said that it has left, and
        stay to play for others, or leave answers to their requests."""
        self._watch.pause()
        word = secrets.token_hex(8)
        return (
            self._watch.verdict is None and not processes.is_running(self._copy)
            and self.ask("echo", word, timeout=_SHUTDOWN_TIMEOUT) == {"echo": word}
            and not self.output
        )

    def ask(
        self, *request: Any, timeout: float, check: Callable[[], None] | None = None,
        on_event: OnEvent | None = None,
    ) -> dict[str, Any]:
        """The answer to a request; without one, to what it has been told.

        Args:
            timeout: wall seconds.
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
        raise ProgramError(problem.failure, problem.text, printed=self.last_words())

    def tell(self, *request: Any) -> None:
        """Send a request while it is at work on another; `ask` without one reads what it says."""
        self.write(_pickled(request))

    def _exchange(
        self, request: bytes, timeout: float, check: Callable[[], None] | None,
        on_event: OnEvent | None,
    ) -> dict[str, Any]:
        deadline = wall_time() + timeout
        left, events = timeout, {"compiling", "clocks"}
        if on_event is not None:
            events |= {"cell", "ask"}
        with contextlib.ExitStack() as stopped:
            while True:
                frame = self.exchange(request, self._take, left, check)
                answer = json.loads(frame)
                if not isinstance(answer, dict):
                    raise ValueError
                if events.isdisjoint(answer):
                    self.answered += len(frame)
                    return answer
                request, left = b"", deadline - wall_time()
                if left <= 0:  # it may send events faster than we read them
                    raise ProgramError(Failure.TIMEOUT, "no answer")
                if "compiling" in answer:
                    tell_now()
                    self.compiled = answer["compiling"]
                    if check is not None:
                        check()
                elif "clocks" not in answer:
                    reply = on_event(answer)
                    request = b"" if reply is None else _pickled(reply)
                elif self._sandbox is None:  # untrusted code could claim to be compiling
                    stopped.close()
                    self._compiling += float(answer["cpu"])
                    if answer["clocks"] == "stopped":
                        stopped.enter_context(clocks_stopped())
                        left = START_TIMEOUT

    def _named(self, error: ProgramError, timeout: float) -> ProgramError:
        if self._watch is not None and self._watch.verdict is not None:
            return self._watch.verdict
        if error.failure is Failure.TIMEOUT and error.text.startswith("no answer"):
            return ProgramError(error.failure, f"no answer within {timeout:g} s")
        if error.failure is not Failure.DIED:
            return error
        if processes.oom_kills() > self._kills:
            text = "out of memory: process killed by the system"
            return ProgramError(Failure.OVER_MEMORY, text)
        return ProgramError(error.failure, error.text.replace("it ", "process ", 1))

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
