"""SGF files in archives: their names and contents, and nothing of a damaged archive in silence.

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
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from dlgo.errors import DataError
from dlgo.records.sgf import MAX_BYTES
from dlgo.text import one_line

TAR_ENDINGS = (".tar.gz", ".tgz", ".tar", ".tar.bz2", ".tar.xz")
RECORD_ENDINGS = (".sgf", ".sgfs")
# An archive that unpacks to more than this is a bomb. Tars of games are 5 to 30 times as large as
# their compressed files, most of it the padding of small files.
_MAX_RATIO = 200
_FREE_BYTES = 64 * 2**20
# What broken archives make the standard library raise.
_BROKEN = (
    OSError, EOFError, tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError,
    RuntimeError, NotImplementedError, ValueError,
)
# Stands in the end record of a zip that has this many files or more.
_MANY_ENTRIES = 2**16 - 1
# Names of files, each with a function that reads it.
Files = Iterator[tuple[str, Callable[[], bytes]]]
_OPENERS = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\0": lzma.open}


@dataclass
class Listing:
    """What is in an archive.

    Attributes:
        names: of the SGF files that can be read, sorted, each once.
        broken: a line for each file that cannot be.
        others: how many other files there are, by the ending of their names. What macOS adds to
            archives is not counted.
    """

    names: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    others: Counter[str] = field(default_factory=Counter)


def with_inner_archives(archives: Sequence[Path]) -> list[Path]:
    """The archives, and those that lie in folders among them, each once."""
    paths: list[Path] = []
    for archive in archives:
        inside = sorted(archive.rglob("*")) if archive.is_dir() else []
        paths += [archive, *(path for path in inside if path.is_file() and _is_archive(path.name))]
    return list(dict.fromkeys(paths))


def _is_archive(name: str) -> bool:
    return name.lower().endswith((*TAR_ENDINGS, ".zip")) and not _is_added(name)


def listing(archive: Path) -> Listing:
    """The SGF files of an archive, after reading all of it.

    Raises:
        DataError: if it is not an archive, cannot be read, or is damaged as a whole.
    """
    listed = Listing()
    counts: Counter[str] = Counter()
    for name, read in _files(archive, listed.others):
        try:
            read()
            counts[name] += 1
        except _BROKEN as error:
            if not _survives(archive):
                raise _unreadable(archive, error) from None
            listed.broken.append(f"{one_line(f'{archive}/{name}')}: cannot be read: "
                                f"{_reason(error)}")
    listed.names = sorted(counts)
    listed.broken += [
        f"{one_line(f'{archive}/{name}')}: the archive has {count} files of this name; only the "
        "first is used" for name, count in counts.items() if count > 1
    ]
    return listed


def contents(archive: Path, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Some SGF files of an archive: (name, content), in the order in which they are stored.

    Args:
        names: as `listing` gives them.

    Raises:
        DataError: if the archive or one of the files cannot be read any more.
    """
    wanted = set(names)
    for name, read in _files(archive, Counter()):
        if name in wanted:
            wanted.discard(name)  # an archive may hold two files of one name
            try:
                data = read()
            except _BROKEN as error:
                raise _unreadable(archive, error) from None
            yield name, data
        if not wanted:
            return


def _survives(archive: Path) -> bool:
    """Whether the other files can be read if one of them cannot."""
    return archive.is_dir() or archive.name.lower().endswith(".zip")


def _is_added(name: str) -> bool:
    """Whether macOS adds such a file to archives and folders."""
    path = PurePosixPath(name)
    return "__MACOSX" in path.parts or path.name.startswith("._") or path.name == ".DS_Store"


def _is_record(name: str, others: Counter[str]) -> bool:
    """Whether a file is SGF by its name; others are counted by their endings."""
    if _is_added(name):
        return False
    if name.lower().endswith(RECORD_ENDINGS):
        return True
    others[PurePosixPath(name.lower()).suffix or "no ending"] += 1
    return False


def _files(archive: Path, others: Counter[str]) -> Files:
    """Names of the SGF files, each with a function that reads it, to be called at once.

    Args:
        others: to which other files are added, by the ending of their names.
    """
    text = archive.name.lower()
    try:
        if archive.is_dir():
            for path in sorted(archive.rglob("*")):
                name = path.relative_to(archive).as_posix()
                if path.is_file() and not _is_archive(name) and _is_record(name, others):
                    yield name, lambda path=path: _read(path.open("rb"))
        elif text.endswith(TAR_ENDINGS):
            yield from _tar_files(archive, others)
        elif text.endswith(".zip"):
            yield from _zip_files(archive, others)
        elif text.endswith(RECORD_ENDINGS):
            yield archive.name, lambda: _read(archive.open("rb"))
        else:
            raise DataError(
                f"{archive}: neither a folder nor a "
                f"{', '.join((*TAR_ENDINGS, '.zip', *RECORD_ENDINGS))} file"
            )
    except _BROKEN as error:
        raise _unreadable(archive, error) from None


class _Unpacked:
    """The bytes of compressed files of an archive, read from front to back; they are counted.

    Raises DataError, which ends the reading, where an archive unpacks to too much.
    """

    def __init__(self, archive: Path) -> None:
        self._archive = archive
        self._left = _FREE_BYTES + _MAX_RATIO * archive.stat().st_size

    def of(self, file: BinaryIO) -> _Unpacked:
        """The bytes of another file, read by `read` from now on."""
        self._file = file
        return self

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise DataError(f"{self._archive}: cannot be read: it unpacks to more than "
                            f"{_MAX_RATIO} times its size")
        return data

    def close(self) -> None:
        self._file.close()


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
            what = "it ends without its end mark" if cut else f"a header is broken ({error})"
            raise ValueError(f"{what}; the archive is damaged or cut off") from None


def _tar_files(archive: Path, others: Counter[str]) -> Files:
    with archive.open("rb") as file:
        start = file.read(6)
    opener = next((unpack for magic, unpack in _OPENERS.items() if start.startswith(magic)), open)
    with opener(archive, "rb") as file:
        unpacked = _Unpacked(archive).of(file)
        with tarfile.open(fileobj=unpacked, mode="r|", tarinfo=_StrictHeader) as tar:
            for info in tar:
                tar.members.clear()  # it would remember them all
                if info.isfile() and _is_record(info.name, others):
                    yield info.name, lambda info=info: _read(tar.extractfile(info))
            # The checksum stands at the end, behind the padding.
            while piece := tar.fileobj.read(2**16):
                if piece.count(0) != len(piece):
                    raise ValueError("there is more behind its end mark; the archive is damaged")


def _zip_files(archive: Path, others: Counter[str]) -> Files:
    unpacked = _Unpacked(archive)
    with zipfile.ZipFile(archive) as container:
        entries, wanted = container.infolist(), _entry_count(archive)
        if wanted not in (len(entries), _MANY_ENTRIES):
            raise ValueError(f"it lists {len(entries)} of its {wanted} files; it is damaged")
        for entry in entries:
            if entry.is_dir():
                continue
            if _is_record(entry.filename, others) or _misnamed(container, entry):
                yield entry.filename, lambda entry=entry: _read(unpacked.of(container.open(entry)))


def _entry_count(archive: Path) -> int:
    """How many files a zip has by its end record; a damaged directory may list fewer."""
    with archive.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - 22 - 2**16))
        tail = file.read()
    place = tail.rfind(b"PK\5\6")
    return int.from_bytes(tail[place + 10 : place + 12], "little")


def _misnamed(container: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bool:
    """Whether a file's two names differ: then it may be an SGF file with a damaged name."""
    try:
        container.open(entry).close()
    except zipfile.BadZipFile:
        return True
    except _BROKEN:
        return False  # not readable, but also not an SGF file
    return False


def _read(file: Any) -> bytes:
    with closing(file):
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ValueError(f"larger than {MAX_BYTES >> 20} MiB, so not a game record")
    return data


def _unreadable(archive: Path, error: Exception) -> DataError:
    return DataError(f"{archive}: cannot be read: {_reason(error)}")


def _reason(error: Exception) -> str:
    # tarfile lists what each way of unpacking said, line by line.
    reason = str(getattr(error, "strerror", None) or error).partition("\n")[0].rstrip(":")
    return one_line(reason or type(error).__name__)
