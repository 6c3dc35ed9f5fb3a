"""The files of modules and of all that they import: what a result was computed with.

`plugins.source_digest` takes a whole package, and `fingerprint.py` what is compiled.
"""

from __future__ import annotations

import ast
import functools
import importlib.util
from collections.abc import Collection, Iterable
from pathlib import Path


def imported_files(modules: Iterable[str], packages: Collection[str]) -> dict[str, Path]:
    """The files of modules and of those that they import, by module.

    Statements are read wherever they stand in a file; nothing is run. Modules that are found by
    names in texts, such as plug-ins, are not seen. Nor are those that a top-level package imports:
    `dlgo` is also the front door to everything.

    Args:
        packages: the packages whose files count.
    """
    files: dict[str, Path] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name in files or name.partition(".")[0] not in packages:
            continue
        if (path := module_file(name)) is not None:
            files[name] = path
            waiting += [name.rpartition(".")[0], *(imports_of(path) if "." in name else ())]
    return files


def module_file(module: str) -> Path | None:
    """The file of a module; None if there is none, as for a name within a module."""
    top, *names = module.split(".")
    if (root := _root(top)) is None:
        return None
    place = root.joinpath(*names)
    return next((file for file in (place / "__init__.py", place.with_suffix(".py"))
                 if file.is_file()), None)


@functools.cache
def imports_of(path: Path) -> list[str]:
    """The modules, and names in them, that a file imports."""
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return names


@functools.cache
def _root(package: str) -> Path | None:
    """The folder of a top-level package."""
    spec = importlib.util.find_spec(package)
    return Path(spec.origin).parent if spec is not None and spec.origin is not None else None
