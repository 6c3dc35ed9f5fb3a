"""Hand-ins of students as they come: whose they are, and when they came.

    hand-ins/alice/ko.py                      one hand-in
    hand-ins/bob.zip, bob.tar.gz              one, as an archive
    hand-ins/bob_ko.py                        one file of Bob's
    hand-ins/carol/1/ko.py, .../2.zip         several, numbered: 1, v1, submission_1
    hand-ins/dan/2026-11-20T2310/ko.py        several, dated; the time of day may be left out
    hand-ins/Eve Ng_123456_assignsubmission_file_/ko.py        as Moodle names them
    hand-ins/ngeve_LATE_4711_815_ko-1.py                       as Canvas names them

Notes name everything that is skipped or taken under another name. `collecting.py` copies the files.
"""

from __future__ import annotations

import contextlib
import dataclasses
import re
import zipfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path, PurePosixPath
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from dlgo.errors import DlgoError
from dlgo.text import one_line
from experiments.classroom.collecting import (
    Part,
    Source,
    is_archive,
    is_unreadable,
    parts_of,
    recognise,
    shows,
    stem_of,
)

_NUMBER = re.compile(r"(?i)((?:v|version|submission|attempt|try|hand-?in|upload)[ _-]?)?(\d{1,3})")
_LAST_MOMENT = 253_370_764_800.0
_MOODLE = re.compile(r"(.+_\d+)_assignsubmission_(file|onlinetext)_?(.*)")
_CANVAS = re.compile(r"((?:anon[a-z]*_)?[^_]+)_(LATE_)?(\d+)_\d+_(.+)")


@dataclass(frozen=True)
class Submission:
    """One hand-in of a student."""

    parts: tuple[Part, ...]
    name: str  # its number, date or file; "" if the student has handed in once
    moment: datetime  # its date, or when its newest file was written, in the class's time zone

    def is_late(self, due: datetime | None) -> bool:
        """Whether it came after `due` (in the class's time zone), or Canvas says so."""
        return (due is not None and self.moment > due) or any(part.late for part in self.parts)


def hand_ins(
    folder: Path, names: Collection[str], alone: bool = False
) -> tuple[dict[str, list[Part]], list[str]]:
    """The hand-ins in a folder, by student, and notes on what is none.

    Args:
        names: the exercises, without `.py`.
        alone: whether the folder belongs to one student; by default, its content decides.

    Raises DlgoError if there is no hand-in.
    """
    if not folder.exists():
        raise DlgoError(f"there is no folder {folder}; name a folder with hand-ins")
    if not folder.is_dir():
        _refuse_a_class(folder)
        return {one_line(stem_of(folder.resolve())): [Part(folder)]}, []
    itself = {one_line(folder.resolve().name): [Part(folder)]}, []
    found: dict[str, list[Part]] = {}
    own, notes, dated = [], [], True
    for path in sorted(folder.iterdir()):
        if not shows(path):
            continue
        student, part, note = _owner(path, names)
        student = one_line(student)  # names may hold anything, also what no text can hold
        if note:
            notes.append(one_line(note))
        if part is None:
            continue
        if student:
            found.setdefault(student, []).append(part)
            number = _NUMBER.fullmatch(student)
            dated = dated and bool(_moment_of(student) or (number and number[1]))
        else:
            own.append(path.name)
    if alone and not dated and not own and any(
            sum(part.path.is_dir() and _holds(part.path, [name])
                for parts in found.values() for part in parts) > 1 for name in names):
        raise DlgoError(f"{folder} holds hand-ins of several students; name the folder of one")
    if alone or (found and dated) or (own and sum(
            _holds(part.path, names) for [part, *_] in found.values()) < 2):
        return itself
    if not found:
        raise DlgoError(
            f"{folder} contains no hand-ins: put a folder or zip file for each student there, "
            f"or a file such as {min(names)}.py" + "".join(f"; {note}" for note in notes[:3])
        )
    notes += [f"{name} lies beside the students' folders and is nobody's: put it into one"
              for name in own]
    for student, parts in found.items():
        if len(parts) > 1 and not all(part.name for part in parts):
            shown = ", ".join(part.path.name for part in parts)
            notes.append(f"{student} has {shown}: of each exercise, the newest file counts")
    return found, list(map(one_line, notes))


def _owner(path: Path, names: Collection[str]) -> tuple[str, Part | None, str]:
    """The student to whom something in a class's folder belongs ("": whose the folder is), it as
    a part of their hand-in (None: it is none), and a note."""
    if path.is_symlink():
        return "", None, f"{path.name} is a link; links are ignored"
    if moodle := _MOODLE.fullmatch(path.name):
        if moodle[2] == "onlinetext":
            return "", None, f"{path.name} is online text, which is not graded"
        return moodle[1], Part(path, moodle[3]), ""
    if path.is_file() and (canvas := _CANVAS.fullmatch(path.name)):
        return f"{canvas[1]}_{canvas[3]}", Part(path, canvas[4], bool(canvas[2])), ""
    if path.is_dir() or is_archive(path):
        return stem_of(path), Part(path), ""
    if known := recognise(path.name, names):
        name = f"{known.exercise}{known.ending}"
        if not known.rest:
            return "", Part(path), ""
        return known.rest, Part(path, name), f"{path.name} is taken as {name} of {known.rest}"
    if is_unreadable(path) and path.is_file():
        return "", None, f"{path.name} is not a zip or tar file, and is ignored"
    return "", None, f"{path.name} is ignored: no hand-in has such a name"


def _holds(path: Path, names: Collection[str]) -> bool:
    """Whether a file named after an exercise lies in a folder; archives are believed."""
    if not path.is_dir():
        return True
    return any(recognise(one.name, names) or is_archive(one)
               for one in path.rglob("*"))


def _refuse_a_class(path: Path) -> None:
    if path.suffix.lower() == ".zip":
        tops: set[str] = set()
        with contextlib.suppress(Exception), zipfile.ZipFile(path) as archive:
            tops = {PurePosixPath(name).parts[0] for name in archive.namelist() if name.strip("/.")}
        if sum(bool(_MOODLE.fullmatch(top) or _CANVAS.fullmatch(top)) for top in tops) > 1:
            raise DlgoError(f"{path} holds a class: unpack it, and name the folder")


def submissions(source: Source, zone: tzinfo | None = None) -> list[Submission]:
    """The hand-ins of one student, the last one last; times in `zone`, by default the machine's."""
    parts = parts_of(source)
    files = tuple(part for part in parts if part.path.is_file() and not is_archive(part.path))
    found = [Submission(files, "", _written(files, zone))] if files else []
    others = [part for part in parts if part not in files]
    for part in others:
        found += _numbered(part, zone)
    if len(others) + bool(files) == 1:
        return found
    found = [dataclasses.replace(one, name=one.name or one.parts[0].path.name) for one in found]
    return sorted(found, key=lambda one: one.moment)


def _numbered(part: Part, zone: tzinfo | None) -> list[Submission]:
    """The hand-ins in a student's folder, if nothing else is in it; else it is one hand-in."""
    inside = [] if not part.path.is_dir() else [
        path for path in sorted(part.path.iterdir()) if shows(path)]
    names = {stem_of(path): path for path in inside if not path.is_symlink()
             and (path.is_dir() or is_archive(path))}
    if not names or len(names) < len(inside) or not all(
            _NUMBER.fullmatch(name) or _moment_of(name) for name in names):
        return [Submission((part,), "", _written([part], zone))]

    def order(name: str) -> tuple[datetime, int, str]:
        number = _NUMBER.fullmatch(name)
        return _moment_of(name, zone) or datetime.min, int(number[2]) if number else 0, name

    return [Submission((Part(names[name]),), name,
                       _moment_of(name, zone) or _written([Part(names[name])], zone))
            for name in sorted(names, key=order)]


def parse_moment(text: str, zone: tzinfo | None = None) -> datetime:
    """A date in a time zone, by default the machine's; without the time of day, its end. Raises
    DlgoError for other text."""
    moment = _moment_of(text, zone)
    if moment is None:
        raise DlgoError(f"{text!r} is not a date; write 2026-11-20 or 2026-11-20T23:59")
    return moment.replace(hour=23, minute=59, second=59) if len(text) == 10 else moment


def time_zone(name: str | None) -> tzinfo | None:
    """A time zone by its name; None for the machine's. Raises DlgoError if there is none."""
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise DlgoError(f"there is no time zone {name!r}; write a name such as Europe/Berlin"
                        ) from None


def moment_text(moment: datetime, zone: tzinfo | None) -> str:
    """A moment with the name of its time zone."""
    name = str(zone) if zone else moment.astimezone().tzname()
    return f"{moment:%Y-%m-%d %H:%M:%S} {name}"


def _moment_of(name: str, zone: tzinfo | None = None) -> datetime | None:
    try:
        moment = datetime.fromisoformat(name) if name[4:5] == "-" else None
        return moment.astimezone(zone).replace(tzinfo=None) if moment and moment.tzinfo else moment
    except (ValueError, OverflowError):  # the 31st of February
        return None


def _written(parts: Sequence[Part], zone: tzinfo | None) -> datetime:
    """When the newest plain file was written; links are not followed."""
    times = []
    for part in parts:
        inside = part.path.is_dir() and not part.path.is_symlink()
        paths = [part.path, *part.path.rglob("*")] if inside else [part.path]
        files = [one for one in paths if one.is_file() and not one.is_symlink()] or [part.path]
        times += [one.lstat().st_mtime for one in files]
    moment = min(max(*times, 0.0), _LAST_MOMENT)
    return datetime.fromtimestamp(moment, zone).replace(tzinfo=None)
