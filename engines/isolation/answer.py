"""The code inside a process whose functions another process calls: see `calls.py`.

`start.py` runs it: hand-ins can import neither this file nor anything else of ours.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from dlgo.tracebacks import describe
from engines.isolation import cells
from engines.isolation.plain import fingerprints, from_plain, to_plain
from engines.isolation.server import Server

# Deeper than Python's own 1,000 calls: a search to the end of a game may recurse so far.
_DEPTH = 5000


def answer_of(function: Callable[..., Any], arguments: list[Any]) -> dict[str, Any]:
    """The answer of a function, and what its arguments are after the call; the other side finds out
    whether it has changed them (`calls.py`)."""
    value = to_plain(cells.awaited(function(*arguments)))  # iterators may change arguments
    names = getattr(getattr(function, "__code__", None), "co_varnames", ())
    return {"value": value, "arguments": fingerprints(arguments),
            "names": list(names[: len(arguments)])}


def main() -> None:
    """Load a file, then answer calls until there are no more."""
    server, path = Server(printed=None), Path(sys.argv[1])
    module: ModuleType | None = None
    sys.setrecursionlimit(_DEPTH)
    cells.on_cell = lambda name: server.tell({"cell": name})

    def load(left_out: list[str]) -> dict[str, Any]:
        nonlocal module
        cells.left_out = left_out
        cells.add_names()
        sys.path.insert(0, str(path.parent))
        sys.path_importer_cache[str(path.parent)] = importlib.machinery.FileFinder(
            str(path.parent), (cells.Loader, [".py"]))
        spec: Any = importlib.util.spec_from_file_location(
            path.stem, path, loader=cells.Loader(path.stem, str(path)))
        module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return {"value": cells.reports}

    def call(name: str, arguments: list[Any]) -> dict[str, Any]:
        function = getattr(module, name, None)
        if not callable(function):
            return {"error": _similar(name, vars(module)), "kind": "missing"}
        values = from_plain(arguments, lambda number: lambda *parameters: ask(number, parameters))
        return answer_of(function, values)

    def ask(number: int, arguments: tuple[Any, ...]) -> Any:
        """Call a function of the other side."""
        server.tell({"ask": number, "arguments": to_plain(list(arguments))})
        answer = server.read()
        if "error" in answer:
            raise ValueError(answer["error"])
        return from_plain(answer["value"])

    def answer(request: str, *arguments: Any) -> dict[str, Any]:
        try:
            handlers: dict[str, Callable[..., dict[str, Any]]] = {"load": load, "call": call}
            return handlers[request](*arguments)
        except BaseException as error:  # what goes wrong is an answer, too
            return _failure(error, path)

    server.run(answer)


def _similar(name: str, values: dict[str, Any]) -> str:
    """What may have been meant by a name that is missing, in a line; "" if nothing is like it."""
    for key, value in values.items():
        if isinstance(value, type) and hasattr(value, name):
            return f"{name}() is a method of your class {key}; define it outside of the class"
    import difflib

    names = {key.lower(): key for key, value in values.items() if callable(value)}
    keys = difflib.get_close_matches(name.lower(), names, 1, 0.7)
    return f"you have {names[keys[0]]}()" if keys else ""


def _failure(error: BaseException, path: Path) -> dict[str, Any]:
    """The failure, in one line, and its place: `line 3`, or `cell 2, line 3` of its notebook."""
    cell = f"{path.stem}.ipynb, cell "
    fault = describe(error, lambda file: file == str(path) or file.startswith(cell))
    place = fault.where.removeprefix(", ")
    if fault.file.startswith(cell):
        place = f"{fault.file.partition(', ')[2]}{fault.where}"
    return {"error": str(fault), "kind": fault.kind, "place": place}
