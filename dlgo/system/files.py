"""Files whose place anything may have taken."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

# A link or a pipe may take the place of a file, which would lead away or wait for a writer.
_OPEN = os.O_RDONLY
for _flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):
    _OPEN |= getattr(os, _flag, 0)


def open_regular(path: Path) -> BinaryIO:
    """Open a file for reading. Raises OSError for a link, and what is no file."""
    if not stat.S_ISREG(path.lstat().st_mode):
        raise OSError(f"{path} is no file")
    file = os.fdopen(os.open(path, _OPEN), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):  # it may have changed meanwhile
        file.close()
        raise OSError(f"{path} is no file")
    return file
