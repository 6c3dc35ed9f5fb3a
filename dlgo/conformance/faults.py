"""Exceptions in the code of a user, in one line."""

from __future__ import annotations

import sys

from dlgo.files import relative_path
from dlgo.plugins import FILE_PREFIX
from dlgo.text import describe_error


def fault_text(error: Exception) -> str:
    """An exception in a line: `rows.py, line 5: NameError: ...` if it arose in a user's file."""
    for file in _files():
        if (text := describe_error(error, file)).startswith(", line"):
            return f"{relative_path(file)}{text}"
    return describe_error(error, None).removeprefix(": ")


def unforeseen(error: Exception) -> tuple[str, bool]:
    """An exception that nobody has foreseen, in words; and whether a user's file caused it."""
    text, files = fault_text(error), [relative_path(file) for file in _files()]
    if text.startswith(tuple(f"{file}, line" for file in files)):
        return f"{text}; `dlgo check` examines such a file", True
    if files and type(error).__module__.startswith("numba"):  # it may name the caller alone
        return f"{' and '.join(files)}: {text}; `dlgo check FILE` names the line", True
    return f"internal error: {text}{suspicion()}", False


def suspicion() -> str:
    """That the user's files may be the cause, as the end of a line; "" if none is loaded."""
    names = " and ".join(map(relative_path, _files()))
    return f"; a mistake in {names} may be the cause: run `dlgo check FILE`" if names else ""


def _files() -> list[str]:
    """The files of the user that have been loaded."""
    return [module.__file__ or "" for name, module in sys.modules.items()
            if name.startswith(FILE_PREFIX)]
