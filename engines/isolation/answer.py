"""The code inside a process whose functions another process calls: see `calls.py`.

`start.py` runs it: hand-ins can import neither this file nor anything else of ours.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from dlgo.tracebacks import describe
from engines.isolation import cells
from engines.isolation.plain import from_plain, to_plain
from engines.isolation.server import Server

# Deeper than Python's own 1,000 calls: a search to the end of a game may recurse so far.
_DEPTH = 5000


class ArgumentChanged(Exception):
    """A function has changed an argument; the message is for its author."""


def call_unchanged(function: Callable[..., Any], arguments: list[Any], reported: set[str]) -> Any:
    """Call a function. Raises ArgumentChanged the first time that it changes an argument: the names
    of such functions are in `reported`, so that one bug is one failure."""
    old_texts = [json.dumps(to_plain(argument), default=float) for argument in arguments]
    value = cells.awaited(function(*arguments))
    new_texts = [json.dumps(to_plain(argument), default=float) for argument in arguments]
    name = getattr(function, "__name__", "the function")
    if old_texts != new_texts and name not in reported:
        reported.add(name)
        number = next(n for n, text in enumerate(old_texts) if text != new_texts[n])
        names = getattr(getattr(function, "__code__", None), "co_varnames", ())
        which = f"'{names[number]}'" if number < len(names) else f"number {number + 1}"
        raise ArgumentChanged(f"{name}() changed its argument {which}; work on a copy.")
    return value


def main() -> None:
    """Load a file, then answer calls until there are no more."""
    server, path = Server(printed=None), Path(sys.argv[1])
    module: ModuleType | None = None
    reported: set[str] = set()
    sys.setrecursionlimit(_DEPTH)
    cells.on_cell = lambda name: server.tell({"cell": name})

    def load(left_out: list[str]) -> dict[str, Any]:
        nonlocal module
        cells.left_out = left_out
        cells.add_builtins()
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
            return {"error": f"there is no function {name}", "kind": "missing"}
        values = from_plain(arguments, lambda number: lambda *parameters: ask(number, parameters))
        return {"value": to_plain(call_unchanged(function, values, reported))}

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


def _failure(error: BaseException, path: Path) -> dict[str, Any]:
    """The failure, in one line, and its place: `line 3`, or `cell 2, line 3` of its notebook."""
    cell = f"{path.stem}.ipynb, cell "
    fault = describe(error, lambda file: file == str(path) or file.startswith(cell))
    place = fault.where.removeprefix(", ")
    if fault.file.startswith(cell):
        place = f"{fault.file.partition(', ')[2]}{fault.where}"
    return {"error": str(fault), "kind": fault.kind, "place": place}
