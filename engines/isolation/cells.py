"""Runs the code cells of a notebook one by one, in order, as Jupyter does.

A cell that fails is reported; it costs only what it would have defined. Of IPython's commands
(`%time f()`, `!ls`, `len?`, `%%bash`), those that time or capture Python code run it. Others are
reported and not run.
"""

from __future__ import annotations

import ast
import codeop
import re
import sys
from collections.abc import Callable, Collection, Sequence
from typing import Any

from dlgo.plugins import describe_error

# What went wrong or was not run in the cells so far: one line each.
reports: list[str] = []
# Names of cells (`ko.ipynb, cell 2`) that are left out because they ended their process before.
left_out: Collection[str] = ()
# Called with the name of each cell before it runs.
on_cell: Callable[[str], None] | None = None

# Commands that run Python code, and commands that change nothing that a cell defines.
_RUNS_CODE = ("time", "capture", "prun")
_NO_EFFECT = ("timeit", "matplotlib", "config", "load_ext", "reload_ext", "autoreload", "who")
# A line that is a command of IPython: `%name rest`, `!rest`, `left = !rest`; and `name?`.
_COMMAND = re.compile(r"(?P<left>\s*(?:[^=!%?]+=\s*)?)(?:!|%(?P<name>\w+)\s*)(?P<rest>.*)")
_HELP = re.compile(r"(?P<indent>\s*)(?:\?{1,2}[\w.*]+|[\w.*]+\?{1,2})\s*")
_LONGEST = 60  # characters of a cell's first line in a report


def run_cells(namespace: dict[str, Any], notebook: str, cells: Sequence[str]) -> None:
    """Run the texts of the code cells of a notebook in a namespace, such as a module's; failures go
    to `reports`, which count cells from 1."""
    compiler = codeop.Compile()  # `from __future__` in a cell holds for later cells, too
    namespace["display"] = lambda *_, **__: None
    for number, text in enumerate(cells, 1):
        if not text.strip():
            continue
        name = f"{notebook}, cell {number}"  # in tracebacks, too
        title = f"{name} ({_first_line(text)})"
        if name in left_out:
            _report(f"{title} is skipped: it ended the program, or it never ended")
            continue
        if on_cell is not None:
            on_cell(name)
        try:
            tree, skipped = parse_cell(text, name)
            for command in skipped:
                _report(f"{title}: {_first_line(command)} is not run")
            for node in tree.body:
                exec(compiler(ast.Module([node], []), name, "exec"), namespace)
        except BaseException as error:
            _report(f"{title} failed{describe_error(error, name)}")


def _report(text: str) -> None:
    reports.append(text)
    print(text, file=sys.stderr)


def _first_line(text: str) -> str:
    line = text.strip().split("\n")[0]
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST - 3]}..."


def parse_cell(text: str, name: str) -> tuple[ast.Module, list[str]]:
    """The statements of a cell, and the commands in it that are not run; else raises SyntaxError.

    A line is a command only where Python's parser stumbles over it: `% 3` in brackets is none.
    """
    lines, skipped = text.split("\n"), []
    head = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if lines[head].lstrip().startswith("%%"):
        magic = (lines[head].split()[0])[2:]
        lines[head:] = ["", *lines[head + 1 :]] if magic in _RUNS_CODE else []
        skipped += [f"%%{magic}"] * (magic not in _RUNS_CODE)
    while True:
        try:
            return ast.parse("\n".join(lines), name), skipped
        except SyntaxError as error:
            command = _replace_command(lines, (error.lineno or 1) - 1)
            if command is None:
                raise
            skipped += [command] if command else []


def _replace_command(lines: list[str], start: int) -> str | None:
    """Replace the command that begins in a line by Python; returns it if it is missed then."""
    end = start + 1
    while end < len(lines) and lines[end - 1].endswith("\\"):
        end += 1
    command = " ".join(line.removesuffix("\\") for line in lines[start:end])
    skipped = ""
    if match := _HELP.fullmatch(command):
        code = f"{match['indent']}pass"
    elif not (match := _COMMAND.fullmatch(command)):
        return None
    elif match["name"] in _RUNS_CODE:
        code = match["left"] + match["rest"]
    elif match["name"]:
        code = f"{match['left']}None"
        skipped = "" if match["name"] in _NO_EFFECT else f"%{match['name']}"
    else:
        code, skipped = f"{match['left']}[]", f"!{match['rest']}"
    lines[start:end] = [code, *[""] * (end - start - 1)]
    return skipped
