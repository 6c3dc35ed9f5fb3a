"""Exceptions in the code of users, in words: what is wrong, and in which line of their file."""

from __future__ import annotations

import linecache
import re
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from dlgo.text import excerpt, message_of


class Description(NamedTuple):
    """An exception in words; `str` of it is `ZeroDivisionError: division by zero`."""

    kind: str  # the name of its class; what Numba found instead of the class of Numba's exception
    text: str  # its message in one line; "" without one
    file: str = ""  # the file of the user where it arose, "" if unknown
    line: int = 0

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}" if self.text else self.kind

    @property
    def where(self) -> str:
        """`, line 3`; "" if the line is unknown."""
        return f", line {self.line}" if self.line else ""


def describe(error: BaseException, is_own: Callable[[str], bool]) -> Description:
    """The message of an exception, and the innermost line that raised it in files of the user.

    Args:
        is_own: whether the file of a name (as tracebacks show it) is the user's.
    """
    kind, text = type(error).__name__, message_of(error)
    places = [(frame.filename, frame.lineno or 0)
              for frame in traceback.extract_tb(error.__traceback__) if is_own(frame.filename)]
    if isinstance(error, SyntaxError) and is_own(error.filename or ""):
        places, text = [(error.filename or "", error.lineno or 0)], error.msg
    elif type(error).__module__.startswith("numba."):
        kind, text, compiled = _of_the_compiler(kind, re.sub("\x1b\\[[0-9]*m", "", text), is_own)
        places += compiled
    return Description(kind, excerpt(text), *places[-1] if places else ())


def describe_error(error: BaseException, path: Path | str | None) -> str:
    """`, line 3: NameError: ...`: where in a file, or in what it calls, an exception arose."""
    description = describe(error, lambda file: path is not None and file == str(path))
    return f"{description.where}: {description}"


def _of_the_compiler(
    kind: str, text: str, is_own: Callable[[str], bool]
) -> tuple[str, str, list[tuple[str, int]]]:
    """The kind and the cause in a message of Numba, which has a part for each function on the way
    there; and the innermost line that is in a user's file, if any."""
    places = [(match.start(), str(Path(match[1]).absolute()), int(match[2])) for match in
              re.finditer(r'(?:File "| at )(.+\.py)"?(?:, line | \()(\d+)', text)]
    places = [place for place in places if is_own(place[1])]
    parts = re.split(r"Failed in nopython .*\n", text[: places[0][0]] if places else text)
    part = parts[-1 if places else min(1, len(parts) - 1)]
    lines = [line.strip(" ->") for line in part.splitlines()]
    cause = next((line for line in lines if line and not line.startswith("Resolution fail")), "")
    if call := re.search(r"No implementation of function.*?>>> ([^\n]*)", part, re.S):
        cause = f"it cannot compile {call[1]}"
    if re.search("NRT required|Only accept returning", text):
        cause += ": a kernel makes no new arrays, lists or dictionaries"
    if not (name := re.search(r"NameError: (name '(\w+)' [^\n]*)", text)):
        return kind, cause, [place[1:] for place in places[:1]]
    files = {getattr(module, "__file__", None) or "" for module in list(sys.modules.values())}
    uses = [(file, number) for file in filter(is_own, files)
            for number, line in enumerate(linecache.getlines(file), 1)
            if re.search(rf"\b{name[2]}\b", line)]
    # The message has no place of the name.
    return "NameError", name[1], uses if len(uses) == 1 else []
