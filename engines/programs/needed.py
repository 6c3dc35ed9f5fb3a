"""The files of `engines` that code in a sandbox can see, if it may not use all engines.

These are the files that its own process loads, and those of allowed engines: what they import,
wherever the statement stands, and their books, weights and tables.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Sequence
from pathlib import Path

ENGINES = Path(__file__).resolve().parents[1]
# The modules that run in the process.
_PROCESS = ("engines.isolation.host", "engines.programs.confine")


@functools.cache
def engine_files(allowed: Sequence[str]) -> list[Path]:
    """The files that are seen, and folders with all that is in them; `allowed`: built-in engines,
    as specifications call them."""
    from engines.registry import ENGINES as REGISTRY  # which loads NumPy

    own = {name: REGISTRY.built_in[name].partition(":")[0] for name in allowed}
    modules, waiting = set(), [*_PROCESS, *own.values()]
    while waiting:
        name = waiting.pop()
        if name not in modules and (path := _path(name)) is not None:
            modules.add(name)
            waiting += [name.rpartition(".")[0], *_imports(path)]
    files = {name: _path(name) for name in modules}
    paths = {path for path in files.values() if path is not None}
    for name, module in own.items():
        if (file := files[module]) is None:
            continue
        folder = file.parent
        paths |= {path for path in folder.iterdir() if path.is_file() and path.suffix != ".py"}
        paths |= {path for end in ("", "-*") for path in ENGINES.glob(f"models/*-{name}{end}")}
    return sorted(paths)


def _path(module: str) -> Path | None:
    """The file of a module of `engines`; None for another one, or a name within a module."""
    top, *names = module.split(".")
    if top != ENGINES.name:
        return None
    places = (ENGINES.joinpath(*names, "__init__.py"), ENGINES.joinpath(*names).with_suffix(".py"))
    return next((place for place in places if place.is_file()), None)


def _imports(path: Path) -> Iterator[str]:
    """The modules, and names in them, that a file imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))
