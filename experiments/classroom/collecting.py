"""Safe copies of the files of a hand-in, under the names that exercises have.

Notes name everything that is left out or renamed. A notebook becomes a Python file that runs its
code cells one by one.
"""

from __future__ import annotations

import ast
import codecs
import io
import os
import re
import tokenize
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from dlgo.digests import hex_digest
from dlgo.readers import MALFORMED, read_json
from dlgo.text import excerpt
from engines.isolation.cells import parse_cell
from experiments.classroom.hand_ins import Source, parts_of, recognise
from experiments.classroom.unpacking import MAX_FILES, File, unpack

_MAX_NOTES = 10
# Errors of `ast` for text that is not code, too large or too deep.
UNPARSABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
# The beginning of a Python file that was made of a notebook.
_NOTEBOOK = "# The code cells of "
_WRITEFILE = re.compile(r"\s*%%(?:write)?file[ \t]+(?P<append>-a[ \t]+)?(?:\./)?"
                        r"(?P<quote>['\"]?)(?P<file>[\w-][\w.-]*)(?P=quote)[ \t]*\r?\n")
_MARKS = ((codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
          (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_DOCUMENTS = (b"PK\3\4", b"%PDF", b"{\\rtf", b"\xd0\xcf\x11\xe0")  # Word, PDF, RTF, old Word


@dataclass(frozen=True)
class Collected:
    """A safe copy of a hand-in."""

    folder: Path  # the folder of the copies, readable by all users
    files: list[Path]  # their paths in it, shallow ones first
    names: list[str]  # their names in the hand-in
    exercises: dict[str, Path]  # of these, the file of each exercise that there is
    notes: list[str]  # what was left out or renamed, and why
    digest: str  # of names and contents


def collect(source: Source, folder: Path, exercises: Collection[str] = ()) -> Collected:
    """Copy a hand-in (files, folders or archives) into an empty folder of ours. Files that are
    named after one of the `exercises`, more or less, get its name."""
    folder.chmod(0o755)
    notes: list[str] = []
    files: list[Path] = []
    name_of: dict[Path, PurePosixPath] = {}  # in the hand-in
    renamed = _renamed(unpack(parts_of(source), notes), exercises, notes)
    # Of a file and a notebook of one name, the one counts in which more is written.
    for given, name, content in sorted(_as_python(renamed, notes), key=_unwritten):
        target = folder.joinpath(*name.parts)
        if target in files:
            if target.read_bytes() != content:
                notes.append(f"{name} occurs twice; the first one counts" if given ==
                             name_of[target] else f"{given} is ignored: {name_of[target]} counts")
            continue
        name_of[target] = given
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
    names = [name_of[path].name for path in files]
    return Collected(folder, files, names, file_of, list(map(excerpt, notes)),
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


def _as_python(
    files: list[File], notes: list[str]
) -> Iterator[tuple[PurePosixPath, PurePosixPath, bytes]]:
    """The name of each file in the hand-in, then here, and its content: Python code in UTF-8, and
    notebooks as Python files."""
    for name, content in files:
        if name.suffix not in (".py", ".ipynb"):
            yield name, name, content
            continue
        text = _text_of(content, name, notes)
        target = name.with_suffix(".py")
        if (cells := _cells_of(text)) is not None:
            if name.suffix == ".py":
                notes.append(f"{name} is a notebook; it was read as one")
            for file, code in _files_of_notebook(cells, name.with_suffix(".ipynb")):
                yield name, file, code
        elif name.suffix == ".py":
            yield name, name, content if text is None else text.encode()
        elif text and not text.lstrip().startswith("{"):
            notes.append(f"{name} is not a notebook; it was read as a Python file")
            yield name, target, text.encode()
        else:
            notes.append(f"{name} is not a notebook that can be read")
            yield name, target, b""


def _unwritten(file: tuple[PurePosixPath, PurePosixPath, bytes]) -> int:
    """The number of functions of ours that are not written yet; many if nothing is there."""
    _, _, content = file
    return content.count(b"YOUR CODE HERE") if content else MAX_FILES


def _text_of(content: bytes, name: PurePosixPath, notes: list[str]) -> str | None:
    """The text of a file, whatever its encoding; None for a file that stays as it is."""
    if content.startswith(_DOCUMENTS):
        notes.append(f"{name} is a document, not code: save it as plain text")
        return None
    encodings = [encoding for mark, encoding in _MARKS if content.startswith(mark)]
    if not encodings and content[:2].count(0) == 1:  # the first character is in ASCII
        encodings = ["utf-16-be" if content[0] == 0 else "utf-16-le"]
    try:
        own = tokenize.detect_encoding(io.BytesIO(content).readline)[0] if not encodings else ""
        if own and not own.startswith("utf-8"):
            return None  # its first lines name an encoding, which Python reads
        text = content.decode(encodings[0] if encodings else own)
    except (SyntaxError, UnicodeError):
        encodings = ["windows-1252"]
        text = content.decode(encodings[0], errors="replace")
    if encodings:
        notes.append(f"{name} is not in UTF-8; it was read as {encodings[0]}")
    return text


def _cells_of(text: str | None) -> list[str] | None:
    """The texts of a notebook's code cells; None for something else."""
    try:
        notebook = read_json(text or "")
        sheets = notebook.get("worksheets", [notebook])  # nbformat 3 has them
        # Some programs write an empty cell without a text, or with null.
        return ["".join(cell.get("source", cell.get("input")) or "")
                for sheet in sheets for cell in sheet["cells"] if cell["cell_type"] == "code"]
    except MALFORMED:
        return None


def _files_of_notebook(cells: list[str], name: PurePosixPath) -> Iterator[File]:
    """The Python file of a notebook, and files that its cells write with `%%writefile`. A cell that
    writes the notebook's own Python file is code of the notebook."""
    target = name.with_suffix(".py")
    texts = []
    written: dict[PurePosixPath, list[str]] = {}
    for text in cells:
        if len(written) < MAX_FILES and (match := _WRITEFILE.match(text)):
            file, text = name.with_name(match["file"]), text[match.end():] + "\n"
            if file != target:
                before = written.get(file, []) if match["append"] else []
                before.append(text)
                written[file], text = before, ""
        texts.append(text)
    lines = "".join(f"    {ascii(text)},\n" for text in texts)
    yield target, (f"{_NOTEBOOK}{ascii(name.name)}.\nimport dlgo_cells\n\n"
                   f"dlgo_cells.run_cells(globals(), {ascii(name.name)}, [\n{lines}])\n").encode()
    for file, parts in written.items():
        yield file, "".join(parts).encode(errors="replace")


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
    except UNPARSABLE:
        return text
