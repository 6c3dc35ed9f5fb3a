"""Hand-ins of students, with their times, and safe copies of their files.

    hand-ins/alice/ko.py                      one hand-in
    hand-ins/bob.zip                          one, as a zip file
    hand-ins/carol/1/ko.py, .../2.zip         several, numbered
    hand-ins/dan/2026-11-20T2310/ko.py        several, dated; the time of day may be left out

A hand-in may hold links to other people's files, names that lead out of it, or a gigabyte of zeros
in a kilobyte. A note with the grade names everything that is skipped. A notebook becomes a Python
file that runs its code cells one by one.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import zipfile
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath

from dlgo.errors import DlgoError

# Limits of one hand-in: files, bytes of one file (a notebook may hold pictures) and of all, folders
# within folders, notes.
_FILES, _FILE_BYTES, _ALL_BYTES, _DEPTH, _NOTES = 100, 8 << 20, 32 << 20, 4, 10
_NUMBER = re.compile(r"\d{1,3}")


@dataclass(frozen=True)
class Submission:
    """One hand-in of a student."""

    path: Path  # a file, a folder or a zip file
    name: str  # its number or date; "" if the student has handed in once
    moment: datetime  # local time: its date, or when its newest file was written

    def is_late(self, due: datetime | None) -> bool:
        """Whether it came after `due` (local time)."""
        return due is not None and self.moment > due


def hand_ins(folder: Path, names: Collection[str]) -> dict[str, Path]:
    """The hand-ins in a folder, by student. Raises DlgoError if there is none.

    A class's folder has a folder or a zip file for each student. A file, a zip file, or a folder
    that holds one of `names` or nothing but dated hand-ins, belongs to one student of that name.
    """
    if not folder.exists():
        raise DlgoError(f"there is no folder {folder}; name a folder with hand-ins")
    if not folder.is_dir() or any(path.name in names for path in folder.iterdir()):
        return {folder.resolve().stem: folder}
    found = {_stem(path): path for path in _parts(folder)}
    if not found:
        raise DlgoError(
            f"{folder} contains no hand-ins: put a folder or zip file for each student there, "
            f"or a file such as {min(names)}"
        )
    return {folder.resolve().name: folder} if all(map(_moment_of, found)) else found


def submissions(source: Path) -> list[Submission]:
    """The hand-ins of one student, the last one last."""
    parts = {_stem(path): path for path in _parts(source)} if source.is_dir() else {}
    shown = sum(map(_shows, source.iterdir())) if parts else 0
    if not parts or len(parts) < shown or not all(
            _NUMBER.fullmatch(name) or _moment_of(name) for name in parts):
        return [Submission(source, "", _written(source))]
    order = sorted(parts, key=lambda name: (
        _moment_of(name) or datetime.min, int(name) if _NUMBER.fullmatch(name) else 0, name
    ))
    return [Submission(parts[name], name, _moment_of(name) or _written(parts[name]))
            for name in order]


def parse_moment(text: str) -> datetime:
    """A date, with or without the time of day, in local time. Raises DlgoError for other text."""
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
    try:
        return datetime.fromisoformat(name) if name[4:5] == "-" else None
    except ValueError:  # the 31st of February
        return None


def _written(path: Path) -> datetime:
    """When the newest plain file was written; links are not followed."""
    paths = [path, *path.rglob("*")] if path.is_dir() and not path.is_symlink() else [path]
    files = [one for one in paths if one.is_file() and not one.is_symlink()] or [path]
    return datetime.fromtimestamp(max(one.lstat().st_mtime for one in files))


@dataclass
class Collected:
    """A safe copy of a hand-in."""

    folder: Path  # the folder of the copies, readable by all users
    files: list[Path] = field(default_factory=list)  # their paths in it, shallow ones first
    notes: list[str] = field(default_factory=list)  # what was left out, and why

    def named(self, name: str) -> Path | None:
        """The Python file (or notebook) of that name, wherever it is."""
        return next((path for path in self.files if path.name == f"{name}.py"), None)

    def digest(self) -> str:
        """A digest of names and contents."""
        content = hashlib.sha256()
        for path in self.files:
            data = path.read_bytes()
            content.update(f"{path.relative_to(self.folder)}\0{len(data)}\0".encode())
            content.update(data)
        return content.hexdigest()


def collect(source: Path, folder: Path) -> Collected:
    """Copy a hand-in (a file, a folder or a zip file) into an empty folder of ours."""
    folder.chmod(0o755)
    collected, total = Collected(folder), 0
    read = _of_zip if source.suffix == ".zip" else _of_folder
    for name, content in read(source, collected):
        total += len(content)
        if len(collected.files) == _FILES or total > _ALL_BYTES:
            collected.notes.append(
                f"only the first {_FILES} files and {_ALL_BYTES >> 20} MB count"
            )
            break
        if name.suffix == ".ipynb":
            name, content = name.with_suffix(".py"), _code_of(content, name, collected)
        target = folder.joinpath(*name.parts)
        if target in collected.files:
            collected.notes.append(f"{name} occurs twice; the first one counts")
            continue
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            target.chmod(0o644)
        except (OSError, ValueError):
            collected.notes.append(f"{str(name)[:40]!r} is not a valid file name")
            continue
        collected.files.append(target)
    for path in folder.rglob("*"):
        if path.is_dir():
            path.chmod(0o755)
    collected.files.sort(key=lambda path: (len(path.parts), path))
    if len(collected.notes) > _NOTES:
        collected.notes[_NOTES:] = [f"and {len(collected.notes) - _NOTES} more"]
    return collected


def _of_folder(source: Path, collected: Collected) -> Iterator[tuple[PurePosixPath, bytes]]:
    alone = source.is_file() and not source.is_symlink()
    waiting = [(source, PurePosixPath(source.name if alone else ""))]
    while waiting:
        path, name = waiting.pop(0)
        if name.parts and path.is_symlink():
            collected.notes.append(f"{name} is a link; links are ignored")
        elif path.is_dir() and len(name.parts) > _DEPTH:
            collected.notes.append(f"{name} is nested too deeply; it is ignored")
        elif path.is_dir():
            waiting += [(part, name / part.name) for part in sorted(path.iterdir()) if _shows(part)]
        elif (content := _read(path)) is None:
            collected.notes.append(
                f"{name} is not a regular file of at most {_FILE_BYTES >> 20} MB")
        else:
            yield name, content


def _read(path: Path) -> bytes | None:
    """The content of a plain file that is not too long, opened so that no link is followed."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        plain = stat.S_ISREG(os.fstat(descriptor).st_mode)
        content = file.read(_FILE_BYTES + 1) if plain else b""
    return content if plain and len(content) <= _FILE_BYTES else None


def _of_zip(source: Path, collected: Collected) -> Iterator[tuple[PurePosixPath, bytes]]:
    try:
        with zipfile.ZipFile(source) as archive:
            for number, entry in enumerate(archive.infolist()):
                if number == 10 * _FILES:
                    collected.notes.append("the zip file has too many entries")
                    break
                name = PurePosixPath(entry.filename)
                hidden = any(part.startswith((".", "__")) for part in name.parts)
                if entry.is_dir() or (hidden and ".." not in name.parts):
                    continue
                if name.is_absolute() or ".." in name.parts or len(name.parts) > _DEPTH + 1:
                    collected.notes.append(f"{name} is outside the zip file, or nested too deeply")
                elif stat.S_ISLNK(entry.external_attr >> 16):
                    collected.notes.append(f"{name} is a link; links are ignored")
                else:
                    with archive.open(entry) as file:
                        content = file.read(_FILE_BYTES + 1)  # whatever size the entry claims
                    if len(content) > _FILE_BYTES:
                        collected.notes.append(
                            f"{name} unpacks to more than {_FILE_BYTES >> 20} MB")
                    else:
                        yield name, content
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError, EOFError, ValueError):
        collected.notes.append(f"{source.name} is not a zip file that can be read")


def _code_of(content: bytes, name: PurePosixPath, collected: Collected) -> bytes:
    try:
        cells = json.loads(content)["cells"]
        texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError, RecursionError):
        collected.notes.append(f"{name} is not a notebook that can be read")
        return b""
    texts = "".join(f"    {ascii(text)},\n" for text in texts)
    return (f"# The code cells of {ascii(name.name)}.\nimport engines.isolation.cells\n\n"
            f"engines.isolation.cells.run_cells(globals(), {ascii(name.name)}, [\n{texts}])\n"
            ).encode()
