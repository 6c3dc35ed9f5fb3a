"""Who has handed in what, and when: students of a class's folder, and the hand-ins of each.

    hand-ins/alice/ko.py                      one hand-in
    hand-ins/bob.zip                          one, as a zip file
    hand-ins/carol/1/ko.py, .../2.zip         several, numbered
    hand-ins/dan/2026-11-20T2310/ko.py        several, dated; the time of day may be left out

What has no date in its name was handed in when its newest file was written.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from dlgo.errors import DlgoError

_NUMBER = re.compile(r"\d{1,3}")
_DATE = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:[T_ -](\d\d)[:.h-]?(\d\d)(?:[:.m-]?(\d\d))?)?", re.ASCII
)


@dataclass(frozen=True)
class Submission:
    """One hand-in of a student.

    Attributes:
        path: a file, a folder or a zip file.
        name: its number or date; "" if the student has handed in once.
        moment: when, in local time.
    """

    path: Path
    name: str
    moment: datetime

    def is_late(self, due: datetime | None) -> bool:
        """Whether it came after `due` (local time)."""
        return due is not None and self.moment > due


def hand_ins(folder: Path, names: Collection[str]) -> dict[str, Path]:
    """The hand-ins in a folder, by student.

    A class's folder has a folder or a zip file for each student. A file, a zip file, or a folder
    that holds one of `names` or nothing but dated hand-ins, belongs to one student of that name.

    Raises:
        DlgoError: if there is none.
    """
    if not folder.exists():
        raise DlgoError(f"there is no folder {folder}; name one with hand-ins")
    if not folder.is_dir() or any(path.name in names for path in folder.iterdir()):
        return {folder.resolve().stem: folder}
    found = {_stem(path): path for path in _parts(folder)}
    if found and all(_moment_of(name) for name in found):
        return {folder.resolve().name: folder}
    if not found:
        raise DlgoError(
            f"{folder} holds no hand-ins: neither a file such as {min(names)}, nor a folder or a "
            "zip file for each student"
        )
    return found


def submissions(source: Path) -> list[Submission]:
    """The hand-ins of one student, the last one last."""
    parts = [] if not source.is_dir() else _parts(source)
    names = [_stem(path) for path in parts]
    others = source.is_dir() and len(parts) < sum(map(_shows, source.iterdir()))
    if not parts or others or not all(_NUMBER.fullmatch(n) or _moment_of(n) for n in names):
        return [Submission(source, "", _written(source))]
    found = [
        Submission(path, name, _moment_of(name) or _written(path))
        for name, path in zip(names, parts, strict=True)
    ]
    return sorted(found, key=lambda one: (
        _moment_of(one.name) or datetime.min, 0 if "-" in one.name else int(one.name), one.name
    ))


def parse_moment(text: str) -> datetime:
    """A date, with or without the time of day, in local time.

    Raises:
        DlgoError: if it is something else.
    """
    moment = _moment_of(text)
    if moment is None:
        raise DlgoError(f"{text!r} is not a date; write 2026-11-20 or 2026-11-20T23:59")
    return moment


def _parts(folder: Path) -> list[Path]:
    """Folders and zip files in a folder. Links may lead to another student's, or to yours."""
    return [
        path for path in sorted(folder.iterdir())
        if _shows(path) and not path.is_symlink() and (path.is_dir() or path.suffix == ".zip")
    ]


def _shows(path: Path) -> bool:
    return not path.name.startswith((".", "__"))


def _stem(path: Path) -> str:
    return path.stem if path.suffix == ".zip" else path.name


def _moment_of(name: str) -> datetime | None:
    match = _DATE.fullmatch(name)
    try:
        return datetime(*(int(part or 0) for part in match.groups())) if match else None
    except ValueError:  # the 31st of February
        return None


def _written(path: Path) -> datetime:
    """When the newest plain file was written; links are not followed."""
    paths = [path, *path.rglob("*")] if path.is_dir() and not path.is_symlink() else [path]
    files = [one for one in paths if one.is_file() and not one.is_symlink()] or [path]
    return datetime.fromtimestamp(max(one.lstat().st_mtime for one in files))
