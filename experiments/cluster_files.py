"""Files that travel to other machines: networks, archives, bots in files of their own.

Nothing in an archive runs by being unpacked, and it is unpacked into a folder of its own. Untrusted
bots are in a folder from which no process imports, and run only in a sandbox that is made where
they play.
"""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from dlgo.errors import DlgoError
from dlgo.games import get_game
from dlgo.jit import shared_cache
from dlgo.specs import split_settings, split_version
from engines.programs.sandbox import check_sandbox
from experiments.arena.entrants import Launch, Launches, compile_rules

# Bytes. Larger files are not sent: put them where all machines find them.
_MOST_BYTES, _MOST_CODE = 1 << 30, 20 << 20
# Folders of this project, which every machine has.
_PROJECT = ("dlgo", "engines", "experiments", "reports", "tests")


def pack(paths: Iterable[Path], base: Path | None = None) -> bytes:
    """A tar archive of files and folders, named in it from `base`, by default from each path's own
    folder. Raises DlgoError if one is not there, or all together are too large."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for path in paths:
            problem = ""
            try:
                tar.add(path, arcname=str(path.relative_to(base or path.parent)), filter=_plain)
            except OSError as error:
                problem = str(error.strerror)
            if buffer.tell() > _MOST_BYTES:
                problem = f"it has more than {_MOST_BYTES >> 20} MiB; copy it to each machine"
            if problem:
                raise DlgoError(f"cannot send {path} to other machines: {problem}")
    return buffer.getvalue()


def _plain(info: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Equal contents, equal archives: without times and owners; and only files."""
    if not (info.isfile() or info.isdir()) or "__pycache__" in info.name:
        return None
    info.mtime = info.uid = info.gid = 0
    info.uname = info.gname = ""
    return info


def unpack(archive: bytes, folder: Path) -> None:
    """Write what was packed into a folder; nothing lands outside of it, and nothing runs. Raises
    DlgoError for an archive that `pack` did not make."""
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        # Python 3.11.3 and earlier have no filters.
        tar.extraction_filter = getattr(tarfile, "data_filter", lambda entry, _: entry)
        for entry in tar:
            path = PurePosixPath(entry.name)
            if path.is_absolute() or ".." in path.parts or _plain(entry) is None:
                raise DlgoError(f"the archive of files for other machines contains {entry.name}, "
                                "which is not a file in its folder; pack it again")
            tar.extract(entry, folder)


def files_of(specs: Iterable[str]) -> list[Path]:
    """The files below this folder that specifications of games and engines name. A bot comes with
    the Python files and packages beside it. Raises DlgoError for a file elsewhere, which other
    machines cannot find by that name."""
    files: dict[Path, None] = {}
    for spec in specs:
        for path in _paths_in(split_version(spec)[0]):
            if path.is_absolute() or ".." in path.parts:
                raise DlgoError(
                    f"{spec}: {path} is outside the working folder and cannot be sent to other "
                    "machines; change to its folder and use a relative path"
                )
            files.update(dict.fromkeys(_with_neighbours(path) if path.suffix == ".py" else [path]))
    return list(files)


def _paths_in(spec: str) -> list[Path]:
    start, dot, rest = spec.partition(".py")
    paths = [Path(start + dot)] if dot and rest[:1] in ("", ":") else []
    settings = rest if paths else spec.partition(":")[2]
    try:
        values = [*split_settings(settings, spec).values()]
    except DlgoError:
        values = [part.partition("=")[2] for part in settings.split(",")]
    paths += [Path(text) for text in values if text and ("/" in text or Path(text).is_dir())]
    return [path for path in paths if path.exists()]


def _with_neighbours(path: Path) -> list[Path]:
    neighbours = [
        entry for entry in sorted(path.parent.iterdir())
        if entry.suffix == ".py"
        or ((entry / "__init__.py").exists() and entry.name not in _PROJECT)
    ]
    files = [file for entry in neighbours for file in (entry, *entry.rglob("*")) if file.is_file()]
    size = sum(file.stat().st_size for file in files)
    if size > _MOST_CODE:
        raise DlgoError(
            f"{path.parent} holds {size >> 20} MiB of Python files, which would all be sent; put "
            f"{path.name} into a folder of its own"
        )
    return neighbours


def pack_bots(launches: Launches) -> dict[str, bytes]:
    """The files of untrusted bots, by entrant. Raises DlgoError for a bot without a sandbox, or if
    files cannot be sent."""
    archives: dict[str, bytes] = {}
    for entrant, launch in launches.items():
        if launch.sandbox is None or launch.sandbox.trusted:
            raise DlgoError(f"{entrant} has no sandbox, so --trust does not work on a cluster; "
                            "leave out --trust or --cluster")
        archives[entrant] = pack(launch.sandbox.readable)
    return archives


def unpack_bots(
    archives: Mapping[str, bytes], launches: Launches, games: Iterable[str], folder: Path
) -> Launches:
    """The launches on this machine, whose files land in a new folder, from which no process
    imports; the rules of the games are compiled first. Raises SandboxError if there is no working
    sandbox here."""
    if not launches:
        return {}
    check_sandbox()
    engines = {name for launch in launches.values() if launch.sandbox is not None
               for name in launch.sandbox.engines or ()}
    for game in games:
        compile_rules(get_game(game), sorted(engines))
    launches_here: dict[str, Launch] = {}
    for number, (entrant, launch) in enumerate(launches.items()):
        assert launch.sandbox is not None
        unpack(archives[entrant], folder / str(number))
        [origin] = launch.sandbox.readable
        place = (folder / str(number)).resolve() / origin.name
        code = shared_cache() if launch.sandbox.code_cache is not None else None
        sandbox = replace(launch.sandbox, readable=[place], code_cache=code)
        launches_here[entrant] = Launch(
            str(place / Path(launch.spec).relative_to(origin)), sandbox)
    return launches_here
