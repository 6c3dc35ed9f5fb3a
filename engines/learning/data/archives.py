"""SGF files in archives: their names and contents; damage is always reported.

    listed = listing(Path("KGS-2019-04.tar.gz"))      # names; nothing is unpacked to disk
    for name, data in contents(archive, listed.names): ...

An archive is a `.tar.gz` (or `.tgz`, `.tar`, `.tar.bz2`, `.tar.xz`), a `.zip`, a folder or a single
`.sgf` or `.sgfs` file. Other files in it are counted. A compressed tar has a checksum over all of
it, so `listing` reads it to its end before it names anything: it is whole or it is refused. The
files of a zip have checksums of their own; those that do not match are named, and the rest can be
used. A plain `.tar` protects only its headers: changed contents do not show.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

from dlgo.errors import DataError, system_reason
from dlgo.records.sgf import MAX_BYTES
from dlgo.text import one_line

TAR_ENDINGS = (".tar.gz", ".tgz", ".tar", ".tar.bz2", ".tar.xz")
RECORD_ENDINGS = (".sgf", ".sgfs")
# Errors that the standard library raises for broken archives.
_BROKEN = (
    OSError, EOFError, tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError,
    RuntimeError, NotImplementedError, ValueError,
)
# The number in the end record of a zip with this many files or more.
_MANY_ENTRIES = 2**16 - 1
_OPENERS = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\0": lzma.open}
# Names of all files, each with a function that opens it, to be called at once.
Files = Iterator[tuple[str, Callable[[], IO[bytes]]]]


@dataclass
class Listing:
    """The contents of an archive."""

    # Of the SGF files that can be read, sorted, each once.
    names: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)  # a line for each file that cannot be
    # How many other files there are, by the ending of their names. What macOS adds to archives is
    # not counted.
    others: Counter[str] = field(default_factory=Counter)


def with_inner_archives(archives: Sequence[Path]) -> list[Path]:
    """The archives, and those that lie in folders among them, each once."""
    paths: list[Path] = []
    for archive in archives:
        inside = sorted(archive.rglob("*")) if archive.is_dir() else []
        paths += [archive, *(path for path in inside if path.is_file() and _is_archive(path.name))]
    return list(dict.fromkeys(paths))


def listing(archive: Path) -> Listing:
    """The SGF files of an archive, after reading all of it. Raises DataError if it is not an
    archive, cannot be read, or is damaged as a whole."""
    listed = Listing()
    counts: Counter[str] = Counter()
    try:
        for name, open_file in _files(archive):
            if not name.lower().endswith(RECORD_ENDINGS):
                listed.others[PurePosixPath(name.lower()).suffix or "no ending"] += 1
                continue
            try:
                _read(open_file)
                counts[name] += 1
            except _BROKEN as error:
                # The other files of a tar cannot be read if one of them cannot.
                if not (archive.is_dir() or archive.name.lower().endswith(".zip")):
                    raise
                listed.broken.append(
                    f"{one_line(f'{archive}/{name}')}: cannot be read: {_reason(error)}")
    except _BROKEN as error:
        raise _unreadable(archive, error) from None
    listed.names = sorted(counts)
    listed.broken += [
        f"{one_line(f'{archive}/{name}')}: the archive has {count} files of this name; only the "
        "first is used" for name, count in counts.items() if count > 1
    ]
    return listed


def contents(archive: Path, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """The SGF files of an archive with these names, in the order of the archive: (name, content).

    Raises DataError if the archive or one of the files cannot be read any more.
    """
    remaining = set(names)
    try:
        for name, open_file in _files(archive):
            if name in remaining:
                remaining.discard(name)  # an archive may hold two files of one name
                yield name, _read(open_file)
            if not remaining:
                return
    except _BROKEN as error:
        raise _unreadable(archive, error) from None


def _is_archive(name: str) -> bool:
    return name.lower().endswith((*TAR_ENDINGS, ".zip")) and not _is_added(name)


def _is_added(name: str) -> bool:
    """Whether macOS adds such a file to archives and folders."""
    path = PurePosixPath(name)
    return "__MACOSX" in path.parts or path.name.startswith("._") or path.name == ".DS_Store"


def _files(archive: Path) -> Files:
    text = archive.name.lower()
    if archive.is_dir():
        files: Files = (
            (path.relative_to(archive).as_posix(), partial(path.open, "rb"))
            for path in sorted(archive.rglob("*"))
            if path.is_file() and not _is_archive(path.name)
        )
    elif text.endswith(TAR_ENDINGS):
        files = _tar_files(archive)
    elif text.endswith(".zip"):
        files = _zip_files(archive)
    elif text.endswith(RECORD_ENDINGS):
        files = iter([(archive.name, partial(archive.open, "rb"))])
    else:
        raise DataError(f"{archive}: neither a folder nor a "
                        f"{', '.join((*TAR_ENDINGS, '.zip', *RECORD_ENDINGS))} file")
    return ((name, open_file) for name, open_file in files if not _is_added(name))


class _StrictHeader(tarfile.TarInfo):
    """A tar's header; `tarfile` takes a broken one for the end of the archive."""

    @classmethod
    def fromtarfile(cls, tar: tarfile.TarFile) -> tarfile.TarInfo:
        try:
            return super().fromtarfile(tar)
        except tarfile.EOFHeaderError:
            raise
        except tarfile.HeaderError as error:
            cut = isinstance(error, tarfile.EmptyHeaderError)
            problem = "it ends without its end mark" if cut else f"a header is broken ({error})"
            raise ValueError(f"{problem}; the archive is damaged or cut off") from None


def _tar_files(archive: Path) -> Files:
    with archive.open("rb") as file:
        start = file.read(6)
    opener = next((unpack for magic, unpack in _OPENERS.items() if start.startswith(magic)), open)
    with (
        opener(archive, "rb") as file,
        tarfile.open(fileobj=file, mode="r|", tarinfo=_StrictHeader) as tar,
    ):
        for info in tar:
            tar.members.clear()  # it would remember them all
            if info.isfile():
                yield info.name, partial(tar.extractfile, info)
        # The checksum is at the end, after the padding.
        while piece := tar.fileobj.read(2**16):
            if piece.count(0) != len(piece):
                raise ValueError("there is more behind its end mark; the archive is damaged")


def _zip_files(archive: Path) -> Files:
    with zipfile.ZipFile(archive) as container:
        entries, n_entries = container.infolist(), _entry_count(archive)
        if n_entries not in (len(entries), _MANY_ENTRIES):
            raise ValueError(f"it lists {len(entries)} of its {n_entries} files; it is damaged")
        for entry in entries:
            if not entry.is_dir():
                yield entry.filename, partial(container.open, entry)


def _entry_count(archive: Path) -> int:
    """How many files a zip has by its end record; a damaged directory may list fewer."""
    with archive.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - 22 - 2**16))
        tail = file.read()
    place = tail.rfind(b"PK\5\6")
    return int.from_bytes(tail[place + 10 : place + 12], "little")


def _read(open_file: Callable[[], IO[bytes]]) -> bytes:
    with open_file() as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ValueError(f"larger than {MAX_BYTES >> 20} MiB, so not a game record")
    return data


def _unreadable(archive: Path, error: Exception) -> DataError:
    return DataError(f"{archive}: cannot be read: {_reason(error)}")


def _reason(error: Exception) -> str:
    # tarfile lists what each way of unpacking said, line by line.
    reason = system_reason(error) if isinstance(error, OSError) else str(error)
    reason = reason.partition("\n")[0].rstrip(":")
    return one_line(reason or type(error).__name__)
