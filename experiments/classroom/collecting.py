"""Safe copies of the files of a hand-in, under the names that exercises have.

Notes name everything that is left out or renamed. A notebook becomes a Python file that runs its
code cells one by one.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from dlgo.digests import hex_digest
from dlgo.readers import MALFORMED, read_json
from dlgo.text import excerpt
from engines.isolation.cells import parse_cell
from experiments.classroom.hand_ins import Source, parts_of, recognise
from experiments.classroom.unpacking import File, unpack

_MAX_NOTES = 10
# The beginning of a Python file that was made of a notebook.
_NOTEBOOK = "# The code cells of "


@dataclass(frozen=True)
class Collected:
    """A safe copy of a hand-in."""

    folder: Path  # the folder of the copies, readable by all users
    files: list[Path]  # their paths in it, shallow ones first
    exercises: dict[str, Path]  # of these, the file of each exercise that there is
    notes: list[str]  # what was left out or renamed, and why
    digest: str  # of names and contents


def collect(source: Source, folder: Path, exercises: Collection[str] = ()) -> Collected:
    """Copy a hand-in (files, folders or archives) into an empty folder of ours. Files that are
    named after one of the `exercises`, more or less, get its name."""
    folder.chmod(0o755)
    notes: list[str] = []
    files: list[Path] = []
    for name, content in _renamed(unpack(parts_of(source), notes), exercises, notes):
        if name.suffix == ".ipynb":
            name, content = name.with_suffix(".py"), _file_of_notebook(content, name, notes)
        target = folder.joinpath(*name.parts)
        if target in files:
            if target.read_bytes() != content:
                notes.append(f"{name} occurs twice; the first one counts")
            continue
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            target.chmod(0o644)
        except (OSError, ValueError):
            notes.append(f"{str(name)[:40]!r} is not a valid file name")
            continue
        files.append(target)
    for path in folder.rglob("*"):
        if path.is_dir():
            path.chmod(0o755)
    files.sort(key=lambda path: (len(path.parts), path))
    file_of: dict[str, Path] = {}
    for exercise in exercises:
        for path in [path for path in files if path.name == f"{exercise}.py"]:
            file = file_of.setdefault(exercise, path)
            if path.read_bytes() != file.read_bytes():
                notes.append(f"{path.relative_to(folder)} is ignored: {file.relative_to(folder)} "
                             "counts")
    if len(notes) > _MAX_NOTES:
        notes[_MAX_NOTES:] = [f"and {len(notes) - _MAX_NOTES} more"]
    # Names may hold anything, also what no text can hold.
    return Collected(folder, files, file_of, list(map(excerpt, notes)),
                     hex_digest(_contents(folder, files), 64))


def _renamed(files: list[File], exercises: Collection[str], notes: list[str]) -> list[File]:
    """The files, and for each exercise without a file of its name, one whose name is like it: the
    newest copy in the highest folder."""
    exact = {path.stem for path, _ in files if path.suffix in (".py", ".ipynb")}
    similar: dict[str, list[tuple[int, int, PurePosixPath, str, bytes]]] = {}
    for path, content in files:
        name = recognise(path.name, exercises)
        if name is not None and path.name != name.file:
            similar.setdefault(name.exercise, []).append(
                (len(path.parts), -name.copy, path, name.file, content))
    renamed = list(files)
    for exercise, candidates in similar.items():
        candidates.sort(key=lambda candidate: candidate[:3])
        if exercise not in exact:
            _, _, path, file, content = candidates.pop(0)
            notes.append(f"{path} is taken as {file}")
            renamed.append((path.with_name(file), content))
        notes += [f"{path} is ignored: there is another file for {exercise}"
                  for _, _, path, _, _ in candidates]
    return renamed


def _contents(folder: Path, files: list[Path]) -> Iterator[bytes]:
    for path in files:
        data = path.read_bytes()
        yield os.fsencode(f"{path.relative_to(folder)}\0{len(data)}\0")
        yield data


def _file_of_notebook(content: bytes, name: PurePosixPath, notes: list[str]) -> bytes:
    try:
        cells = read_json(content)["cells"]
        texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except MALFORMED:
        notes.append(f"{name} is not a notebook that can be read")
        return b""
    lines = "".join(f"    {ascii(text)},\n" for text in texts)
    return (f"{_NOTEBOOK}{ascii(name.name)}.\nimport dlgo_cells\n\n"
            f"dlgo_cells.run_cells(globals(), {ascii(name.name)}, [\n{lines}])\n"
            ).encode()


def code_of(path: Path) -> str:
    """The code in a collected file; that of its cells without commands, if it was a notebook."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if not text.startswith(_NOTEBOOK):
        return text
    cells = [ast.literal_eval(line.strip().removesuffix(","))
             for line in text.splitlines() if line.startswith("    ")]
    return "\n".join(map(_code_of_cell, cells))


def _code_of_cell(text: str) -> str:
    try:
        return ast.unparse(parse_cell(text, "")[0])
    except SyntaxError:
        return text
