"""Hand-ins are taken in before they are run: copied, and only what is plain and small.

A folder or a zip file may hold links to other people's files, names that lead out of it, or a
gigabyte of zeros in a kilobyte. What is not taken is said in a note that goes with the grade.
A notebook becomes a Python file that runs its code cells one by one.
"""

from __future__ import annotations

import json
import os
import stat
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

# Limits of one hand-in: files, bytes of one file (a notebook may hold pictures) and of all, folders
# within folders.
_FILES, _FILE_BYTES, _ALL_BYTES, _DEPTH = 100, 8 << 20, 32 << 20, 4
_NOTES = 10


@dataclass
class TakenIn:
    """What has been taken in.

    Attributes:
        folder: where the copies are, readable by everybody.
        files: their paths in it, shallow ones first.
        notes: what was left out, and why.
    """

    folder: Path
    files: list[Path] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def named(self, name: str) -> Path | None:
        """The Python file (or notebook) of that name, wherever it is."""
        return next((path for path in self.files if path.name == f"{name}.py"), None)


def take_in(source: Path, folder: Path) -> TakenIn:
    """Copy a hand-in: a file, a folder or a zip file.

    Args:
        source: what was handed in.
        folder: an empty one of ours.
    """
    folder.chmod(0o755)
    taken, total = TakenIn(folder), 0
    files = _of_zip(source, taken) if source.suffix == ".zip" else _of_folder(source, taken)
    for name, content in files:
        total += len(content)
        if len(taken.files) == _FILES or total > _ALL_BYTES:
            taken.notes.append(
                f"only the first {_FILES} files and {_ALL_BYTES >> 20} MB are looked at"
            )
            break
        if name.suffix == ".ipynb":
            name, content = name.with_suffix(".py"), _code_of(content, name, taken)
        target = folder.joinpath(*name.parts)
        if target in taken.files:
            taken.notes.append(f"{name} is there twice; the first one counts")
            continue
        try:
            for parent in list(target.relative_to(folder).parents)[-2::-1]:
                (folder / parent).mkdir(mode=0o755, exist_ok=True)
            target.write_bytes(content)
            target.chmod(0o644)
        except (OSError, ValueError):
            taken.notes.append(f"{str(name)[:40]!r} cannot name a file here")
            continue
        taken.files.append(target)
    taken.files.sort(key=lambda path: (len(path.parts), path))
    if len(taken.notes) > _NOTES:
        taken.notes[_NOTES:] = [f"and {len(taken.notes) - _NOTES} more"]
    return taken


def _of_folder(source: Path, taken: TakenIn) -> Iterator[tuple[PurePosixPath, bytes]]:
    if source.is_file() and not source.is_symlink():
        waiting = [(source, PurePosixPath(source.name))]
    else:
        waiting = [(source, PurePosixPath())]
    while waiting:
        path, name = waiting.pop(0)
        if name.parts and path.is_symlink():
            taken.notes.append(f"{name} is a link; links are not followed")
        elif path.is_dir():
            if len(name.parts) > _DEPTH:
                taken.notes.append(f"{name} lies too deep; it is not looked at")
                continue
            waiting += [
                (part, name / part.name) for part in sorted(path.iterdir())
                if not part.name.startswith((".", "__"))
            ]
        elif (content := _read(path)) is None:
            taken.notes.append(f"{name} is no plain file of at most {_FILE_BYTES >> 20} MB")
        else:
            yield name, content


def _read(path: Path) -> bytes | None:
    """The content of a plain file that is not too long, opened so that no link is followed."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        content = file.read(_FILE_BYTES + 1)
    return content if len(content) <= _FILE_BYTES else None


def _of_zip(source: Path, taken: TakenIn) -> Iterator[tuple[PurePosixPath, bytes]]:
    try:
        with zipfile.ZipFile(source) as archive:
            for number, entry in enumerate(archive.infolist()):
                if number == 10 * _FILES:
                    taken.notes.append("the zip file has too many entries")
                    break
                name = PurePosixPath(entry.filename)
                hidden = any(part.startswith((".", "__")) for part in name.parts)
                if entry.is_dir() or (hidden and ".." not in name.parts):
                    continue
                if name.is_absolute() or ".." in name.parts or len(name.parts) > _DEPTH + 1:
                    taken.notes.append(f"{name} leads out of the zip file, or lies too deep in it")
                elif stat.S_ISLNK(entry.external_attr >> 16):
                    taken.notes.append(f"{name} is a link; links are not followed")
                else:
                    with archive.open(entry) as file:
                        content = file.read(_FILE_BYTES + 1)  # whatever size the entry claims
                    if len(content) > _FILE_BYTES:
                        taken.notes.append(f"{name} unpacks to more than {_FILE_BYTES >> 20} MB")
                    else:
                        yield name, content
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError, EOFError, ValueError):
        taken.notes.append(f"{source.name} is not a zip file that can be read")


def _code_of(content: bytes, name: PurePosixPath, taken: TakenIn) -> bytes:
    """A Python file that runs the code cells of a notebook."""
    try:
        cells = json.loads(content)["cells"]
        texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError, RecursionError):
        taken.notes.append(f"{name} is not a notebook that can be read")
        return b""
    lines = [
        f"# The code cells of {ascii(name.name)}.", "import engines.isolation.cells", "",
        f"engines.isolation.cells.run_cells(globals(), {ascii(name.name)}, [",
        *(f"    {ascii(text)}," for text in texts), "])", "",
    ]
    return "\n".join(lines).encode()
