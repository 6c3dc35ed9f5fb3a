"""Faults as data: each is a change of one place in one of our readable files.

    fault = get_fault("no-square-root")
    print(diff(fault))
    engine = planted(fault).TextbookPUCT

The readable file has no switch, and nothing compiled is touched: the change is made in the text of
the file, which then becomes a module of its own. `write` makes a file of it, which is an engine for
every command:

    dlgo tournament --engine no_square_root.py:TextbookPUCT --engine textbook-puct ...
"""

from __future__ import annotations

import difflib
import functools
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from dlgo.errors import DlgoError
from dlgo.specs import suggest
from dlgo.text import replace_once

_FOLDER = Path(__file__).with_name("faults")
_ROOT = Path(__file__).resolve().parents[2]

# What a fault is about: the auditor names these kinds, the most probable first.
KINDS = {
    "view": "whose view a value has",
    "double move": "turns that do not alternate",
    "results": "results of finished games: wins, draws, losses",
    "mean": "what a node remembers: visits and mean value",
    "selection": "the rule that chooses which move to visit",
    "prior": "priors: legal moves, their sum, their order, noise",
    "proof": "results that count as certain",
    "choice": "the choice of the move to play",
    "window": "bounds and cut-offs of alpha-beta",
    "horizon": "depth, and estimates where it ends",
    "gumbel": "candidates and halving of Gumbel's search",
    "rollout": "random games",
    "target value": "the result that a position learns",
    "target policy": "the policy that a position learns",
    "symmetry": "turned and mirrored boards",
    "encoding": "what the network is shown",
    "loss": "the loss and its gradient",
    "data": "which positions are learned",
    "temperature": "the choice of moves in self-play",
    "evaluation": "how a result is measured",
}


class FaultError(DlgoError):
    """A fault is unknown or cannot be planted."""


@dataclass(frozen=True)
class Fault:
    """A fault, and where it is planted.

    Attributes:
        name, title, kind: `kind` is one of `KINDS`.
        family: the exhibition that it belongs to, and its file in `faults/`.
        file: the readable file, below the project's root.
        player: a class of the file that plays, or "".
        before, after: the text of the file, which must occur once, and its replacement.
        symptom, smallest: what one sees, and the smallest position that shows it.
        published: where it has been seen, in our words; empty if we know no place.
    """

    name: str
    family: str
    title: str
    kind: str
    file: str
    before: str
    after: str
    symptom: str
    smallest: str
    player: str = ""
    published: Sequence[str] = ()


@functools.cache
def faults() -> dict[str, Fault]:
    """All faults by name."""
    return {name: Fault(name, path.stem, **card) for path in sorted(_FOLDER.glob("*.toml"))
            for name, card in tomllib.loads(path.read_text(encoding="utf-8")).items()}


def get_fault(name: str) -> Fault:
    """The fault called `name`. Raises FaultError if there is none."""
    if name not in faults():
        raise FaultError(f"unknown fault {name!r}{suggest(name, faults())}")
    return faults()[name]


def right_source(fault: Fault) -> str:
    """The text of the file without the fault."""
    return (_ROOT / fault.file).read_text(encoding="utf-8")


def source(fault: Fault) -> str:
    """The text of the file with the fault. Raises FaultError if the file has changed there."""
    try:
        return replace_once(right_source(fault), fault.before, fault.after)
    except ValueError as error:
        raise FaultError(f"fault {fault.name!r} cannot be planted in {fault.file}: {error}; write "
                         f"the lines as they are now in faults/{fault.family}.toml") from None


def diff(fault: Fault) -> str:
    """The change as a unified diff."""
    texts = [text.splitlines(keepends=True) for text in (right_source(fault), source(fault))]
    return "".join(difflib.unified_diff(*texts, fault.file, f"{fault.file}, {fault.name}", n=2))


def planted(fault: Fault) -> ModuleType:
    """A new module from the file with the fault; `sys.modules` knows it, as dataclasses need."""
    name = f"museum_{fault.name.replace('-', '_')}"
    module = sys.modules[name] = ModuleType(name)
    exec(compile(source(fault), f"{name}.py", "exec"), vars(module))
    return module


def write(fault: Fault, folder: Path) -> Path:
    """Write the file with the fault into a folder, and the right one as right.py beside it.

    Returns the path of the file with the fault.
    """
    path = folder / f"{fault.name.replace('-', '_')}.py"
    path.write_text(source(fault), encoding="utf-8")
    path.with_name("right.py").write_text(right_source(fault), encoding="utf-8")
    return path
