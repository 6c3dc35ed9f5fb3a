"""Exceptions in the code of a user, in one line."""

from __future__ import annotations

import os
import re
import sys

from numba.core.errors import NumbaError

from dlgo.plugins import FILE_PREFIX
from dlgo.text import describe_error


def fault_text(error: Exception) -> str:
    """An exception in a line; for the compiler's long messages, the cause and its line."""
    name, text = type(error).__name__, re.sub("\x1b\\[[0-9]*m", "", str(error))
    if not isinstance(error, NumbaError):
        return f"{name}: {' '.join(text.split())[:200]}"
    if name_error := re.search(r"NameError: [^\n]*", text):
        return name_error[0]
    lines = [line.strip(" ->") for line in text.splitlines()]
    cause = next((line for line in lines if not re.match("Failed in|Resolution fail|$", line)), "")
    if call := re.search(r"No implementation of function.*?>>> ([^\n]*)", text, re.S):
        cause = f"it cannot compile {call[1]}"
    if re.search("NRT required|Only accept returning", text):
        cause += ": a kernel makes no new arrays, lists or dictionaries"
    places = re.findall(r'(?:File "| at )([^"\n]+\.py)"?(?:, line | \()(\d+)', text)
    own = [f"{file}, line {line}" for file, line in places if "site-packages" not in file]
    return ", ".join([f"{name}: {cause}", *own[-1:]])


def own_fault(error: Exception) -> str:
    """Place and text of an exception that arose in a file of the user, or in compiling it; else "".
    """
    files = [module.__file__ or "" for name, module in sys.modules.items()
             if name.startswith(FILE_PREFIX)]
    for file in files:
        if (text := describe_error(error, file)).startswith(", line"):
            return f"{os.path.relpath(file)}{text}; `dlgo check` examines such a file"
    if files and isinstance(error, NumbaError):  # it may name the line of the caller alone
        names = ", ".join(map(os.path.relpath, files))
        return f"{names}: {fault_text(error)}; `dlgo check {names}` names the line"
    return ""
