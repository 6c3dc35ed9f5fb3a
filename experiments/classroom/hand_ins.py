"""Hand-ins of students as they come: whose they are, and when they came, by the names of files.

    hand-ins/alice/ko.py                      one hand-in
    hand-ins/bob.zip, bob.tar.gz              one, as an archive
    hand-ins/bob_ko.py                        one file of Bob's
    hand-ins/carol/1/ko.py, .../2.zip         several, numbered: 1, v1, submission_1
    hand-ins/dan/2026-11-20T2310/ko.py        several, dated; the time of day may be left out
    hand-ins/Eve Ng_123456_assignsubmission_file_/ko.py        as Moodle names them
    hand-ins/ngeve_LATE_4711_815_ko-1.py                       as Canvas names them

Notes name everything that is skipped or taken under another name.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import os
import re
import zipfile
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path, PurePath, PurePosixPath
from typing import NamedTuple

from dlgo.errors import DlgoError
from dlgo.text import one_line
from experiments.classroom.dates import moment_in

# Limits of one hand-in: folders within folders, files and entries of archives; how many hand-ins of
# a student are looked at.
DEPTH, ENTRIES, _HAND_INS = 4, 10_000, 100
_ARCHIVE = re.compile(r"(?i)(.+)\.(zip|tar|tgz|tar\.(?:gz|bz2|xz))")
_UNREADABLE = re.compile(r"(?i).+\.(rar|7z|gz|bz2|xz|docx?|pdf)")
_CODE = re.compile(r"(?i)(.+?)(?:\.(?:py|ipynb))*\.(py|ipynb)w?(?:\.(?:txt|json))?")
# What systems and people add to the name of a copy: `ko (1).py`, `ko-1.py`, `ko - Copy.py`,
# `Copy of ko.ipynb`.
_COPY = re.compile(r"(?i)(?:[ _-]*\((\d{1,3})\))+$|[ _-]+v?(\d{1,3})$|"
                   r"[ _-]+\(?(?:copy|kopie|copie|copia)\)?(?:[ _-]+(\d{1,3}))?$")
_COPY_OF = re.compile(r"(?i)^(?:(?:copy of|kopie von|copie de|copia de)[ _-]+)+")
_NOBODY = ("test", "tests", "helper", "helpers", "utils")
_NUMBER = re.compile(r"(?i)((?:v|version|submission|attempt|try|hand-?in|upload)[ _-]?)?(\d{1,3})")
_LAST_MOMENT = 253_370_764_800.0
_MOODLE = re.compile(r"(.+_\d+)_assignsubmission_(file|onlinetext)_?(.*)")
_CANVAS = re.compile(r"((?:anon[a-z]*_)?[^_]+)_(LATE_)?(\d+)_\d+_(.+)")


class Part(NamedTuple):
    """A file, a folder or an archive of a student."""

    path: Path
    name: str = ""  # what the student called a file that a system or a person has renamed
    late: bool = False  # Canvas says so


# What a student has handed in: a path is the only part.
Source = Path | Sequence[Part]


class Name(NamedTuple):
    """What the name of a file says."""

    exercise: str
    file: str  # of `Ko (1).py` "ko.py"
    addition: str  # of `bob_ko.py` "bob"
    copy: int  # of `ko (1).py` 1


def recognise(file: str, exercises: Collection[str]) -> Name | None:
    """The exercise after which a file is named, more or less: `Ko.py`, `ko (1).py`, `bob_ko.py`."""
    code = _CODE.fullmatch(file)
    if code is None:
        return None
    stem = _COPY_OF.sub("", code[1])
    number = int(stem != code[1])
    if copy := _COPY.search(stem):
        stem, number = stem[: copy.start()], int(copy[1] or copy[2] or copy[3] or 1)
    word = re.sub(r"\W", "_", stem).lower()
    for exercise in sorted(exercises, key=len, reverse=True):
        if word.endswith(f"_{exercise.lower()}"):
            addition = stem[: -len(exercise) - 1]
        elif word.startswith(f"{exercise.lower()}_"):
            addition = stem[len(exercise) + 1:]
        elif word.replace("_", "") == exercise.lower().replace("_", ""):
            addition = ""
        elif version := re.fullmatch(rf"{exercise.lower()}v?(\d{{1,3}})", word):
            addition, number = "", int(version[1])
        else:
            continue
        if addition.lower() not in _NOBODY:
            return Name(exercise, f"{exercise}.{code[2].lower()}", addition.strip(" _-."), number)
    return None


def is_archive(path: PurePath) -> bool:
    """Whether a file can be unpacked, by its name."""
    return _ARCHIVE.fullmatch(path.name) is not None


def is_unreadable(path: PurePath) -> bool:
    """Whether a file holds other files or text, by its name, but cannot be read."""
    return _UNREADABLE.fullmatch(path.name) is not None


def parts_of(source: Source) -> list[Part]:
    """The parts of a hand-in."""
    return [Part(source)] if isinstance(source, Path) else list(source)


def shows(path: Path) -> bool:
    """Whether a file or folder was made by people, by its name."""
    return not path.name.startswith((".", "__"))


def stem_of(path: Path) -> str:
    """The name of a folder, or of an archive without its ending."""
    archive = _ARCHIVE.fullmatch(path.name)
    return archive[1] if archive and not path.is_dir() else path.name


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
    folder: Path, exercises: Collection[str], single: bool = False
) -> tuple[dict[str, list[Part]], list[str]]:
    """The hand-ins in a folder, by student, and notes on files that are skipped or renamed.

    Args:
        exercises: their names, without `.py`.
        single: whether the folder belongs to one student; by default, its content decides.

    Raises DlgoError if there is no hand-in.
    """
    if not folder.exists():
        raise DlgoError(f"there is no folder {folder}; name a folder with hand-ins")
    if not folder.is_dir():
        _refuse_a_class(folder)
    entries = [] if not folder.is_dir() else [
        _entry(path, exercises) for path in sorted(folder.iterdir()) if shows(path)]
    notes = [entry.note for entry in entries if entry.note]
    unowned = [entry.part.path.name for entry in entries if entry.student == ""]
    owned = [entry for entry in entries if entry.student]
    # Folders such as v1, v2 or 2026-11-20 are hand-ins of one student, 1 and 2 maybe of two.
    dated = all(_is_dated(entry.student or "", single) for entry in owned)
    if single and not dated and not unowned and any(
            sum(entry.part.path.is_dir() and _holds(entry.part.path, [exercise])
                for entry in owned) > 1 for exercise in exercises):
        raise DlgoError(f"{folder} holds hand-ins of several students; name the folder of one")
    if not folder.is_dir() or single or (owned and dated) or (unowned and len({
            entry.student for entry in owned if _holds(entry.part.path, exercises)}) < 2):
        owned, unowned, notes = [_Entry(stem_of(folder.resolve()), Part(folder))], [], []
    if not owned:
        raise DlgoError(
            f"{folder} contains no hand-ins: put a folder or zip file for each student there, or a "
            f"file such as {min(exercises)}.py" + "".join(f"; {note}" for note in notes[:3])
        )
    notes += [f"{name} is not in any student's folder and was skipped; move it into one"
              for name in unowned]
    sources: dict[str, list[Part]] = {}
    for entry in owned:
        sources.setdefault(one_line(entry.student or ""), []).append(entry.part)
    for student, parts in sources.items():
        if len(parts) > 1 and not all(part.name for part in parts):
            files = ", ".join(part.path.name for part in parts)
            notes.append(f"{student} handed in several files ({files}); the newest file of each "
                         "exercise is graded")
    return sources, notes


class _Entry(NamedTuple):
    """A file or folder of a class's folder."""

    student: str | None  # whose it is; "": the folder's own student; None: it is skipped
    part: Part
    note: str = ""


def _entry(path: Path, exercises: Collection[str]) -> _Entry:
    part = Part(path)
    if path.is_symlink():
        return _Entry(None, part, f"{path.name} is a link; links are ignored")
    if moodle := _MOODLE.fullmatch(path.name):
        if moodle[2] == "onlinetext":
            return _Entry(None, part, f"{path.name} was typed into Moodle, not uploaded as a file; "
                          "it was not graded")
        return _Entry(moodle[1], Part(path, moodle[3]))
    if path.is_file() and (canvas := _CANVAS.fullmatch(path.name)):
        return _Entry(f"{canvas[1]}_{canvas[3]}", Part(path, canvas[4], bool(canvas[2])))
    if path.is_dir() or is_archive(path):
        return _Entry(stem_of(path), part)
    if name := recognise(path.name, exercises):
        if not name.addition:
            return _Entry("", part)
        return _Entry(name.addition, Part(path, name.file),
                      f"{path.name} is taken as {name.file} of {name.addition}")
    if is_unreadable(path) and path.is_file():
        return _Entry(None, part, f"{path.name} is not a zip or tar file, and is ignored")
    return _Entry(None, part, f"{path.name} is ignored: no hand-in has such a name")


def _is_dated(name: str, single: bool) -> bool:
    number = _NUMBER.fullmatch(name)
    return bool(moment_in(name) or (number and (single or number[1])))


def _holds(path: Path, exercises: Collection[str]) -> bool:
    """Whether a folder holds an archive or a file named after an exercise; True for a file."""
    if not path.is_dir():
        return True
    return any(recognise(file.name, exercises) or is_archive(file) for file in _files_in(path))


def _files_in(folder: Path) -> Iterator[Path]:
    """The files in a folder and in its folders: those that may be unpacked."""
    def paths() -> Iterator[Path]:
        for place, folders, names in os.walk(folder):
            yield from (Path(place, name) for name in names)
            if len(Path(place).relative_to(folder).parts) > DEPTH:
                folders.clear()

    return itertools.islice(paths(), ENTRIES)


def _refuse_a_class(path: Path) -> None:
    if path.suffix.lower() == ".zip":
        tops: set[str] = set()
        with contextlib.suppress(Exception), zipfile.ZipFile(path) as archive:
            tops = {PurePosixPath(name).parts[0] for name in archive.namelist() if name.strip("/.")}
        if sum(bool(_MOODLE.fullmatch(top) or _CANVAS.fullmatch(top)) for top in tops) > 1:
            raise DlgoError(f"{path} holds a class: unpack it, and name the folder")


def submissions(source: Source, zone: tzinfo | None = None) -> list[Submission]:
    """The last hundred hand-ins of one student, the last one last; times in `zone`, by default the
    machine's."""
    parts = parts_of(source)
    files = tuple(part for part in parts if part.path.is_file() and not is_archive(part.path))
    entries = [Submission(files, "", _written(files, zone))] if files else []
    containers = [part for part in parts if part not in files]
    for part in containers:
        entries += _numbered(part, zone)
    if len(containers) + bool(files) == 1:
        return entries[-_HAND_INS:]
    entries = [
        dataclasses.replace(entry, name=entry.name or entry.parts[0].path.name) for entry in entries
    ]
    return sorted(entries, key=lambda entry: entry.moment)[-_HAND_INS:]


def _numbered(part: Part, zone: tzinfo | None) -> list[Submission]:
    """The hand-ins in a student's folder, if nothing else is in it; else it is one hand-in."""
    inside = [] if not part.path.is_dir() else [
        path for path in sorted(part.path.iterdir()) if shows(path)]
    names = {stem_of(path): path for path in inside if not path.is_symlink()
             and (path.is_dir() or is_archive(path))}
    if not names or len(names) < len(inside) or not all(
            _NUMBER.fullmatch(name) or moment_in(name) for name in names):
        return [Submission((part,), "", _written([part], zone))]

    def order(name: str) -> tuple[datetime, int, str]:
        number = _NUMBER.fullmatch(name)
        return moment_in(name, zone) or datetime.min, int(number[2]) if number else 0, name

    return [Submission((Part(names[name]),), name,
                       moment_in(name, zone) or _written([Part(names[name])], zone))
            for name in sorted(names, key=order)]


def _written(parts: Sequence[Part], zone: tzinfo | None) -> datetime:
    """When the newest plain file was written; links are not followed."""
    times = []
    for part in parts:
        inside = part.path.is_dir() and not part.path.is_symlink()
        paths = _files_in(part.path) if inside else [part.path]
        files = [file for file in paths if file.is_file() and not file.is_symlink()] or [part.path]
        times += [file.lstat().st_mtime for file in files]
    moment = min(max(*times, 0.0), _LAST_MOMENT)
    return datetime.fromtimestamp(moment, zone).replace(tzinfo=None)
