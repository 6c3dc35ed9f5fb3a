"""`dlgo new engine NAME` and `dlgo new game NAME`: a small file that plays at once."""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Container
from importlib.util import find_spec
from pathlib import Path

import click

_FOLDER = Path(__file__).resolve().parents[1] / "templates"


@click.group()
def new() -> None:
    """Create a small engine or game as a start for your own."""


@new.command()
@click.argument("name")
def engine(name: str) -> None:
    """Write NAME.py, an engine that looks one move ahead, and a test beside it."""
    from engines.registry import ENGINES

    _check(name, "engine", ENGINES.built_in)
    words = {"one_ply": name, "OnePly": _class_name(name)}
    _write(name, "one_ply", words)
    click.echo(f"check it: dlgo check {name}.py")
    click.echo(f"play it:  dlgo play connect4 --second {name}.py")


@new.command()
@click.argument("name")
def game(name: str) -> None:
    """Write NAME.py, a game on a 3x3 board, and a test beside it."""
    from dlgo.games import GAMES

    _check(name, "game", GAMES.built_in)
    title = name.replace("_", " ").capitalize()
    words = {
        "RowsAndColumns": _class_name(name), "RowsState": f"{_class_name(name)}State",
        "Rows and Columns": title, "test_rows": f"test_{name}", "rows.": f"{name}.",
        '"rows': f'"{name}',
    }
    _write(name, "rows", words)
    click.echo(f"check it: dlgo check {name}.py")
    click.echo(f"play it:  dlgo play {name}.py")


def _check(name: str, noun: str, built_in: Container[str]) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise click.UsageError(
            f"{name!r} cannot be the name of a Python file; use lower-case letters, digits and _"
        )
    if name in {*sys.stdlib_module_names, "numpy", "numba", "dlgo", "engines", "experiments",
                "reports"}:
        raise click.UsageError(
            f"{name}.py would be imported in place of the module {name}; choose another name")
    if name in built_in:
        raise click.UsageError(f"{noun} {name!r} exists already; choose another name")


def _class_name(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _write(name: str, beginning: str, words: dict[str, str]) -> None:
    """Copy a beginning and its test to the working folder under another name."""
    from dlgo.files import write_file

    files = {f"{name}.py": f"{beginning}.py", f"test_{name}.py": f"test_{beginning}.py"}
    for target in files:
        if Path(target).exists():
            raise click.UsageError(f"{target} exists already; choose another name")
    pattern = re.compile("|".join(map(re.escape, words)))
    for target, source in files.items():
        text = (_FOLDER / source).read_text(encoding="utf-8")
        write_file(target, pattern.sub(lambda match: words[match[0]], text))
        click.echo(f"wrote {target}")
    click.echo(f"test it:  python -m pytest test_{name}.py")
    if find_spec("pytest") is None:
        click.echo("          pytest is not installed; run pip install pytest first")
