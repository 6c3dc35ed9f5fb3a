"""The code inside a process whose functions another process calls: see `calls.py`.

    python -P -m engines.isolation.answer FILE.py
"""

from __future__ import annotations

import importlib.util
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

from engines.isolation import cells
from engines.isolation.plain import from_plain, to_plain
from engines.isolation.server import Server

# Deeper than Python's own 1,000 calls: a search to the end of a game may recurse so far.
_DEPTH = 5000


def main() -> None:
    """Load a file, then answer calls until there are no more."""
    server, path = Server(printed=None), Path(sys.argv[1])
    module: ModuleType | None = None
    sys.setrecursionlimit(_DEPTH)
    cells.on_cell = lambda name: server.tell({"cell": name})

    def load(left_out: list[str]) -> dict[str, Any]:
        nonlocal module
        cells.left_out = left_out
        sys.path.insert(0, str(path.parent))
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return {"value": cells.reports}

    def call(name: str, arguments: list[Any]) -> dict[str, Any]:
        function = getattr(module, name, None)
        if not callable(function):
            return {"error": f"there is no function {name}", "kind": "missing"}
        given = from_plain(arguments, lambda number: lambda *asked: ask(number, asked))
        return {"value": to_plain(function(*given))}

    def ask(number: int, arguments: tuple[Any, ...]) -> Any:
        """Call a function of the other side."""
        server.tell({"ask": number, "arguments": to_plain(list(arguments))})
        answer = server.read()
        if "error" in answer:
            raise ValueError(answer["error"])
        return from_plain(answer["value"])

    def answer(request: str, *arguments: Any) -> dict[str, Any]:
        try:
            return {"load": load, "call": call}[request](*arguments)
        except BaseException as error:  # what goes wrong is an answer, too
            return _failure(error, path)

    server.run(answer)


def _failure(error: BaseException, path: Path) -> dict[str, Any]:
    """What went wrong, in one line, and where: `line 3`, or `cell 2, line 3` of its notebook."""
    text = " ".join(str(error).split())[:300]
    kind = type(error).__name__
    places = [(f.filename, f.lineno) for f in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError):
        places.append((error.filename or "", error.lineno))
    place = ""
    for file, line in places:
        if file == str(path):
            place = f"line {line}"
        elif file.startswith(f"{path.stem}.ipynb, cell "):
            place = f"{file.partition(', ')[2]}, line {line}"
    return {"error": f"{kind}: {text}" if text else kind, "kind": kind, "place": place}


if __name__ == "__main__":
    main()
