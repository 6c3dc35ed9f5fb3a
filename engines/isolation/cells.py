"""Runs the code cells of a notebook one by one, in order, as Jupyter does; and files like a cell.

A cell that fails is reported; it costs only what it would have defined, and so does a statement
that needs what cannot be imported. Of IPython's commands (`%time f()`, `!ls`, `len?`, `%%bash`),
those that time or capture Python code run it. Others are reported and not run. IPython itself
cannot do this here: a hand-in's process sees no installed packages but NumPy, and grading must not
depend on what else is installed.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import codeop
import contextlib
import importlib.machinery
import importlib.util
import re
import sys
import textwrap
import tokenize
from collections.abc import Callable, Collection, Coroutine, Sequence
from types import ModuleType
from typing import Any

from dlgo.tracebacks import describe_error

# Failures in the cells so far and cells that were not run: one line each.
reports: list[str] = []
# Names of cells (`ko.ipynb, cell 2`) that are left out because they ended their process before.
left_out: Collection[str] = ()
# Called with the name of each cell before it runs.
on_cell: Callable[[str], None] | None = None
_imports_reported: set[str] = set()  # messages

# Commands that run Python code, and commands that change nothing that a cell defines.
_RUNS_CODE = ("time", "capture", "prun")
_NO_EFFECT = ("timeit", "matplotlib", "config", "load_ext", "reload_ext", "autoreload", "who")
# `name?` and `name??`, also of attributes and parts.
_HELP = re.compile(r"%{0,2}(?!\d)[\w*]+(\.(?!\d)[\w*]+|\[-?[0-9]+\])*\?\??$")
_FILE = re.compile(r"\s*(?:-i\s+)?(?:\./)?(\w+)(?:\.py|\.ipynb)?\s*")  # of `%run`
# Options of `%prun`, such as `-s cumtime`.
_OPTIONS = re.compile(r"^(?:\s*-(?:[lsTD]\s*[\w.]+|[rq])\s)+")
# Prompts of consoles, which people copy.
_PROMPT = re.compile(r"\s*(?:(?:>>>|\.\.\.)(?:[ \t]|$)|In \[\d+\]: |\.{3,}: ?)")
_LONGEST = 60  # characters of a cell's first line in a report


def _nothing(*_: Any, **__: Any) -> None:
    pass


class _Nothing(ModuleType):
    """The result of `get_ipython()`, and the package IPython: all functions do nothing."""

    __path__: list[str] = []

    def __getattr__(self, name: str) -> Callable[..., None]:
        if name.startswith("__"):  # what Python looks for in any module
            raise AttributeError(name)
        return _nothing


def add_names() -> None:
    """Define what consoles and notebooks have: `display` and `get_ipython` (scripts made of
    notebooks may call them, too), `exit` and `quit`."""
    shell = _Nothing("IPython")
    sys.modules.update({"IPython": shell, "IPython.display": shell})
    vars(shell).update(get_ipython=lambda: shell)
    vars(builtins).update(display=_nothing, get_ipython=shell.get_ipython, exit=sys.exit,
                          quit=sys.exit)


class _Missing:
    """What could not be imported: its use says so."""

    def __init__(self, error: ImportError) -> None:
        self._kind, self._text = type(error), str(error)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what Python looks for in any object
            raise AttributeError(name)
        raise self._kind(self._text)

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise self._kind(self._text)


class Loader(importlib.machinery.SourceFileLoader):
    """Runs a file as `run_cells` runs a cell."""

    def exec_module(self, module: ModuleType) -> None:
        """Run it in the module. Raises SyntaxError."""
        text = importlib.util.decode_source(self.get_data(self.path))
        name = self.path.rpartition("/")[2]
        try:
            _run(vars(module), text, self.path, name, "file", _Compiler())
        except SyntaxError:
            raise
        except BaseException as error:
            _report(f"{name} failed{describe_error(error, self.path)}; the rest is not run")


def run_cells(namespace: dict[str, Any], notebook: str, cells: Sequence[str]) -> None:
    """Run the texts of the code cells of a notebook in a namespace, such as a module's; failures go
    to `reports`, which count cells from 1."""
    compiler = _Compiler()  # `from __future__` in a cell holds for later cells, too
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
            _run(namespace, text, name, title, "cell", compiler)
        except BaseException as error:
            _report(f"{title} failed{describe_error(error, name)}")


class _Compiler(codeop.Compile):
    """Compiles statements as Jupyter does, which allows `await`; annotations are not evaluated."""

    def __init__(self) -> None:
        super().__init__()
        self.flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | __future__.annotations.compiler_flag


def _run(
    namespace: dict[str, Any], text: str, file: str, title: str, whole: str, compiler: _Compiler
) -> None:
    """Run the statements of a cell or a file. One that needs what cannot be imported here is left
    out: your machine may have what only draws pictures."""
    tree, skipped = parse_cell(text, file)
    for command in skipped:
        _report(f"{title}: {_first_line(command)} is not run")
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module:
            node.level = 0  # `from .helper import f`: the folder of a hand-in is no package
        module: Any = ast.Module([node], [])
        code = compiler(module, file, "exec")
        try:
            awaited(eval(code, namespace))
        except ImportError as error:
            report = f"{describe_error(error, file)}; the rest of the {whole} runs"
            if str(error) not in _imports_reported:
                _report(f"{title}{report}")
            _imports_reported.add(str(error))
            for name in _defined(node):
                namespace.setdefault(name, _Missing(error))


def _defined(node: ast.stmt) -> list[str]:
    """The names that an import, a function or a class defines."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name.partition(".")[0] for alias in node.names]
    return [node.name] if isinstance(node, ast.FunctionDef | ast.ClassDef) else []


def awaited(value: Any) -> Any:
    """The result of a coroutine; other values as they are."""
    if not isinstance(value, Coroutine):
        return value
    import asyncio

    return asyncio.run(value)


def _report(text: str) -> None:
    reports.append(text)
    print(text, file=sys.stderr)


def _first_line(text: str) -> str:
    line = text.strip().split("\n")[0]
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST - 3]}..."


def parse_cell(text: str, name: str) -> tuple[ast.Module, list[str]]:
    """The statements of a cell, and the commands in it that are not run; else raises SyntaxError.

    A line is a command only where Python's parser stumbles over it and a statement begins: `% 3` in
    brackets, in a string or after a backslash is none. This accepts what IPython's own
    `TransformerManager` accepts, and keeps the numbers of lines.
    """
    lines, skipped = text.split("\n"), []
    head = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if _PROMPT.match(lines[head]):
        lines = [_PROMPT.sub("", line, count=1) for line in lines]
    if lines[head][:1].isspace():
        lines = textwrap.dedent("\n".join(lines)).split("\n")
    if lines[head].startswith("%%") and not _HELP.fullmatch(lines[head]):
        magic = lines[head][2:].partition(" ")[0].rstrip()
        lines[head:] = ["", *lines[head + 1 :]] if magic in _RUNS_CODE else []
        skipped += [f"%%{magic}"] * (magic not in (*_RUNS_CODE, *_NO_EFFECT))
    while True:
        try:
            return ast.parse("\n".join(lines), name), skipped
        except SyntaxError as error:
            command = _replace_command(lines, (error.lineno or 1) - 1)
            if command is None:
                raise
            skipped += [command] if command else []


def _replace_command(lines: list[str], start: int) -> str | None:
    """Replace the command that begins in a line by Python; returns it if it is missed then, or None
    if there is none."""
    end = start + 1
    while end < len(lines) and lines[end - 1].endswith("\\"):
        end += 1
    command = " ".join(line.removesuffix("\\") for line in lines[start:end]).rstrip()
    code, skipped = _python_of(command)
    if code is None or not _is_complete(lines[:start]):
        return None
    lines[start:end] = [code, *[""] * (end - start - 1)]
    return skipped


def _python_of(command: str) -> tuple[str | None, str]:
    """The Python code in place of a command, or None if the text is not a command; and the command
    itself if it is not run, else ""."""
    target = _assigned(command)
    text = command[len(target):]
    if not target:
        text = command.lstrip()
        target = command[: len(command) - len(text)]
        if text[:1] == "?" or _HELP.search(text):
            return f"{target}None", ""
        name, _, line = text[1:].partition(" ")
        if text[:1] == "/" and name:
            return f"{target}{name}({', '.join(line.split())})", ""
        if text[:1] and text[0] in ",;" and name:
            words = line.split() if text[0] == "," else [line]
            return f"{target}{name}({', '.join(map(repr, words))})", ""
        if text[:1] == "!":
            return f"{target}None", text
    if text[:1] == "!":
        return f"{target}[]", text
    if text[:1] != "%":
        return None, ""
    name, _, line = text[1:].partition(" ")
    if name in _RUNS_CODE:
        code = _OPTIONS.sub("", line) if name == "prun" else line
        return target + (code or "None"), ""
    if name == "run" and (match := _FILE.fullmatch(line)):
        return f"{target}from {match[1]} import *", ""
    return f"{target}None", "" if name in _NO_EFFECT else f"%{name}"


def _assigned(command: str) -> str:
    """`files = ` of `files = !ls`; "" if no command is assigned."""
    depth = 0
    with contextlib.suppress(tokenize.TokenError, SyntaxError):
        for token in tokenize.generate_tokens(iter([command]).__next__):
            depth += (token.string in ("(", "[", "{")) - (token.string in (")", "]", "}"))
            if token.string == "=" and depth <= 0:
                match = re.match(r"\s*(?=!|%[^\W\d])", command[token.end[1]:])
                return command[: token.end[1]] + match[0] if match else ""
    return ""


def _is_complete(lines: list[str]) -> bool:
    """Whether a new statement can follow: no bracket, string or line is continued."""
    try:
        list(tokenize.generate_tokens(iter([f"{line}\n" for line in lines]).__next__))
    except (tokenize.TokenError, SyntaxError):
        return False
    return True
