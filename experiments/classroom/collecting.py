"""Safe copies of the files of a hand-in, under the names that exercises have.

A hand-in may hold links to other people's files, names that lead out of it, or a gigabyte of zeros
in a kilobyte. Notes name everything that is skipped or taken under another name. A notebook becomes
a Python file that runs its code cells one by one.
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
import tarfile
import zipfile
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from dlgo.readers import MALFORMED, read_json
from dlgo.text import excerpt
from experiments.classroom.hand_ins import (
    Name,
    Part,
    Source,
    is_archive,
    is_unreadable,
    parts_of,
    recognise,
    shows,
    stem_of,
)

# Limits of one hand-in: files, bytes of one file (a notebook may hold pictures), of all, and of
# an archive and what a tar file unpacks to; folders within folders, notes.
_FILES, _FILE_BYTES, _ALL_BYTES, _DEPTH, _NOTES = 100, 8 << 20, 32 << 20, 4, 10
_ARCHIVE_BYTES = 64 << 20


@dataclass
class Collected:
    """A safe copy of a hand-in."""

    folder: Path  # the folder of the copies, readable by all users
    files: list[Path] = field(default_factory=list)  # their paths in it, shallow ones first
    notes: list[str] = field(default_factory=list)  # what was left out or renamed, and why

    def named(self, name: str) -> Path | None:
        """The Python file (or notebook) of that name, wherever it is."""
        return next((path for path in self.files if path.name == f"{name}.py"), None)

    def digest(self) -> str:
        """A digest of names and contents."""
        content = hashlib.sha256()
        for path in self.files:
            data = path.read_bytes()
            content.update(os.fsencode(f"{path.relative_to(self.folder)}\0{len(data)}\0"))
            content.update(data)
        return content.hexdigest()


def collect(
    source: Source, folder: Path, names: Collection[str] = ()
) -> Collected:
    """Copy a hand-in (files, folders or archives) into an empty folder of ours. Files that are
    named after an exercise in `names`, more or less, get its name."""
    folder.chmod(0o755)
    collected, total = Collected(folder), 0
    entries: list[tuple[PurePosixPath, bytes]] = []
    for name, content in _of_parts(parts_of(source), collected):
        total += len(content)
        if len(entries) == _FILES or total > _ALL_BYTES:
            collected.notes.append(
                f"only the first {_FILES} files and {_ALL_BYTES >> 20} MB count"
            )
            break
        entries.append((name, content))
    for name, content in _renamed(entries, names, collected):
        if name.suffix == ".ipynb":
            name, content = name.with_suffix(".py"), _code_of(content, name, collected)
        target = folder.joinpath(*name.parts)
        if target in collected.files:
            if target.read_bytes() != content:
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
    _name_others(collected, names)
    if len(collected.notes) > _NOTES:
        collected.notes[_NOTES:] = [f"and {len(collected.notes) - _NOTES} more"]
    # Names may hold anything, also what no text can hold.
    collected.notes[:] = [excerpt(note) for note in collected.notes]
    return collected


def _renamed(
    entries: list[tuple[PurePosixPath, bytes]], names: Collection[str], collected: Collected
) -> list[tuple[PurePosixPath, bytes]]:
    """The entries, and for each exercise without a file of its name, one whose name is like it."""
    exact = {name.stem for name, _ in entries if name.suffix in (".py", ".ipynb")}
    chosen: dict[str, tuple[int, int, PurePosixPath, Name, bytes]] = {}
    for path, content in entries:
        name_parts = recognise(path.name, names)
        if name_parts is None or path.name == name_parts.exercise + name_parts.ending:
            continue
        rank = (len(path.parts), -name_parts.copy, path, name_parts, content)
        rival = chosen.get(name_parts.exercise)
        better = rival is None or rank[:3] < rival[:3]
        if name_parts.exercise in exact or rival is not None:
            ignored = path
            if rival is not None and better and name_parts.exercise not in exact:
                ignored = rival[2]
            collected.notes.append(
                f"{ignored} is ignored: there is another file for {name_parts.exercise}")
        if better and name_parts.exercise not in exact:
            chosen[name_parts.exercise] = rank
    for _, _, path, name_parts, content in chosen.values():
        name = path.with_name(name_parts.exercise + name_parts.ending)
        collected.notes.append(f"{path} is taken as {name.name}")
        entries.append((name, content))
    return entries


def _name_others(collected: Collected, names: Collection[str]) -> None:
    """Notes on files of an exercise in other folders, if they differ from the one that counts."""
    for name in names:
        copies = [path for path in collected.files if path.name == f"{name}.py"]
        for path in copies[1:]:
            if path.read_bytes() != copies[0].read_bytes():
                collected.notes.append(
                    f"{path.relative_to(collected.folder)} is ignored: "
                    f"{copies[0].relative_to(collected.folder)} counts")


def _of_parts(
    parts: Sequence[Part], collected: Collected
) -> Iterator[tuple[PurePosixPath, bytes]]:
    for part in parts:
        if part.path.is_file() and is_archive(part.path):
            yield from _of_archive(part.path, part.name or part.path.name, collected)
        else:
            yield from _of_folder(part.path, part.name, collected)


def _of_folder(
    source: Path, called: str, collected: Collected
) -> Iterator[tuple[PurePosixPath, bytes]]:
    alone = source.is_file() and not source.is_symlink()
    waiting = [(source, PurePosixPath((called or source.name) if alone else ""))]
    while waiting:
        path, name = waiting.pop(0)
        if name.parts and path.is_symlink():
            collected.notes.append(f"{name} is a link; links are ignored")
        elif path.is_dir() and len(name.parts) > _DEPTH:
            collected.notes.append(f"{name} is nested too deeply; it is ignored")
        elif path.is_dir():
            try:
                parts = sorted(path.iterdir())
            except OSError as error:
                collected.notes.append(f"{name} cannot be read: {error.strerror}")
                continue
            waiting += [(part, name / part.name) for part in parts if shows(part)]
        elif not alone and is_archive(path):
            inside = name.parent / stem_of(path)
            for member, content in _of_archive(path, str(name), collected):
                yield inside / member, content
        elif (data := _read(path, _FILE_BYTES)) is None:
            collected.notes.append(
                f"{name} is not a regular file of at most {_FILE_BYTES >> 20} MB")
        else:
            _name_unreadable(name, collected)
            yield name, data


def _name_unreadable(name: PurePosixPath, collected: Collected) -> None:
    if is_unreadable(name) or is_archive(name):
        collected.notes.append(f"{name} is not unpacked or read: hand in .py files or one zip file")


def _read(path: Path, most: int) -> bytes | None:
    """The content of a regular file. None for a link, or for more than `most` bytes."""
    try:
        listed = path.lstat()
        if not stat.S_ISREG(listed.st_mode):
            return None
        with path.open("rb") as file:
            same = os.path.samestat(listed, os.fstat(file.fileno()))  # no link has taken its place
            content = file.read(most + 1) if same else b""
    except OSError:
        return None
    return content if same and len(content) <= most else None


def _of_archive(
    source: Path, called: str, collected: Collected
) -> Iterator[tuple[PurePosixPath, bytes]]:
    data = _read(source, _ARCHIVE_BYTES)
    if data is None:
        collected.notes.append(f"{called} is larger than {_ARCHIVE_BYTES >> 20} MB")
        return
    kind = "zip" if source.suffix.lower() == ".zip" else "tar"
    if kind == "zip" and data.count(b"PK\1\2") > 10 * _FILES:
        collected.notes.append("the zip file has too many entries")
        return
    try:
        for entry, content in (_of_zip if kind == "zip" else _of_tar)(data):
            name = PurePosixPath(entry.replace("\\", "/"))
            hidden = any(part.startswith((".", "__")) for part in name.parts)
            if hidden and ".." not in name.parts:
                continue
            if name.is_absolute() or ".." in name.parts or len(name.parts) > _DEPTH + 1:
                collected.notes.append(f"{name} is outside the {kind} file, or nested too deeply")
            elif content is None:
                collected.notes.append(f"{name} is a link; links are ignored")
            elif len(content) > _FILE_BYTES:
                collected.notes.append(f"{name} unpacks to more than {_FILE_BYTES >> 20} MB")
            else:
                if "\\" in entry:
                    collected.notes.append(f"{entry} is taken as {name}")
                _name_unreadable(name, collected)
                yield name, content
    except _Large:
        collected.notes.append(f"{called} unpacks to more than {_ARCHIVE_BYTES >> 20} MB or "
                               f"{10 * _FILES} files; the rest is ignored")
    except Exception:  # the bytes may be anything, and so is what they raise
        collected.notes.append(f"{called} is not a {kind} file that can be read")


def _of_zip(data: bytes) -> Iterator[tuple[str, bytes | None]]:
    """Names and contents, None for links."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for entry in archive.infolist():
            if stat.S_ISLNK(entry.external_attr >> 16):
                yield entry.filename, None
            elif entry.file_size > _FILE_BYTES:  # `zipfile` never unpacks more than this
                yield entry.filename, bytes(_FILE_BYTES + 1)
            elif not entry.is_dir():
                yield entry.filename, archive.read(entry)


class _Large(Exception):
    pass


class _Unpacked(io.RawIOBase):
    """Reads an unpacked file up to a limit. Raises _Large beyond it."""

    def __init__(self, data: bytes) -> None:
        self._file, self._left = _unpacked(data), _ARCHIVE_BYTES

    def read(self, size: int = -1) -> bytes:
        if self._left <= 0:
            raise _Large
        content = self._file.read(min(size, self._left) if size >= 0 else self._left)
        self._left -= len(content)
        return content


def _unpacked(data: bytes) -> io.IOBase:
    import bz2
    import gzip
    import lzma

    for start, module in ((b"\x1f\x8b", gzip), (b"BZh", bz2), (b"\xfd7zXZ", lzma)):
        if data.startswith(start):
            return module.open(io.BytesIO(data))
    return io.BytesIO(data)


def _of_tar(data: bytes) -> Iterator[tuple[str, bytes | None]]:
    """Names and contents, None for links and devices."""
    with tarfile.open(fileobj=_Unpacked(data), mode="r|") as archive:
        for number, entry in enumerate(archive):
            if number == 10 * _FILES:
                raise _Large
            if entry.isreg() and not entry.issparse():
                file: Any = archive.extractfile(entry)
                yield entry.name, file.read(_FILE_BYTES + 1)
            elif not entry.isdir():
                yield entry.name, None


def _code_of(content: bytes, name: PurePosixPath, collected: Collected) -> bytes:
    try:
        cells = read_json(content)["cells"]
        texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except MALFORMED:
        collected.notes.append(f"{name} is not a notebook that can be read")
        return b""
    lines = "".join(f"    {ascii(text)},\n" for text in texts)
    return (f"# The code cells of {ascii(name.name)}.\nimport dlgo_cells\n\n"
            f"dlgo_cells.run_cells(globals(), {ascii(name.name)}, [\n{lines}])\n"
            ).encode()
