"""A chapter's notebook is a script as well.

    python -m experiments.chapters.ch02 [--quick] [--out out/ch02]

`experiments/chapters/chNN.py` is Python in cells. In Jupyter and with `--quick` it takes numbers
of games and seeds that cost seconds; as a script it takes those of the chapter's page in
docs/chapters/. A script prints what cells print and saves the figures.
"""

from __future__ import annotations

import importlib
import itertools
import sys
from pathlib import Path
from typing import TypeVar

import click

from experiments import figures
from experiments.command import run
from experiments.options import out_option, quick_option

T = TypeVar("T")
_running = False  # whether a chapter runs as a script, its options read
_full = False


def begin() -> None:
    """Read the options if the chapter runs as a script; each chapter calls this first."""
    spec = sys.modules["__main__"].__spec__
    if not _running and spec is not None and spec.parent == __package__:
        run(_command(spec.name))


def size(small: T, full: T) -> T:
    """The first number in Jupyter and with `--quick`, the second in the script of the page."""
    return full if _full else small


def _command(module: str) -> click.Command:
    name = module.rpartition(".")[2]

    @click.command(help=f"Run the notebook of chapter {int(name[2:])} with the sizes of its page.")
    @quick_option("The small sizes that it has in Jupyter")
    @out_option(f"out/{name}")
    def command(quick: bool, out: Path) -> None:
        global _running, _full
        _running, _full = True, not quick
        figures.unnamed = (out / f"{name}-{number}.png" for number in itertools.count(1))
        started = sys.modules["__main__"]
        # Worker processes import the main module again; that must not run the chapter once more.
        sys.modules["__main__"] = sys.modules[__name__]
        try:
            sys.modules.pop(module, None)
            importlib.import_module(module)
        finally:
            sys.modules["__main__"] = started
            _running, _full, figures.unnamed = False, False, iter(())

    return command
