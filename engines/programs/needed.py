"""The files that code in a sandbox can see, if it may not use all engines.

Of `engines`, these are the files that its own process loads, and those of allowed engines: what
they import, wherever the statement stands, and their books, weights and tables. Of installed
packages, those that these files and dlgo need.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata
from importlib.machinery import PathFinder
from pathlib import Path

from dlgo.imports import imported_files, imports_of, module_file

ENGINES = Path(__file__).resolve().parents[1]
# The modules that run in the process.
_PROCESS = ("engines.isolation.host", "engines.programs.confine")
# The packages that dlgo imports.
OF_DLGO = ("filelock", "llvmlite", "numba", "numpy", "platformdirs", "psutil", "sgfmill")
_PYTHONS = "lib*/python3*/*-packages"


@functools.cache
def engine_files(allowed: Sequence[str]) -> list[Path]:
    """The files that are seen, and folders with all that is in them; `allowed`: built-in engines,
    as specifications call them."""
    own, files = _modules_of(allowed), engine_modules(allowed)
    paths = set(files.values())
    for name, module in own.items():
        if (file := files.get(module)) is None:
            continue
        folder = file.parent
        paths |= {path for path in folder.iterdir() if path.is_file() and path.suffix != ".py"}
        paths |= {path for end in ("", "-*") for path in ENGINES.glob(f"models/*-{name}{end}")}
    return sorted(paths)


@functools.cache
def engine_modules(allowed: Sequence[str]) -> dict[str, Path]:
    """The modules of `engines` that can be imported, with their files."""
    return _closure((*_PROCESS, *_modules_of(allowed).values()))


@functools.cache
def packages(allowed: Sequence[str], others: Sequence[str] = ()) -> tuple[str, ...]:
    """The installed packages that are seen, by the names under which they are imported: those that
    dlgo, the `allowed` engines and the packages `others` need."""
    files = _closure(tuple(_modules_of(allowed).values())).values()
    names = {name.partition(".")[0] for file in files for name in imports_of(file)}
    tops = {*OF_DLGO, *others, *names} - {*sys.stdlib_module_names, "dlgo", "engines"}
    if tops == {*OF_DLGO}:
        return OF_DLGO
    owners = _owners()
    modules: dict[str, set[str]] = {}  # by distribution
    for module, distributions in owners.items():
        for name in distributions:
            modules.setdefault(_normal(name), set()).add(module)
    waiting, seen = [_normal(name) for top in tops for name in owners.get(top, ())], set[str]()
    while waiting:
        name = waiting.pop()
        if name in seen or name not in modules:
            continue
        seen.add(name)
        tops |= modules[name]
        waiting += [_normal(match[0]) for line in metadata.requires(name) or []
                    if "extra ==" not in line and (match := re.match(r"[\w.-]+", line))]
    return tuple(sorted(tops))


@functools.cache
def package_files(shown: Sequence[str]) -> list[Path]:
    """The files and folders of installed packages, given the names under which they are imported,
    with the libraries and the metadata that lie beside them."""
    paths: set[Path] = set()
    for name in shown:
        spec = PathFinder.find_spec(name, _installed())
        if spec is not None:
            places = spec.submodule_search_locations or [spec.origin or ""]
            paths |= {Path(place) for place in places if place and Path(place).exists()}
    for distribution in {found.name: found for name in shown for found in _named(name)}.values():
        folder = Path(str(distribution.locate_file("")))
        tops = {file.parts[0] for file in distribution.files or ()} - {"..", "__pycache__"}
        paths |= {folder / top for top in tops if (folder / top).exists()}
    return sorted(paths)


@functools.cache
def _owners() -> Mapping[str, list[str]]:
    """The distributions of each importable name, which takes seconds to find out."""
    return metadata.packages_distributions()


def _named(name: str) -> list[metadata.Distribution]:
    """The distributions in which an importable name is: mostly one, called like it."""
    owners = [name] if [*_distributions(name)] else _owners().get(name, ())
    return [found for owner in owners for found in _distributions(owner)]


def _distributions(name: str) -> list[metadata.Distribution]:
    """The distribution of that name, if it is installed."""
    return [*metadata.distributions(name=name, path=_installed())][:1]


def _installed() -> list[str]:
    """The folders of installed packages that this Python uses. Ray brings packages of its own in
    another one, which code in a sandbox cannot see."""
    return [place for place in sys.path if place.endswith("-packages")]


def package_folders(prefixes: Iterable[str]) -> set[Path]:
    """The folders of installed packages of all Pythons under these folders, and of this one."""
    folders = {Path(place) for place in _installed()}
    return folders | {path for prefix in prefixes for path in Path(prefix).glob(_PYTHONS)}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _modules_of(allowed: Sequence[str]) -> dict[str, str]:
    from engines.registry import ENGINES as REGISTRY  # which loads NumPy

    return {name: REGISTRY.built_in[name].partition(":")[0] for name in allowed}


def _closure(modules: Sequence[str]) -> dict[str, Path]:
    """The files of modules of `engines`, and of those that they import."""
    return imported_files(modules, [ENGINES.name])


def is_module(name: str) -> bool:
    """Whether a module of `engines` can be seen here."""
    return name.partition(".")[0] == ENGINES.name and module_file(name) is not None
