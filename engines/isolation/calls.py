"""Functions of a file in a process of its own, called from here with plain values.

    with Functions(Path("hand_in.py"), sandbox) as functions:
        functions.call("liberties", board, point)

Only values come back, never objects with code in them, so the file cannot deceive comparisons here
by changes to its own process. A function among the arguments stays here: the file may call it, and
we see with what.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from dlgo.errors import DlgoError
from dlgo.records.failures import Failure
from dlgo.text import excerpt
from engines.isolation.channel import Host, nonsense
from engines.isolation.plain import fingerprints, from_plain, to_plain
from engines.programs import sealed
from engines.programs.program import ProgramEnded, ProgramError
from engines.programs.sandbox import Sandbox

# Lines of reports, and characters of one.
_LINES, _LONGEST_LINE = 10, 300
# Bytes of one answer, and of all answers of a process: a check may keep what it is given, and
# values take up to 25 times as much memory as their text.
_LONGEST, _ALL_BYTES = 1 << 18, 8 << 20


class CallError(DlgoError):
    """A function raised an exception (of the class `kind`), or is not there (`kind` is "missing");
    its process lives on. `place` is `line 3` of the file, `cell 2, line 3` of a notebook, or ""."""

    def __init__(self, text: str, kind: str, place: str) -> None:
        super().__init__(text)
        self.kind, self.place = kind, place


class Functions:
    """The functions of a file.

    Args:
        timeout: wall seconds to load the file.
        left_out: cells of notebooks that are not run.

    Raises CallError if loading it raises, ProgramError if it hangs, dies, or uses too much,
    SandboxError if there is no working sandbox here.
    """

    def __init__(
        self, path: Path, sandbox: Sandbox, timeout: float = 10.0, left_out: Sequence[str] = (),
    ) -> None:
        installed = [str(folder.parent) for folder in sealed.numpy_folders()[:1]]
        script = (sealed.START, str(path.resolve()), *installed)
        self._host = Host(None, sandbox, script, _LONGEST)
        self._changers: set[str] = set()  # functions that have changed an argument
        try:
            answer = self._ask(f"loading {path.name}", timeout, [], "load", list(left_out))
        except BaseException:
            self.close()
            raise
        # Cells of notebooks that failed or were not run; the process may send anything.
        reports = answer["value"]
        lines = list(map(_text, reports)) if type(reports) is list else []
        if len(lines) > _LINES:
            lines[_LINES:] = [f"and {len(lines) - _LINES} more"]
        self.reports = lines

    @property
    def alive(self) -> bool:
        """Whether functions can be called."""
        return not self._host.ended

    def call(self, name: str, *arguments: Any, timeout: float = 10.0) -> Any:
        """The result of a function. Raises CallError if it raises an exception, is not there, or
        changes an argument for the first time; ProgramError if it hangs, dies, uses too much, or
        answers nonsense: then the process is gone."""
        functions: list[Callable[..., Any]] = []
        plain = to_plain(list(arguments), functions)
        before = fingerprints(from_plain(plain, functions.__getitem__))
        answer = self._ask(f"{name}()", timeout, functions, "call", name, plain)
        check_unchanged(name, before, answer, self._changers)
        return answer["value"]

    def _ask(
        self, action: str, timeout: float, functions: list[Callable[..., Any]], *request: Any
    ) -> dict[str, Any]:
        cell = ""

        def on_event(event: dict[str, Any]) -> dict[str, Any] | None:
            nonlocal cell
            if "cell" in event:
                cell = _text(event["cell"])
                return None
            with contextlib.suppress(Exception):
                value = functions[event["ask"]](*from_plain(event["arguments"]))
                return {"value": to_plain(value)}
            return {"error": "this function cannot be called so; see the task"}

        try:
            answer = self._host.ask(*request, timeout=timeout, on_event=on_event)
            if self._host.answered > _ALL_BYTES:
                raise nonsense()
            if "error" not in answer:
                try:
                    return answer | {"value": from_plain(answer["value"])}
                except Exception:  # whatever the process has sent, it is no value
                    raise nonsense() from None
        except ProgramError as error:
            self.close()
            raise ProgramError(error.failure, f"{action} {_explained(error)}", cell) from None
        kind, place = _text(answer.get("kind", "")), _text(answer.get("place", ""))[:40]
        raise CallError(_text(answer["error"]), kind, place)

    def close(self) -> None:
        """End the process, and all that it has started."""
        self._host.kill()

    def __enter__(self) -> Functions:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def check_unchanged(
    name: str, before: list[int], answer: dict[str, Any], changers: set[str]
) -> None:
    """Raise CallError, of the kind "ArgumentChanged", the first time that a function changes an
    argument; `changers` are the names of such functions, so that one bug is one failure.

    `before` are the fingerprints of the arguments before the call, `answer` is what `answer_of`
    returns. That comes from the function's process, in which other code can forge it; but copying
    the arguments at first, which is right, is easier.
    """
    after, names = answer.get("arguments"), answer.get("names")
    if after == before or name in changers:
        return
    changers.add(name)
    number = 0
    if type(after) is list and len(after) == len(before):
        number = next(n for n, mark in enumerate(before) if after[n] != mark)
    which = _text(names[number]) if type(names) is list and len(names) > number else ""
    which = repr(which) if which else f"number {number + 1}"
    text = f"{name}() changed its argument {which}; work on a copy."
    raise CallError(text, "ArgumentChanged", "")


def _text(value: Any) -> str:
    """The beginning of what may be a text, as people and terminals can read it."""
    return excerpt(value, _LONGEST_LINE) if type(value) is str else ""


def _explained(error: ProgramError) -> str:
    if isinstance(error, ProgramEnded):
        return f"ended the whole program ({error.ending})" if error.ending else "closed its output"
    return {
        Failure.TIMEOUT: "did not end in time",
        Failure.NONSENSE: "sent something that is no answer, or a far too long one",
    }.get(error.failure, f"was stopped: {error.text}")
