"""Files and folders that travel to other machines: networks, archives, bots in files of their own.

Nothing in a parcel is run by unpacking it, and it is unpacked into a folder of its own.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterable
from pathlib import Path

from dlgo.errors import DlgoError
from dlgo.specs import split_settings, split_version

# More than that is not sent, bytes: put it where all machines find it.
MOST_BYTES = 1 << 30
_MOST_CODE = 20 << 20
# Folders of this project, which every machine has.
_OURS = ("dlgo", "engines", "experiments", "reports", "tests")


def pack(paths: Iterable[Path], base: Path | None = None) -> bytes:
    """A tar archive of files and folders.

    Args:
        base: the names in the archive are relative to it; by default to each path's own folder.

    Raises:
        DlgoError: if one of them is not there, or all together are too large.
    """
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for path in paths:
            try:
                tar.add(path, arcname=str(path.relative_to(base or path.parent)), filter=_plain)
            except OSError as error:
                raise DlgoError(
                    f"cannot send {path} to other machines: {error.strerror}"
                ) from None
            if buffer.tell() > MOST_BYTES:
                raise DlgoError(
                    f"cannot send {path} to other machines: more than {MOST_BYTES >> 20} MiB; "
                    "put it where all of them find it"
                )
    return buffer.getvalue()


def _plain(info: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Equal contents, equal parcels: without times and owners; and nothing but files."""
    if not (info.isfile() or info.isdir()) or "__pycache__" in info.name:
        return None
    info.mtime = info.uid = info.gid = 0
    info.uname = info.gname = ""
    return info


def unpack(parcel: bytes, folder: Path) -> None:
    """Write what was packed into a folder; nothing lands outside of it."""
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(fileobj=io.BytesIO(parcel)) as tar:
        tar.extractall(folder, filter="data")


def digest_of(parcel: bytes) -> str:
    """A name for a parcel: equal contents, equal names."""
    return hashlib.sha256(parcel).hexdigest()[:24]


def pack_named(specs: Iterable[str]) -> bytes:
    """A parcel of `files_of`, whose names are relative to this folder."""
    here = Path.cwd()
    return pack([here / path for path in files_of(specs)], here)


def files_of(specs: Iterable[str]) -> list[Path]:
    """The files below this folder that specifications of games and engines name.

    A bot comes with the Python files and packages beside it, since it may import them.

    Raises:
        DlgoError: for a file elsewhere, since other machines cannot find it by that name.
    """
    found: dict[Path, None] = {}
    for spec in specs:
        for path in _named(split_version(spec)[0]):
            if path.is_absolute() or ".." in path.parts:
                raise DlgoError(
                    f"{spec}: {path} is not below this folder, so other machines cannot find it by "
                    "that name; go to its folder, and name it from there"
                )
            found.update(dict.fromkeys(_with_neighbours(path) if path.suffix == ".py" else [path]))
    return list(found)


def _named(spec: str) -> list[Path]:
    """What a specification names and what is there."""
    start, dot, rest = spec.partition(".py")
    paths = [Path(start + dot)] if dot and rest[:1] in ("", ":") else []
    settings = rest if paths else spec.partition(":")[2]
    try:
        values = split_settings(settings, spec).values()
    except DlgoError:
        values = [part.partition("=")[2] for part in settings.split(",")]
    paths += [Path(text) for text in values if text and ("/" in text or Path(text).is_dir())]
    return [path for path in paths if path.exists()]


def _with_neighbours(path: Path) -> list[Path]:
    beside = [
        other for other in sorted(path.parent.iterdir())
        if other.suffix == ".py" or ((other / "__init__.py").exists() and other.name not in _OURS)
    ]
    size = sum(
        file.stat().st_size for other in beside
        for file in ([other] if other.is_file() else other.rglob("*")) if file.is_file()
    )
    if size > _MOST_CODE:
        raise DlgoError(
            f"beside {path} lie {size >> 20} MiB of Python files, which would all be sent; put it "
            "into a folder of its own"
        )
    return beside


def own_folder(prefix: str) -> Path:
    """A new folder for this process; those of processes that were killed are cleared away.

    Args:
        prefix: of its name; then comes the number of the process.
    """
    for old in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        number = old.name.removeprefix(prefix).partition("-")[0]
        if number.isdecimal() and not Path(f"/proc/{number}").exists() and Path("/proc").exists():
            shutil.rmtree(old, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=f"{prefix}{os.getpid()}-"))
