"""All words that the program shows its users, one line each: `path:line kind text`.

    python -m experiments.docs.messages [--out FILE] [--under engines/mcts]

The kinds are `command` and `option` of `dlgo` (with the name of the command), `setting` of games,
engines, networks, trainers and plans, `error` (what is raised), and `print` (what is printed,
logged or reported as progress). Values that a message fills in stand in {braces}. The lines are
sorted by path and line, so that you can read a part of the program from top to bottom.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

import click

from dlgo.files import write_file
from experiments.cli.main import cli
from experiments.command import run

ROOT = Path(__file__).resolve().parents[2]
# Functions and methods that show a text.
_PRINTERS = {"echo", "fail", "line", "log", "note", "print", "report", "say", "tell", "warn"}
Line = tuple[str, int, str, str]  # path, line, kind, text


def messages() -> list[Line]:
    """Everything that users can read, in order of path and line."""
    lines = set(_commands(cli, "dlgo"))
    for package in ("dlgo", "engines", "experiments", "reports"):
        for path in (ROOT / package).rglob("*.py"):
            lines |= set(in_source(path.read_text(encoding="utf-8"), str(path.relative_to(ROOT))))
    return sorted(lines)


def in_source(source: str, path: str) -> Iterator[Line]:
    """The settings that a module declares, what it raises and what it prints."""
    for node in ast.walk(ast.parse(source)):
        call = getattr(node, "exc" if isinstance(node, ast.Raise) else "value", node)
        if not isinstance(call, ast.Call):
            continue
        name, kind = _name(call.func), "print"
        if isinstance(node, ast.Raise):
            kind = "error"
        elif name == "setting" and isinstance(node, ast.AnnAssign):
            kind, call.args = "setting", [ast.Constant(_name(node.target)), call.args[1]]
        elif name == "Option" and node is call and len(call.args) > 2:
            kind, call.args = "setting", [call.args[0], call.args[2]]
        elif node is not call or name.strip("_") not in _PRINTERS:
            continue
        text = " | ".join(filter(None, map(_text, call.args)))
        if any(letter.isalpha() for letter in text):
            yield path, node.lineno, kind, text


def _name(function: ast.expr) -> str:
    return getattr(function, "attr", getattr(function, "id", ""))


def _text(node: ast.AST) -> str:
    """The texts in an expression as users see them; a value that is filled in is in braces."""
    if isinstance(node, ast.Constant):
        return " ".join(node.value.split()) if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return " ".join("".join(
            part.value if isinstance(part, ast.Constant) else f"{{{ast.unparse(part.value)}}}"
            for part in node.values).split())
    return " | ".join(filter(None, map(_text, ast.iter_child_nodes(node))))


def _commands(command: click.Command, name: str) -> Iterator[Line]:
    """The help of a command, of its options and of its subcommands."""
    function = inspect.unwrap(command.callback)
    path = str(Path(inspect.getfile(function)).relative_to(ROOT))
    line = inspect.getsourcelines(function)[1]
    yield path, line, "command", f"{name}: {' '.join((command.help or '').split())}"
    for option in command.params:
        if text := getattr(option, "help", None):
            yield path, line, "option", f"{name} {option.opts[-1]}: {' '.join(text.split())}"
    for subname, subcommand in getattr(command, "commands", {}).items():
        yield from _commands(subcommand, f"{name} {subname}")


@click.command()
@click.option("--out", type=click.Path(path_type=Path), help="Write the lines to this file.")
@click.option("--under", default="", help="Show only paths that begin with this text.")
def main(out: Path | None, under: str) -> None:
    """List everything that users can read: help texts, errors and printed lines."""
    text = "".join(f"{path}:{line} {kind} {words}\n" for path, line, kind, words in messages()
                   if path.startswith(under))
    click.echo(text, nl=False) if out is None else write_file(out, text)


if __name__ == "__main__":
    run(main)
