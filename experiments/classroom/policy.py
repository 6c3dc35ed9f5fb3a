"""How a class is marked, as a TOML file:

    roster = "class.csv"
    due = 2026-11-20
    zone = "Europe/Berlin"
    late_percent = 10
    comments = "comments.csv"

    [exercises]
    ko = 1
    alpha_beta = 3

docs/teach.md has all keys. A relative path begins at the file's folder. The roster's columns
`extension` and `exercises` hold what is different for a student.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import ClassVar

from dlgo.errors import DlgoError, SpecError
from dlgo.readers import read_toml
from dlgo.specs import check_number
from dlgo.tables import read_table
from engines.learning.settings import Settings, setting
from experiments.classroom.dates import deadline, due_setting, moment_text, time_zone
from experiments.classroom.exercise import Exercise, get_exercise
from experiments.classroom.gradebooks import Roster, extended, read_roster, roster_setting
from experiments.classroom.grading import Grade
from experiments.classroom.variants import class_seed, student_seed

_COLUMNS = ("student", "exercise", "points", "comment")


# The lecturer's points and comments, by student and exercise.
Comments = Mapping[tuple[str, str], list[tuple[float, str]]]


@dataclass(frozen=True)
class Policy(Settings):
    """How a class is marked."""

    owner: ClassVar[str] = "plan"
    roster: Roster | None = roster_setting()
    due: datetime | None = due_setting()
    zone: tzinfo | None = setting(None, "time zone of dates; by default the machine's", kind=str)
    late_percent: float = setting(
        0.0, "percent of the points lost for each day after the deadline that has begun",
        low=0, high=100)
    late_days: int | None = setting(
        None, "days after the deadline after which work gets no points", low=0, high=365, kind=int)
    comments: Comments = setting(
        None, "CSV file with your points and comments: columns `student`, `exercise`, `points`, "
        "`comment`", kind=str)
    seed_by_student: str | None = setting(
        None, "file with the seed of individual exercises, which `dlgo class new "
        "--seed-by-student` has written", kind=str)
    feedback: bool = setting(True, "show points and feedback on students' pages")
    exercises: Mapping[str, float] = field(default_factory=dict)  # weights; {}: all, of weight 1

    @property
    def names(self) -> tuple[str, ...]:
        """The exercises that count; () for all."""
        cells = self.roster.column("exercises") if self.roster else []
        return tuple(dict.fromkeys((*self.exercises, *(" ".join(cells)).split())))

    def exercise(self, name: str, student: str) -> Exercise:
        """An exercise, as this student has it."""
        exercise = get_exercise(name)
        if self.seed_by_student is None:
            return exercise
        folder = self.roster.folder_of(student) if self.roster else student
        return exercise.individual(student_seed(self.seed_by_student, folder))

    def due_of(self, student: str) -> datetime | None:
        """The deadline of a student. Raises DlgoError if their extension is neither a number of
        days nor a date."""
        return extended(self.due, self.roster, student, self.zone)

    def due_text(self, student: str = "") -> str:
        """The deadline of a student, or the class's, with its time zone; "" without one."""
        due = self.due_of(student) if student else self.due
        return moment_text(due, self.zone) if due else ""

    def marked(self, student: str, grades: list[Grade]) -> list[Grade]:
        """A student's grades with weights, your points, and what lateness costs."""
        exercises = (self.roster.cell(student, "exercises") if self.roster else "").split()
        weighted = []
        for grade in grades:
            comments = self.comments.get((student, grade.exercise), [])
            change = math.fsum(points for points, _ in comments)
            weighted.append(dataclasses.replace(
                grade, weight=self.exercises.get(grade.exercise, 1.0), change=change,
                comments=[text for _, text in comments if text],
                penalty=self._penalty(grade, self.due_of(student)),
                counts=not exercises or grade.exercise in exercises,
            ))
        return weighted

    def _penalty(self, grade: Grade, due: datetime | None) -> float:
        if not grade.late:
            return 0.0
        delay = datetime.fromisoformat(grade.moment) - due if due else timedelta()
        days = max(1, math.ceil(delay / timedelta(days=1)))
        share = min(1.0, days * self.late_percent / 100)
        if self.late_days is not None and days > self.late_days:
            share = 1.0
        return round(grade.earned * share, 2)


def read_policy(path: Path | None, **options: object) -> Policy:
    """The policy in a file, if there is one; `options` that are not None replace its keys. Raises
    DlgoError in one line that names what is wrong in the file."""
    owner = f"plan {path}" if path else "the command line"
    keys = read_toml(path, error=SpecError) if path else {}
    weights = keys.pop("exercises", {})
    if not isinstance(weights, dict):
        raise SpecError(f"{owner}: write each exercise and its weight under a line [exercises]")
    for name, weight in weights.items():
        get_exercise(name)
        check_number(weight, f"{owner}: the weight of {name}", float, 0, 1000)
    values = Policy.values_in(owner, keys)
    for key in {"roster", "comments", "seed_by_student"} & values.keys():
        values[key] = Path(path or "").parent / values[key]
    values |= {key: value for key, value in options.items() if value is not None}
    zone = time_zone(values.get("zone"))
    return Policy(**values | {
        "zone": zone, "due": deadline(values.get("due"), zone),
        "roster": read_roster(values["roster"]) if "roster" in values else None,
        "comments": _comments(values["comments"]) if "comments" in values else {},
        "exercises": weights,
        "seed_by_student": class_seed(values["seed_by_student"]) if "seed_by_student" in values
        else None,
    })


def _comments(path: Path) -> Comments:
    header, rows = read_table(path)
    missing = [name for name in _COLUMNS if name not in header]
    if missing:
        raise DlgoError(f"{path} has no column {missing[0]!r}; it needs {', '.join(_COLUMNS)}")
    places = [header.index(name) for name in _COLUMNS]
    comments: dict[tuple[str, str], list[tuple[float, str]]] = {}
    for line, row in rows:
        row = row + [""] * len(header)
        student, exercise, points, text = (row[place].strip() for place in places)
        try:
            if not exercise:
                raise DlgoError("the column 'exercise' is empty; name the exercise")
            get_exercise(exercise)
            value = check_number(points or "0", "points", float, -1000, 1000)
        except DlgoError as error:
            raise DlgoError(f"{path} line {line}: {error}") from None
        comments.setdefault((student, exercise), []).append((value, text))
    return comments
