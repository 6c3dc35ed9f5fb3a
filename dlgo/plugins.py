"""Games and engines by name, from this project, installed packages, files and modules.

    connect4                     built in
    hex                          from an installed package, by an entry point
    my_bot.py                    the only one in a file
    my_bot.py:Greedy             one of several in a file
    package.module:Greedy        one in a module that Python can import
    Greedy@3f9a1c22              one made in a notebook or script, known in this process only

Settings follow the name, as for built-in ones: `my_bot.py:Greedy:depth=3,style=wild`.

A file is loaded as a module whose name is made of its path. So machine code of its kernels is
cached, and pickles of its objects find it in every process.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import inspect
import itertools
import os
import pkgutil
import re
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from dlgo.code_digest import code_digest
from dlgo.digests import hex_digest
from dlgo.errors import LoadError, PluginError, UnreadableError, system_reason
from dlgo.files import relative_path, user_path
from dlgo.specs import split_version, suggest
from dlgo.text import with_article
from dlgo.tracebacks import describe

FILE_PREFIX = "dlgo-file:"
# The script or notebook of a process; a process that `multiprocessing` starts has the second name.
_MAIN = ("__main__", "__mp_main__")
# A path may begin with a drive, as in `C:\bots\greedy.py`.
_FILE = re.compile(r"(?s)(?P<path>(?:[A-Za-z]:[\\/])?[^:]*\.py)(?::(?P<rest>.*))?")
# A path whose folders have colons, such as times.
_FILE_IN_COLONS = re.compile(
    r"""(?s)(?P<path>(?:[^=,"\\/]*[\\/])+[^:=,"\\/]*\.py)(?::(?P<rest>.*))?""")
_MODULE = re.compile(r"(?s)(?P<path>[A-Za-z_][\w.]*):(?P<rest>.*)")
_MEMBER = re.compile(r"(?s)(?P<name>[A-Za-z_]\w*)(?::(?P<settings>.*))?")


@dataclass(frozen=True)
class Plugin:
    """A game or engine that was found."""

    reference: str  # its name in specifications, always with the class
    target: Any  # the class or function
    origin: Path | None = None  # the file that defines it; None if it is built in

    @property
    def digest(self) -> str:
        """Digest of its sources (hexadecimal): its version. Empty for built-in ones, and for those
        made in Python, whose names hold it."""
        made_here = split_version(self.reference)[1]
        return "" if self.origin is None or made_here else source_digest(self.target)


class PluginGroup:
    """All games, or all engines.

    Args:
        noun: "game" or "engine".
        built_in: name -> "module:object". Modules load on demand.
        fits: whether an object of a module is a game, or an engine.
        wanted: the requirement, as the end of a sentence.
    """

    def __init__(
        self, noun: str, built_in: Mapping[str, str], fits: Callable[[Any], bool], requirement: str
    ) -> None:
        self.noun, self.built_in, self._fits, self._wanted = noun, built_in, fits, requirement
        self._given: dict[str, Any] = {}

    def names(self) -> list[str]:
        """The built-in names, then those that installed packages add."""
        return [*self.built_in, *(name for name in self._entry_points if name not in self.built_in)]

    @functools.cached_property
    def _entry_points(self) -> dict[str, list[importlib.metadata.EntryPoint]]:
        # Read last, because it takes a moment.
        points: dict[str, list[importlib.metadata.EntryPoint]] = {}
        for point in importlib.metadata.entry_points(group=f"dlgo.{self.noun}s"):
            points.setdefault(point.name, []).append(point)
        return points

    def split(self, text: str) -> tuple[str, str | None]:
        """The name in a specification, and the settings after it (None without a colon)."""
        whole, text = text, text.strip()
        name, colon, settings = text.partition(":")
        name = name.strip()
        if not name:
            raise PluginError(f"{self.noun} {whole!r} has no name; write name:key=value,key=value")
        match = _FILE.fullmatch(text)
        if match is None and not (
            name in self.built_in or name in self._given or name in self._entry_points
        ):
            match = _MODULE.fullmatch(text)
            if match is None or not _MEMBER.fullmatch(match["rest"]):
                match = _FILE_IN_COLONS.fullmatch(text) or match
        if match is not None:
            member = _MEMBER.fullmatch(match["rest"] or "")
            if member is not None:
                return f"{match['path']}:{member['name']}", member["settings"]
            if match["path"].endswith(".py"):
                return match["path"], match["rest"]
        return name, settings if colon else None

    def split_version(self, spec: str) -> tuple[str, str]:
        """Like `specs.split_version`, but the version of an object made in Python stays: it is part
        of its name."""
        text, version = split_version(spec)
        return (text, version) if ":" in text or self.is_known(text) else (spec, "")

    def is_file(self, name: str) -> bool:
        """Whether `find` would run a file or a module that is not an installed plug-in."""
        return ":" in name or name.endswith(".py")

    def is_known(self, name: str) -> bool:
        """Whether the name is of a kind that `find` can find here; nothing is loaded."""
        return name in self._given or self.is_file(name) or name in self.names()

    def is_loaded(self, name: str) -> bool:
        """Whether `find` runs only code that has already run in this process, or no file at all."""
        path = path_and_member(name)[0]
        module = _module_of(Path(path))[0] if path.endswith(".py") else path
        return not self.is_file(name) or module in sys.modules

    def find(self, name: str) -> Plugin:
        """The game or engine called `name` (as `split` returns it).

        Raises PluginError, with file and line, if it cannot be loaded or is something else.
        """
        if name in self.built_in:
            return Plugin(name, pkgutil.resolve_name(self.built_in[name]))
        if name in self._given:
            return Plugin(name, self._given[name], _file_of(self._given[name]))
        if not self.is_file(name) and (points := self._entry_points.get(name)):
            if len({point.value for point in points}) > 1:
                packages = " and ".join(point.dist.name if point.dist else "?" for point in points)
                raise PluginError(
                    f"{packages} both call {with_article(self.noun)} {name!r}; remove one of them")
            module, _, member = points[0].value.partition(":")
            return self._choose(_load_module(module, name), module, member, reference=name)
        path, member = path_and_member(name)
        if path.endswith(".py"):
            return self._choose(load_file(Path(path)), os.path.normpath(path), member)
        if member:
            return self._choose(_load_module(path, name), path, member)
        if split_version(name)[1]:
            raise PluginError(
                f"{self.noun} {name!r} was made in a notebook or script, and this process has no "
                f"such version: run its cell, then dlgo.{self.noun}(...) with the class")
        names = self.names()
        raise PluginError(
            f"unknown {self.noun} {name!r}{suggest(name, names)}; {self.noun}s are "
            f"{', '.join(names)}; for one of your own, write FILE.py or FILE.py:NAME"
        )

    def name_of(self, target: Any) -> str:
        """A name under which `find` finds an object that was made in Python.

        The name in its module, if other processes can import it; else a name for this process alone
        (`is_given`), with a version: a cell that runs again gives the same name, an edited cell
        gives another one. A module stands for the only one in it.
        """
        if inspect.ismodule(target):
            target = self._choose(target, target.__name__, "").target
        name = getattr(target, "__name__", type(target).__name__)
        module = getattr(target, "__module__", "__main__")
        if module not in _MAIN and getattr(sys.modules.get(module), name, None) is target:
            if module.startswith(FILE_PREFIX):
                return f"{relative_path(sys.modules[module].__file__ or '')}:{name}"
            reference = f"{module}:{name}"
            return next((key for key in self.built_in if self.built_in[key] == reference),
                        reference)
        version = code_digest(target)[:8]  # as `dlgo.records.entrants` writes it
        if inspect.isclass(target) or inspect.isfunction(target):
            self._given[f"{name}@{version}"] = target
            return f"{name}@{version}"
        names = itertools.chain([name], (f"{name}{number}" for number in itertools.count(2)))
        return next(
            name for name in (f"{name}@{version}" for name in names)
            if self._given.setdefault(name, target) is target
        )

    def is_given(self, name: str) -> bool:
        """Whether the object of this name was made in Python and exists in this process only."""
        return name in self._given

    def _choose(
        self, module: ModuleType, path: str, name: str, reference: str | None = None
    ) -> Plugin:
        """The object called `name`; without a name, the only one that fits."""
        origin = Path(module.__file__) if module.__file__ else Path(path)
        if not name:
            names = self.offers(module)
            if not names:
                raise PluginError(f"{path} holds no {self.noun}: {lack_of(module) or self._wanted}")
            if len(names) > 1:
                raise PluginError(
                    f"{path} holds {len(names)} {self.noun}s, {' and '.join(names)}: name one, as "
                    f"in {path}:{names[0]}"
                )
            name = names[0]
        target = getattr(module, name, None)
        if target is None:
            raise PluginError(f"{path} has no {name}{suggest(name, vars(module))}")
        if not self._fits(target):
            line = ""
            with contextlib.suppress(OSError, TypeError):
                line = f", line {inspect.getsourcelines(target)[1]}"
            line = line.removesuffix(", line 0")  # a module
            raise PluginError(
                f"{path}{line}: {name} is not {with_article(self.noun)}: {self._wanted}")
        return Plugin(reference or f"{path}:{name}", target, origin)

    def offered(self, path: Path) -> list[str]:
        """The names of the games or engines in a file. Raises PluginError if it cannot be
        loaded."""
        return self.offers(load_file(path))

    def offers(self, module: ModuleType) -> list[str]:
        """The candidates of a module when no name is given: its own, public, complete ones."""
        return [
            name for name, value in vars(module).items()
            if getattr(value, "__module__", None) == module.__name__
            and not name.startswith("_") and not inspect.isabstract(value)
            and self._fits(value)
            and (inspect.isclass(value) or self.noun == "function" or name == "select_move")
        ]


def lack_of(module: ModuleType) -> str:
    """What the incomplete class of a module lacks; "" if it has none."""
    return next((incomplete(value) for value in vars(module).values() if inspect.isabstract(value)
                 and value.__module__ == module.__name__), "")


def incomplete(kind: type) -> str:
    """What an abstract class lacks."""
    methods = sorted(getattr(kind, "__abstractmethods__", ()))
    return f"{kind.__name__} is not complete; add the methods {', '.join(methods)}"


def path_and_member(name: str) -> tuple[str, str]:
    """The file or module in a name of `split`, and the class or function in it ("" without one)."""
    path, _, member = name.rpartition(":")
    return (name, "") if not path or name.endswith(".py") else (path, member)


def load_file(path: Path) -> ModuleType:
    """The module that a Python file makes; loaded once, and again when it or a file beside it that
    it uses has been edited. Threads load one after the other.

    Raises PluginError, with file and line, if something is missing or cannot be loaded.
    """
    with _loading:
        return _load_file(path)


def _load_file(path: Path) -> ModuleType:
    name, whole = _module_of(path)
    try:
        if not whole.is_file():
            reason = "it is a folder" if whole.is_dir() else "there is no such file"
            raise LoadError(str(path), reason)
    except OSError as error:  # as of too long a name
        raise LoadError(str(path), system_reason(error)) from None
    loaded = _stamps.get(name, {})
    if loaded and name in sys.modules and all(
            stamp == file_stamp(file) for file, stamp in loaded.items()):
        return sys.modules[name]
    for module_name in [
        module_name for module_name, module in list(sys.modules.items())
        if module_name == name or Path(getattr(module, "__file__", None) or "") in loaded
    ]:
        del sys.modules[module_name]
    stamp = file_stamp(whole)
    module = _load_module(name, str(path), whole)
    files = _files_used(module, whole.parent, set())
    _stamps[name] = {file: file_stamp(file) for file in files} | {whole: stamp}
    return module


def _let_import(folder: Path) -> None:
    """Files of a folder can be imported. What is installed takes precedence; what has the same name
    in the folder of another file does not: each file gets what lies beside it."""
    if str(folder) in _folders or str(folder) not in sys.path:
        _folders[str(folder)] = None
        others = [other for other in _folders if other != str(folder)]
        sys.path[:] = [
            *(entry for entry in sys.path if entry not in _folders), str(folder), *others]
    for name, module in list(sys.modules.items()):
        top, file = name.partition(".")[0], getattr(module, "__file__", None) or ""
        if (
            _folder_of(name, file) in _folders.keys() - {str(folder)} and top not in _OURS
            and ((folder / f"{top}.py").exists() or (folder / top).is_dir())
        ):
            del sys.modules[name]


def import_path() -> list[str]:
    """`sys.path` for other processes: without the folders of files. Each process adds those itself,
    and so knows which of them a file may import from."""
    return [entry for entry in sys.path if entry not in _folders]


def folders_of_files() -> list[str]:
    """The folders of the files that this process has loaded."""
    return [*_folders]


@contextlib.contextmanager
def starting_process() -> Iterator[None]:
    """A process that `multiprocessing` starts in the block gets `import_path`."""
    with _loading:
        whole = sys.path[:]
        sys.path[:] = import_path()
        try:
            yield
        finally:
            sys.path += [entry for entry in whole if entry not in sys.path]  # some may be new


def _folder_of(name: str, file: str) -> str:
    """The folder from which a module of this name was imported."""
    above = Path(file).parents[name.count(".") + file.endswith("__init__.py"):]
    return str(above[0]) if above else ""


_OURS = ("dlgo", "engines", "experiments", "reports")
# The folders of loaded files, in `sys.path` after all others.
_folders: dict[str, None] = {}
# No thread sees a module that another one is still loading.
_loading = threading.RLock()
# The files of each loaded module, as they were then.
_stamps: dict[str, dict[Path, tuple[int, int] | None]] = {}


def file_stamp(path: Path | str) -> tuple[int, int] | None:
    """Time and size of a file, which an edit changes; None if it is gone."""
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _module_of(path: Path) -> tuple[str, Path]:
    """The name of the module that a file makes, and the whole path."""
    whole = Path(os.path.abspath(user_path(path)))  # noqa: PTH100 (a link stays what it is)
    name = str(whole.with_suffix("")).replace("%", "%25").replace(".", "%2E")
    return FILE_PREFIX + name, whole


def _load_module(name: str, label: str, path: Path | None = None) -> ModuleType:
    if name in sys.modules:
        return sys.modules[name]
    if str(Path.cwd()) not in sys.path and path is None:
        sys.path.append(str(Path.cwd()))
    try:
        return importlib.import_module(name)
    except SyntaxError as error:
        file = relative_path(error.filename) if error.filename else label
        raise LoadError(f"{file}, line {error.lineno}", error.msg) from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # anything that the file does while loading, including exit()
        if isinstance(error, OSError) and path is not None and error.filename == str(path):
            raise UnreadableError(f"{label} cannot be read: {system_reason(error)}") from None
        fault = describe(error, lambda file: path is not None and file == str(path))
        raise LoadError(f"{label}{fault.where}", str(fault)) from error


def _file_of(target: Any) -> Path | None:
    kind = target if inspect.isclass(target) or inspect.isfunction(target) else type(target)
    try:
        file = inspect.getsourcefile(kind)
    except (OSError, TypeError):  # made at the prompt or in a notebook
        return None
    return Path(file) if file else None


def source_digest(target: Any) -> str:
    """Digest of the sources of a class or function: its file, and the files beside it that it uses.

    For a class in a package, the whole package. Empty if there is no source.
    """
    module = sys.modules.get(getattr(target, "__module__", ""))
    file = getattr(module, "__file__", None)
    if module is None or file is None:
        return ""
    package = sys.modules.get(module.__name__.partition(".")[0])
    if module.__name__.startswith(FILE_PREFIX) or package is module:
        folder = Path(file).parent
        # By now, the names in `sys.modules` may be those of files in another folder.
        files = sorted(_stamps.get(module.__name__) or _files_used(module, folder, set()))
    else:
        folder = Path(package.__file__ or file).parent if package is not None else Path(file).parent
        files = sorted(folder.rglob("*.py"))
    return hex_digest(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes()
                      for path in files)


def _files_used(module: ModuleType, folder: Path, visited: set[str]) -> set[Path]:
    """The module's file and those of the same folder whose names or objects it holds."""
    file = Path(getattr(module, "__file__", None) or "")
    if (
        module.__name__ in visited or folder not in file.parents or "site-packages" in file.parts
        or module.__name__.partition(".")[0] in _OURS
    ):
        return set()
    visited.add(module.__name__)
    files = {file}
    for value in list(vars(module).values()):
        imported = value if isinstance(value, ModuleType) else sys.modules.get(
            getattr(value, "__module__", None) or ""
        )
        if imported is not None:
            files |= _files_used(imported, folder, visited)
    return files


class _FileFinder(importlib.abc.MetaPathFinder):
    """Finds the modules of files by their names, also in processes that unpickle their objects."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if not fullname.startswith(FILE_PREFIX):
            return None
        file = fullname.removeprefix(FILE_PREFIX).replace("%2E", ".").replace("%25", "%") + ".py"
        _let_import(Path(file).parent)
        return importlib.util.spec_from_file_location(fullname, file)


sys.meta_path.append(_FileFinder())
