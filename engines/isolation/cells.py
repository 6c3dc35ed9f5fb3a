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
    shell = _Shell(namespace)
    namespace.update(display=lambda *_, **__: None, get_ipython=lambda: shell)
    for number, text in enumerate(cells, 1):
        if not text.strip():
            continue
        shell.name = name = f"{notebook}, cell {number}"  # in tracebacks, too
        shell.title = f"{name} ({_first_line(text)})"
        if name in left_out:
            _report(f"{shell.title} is left out: it ended the program, or it did not end")
            continue
        if on_cell is not None:
            on_cell(name)
        try:
            shell.run(text)
        except BaseException as error:
            _report(f"{shell.title} failed{describe_error(error, name)}")


def _report(text: str) -> None:
    reports.append(text)
    print(text, file=sys.stderr)


def _first_line(text: str) -> str:
    line = text.strip().split("\n")[0]
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST - 3]}..."


class _Shell:
    """IPython's shell as cells see it: it runs them and the commands in them."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self._namespace = namespace
        self._compiler = codeop.Compile()  # `from __future__` in a cell holds for later cells, too
        self.name = self.title = ""  # of the cell that runs

    def run(self, text: str) -> None:
        for node in parse_cell(text, self.name).body:
            exec(self._compiler(ast.Module([node], []), self.name, "exec"), self._namespace)

    def run_line_magic(self, name: str, line: str) -> Any:
        """`%name line`: the value of the expression, if the command runs one."""
        if name not in _RUNS_CODE:
            return self._skip(name, f"%{name}")
        try:
            code = compile(line, self.name, "eval")
        except SyntaxError:
            return self.run(line)
        return eval(code, self._namespace)

    def run_cell_magic(self, name: str, line: str, cell: str) -> None:
        """`%%name line`, and the rest of the cell."""
        if name in _RUNS_CODE:
            self.run(f"\n{cell}")
        else:
            self._skip(name, f"%%{name}")

    def getoutput(self, command: str) -> list[str]:
        """`!command` and `lines = !command`."""
        self._skip("!", f"!{command}")
        return []

    def _skip(self, name: str, command: str) -> None:
        if name not in _NO_EFFECT:
            _report(f"{self.title}: {_first_line(command)} is not run here")


def parse_cell(text: str, name: str) -> ast.Module:
    """The statements of a cell; commands become calls of IPython's shell. Raises SyntaxError for
    what is neither.

    A line is a command only where Python's parser stumbles over it, so `% 3` or `!= b` within
    brackets or a string is none.
    """
    if text.lstrip().startswith("%%"):
        head, _, body = text.lstrip().partition("\n")
        magic, _, line = head[2:].partition(" ")
        return ast.parse(f"get_ipython().run_cell_magic({magic!r}, {line!r}, {body!r})")
    lines = text.split("\n")
    while True:
        try:
            return ast.parse("\n".join(lines), name)
        except SyntaxError as error:
            if not _replace_command(lines, (error.lineno or 1) - 1):
                raise


def _replace_command(lines: list[str], start: int) -> bool:
    """Put a call in the place of the command that begins in a line; False if there is none."""
    end = start + 1
    while end < len(lines) and lines[end - 1].endswith("\\"):
        end += 1
    command = " ".join(line.removesuffix("\\") for line in lines[start:end])
    if match := _HELP.fullmatch(command):
        call = f"{match['indent']}pass"
    elif not (match := _COMMAND.fullmatch(command)):
        return False
    elif match["name"]:
        call = f"{match['left']}get_ipython().run_line_magic({match['name']!r}, {match['rest']!r})"
    else:
        call = f"{match['left']}get_ipython().getoutput({match['rest']!r})"
    lines[start:end] = [call, *[""] * (end - start - 1)]
    return True
