"""A notebook a chapter: its links lead somewhere, its parts are there, its exercises exist."""

from __future__ import annotations

import re
from pathlib import Path

from tests.command import ROOT

CHAPTERS = sorted((ROOT / "notebooks").glob("[0-9]*.py"))
EXERCISES = {path.stem for path in (ROOT / "experiments/classroom/exercises").glob("[a-z]*.py")}


def prose(path: Path) -> str:
    """The text of a notebook's Markdown cells."""
    cells = re.findall(r"^# %% \[markdown\]\n((?:#.*\n)+)", path.read_text(), re.M)
    return re.sub(r"^# ?", "", "\n".join(cells), flags=re.M)


def test_every_exercise_belongs_to_a_chapter() -> None:
    named = [name for path in CHAPTERS
             for name in re.findall(r"`(\w+)`", prose(path).split("## Graded exercises")[1]
                                    .split("\n## ")[0])]
    assert set(named) <= EXERCISES
    if len(CHAPTERS) == 9:
        assert sorted(named) == sorted(EXERCISES)
