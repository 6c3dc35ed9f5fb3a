"""Code and tables in the docs: made from the source, never copied by hand.

    python -m experiments.docs.fill [FILE ...]            # fill in
    python -m experiments.docs.fill --check [FILE ...]    # only say what is out of date

Two comments, which renderers do not show, are followed by what this command fills in:

    <!-- code: engines/minimax/plain.py MinimaxEngine._value -->
    ```python
    ```

    <!-- table: options mcts -->

The first names a file and the parts to show, in this order: functions, classes, methods,
constants; without names, the whole file. The block begins with the name of the file and, for
methods, of their class. The second is explained in `tables.py`. Without FILE, all of docs/ is
filled.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from dlgo.errors import DlgoError
from dlgo.files import write_file
from experiments.command import run
from experiments.docs.tables import with_tables

ROOT = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(
    r"^<!-- code: (?P<source>\S+)(?P<names>[^\n]*?) -->\n(?:```python\n.*?^```$)?", re.M | re.S
)


def filled(text: str, root: Path = ROOT) -> str:
    """The document with every marked block filled from its source in `root`.

    Raises:
        DlgoError: for a file or a name that does not exist, or a mark without a block.
    """
    def fill(match: re.Match[str]) -> str:
        if not match[0].endswith("```"):
            raise DlgoError("a <!-- code: FILE NAMES --> has no ```python block in the line after "
                            "it")
        source, names = match["source"], match["names"].split()
        code = code_of(root / source, source, names)
        return f"<!-- code: {' '.join([source, *names])} -->\n```python\n{code}```"

    return _BLOCK.sub(fill, text)


def code_of(path: Path, shown_as: str, names: Sequence[str]) -> str:
    """The source of `names` in `path`, under a comment with its place."""
    try:
        source = path.read_text(encoding="utf-8")
    except OSError as error:
        raise DlgoError(f"cannot include code of {shown_as}: {error.strerror}") from None
    if not names:
        return f"# {shown_as}\n{source}"
    lines, parts, owner = source.splitlines(), [], ""
    for name in names:
        node: Any = ast.parse(source)
        for step in name.split("."):
            node = next((child for child in getattr(node, "body", ()) if step in _names(child)),
                        None)
            if node is None:
                raise DlgoError(f"{shown_as} has no {name}; correct the name in the <!-- code --> "
                                "comment")
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
        part = textwrap.dedent("\n".join(lines[first - 1 : node.end_lineno]))
        holder = name.rpartition(".")[0]
        if holder and holder != owner:
            part = f"# of class {holder}\n{part}"
        owner = holder
        parts.append(part)
    return f"# {shown_as}\n" + "\n\n".join(parts) + "\n"


def _names(node: ast.stmt) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return [getattr(node, "name", ""), *(t.id for t in targets if isinstance(t, ast.Name))]


@click.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path, exists=True))
@click.option("--check", is_flag=True, help="Change nothing; fail if a document is out of date.")
def main(files: tuple[Path, ...], check: bool) -> None:
    """Put code and tables into the docs."""
    old = []
    for path in files or sorted((ROOT / "docs").rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        try:
            new = with_tables(filled(text))
        except DlgoError as error:
            raise DlgoError(f"{path}: {error}") from None
        if new != text:
            old.append(str(path))
            if not check:
                write_file(path, new)
    if old and check:
        raise DlgoError(f"out of date: {', '.join(old)}; "
                        "run python -m experiments.docs.fill")
    print("\n".join(f"filled in: {path}" for path in old) or "all code and tables are up to date")


if __name__ == "__main__":
    run(main)
