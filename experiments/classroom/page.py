"""The page of a class's grades: one HTML file without scripts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path

from dlgo.files import write_file
from experiments.classroom.grading import Grade
from experiments.classroom.outputs import TRUSTED, notes_of

_TEMPLATES = Path(__file__).with_name("templates")


def write_page(path: Path, grades: Mapping[str, list[Grade]], exercises: list[str]) -> None:
    """Write the page. What students have written is escaped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )
    trusted = any(grade.trusted for row in grades.values() for grade in row)
    write_file(path, environment.get_template("grades.html").render(
        rows=grades, exercises=exercises, date=date.today().isoformat(),
        trusted=TRUSTED if trusted else "",
        notes={student: notes_of(row) for student, row in grades.items()},
    ))
