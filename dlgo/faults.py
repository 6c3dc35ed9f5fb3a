"""Exceptions in the games and engines that a user's files define, in one line."""

from __future__ import annotations

import sys

from dlgo.files import relative_path
from dlgo.plugins import FILE_PREFIX
from dlgo.tracebacks import Description, describe


def is_user_file(name: str) -> bool:
    """Whether a file is that of a game or engine of the user which has been loaded."""
    return name in _files()


def describe_fault(error: BaseException) -> Description:
    """The message of an exception, and the line of the user's files that raised it, if any."""
    return describe(error, is_user_file)


def fault_text(error: BaseException) -> str:
    """An exception in a line: `rows.py, line 5: NameError: ...` if it arose in a user's file."""
    fault = describe_fault(error)
    return f"{relative_path(fault.file)}{fault.where}: {fault}" if fault.file else str(fault)


def unforeseen(error: Exception) -> tuple[str, bool]:
    """An exception that nobody has foreseen, in words; and whether a user's file caused it."""
    text, files = fault_text(error), " and ".join(map(relative_path, _files()))
    if describe_fault(error).file:
        return f"{text}; `dlgo check` examines such a file", True
    if files and type(error).__module__.startswith("numba"):  # it may name the caller alone
        return f"{files}: {text}; `dlgo check FILE` names the line", True
    return f"internal error: {text}{suspicion()}", False


def suspicion() -> str:
    """That the user's files may be the cause, as the end of a line; "" if none is loaded."""
    names = " and ".join(map(relative_path, _files()))
    return f"; a mistake in {names} may be the cause: run `dlgo check FILE`" if names else ""


def _files() -> list[str]:
    """The files of the user that have been loaded."""
    return [module.__file__ or "" for name, module in list(sys.modules.items())
            if name.startswith(FILE_PREFIX)]
