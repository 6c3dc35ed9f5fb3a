"""A notebook a chapter: its links lead somewhere, its parts are there, its exercises exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.command import ROOT

CHAPTERS = sorted((ROOT / "notebooks").glob("[0-9]*.py"))
EXERCISES = {path.stem for path in (ROOT / "experiments/classroom/exercises").glob("[a-z]*.py")}
ids = pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)


def prose(path: Path) -> str:
    """The text of a notebook's Markdown cells."""
    cells = re.findall(r"^# %% \[markdown\]\n((?:#.*\n)+)", path.read_text(), re.M)
    return re.sub(r"^# ?", "", "\n".join(cells), flags=re.M)


@ids
def test_links_lead_to_files(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", prose(path)):
        assert target.startswith("https://") or (path.parent / target).exists(), target


@ids
def test_a_chapter_has_its_parts(path: Path) -> None:
    text = prose(path)
    assert "After this page you can" in text
    for title in ("What the book says, and what we measured", "Pitfalls", "Graded exercises",
                  "Questions"):
        assert f"\n## {title}\n" in text, title
    questions = text.split("\n## Questions\n")[1]
    asked = re.findall(r"^\*\*\d+\.\*\* \*\((easy|medium|hard), [^)]+\)\*", questions, re.M)
    answered = re.findall(r'^<details markdown="1"><summary>Answer</summary>\n\n', questions, re.M)
    assert len(asked) == len(answered) >= 5


def test_every_exercise_belongs_to_a_chapter() -> None:
    named = [name for path in CHAPTERS
             for name in re.findall(r"`(\w+)`", prose(path).split("## Graded exercises")[1]
                                    .split("\n## ")[0])]
    assert set(named) <= EXERCISES
    if len(CHAPTERS) == 9:
        assert sorted(named) == sorted(EXERCISES)
