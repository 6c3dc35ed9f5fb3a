"""The API key: from a file or a variable, never from the command line, which all users can see."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from dlgo.errors import DlgoError

_LONGEST = 1000
_OTHERS = 0o077


def read_key(file: Path | None, variable: str, note: Callable[[str], None]) -> str:
    """The key of a bot.

    Args:
        file: where it is; None: in the variable.
        variable: of the environment. It is removed, so that no engine's process inherits it.
        note: prints a line, if other users of this machine can read the file.

    Raises:
        DlgoError: if there is none, or something that cannot be one. The message does not show it.
    """
    typed = os.environ.pop(variable, "")
    where = f"variable {variable}"
    if file is not None:
        where = f"key file {file}"
        try:
            with file.open("rb") as opened:
                if os.fstat(opened.fileno()).st_mode & _OTHERS and os.name == "posix":
                    note(f"note: other users can read {where}: chmod 600 {file}")
                typed = opened.read(_LONGEST + 1).decode("utf-8", "replace")
        except OSError as error:
            raise DlgoError(f"{where} cannot be read: {error.strerror}") from None
    key = typed.strip()
    if not key:
        raise DlgoError(
            f"there is no API key: {where} is empty; make a key on the bot's profile page and "
            f"give its file by --key-file, or set {variable}"
        )
    if len(key) > _LONGEST or not key.isascii() or not key.isprintable() or " " in key:
        raise DlgoError(f"{where} does not hold an API key: one word is expected")
    return key
