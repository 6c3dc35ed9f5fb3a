"""The inside of a process whose functions somebody calls from outside: see `calls.py`.

    python -P -m engines.isolation.answer FILE.py [CELL ...]

Cells of a notebook that are named are not run. The file may be written by anybody, so the caller
believes nothing but the values that it returns.
"""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engines.isolation import cells
from engines.isolation.plain import from_plain, to_bytes, to_plain
from engines.programs.framing import read_frame, write_frame

# Deeper than Python's own 1,000 calls: a search to the end of a game may recurse so far.
_DEPTH = 5000


def main() -> None:
    """Load the file, then answer calls until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests, answers = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1):  # what is printed belongs nowhere
        os.dup2(null, standard)
    sys.setrecursionlimit(_DEPTH)
    path = Path(sys.argv[1])
    pid = os.getpid()
    cells.left_out = sys.argv[2:]
    cells.on_cell = lambda name: write_frame(answers, to_bytes({"cell": name}))
    module, answer = None, {}
    try:
        module = _load(path)
        answer = {"value": cells.reports}
    except BaseException as error:
        answer = _failure(error, path)
    while True:
        if os.getpid() != pid:
            os._exit(0)  # it has doubled this process: only one may go on
        write_frame(answers, to_bytes(answer))
        message = read_frame(requests)
        if message is None:
            os._exit(0)
        request = json.loads(message)

        def function(number: int) -> Callable[..., Any]:
            return lambda *arguments: _ask(requests, answers, number, arguments)

        try:
            called = getattr(module, request["call"], None)
            if not callable(called):
                answer = {"error": f"there is no function {request['call']}", "kind": "missing"}
                continue
            value = called(*from_plain(request["arguments"], function))
            answer = {"value": to_plain(value)}
        except BaseException as error:
            answer = _failure(error, path)


def _load(path: Path) -> Any:
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _ask(requests: int, answers: int, number: int, arguments: tuple[Any, ...]) -> Any:
    """Call a function of the other side."""
    write_frame(answers, to_bytes({"ask": number, "arguments": to_plain(list(arguments))}))
    message = read_frame(requests)
    if message is None:
        os._exit(0)
    answer = json.loads(message)
    if "error" in answer:
        raise ValueError(answer["error"])
    return from_plain(answer["value"])


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
