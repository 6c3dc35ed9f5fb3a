"""Writing a report's files so that none is ever seen half written.

A file gets its bytes under another name in the same folder and is then renamed, which file
systems do in one step.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from dlgo.errors import DlgoError


def make_folder(folder: Path) -> None:
    """Create `folder` if need be. Raises DlgoError if that fails."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _cannot_write(folder, error) from error


def write_bytes(path: Path, content: bytes) -> Path:
    """Put `content` into `path` in one step and return `path`.

    Raises:
        DlgoError: if the folder cannot be written to; the old file is then untouched.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        try:
            temporary.write_bytes(content)
            temporary.replace(path)
        finally:
            with suppress(OSError):
                temporary.unlink()
    except OSError as error:
        raise _cannot_write(path, error) from error
    return path


def file_slug(game: str) -> str:
    """A game specification as part of a file name: `go:size=9,komi=7` is `go-size9-komi7`.

    Whatever else a ledger may call a game, the result is neither a path nor a hidden file.
    """
    slug = game.replace(":", "-").replace("=", "").replace(",", "-")
    return re.sub(r"[^A-Za-z0-9._-]", "_", slug).lstrip(".")


def _cannot_write(path: Path, error: OSError) -> DlgoError:
    return DlgoError(
        f"cannot write {path}: {error.strerror or error}; name another folder for the report"
    )
