"""Opening files in folders that others fill: a link or a pipe may stand in a file's place."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

# A link would lead away, and a pipe would wait for a writer.
_OPEN = os.O_RDONLY
for _flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):
    _OPEN |= getattr(os, _flag, 0)


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading. Raises OSError for a link, a pipe, and the like."""
    if not stat.S_ISREG(path.lstat().st_mode):
        raise OSError(f"{path} is not a regular file")
    file = os.fdopen(os.open(path, _OPEN), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):  # it may have changed meanwhile
        file.close()
        raise OSError(f"{path} is not a regular file")
    return file
