"""Faults as data: each is a change of one place in one of our readable files.

    fault = get_fault("no-square-root")
    print(fault.diff)
    engine = planted(fault).TextbookPUCT

The readable file has no switch, and nothing compiled is touched: the change is made in the text of
the file, which becomes a module or, by `write`, a file that is an engine for every command.
"""

from __future__ import annotations

import difflib
import functools
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from dlgo.errors import DlgoError
from dlgo.files import write_file
from dlgo.readers import read_toml
from dlgo.specs import suggest
from dlgo.text import replace_once

_FOLDER = Path(__file__).with_name("faults")
_ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Fault:
    """A fault, and where it is planted."""

    name: str
    family: str  # its file in `faults/`
    title: str
    kind: str  # one of `KINDS`
    file: str  # the readable file, below the project's root
    before: str  # a text of the file, which must occur once
    after: str  # its replacement
    symptom: str  # what one sees
    smallest: str  # the smallest position that shows it
    player: str = ""  # a class of the file that plays
    game: str = "connectn:rows=4,cols=5,n=4"  # in which its price is measured
    published: Sequence[str] = ()  # where it has been seen, in our words

    @property
    def right(self) -> str:
        """The text of the file without the fault."""
        return (_ROOT / self.file).read_text(encoding="utf-8")

    @property
    def wrong(self) -> str:
        """The text with the fault. Raises ValueError if the file has changed there."""
        return replace_once(self.right, self.before, self.after)

    @property
    def diff(self) -> str:
        """The change as a unified diff."""
        right, wrong = (text.splitlines(keepends=True) for text in (self.right, self.wrong))
        changed = f"{self.file}, {self.name}"
        return "".join(difflib.unified_diff(right, wrong, self.file, changed, n=2))


@functools.cache
def faults() -> dict[str, Fault]:
    """All faults by name."""
    return {name: Fault(name, path.stem, **card) for path in sorted(_FOLDER.glob("*.toml"))
            for name, card in read_toml(path).items()}


def get_fault(name: str) -> Fault:
    """The fault called `name`. Raises DlgoError if there is none."""
    if name not in faults():
        raise DlgoError(f"unknown fault {name!r}{suggest(name, faults())}; `python -m "
                        "experiments.museum` lists the faults")
    return faults()[name]


def planted(fault: Fault) -> ModuleType:
    """A new module from the file with the fault; `sys.modules` knows it, as dataclasses need."""
    name = f"museum_{fault.name.replace('-', '_')}"
    module = sys.modules[name] = ModuleType(name)
    exec(compile(fault.wrong, f"{name}.py", "exec"), vars(module))
    return module


def write(fault: Fault, folder: Path) -> Path:
    """Write the file with the fault, and the right one as right.py beside it; the first path.
    Raises DlgoError if somebody has changed one of them."""
    path = folder / f"{fault.name.replace('-', '_')}.py"
    texts = {path: fault.wrong, folder / "right.py": fault.right}
    for file, text in texts.items():
        if file.is_file() and file.read_text(encoding="utf-8", errors="replace") != text:
            raise DlgoError(f"{file} has been changed; rename it, or choose another folder with "
                            "--out")
    for file, text in texts.items():
        write_file(file, text)
    return path
