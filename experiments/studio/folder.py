"""The folder that pages may read and write, if the server was started with one (`--folder`).

A name is that of a file in the folder itself: no path, and no link that leads out of it.
"""

from __future__ import annotations

import os
from pathlib import Path

from dlgo import DlgoError
from dlgo.files import write_file
from dlgo.text import one_line
from experiments.studio.errors import NotFound, Refused, StudioError

# Files that are listed.
_MOST_FILES = 500
_LONGEST_NAME = 100


class Folder:
    """A folder, or none.

    Args:
        path: None: nothing can be read or written.

    Raises:
        DlgoError: if there is no such folder.
    """

    def __init__(self, path: Path | None = None) -> None:
        if path is not None and not path.is_dir():
            raise DlgoError(f"--folder {path}: there is no such folder; create it first")
        self._path = None if path is None else path.resolve()

    @property
    def given(self) -> bool:
        """Whether there is one."""
        return self._path is not None

    def names(self, endings: tuple[str, ...]) -> list[str]:
        """The files with one of these endings, in order."""
        if self._path is None:
            return []
        with os.scandir(self._path) as entries:
            names = [
                entry.name for entry in entries
                if entry.name.lower().endswith(endings) and not entry.name.startswith(".")
                and entry.is_file()
            ]
        return sorted(names)[:_MOST_FILES]

    def find(self, name: str) -> Path:
        """The file of that name.

        Raises:
            Refused: if it would be outside the folder.
            NotFound: if there is none.
        """
        path = self._inside(name)
        if not path.is_file():
            raise NotFound(one_line(f"there is no file {name!r} in the server's folder"))
        return path

    def save(self, name: str, data: bytes) -> None:
        """Write a new file. Raises StudioError if there is one of that name."""
        path = self._inside(name)
        if os.path.lexists(path):
            raise StudioError(one_line(f"{name!r} exists; choose another name"))
        write_file(path, data)

    def _inside(self, name: str) -> Path:
        if self._path is None:
            raise Refused("the server has no folder for files; start it with --folder DIR")
        plain = name == Path(name).name and name.isprintable() and not name.startswith(".")
        if not plain or not name or len(name) > _LONGEST_NAME or "\\" in name or ":" in name:
            raise Refused(one_line(f"{name[:_LONGEST_NAME]!r} is not the name of a file here"))
        path = self._path / name
        if path.resolve().parent != self._path:
            raise Refused(one_line(f"{name!r} leads out of the folder"))
        return path
