"""Functions of a file in a process of its own, called from here with plain values.

    with Functions(Path("hand_in.py"), sandbox) as functions:
        functions.call("liberties", board, point)

Only values come back, never objects with code in them, so whoever compares them here cannot be
deceived by what the file does to its own process. A function among the arguments stays here: the
file may call it, and we see with what.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from dlgo.errors import DlgoError
from dlgo.records.failures import Failure
from engines.isolation.plain import from_plain, to_bytes, to_plain
from engines.programs.framing import BrokenFrame, frame, take_frame
from engines.programs.program import Program, ProgramError
from engines.programs.sandbox import Sandbox, Watch

# Bytes of an answer: reading one takes several times its length of our own memory.
_LONGEST = 1 << 22
# Lines of reports, and characters of one.
_LINES, _LONGEST_LINE = 10, 300
_take = functools.partial(take_frame, longest=_LONGEST)


class CallError(DlgoError):
    """A function raised an exception, or is not there; its process lives on.

    Attributes:
        kind: the exception's class, or "missing".
        place: `line 3` of the file, `cell 2, line 3` of a notebook, or "".
    """

    def __init__(self, text: str, kind: str, place: str) -> None:
        super().__init__(text)
        self.kind, self.place = kind, place


class Functions:
    """The functions of a file.

    Args:
        path: the file.
        sandbox: the walls around its process; None: no walls, for a file that is trusted.
        timeout: wall seconds to load the file.
        left_out: cells of notebooks that are not run.

    Attributes:
        reports: what failed or was not run in the cells of notebooks, one line each.

    Raises:
        CallError: if loading it raises.
        ProgramError: if it hangs, dies, or uses too much.
        SandboxError: if there is no working sandbox here.
    """

    def __init__(
        self, path: Path, sandbox: Sandbox | None, timeout: float = 10.0,
        left_out: Sequence[str] = (),
    ) -> None:
        command = [
            sys.executable, "-P", "-m", "engines.isolation.answer", str(path.resolve()), *left_out,
        ]
        self._program = Program(
            command if sandbox is None else sandbox.command(command),
            {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        self._watch = None if sandbox is None else Watch(self._program, sandbox.allowance)
        self.alive = True
        try:
            self.reports = _lines(
                self._receive(b"", time.monotonic() + timeout, f"loading {path.name}", [])
            )
        except BaseException:
            self.close()
            raise

    def call(self, name: str, *arguments: Any, timeout: float = 10.0) -> Any:
        """What a function returns. After a ProgramError, the process is gone.

        Raises:
            CallError: if it raises an exception, or there is no such function.
            ProgramError: if it hangs, dies, uses too much, or answers nonsense.
        """
        given: list[Callable[..., Any]] = []
        request = {"call": name, "arguments": to_plain(list(arguments), given)}
        return self._receive(
            frame(to_bytes(request)), time.monotonic() + timeout, f"{name}()", given
        )

    def _receive(
        self, request: bytes, deadline: float, what: str, given: list[Callable[..., Any]]
    ) -> Any:
        cell = ""
        try:
            while True:
                left = max(deadline - time.monotonic(), 0.001)
                answer = json.loads(self._program.exchange(request, _take, left))
                request = b""
                if "ask" in answer:
                    request = frame(to_bytes(_answer(given[answer["ask"]], answer["arguments"])))
                elif "cell" in answer:
                    cell = str(answer["cell"])[:_LONGEST_LINE]
                else:
                    break
            if "error" in answer:
                raise CallError(
                    str(answer["error"])[:400], str(answer["kind"]),
                    str(answer.get("place", ""))[:40],
                )
            return from_plain(answer["value"])
        except ProgramError as error:
            self.close()
            explained = self._explained(error, what)
            raise ProgramError(explained.failure, str(explained), cell) from None
        except CallError:
            raise
        except (BrokenFrame, ValueError, KeyError, TypeError, IndexError, AttributeError,
                RecursionError, OverflowError):
            self.close()
            raise ProgramError(
                Failure.NONSENSE, f"{what} sent something that is no answer, or a far too long one"
            ) from None

    def _explained(self, error: ProgramError, what: str) -> ProgramError:
        if self._watch is not None and (verdict := self._watch.verdict) is not None:
            return ProgramError(verdict.failure, f"{what} was stopped: {verdict}")
        if error.failure is Failure.TIMEOUT:
            return ProgramError(error.failure, f"{what} did not end in time")
        if error.failure is Failure.DIED:
            how = str(error).removeprefix("it died ")
            return ProgramError(error.failure, f"{what} ended the whole program {how}")
        return error

    def close(self) -> None:
        """End the process, and all that it has started."""
        self.alive = False
        if self._watch is not None:
            self._watch.stop()
        self._program.kill()

    def __enter__(self) -> Functions:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _lines(reports: Any) -> list[str]:
    """Reports of a process that may send anything."""
    lines = [str(report)[:_LONGEST_LINE] for report in reports] if type(reports) is list else []
    if len(lines) > _LINES:
        lines[_LINES:] = [f"and {len(lines) - _LINES} more"]
    return [line.encode(errors="replace").decode() for line in lines]


def _answer(function: Callable[..., Any], arguments: Any) -> dict[str, Any]:
    """What one of our functions says to those who may call it with anything."""
    with contextlib.suppress(Exception):
        return {"value": to_plain(function(*from_plain(arguments)))}
    return {"error": "this function cannot be called so; see the task"}
