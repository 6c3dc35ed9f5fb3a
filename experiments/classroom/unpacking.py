"""The files of a hand-in, out of folders and archives, as names and bytes.

A hand-in may hold links to other people's files, names that lead out of it, or a gigabyte of zeros
in a kilobyte. Notes name everything that is skipped.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import IO

from experiments.classroom.hand_ins import Part, is_archive, is_unreadable, shows, stem_of

# Limits of one hand-in: files, bytes of one file (a notebook may hold pictures), of all, and of
# an archive and what a tar file unpacks to; folders within folders.
MAX_FILES = 100
_FILE_BYTES, _ALL_BYTES, _ARCHIVE_BYTES, _DEPTH = 8 << 20, 32 << 20, 64 << 20, 4

File = tuple[PurePosixPath, bytes]


def unpack(parts: Sequence[Part], notes: list[str]) -> list[File]:
    """The names and contents of the files of a hand-in; `notes` gets a line on each that is
    skipped."""
    files: list[File] = []
    size = 0
    for part in parts:
        for name, content in _files_of(part, notes):
            size += len(content)
            if len(files) == MAX_FILES or size > _ALL_BYTES:
                notes.append(f"only the first {MAX_FILES} files and {_ALL_BYTES >> 20} MB count")
                return files
            files.append((name, content))
    return files


def _files_of(part: Part, notes: list[str]) -> Iterator[File]:
    if part.path.is_file() and is_archive(part.path):
        yield from _in_archive(part.path, part.name or part.path.name, notes)
        return
    is_single = part.path.is_file() and not part.path.is_symlink()
    queue = [(part.path, PurePosixPath((part.name or part.path.name) if is_single else ""))]
    while queue:
        path, name = queue.pop(0)
        if name.parts and path.is_symlink():
            notes.append(f"{name} is a link; links are ignored")
        elif path.is_dir() and len(name.parts) > _DEPTH:
            notes.append(f"{name} is nested too deeply; it is ignored")
        elif path.is_dir():
            try:
                inside = sorted(path.iterdir())
            except OSError as error:
                notes.append(f"{name} cannot be read: {error.strerror}")
                continue
            queue += [(entry, name / entry.name) for entry in inside if shows(entry)]
        elif not is_single and is_archive(path):
            for member, content in _in_archive(path, str(name), notes):
                yield name.parent / stem_of(path) / member, content
        elif (data := _read(path, _FILE_BYTES)) is None:
            notes.append(f"{name} is not a regular file of at most {_FILE_BYTES >> 20} MB")
        else:
            _note_unreadable(name, notes)
            yield name, data


def _note_unreadable(name: PurePosixPath, notes: list[str]) -> None:
    if is_unreadable(name) or is_archive(name):
        notes.append(f"{name} is not unpacked or read: hand in .py files or one zip file")


def _read(path: Path, max_bytes: int) -> bytes | None:
    """The content of a regular file. None for a link, or for more than `max_bytes`."""
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode):
            return None
        with path.open("rb") as file:
            is_same = os.path.samestat(status, os.fstat(file.fileno()))  # no link in its place
            content = file.read(max_bytes + 1) if is_same else b""
    except OSError:
        return None
    return content if is_same and len(content) <= max_bytes else None


def _in_archive(path: Path, title: str, notes: list[str]) -> Iterator[File]:
    data = _read(path, _ARCHIVE_BYTES)
    if data is None:
        notes.append(f"{title} is larger than {_ARCHIVE_BYTES >> 20} MB")
        return
    kind = "zip" if path.suffix.lower() == ".zip" else "tar"
    if kind == "zip" and data.count(b"PK\1\2") > 10 * MAX_FILES:
        notes.append("the zip file has too many entries")
        return
    try:
        for entry, content in (_in_zip if kind == "zip" else _in_tar)(data):
            name = PurePosixPath(entry.replace("\\", "/"))
            is_hidden = any(part.startswith((".", "__")) for part in name.parts)
            if is_hidden and ".." not in name.parts:
                continue
            if name.is_absolute() or ".." in name.parts or len(name.parts) > _DEPTH + 1:
                notes.append(f"{name} is outside the {kind} file, or nested too deeply")
            elif content is None:
                notes.append(f"{name} is a link; links are ignored")
            elif len(content) > _FILE_BYTES:
                notes.append(f"{name} unpacks to more than {_FILE_BYTES >> 20} MB")
            else:
                if "\\" in entry:
                    notes.append(f"{entry} is taken as {name}")
                _note_unreadable(name, notes)
                yield name, content
    except _TooLarge:
        notes.append(f"{title} unpacks to more than {_ARCHIVE_BYTES >> 20} MB or "
                     f"{10 * MAX_FILES} files; the rest is ignored")
    except Exception:  # the bytes may be anything, and so is what they raise
        notes.append(f"{title} is not a {kind} file that can be read")


def _in_zip(data: bytes) -> Iterator[tuple[str, bytes | None]]:
    """Names and contents, None for links."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for entry in archive.infolist():
            if stat.S_ISLNK(entry.external_attr >> 16):
                yield entry.filename, None
            elif entry.file_size > _FILE_BYTES:  # `zipfile` never unpacks more than this
                yield entry.filename, bytes(_FILE_BYTES + 1)
            elif not entry.is_dir():
                yield entry.filename, archive.read(entry)


class _TooLarge(Exception):
    pass


class _Unpacked(io.RawIOBase):
    """Reads a tar file that may be compressed. Raises _TooLarge beyond the limit: its headers alone
    can unpack to gigabytes, which `tarfile` reads at once."""

    def __init__(self, data: bytes) -> None:
        file: IO[bytes] = io.BytesIO(data)
        for start, module in ((b"\x1f\x8b", gzip), (b"BZh", bz2), (b"\xfd7zXZ", lzma)):
            if data.startswith(start):
                file = module.open(file)
        self._file, self._budget = file, _ARCHIVE_BYTES

    def read(self, size: int = -1) -> bytes:
        if self._budget <= 0:
            raise _TooLarge
        content = self._file.read(min(size, self._budget) if size >= 0 else self._budget)
        self._budget -= len(content)
        return content


def _in_tar(data: bytes) -> Iterator[tuple[str, bytes | None]]:
    """Names and contents, None for links and devices."""
    with tarfile.open(fileobj=_Unpacked(data), mode="r|") as archive:
        for number, entry in enumerate(archive):
            if number == 10 * MAX_FILES:
                raise _TooLarge
            if entry.isreg() and not entry.issparse() and (file := archive.extractfile(entry)):
                yield entry.name, file.read(_FILE_BYTES + 1)
            elif not entry.isdir():
                yield entry.name, None
