"""Folders for files of one process, in the system's folder for temporary files. No other user can
read them, and what killed processes have left is removed."""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil


def own_folder(prefix: str) -> Path:
    """A new folder, whose name is `prefix`, the number of this process and a word."""
    _remove_left_behind(prefix, tempfile.gettempdir())
    return Path(tempfile.mkdtemp(prefix=f"{prefix}{os.getpid()}-"))  # mode 0700


@contextlib.contextmanager
def private_folder(prefix: str) -> Iterator[Path]:
    """An `own_folder` for a block."""
    folder = own_folder(prefix)
    try:
        yield folder
    finally:
        _remove(folder)


def _remove(folder: Path) -> None:
    """Remove a folder as far as possible: foreign code may have made a thousand folders in it, one
    in another."""
    with contextlib.suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)


@functools.cache
def _remove_left_behind(prefix: str, parent: str) -> None:
    """Remove the folders of processes that have ended, once."""
    for folder in Path(parent).glob(f"{prefix}*"):
        number = folder.name.removeprefix(prefix).partition("-")[0]
        if number.isdecimal() and not psutil.pid_exists(int(number)):
            _remove(folder)
