"""The files of a hand-in, out of folders and archives, as names and bytes.

A hand-in may hold links to other people's files, names that lead out of it, or a gigabyte of zeros
in a kilobyte. Notes name everything that is skipped. `Budget` bounds the work for a hand-in,
whatever it holds: hidden files and what is skipped count, too.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import stat
import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import IO

from dlgo.system.files import open_regular
from experiments.classroom.hand_ins import (
    DEPTH,
    ENTRIES,
    Part,
    is_archive,
    is_unreadable,
    shows,
    stem_of,
)

# Limits of one hand-in: files, bytes of one file (a notebook may hold pictures) and of all.
MAX_FILES = 100
_FILE_BYTES, _ALL_BYTES = 8 << 20, 32 << 20
# Limits of the work: bytes of an archive, and bytes that are read and unpacked in all.
_ARCHIVE_BYTES, _READ_BYTES = 64 << 20, 128 << 20
# Bytes of a header in a tar file, and what none has: `tarfile` takes the square of the number of
# such digits.
_HEADER_BYTES, _DIGITS = 1 << 14, re.compile(rb"\d{64}")
# How files in a zip file are compressed: of bzip2 and LZMA, `zipfile` unpacks what it gets without
# a limit.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)

_LINK = "is a link; links are ignored"

File = tuple[PurePosixPath, bytes]


class _TooLarge(Exception):
    """The budget of a hand-in is spent."""


class Budget:
    """What may be read of a hand-in. Its methods raise _TooLarge if that is spent."""

    def __init__(self) -> None:
        self._bytes, self._entries = _READ_BYTES, ENTRIES

    def enter(self) -> None:
        """Count a file, a folder, or an entry of an archive."""
        self._entries -= 1
        if self._entries < 0:
            raise _TooLarge

    def read(self, file: IO[bytes], max_bytes: int) -> bytes:
        """The content of a file, up to `max_bytes`."""
        content = file.read(min(max_bytes, self._bytes + 1))
        self._bytes -= len(content)
        if self._bytes < 0:
            raise _TooLarge
        return content


def unpack(parts: Sequence[Part], notes: list[str]) -> list[File]:
    """The names and contents of the files of a hand-in; `notes` gets a line on each that is
    skipped."""
    files: list[File] = []
    size, budget = 0, Budget()
    try:
        for part in parts:
            for name, content in _files_of(part, budget, notes):
                size += len(content)
                if len(files) == MAX_FILES or size > _ALL_BYTES:
                    notes.append(f"only the first {MAX_FILES} files and {_ALL_BYTES >> 20} MB "
                                 "count")
                    return files
                files.append((name, content))
    except _TooLarge:
        notes.insert(0, f"it has more than {ENTRIES} files and folders, or they unpack to more "
                        f"than {_READ_BYTES >> 20} MB; the rest is ignored")
    return files


def _files_of(part: Part, budget: Budget, notes: list[str]) -> Iterator[File]:
    if part.path.is_file() and is_archive(part.path):
        yield from _in_archive(part.path, part.name or part.path.name, budget, notes)
        return
    is_single = part.path.is_file() and not part.path.is_symlink()
    queue = [(part.path, PurePosixPath((part.name or part.path.name) if is_single else ""))]
    while queue:
        path, name = queue.pop(0)
        budget.enter()
        if name.parts and path.is_symlink():
            notes.append(f"{name} is a link; links are ignored")
        elif path.is_dir() and len(name.parts) > DEPTH:
            notes.append(f"{name} is nested too deeply; it is ignored")
        elif path.is_dir():
            try:
                inside = sorted(path.iterdir())
            except OSError as error:
                notes.append(f"{name} cannot be read: {error.strerror}")
                continue
            queue += [(entry, name / entry.name) for entry in inside if shows(entry)]
        elif not is_single and is_archive(path):
            for member, content in _in_archive(path, str(name), budget, notes):
                yield name.parent / stem_of(path) / member, content
        elif (data := _read(path, _FILE_BYTES, budget)) is None:
            notes.append(f"{name} is not a regular file of at most {_FILE_BYTES >> 20} MB")
        else:
            _note_unreadable(name, notes)
            yield name, data


def _note_unreadable(name: PurePosixPath, notes: list[str]) -> None:
    if is_unreadable(name) or is_archive(name):
        notes.append(f"{name} is not unpacked or read: hand in .py files or one zip file")


def _read(path: Path, max_bytes: int, budget: Budget) -> bytes | None:
    """The content of a regular file. None for a link, or for more than `max_bytes`."""
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            return None if size > max_bytes else budget.read(file, size)
    except OSError:
        return None


def _in_archive(path: Path, title: str, budget: Budget, notes: list[str]) -> Iterator[File]:
    data = _read(path, _ARCHIVE_BYTES, budget)
    if data is None:
        notes.append(f"{title} is larger than {_ARCHIVE_BYTES >> 20} MB")
        return
    kind = "zip" if path.suffix.lower() == ".zip" else "tar"
    try:
        for entry, content in (_in_zip if kind == "zip" else _in_tar)(data, budget):
            name = PurePosixPath(entry.replace("\\", "/"))
            if name.is_absolute() or ".." in name.parts or len(name.parts) > DEPTH + 1:
                notes.append(f"{name} is outside the {kind} file, or nested too deeply")
            elif isinstance(content, str):
                notes.append(f"{name} {content}")
            elif len(content) > _FILE_BYTES:
                notes.append(f"{name} unpacks to more than {_FILE_BYTES >> 20} MB")
            else:
                if "\\" in entry:
                    notes.append(f"{entry} is taken as {name}")
                _note_unreadable(name, notes)
                yield name, content
    except (_TooLarge, GeneratorExit):
        raise
    except Exception:  # the bytes may be anything, and so is what they raise
        notes.append(f"{title} is not a {kind} file that can be read")


def _is_hidden(entry: str) -> bool:
    names = PurePosixPath(entry.replace("\\", "/")).parts
    return ".." not in names and any(name.startswith((".", "__")) for name in names)


def _in_zip(data: bytes, budget: Budget) -> Iterator[tuple[str, bytes | str]]:
    """Names and contents, or why there is none."""
    if data.count(b"PK\1\2") > ENTRIES:  # before `zipfile` reads them all
        raise _TooLarge
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for entry in archive.infolist():
            budget.enter()
            if _is_hidden(entry.filename) or entry.is_dir():
                continue
            if stat.S_ISLNK(entry.external_attr >> 16):
                yield entry.filename, _LINK
            elif entry.compress_type not in _METHODS:
                yield entry.filename, "is compressed in a rare way; hand in a plain zip file"
            else:
                with archive.open(entry) as file:
                    yield entry.filename, budget.read(file, _FILE_BYTES + 1)


class _Tar(io.RawIOBase):
    """A tar file that may be compressed, as `tarfile` reads it: forwards, and within a budget.
    Raises ValueError if it is no usual one."""

    def __init__(self, data: bytes, budget: Budget) -> None:
        file: IO[bytes] = io.BytesIO(data)
        for start, module in ((b"\x1f\x8b", gzip), (b"BZh", bz2), (b"\xfd7zXZ", lzma)):
            if data.startswith(start):
                file = module.open(file)
        self._file, self._budget, self._place = file, budget, 0

    def tell(self) -> int:
        return self._place

    def seek(self, place: int, whence: int = os.SEEK_SET) -> int:
        while whence == os.SEEK_SET and place > self._place:
            if not self.content(place - self._place):
                break
        if place != self._place:
            raise ValueError("it leads back, or beyond its end")
        return place

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= _HEADER_BYTES:
            raise ValueError("a header is too long")
        data = self.content(size)
        if _DIGITS.search(data):
            raise ValueError("a number is too long")
        return data

    def content(self, size: int) -> bytes:
        """The next bytes: at most `size`, and a megabyte."""
        data = self._budget.read(self._file, min(size, 1 << 20))
        self._place += len(data)
        return data


def _in_tar(data: bytes, budget: Budget) -> Iterator[tuple[str, bytes | str]]:
    """Names and contents, or why there is none."""
    file = _Tar(data, budget)
    with tarfile.open(fileobj=file, mode="r:") as archive:
        for entry in archive:
            budget.enter()
            if _is_hidden(entry.name) or entry.isdir():
                continue
            if not entry.isreg() or entry.issparse():
                yield entry.name, _LINK
                continue
            left, pieces = min(entry.size, _FILE_BYTES + 1), []
            file.seek(entry.offset_data)
            while left > 0 and (piece := file.content(left)):
                pieces.append(piece)
                left -= len(piece)
            yield entry.name, b"".join(pieces)
