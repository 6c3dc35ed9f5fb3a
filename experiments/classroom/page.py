"""Pages of a class's grades: HTML files without scripts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path

from dlgo.files import make_folder, write_file
from experiments.classroom.grading import Grade
from experiments.classroom.outputs import TRUSTED, notes_of

_TEMPLATES = Path(__file__).with_name("templates")


def write_pages(folder: Path, grades: Mapping[str, list[Grade]], exercises: list[str]) -> None:
    """Write the class's page, `grades.html`, and `students/NAME.html` for each student alone."""
    _write(folder / "grades.html", grades, exercises)
    students = make_folder(folder / "students")
    for student, row in grades.items():
        _write(students / f"{student}.html", {student: row}, exercises)


def _write(path: Path, grades: Mapping[str, list[Grade]], exercises: list[str]) -> None:
    """Write a page. What students have written is escaped."""
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
