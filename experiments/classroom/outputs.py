"""Grades as other programs read them: Gradescope, Classroom 50, a table, and our own file.

Gradescope's `results.json`: https://gradescope-autograders.readthedocs.io/en/latest/specs/.
Classroom 50's `result.json`: the schema classroom50/result/v1 of its repository, and the page
"Advanced Autograding" of its wiki.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dlgo.errors import DlgoError, ForeignFileError
from dlgo.files import write_file
from dlgo.readers import MALFORMED, read_json, reading
from dlgo.text import one_line
from experiments.classroom.gradebooks import Roster, write_class_table, write_gradebook
from experiments.classroom.grading import TRUSTED, Grade, Result, notes_of, points_text, shortest
from experiments.classroom.pages import write_grades
from experiments.classroom.policy import Policy
from experiments.command import log

_METADATA = "submission_metadata.json"
# Variables of Classroom 50's runner, and the keys of their values in its file.
_CLASSROOM50 = {
    "CLASSROOM": "classroom", "ASSIGNMENT": "assignment", "OWNER": "owner",
    "SUBMISSION_TAG": "submission", "COMMIT_URL": "commit", "RELEASE_URL": "release",
}


@dataclass(frozen=True)
class Outputs:
    """The files that grading a class writes; None: not this one."""

    folder: Path  # of the table, the pages, and our own file of grades
    gradebook: Path | None = None  # the roster with grades, for Moodle or Canvas
    assignment: str | None = None  # Canvas's column in it
    gradescope: Path | None = None  # results.json of one student
    classroom50: Path | None = None  # result.json of one student

    @property
    def of_one_student(self) -> bool:
        """Whether a file holds the grades of one student."""
        return bool(self.gradescope or self.classroom50)

    @property
    def saved(self) -> Path:
        """The file of grades for the next run."""
        return self.folder / "grades.json"

    def write_failure(self, error: DlgoError) -> None:
        """Gradescope needs its file also if nothing could be graded."""
        if self.gradescope:
            _write_json(self.gradescope, nothing_graded(str(error)))

    def write_all(
        self, grades: Mapping[str, list[Grade]], exercises: list[str], policy: Policy, due: str,
        column: int, is_student: bool = False,
    ) -> None:
        """Write all files, and print who is missing.

        Args:
            grades: by student, in the order of `exercises`.
            due: the deadline in words, or "".
            column: number of the gradebook's column for the grades.
            is_student: whether one student was graded; the table and the page are theirs alone.
        """
        [row, *_] = grades.values()
        if self.gradescope:
            total = _total(self.gradescope.parent.parent / _METADATA)
            _write_json(self.gradescope, gradescope(row, total))
        if self.classroom50:
            _write_json(self.classroom50, classroom50(row, os.environ))
        roster = policy.roster
        table_roster = roster
        if roster and is_student:
            rows = [own for student in grades if (own := roster.row_of(student))]
            table_roster = dataclasses.replace(roster, rows=rows)
        table = self.folder / "grades.csv"
        strangers = write_grades_table(table, grades, exercises, table_roster)
        if self.gradebook and roster:
            write_gradebook(self.gradebook, roster, {
                student: _summary(row) for student, row in grades.items()}, column)
        # Whoever grades one student doesn't ask about the others.
        absent = roster.absent(grades) if roster and not is_student else []
        lines = [f"{name} is not on the roster; their row is the last of the table"
                 for name in strangers]
        lines += [f"the comment on {exercise} of {student} was not used: {student} handed in "
                  f"nothing" for student, exercise in policy.comments
                  if student not in grades and not is_student]
        if is_student and any(student not in grades for student, _ in load(self.saved)):
            lines.append(f"{table} and grades.html now show one student; grade the class's folder "
                         "to show all")
        lines += [f"no hand-in: {', '.join(map(one_line, absent))}"] if absent else []
        for line in lines:
            log(line, err=True)
        dues = {student: policy.due_text(student) for student in grades}
        write_grades(self.folder, grades, exercises, due, policy.feedback, absent, dues)


def _write_json(path: Path, content: dict[str, Any]) -> None:
    write_file(path, json.dumps(content, indent=2) + "\n")


def _summary(row: list[Grade]) -> tuple[float, float, str]:
    """Points, points possible, and both by exercise in words."""
    text = "; ".join(points_text(grade) + "".join(f" ({comment})" for comment in grade.comments)
                     for grade in row)
    return sum(grade.mark for grade in row), sum(grade.highest for grade in row), text


def _total(metadata: Path) -> float | None:
    """The points of Gradescope's assignment, from the file that it puts beside a submission."""
    try:
        return float(read_json(metadata)["assignment"]["total_points"])
    except MALFORMED:
        return None


def gradescope(grades: list[Grade], total: float | None = None) -> dict[str, Any]:
    """The content of Gradescope's results.json for one hand-in, with a leaderboard; scores are
    scaled to the `total` points of the assignment, if given."""
    highest = sum(grade.highest for grade in grades)
    scale = total / highest if total is not None and highest else 1.0
    tests = [
        {
            "name": f"{grade.exercise}: {result.title}", "number": f"{number}.{part}",
            "score": round(result.earned * grade.weight * scale, 4),
            "max_score": round(result.points * grade.weight * scale, 4),
            "status": "failed" if result.feedback else "passed",
            "output": result.feedback or "Passed.", "output_format": "text",
            "visibility": "visible", "tags": [grade.exercise],
        }
        for number, grade in enumerate(grades, 1)
        for part, result in enumerate(_results(grade), 1)
    ]
    lines = [TRUSTED] if any(grade.trusted for grade in grades) else []
    lines += [f"{grade.exercise} was handed in late." for grade in grades if grade.late]
    earned = round(sum(grade.mark for grade in grades) * scale, 4)
    if total is not None:
        earned = min(earned, total)
    return {
        "score": earned, "execution_time": round(sum(grade.seconds for grade in grades), 2),
        "output": "\n".join([*lines, *notes_of(grades)]), "visibility": "visible",
        "stdout_visibility": "hidden", "tests": tests,
        "leaderboard": [
            {"name": "Points", "value": earned},
            {"name": "Checks passed", "value": sum(test["status"] == "passed" for test in tests)},
        ],
    }


def nothing_graded(reason: str) -> dict[str, Any]:
    """The content of Gradescope's results.json if a hand-in could not be graded."""
    return {"score": 0, "output": f"Nothing was graded: {reason}", "visibility": "visible",
            "stdout_visibility": "hidden", "tests": []}


def classroom50(grades: list[Grade], environment: Mapping[str, str]) -> dict[str, Any]:
    """The content of Classroom 50's result.json for one hand-in; see `check_runner`."""
    variables = check_runner(environment)
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    # The tag marks late hand-ins, so that it stays the same when grading is repeated.
    tag = re.match(r"submit/(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\dZ)", variables["SUBMISSION_TAG"])
    actor, number = variables.get("GITHUB_ACTOR"), variables.get("GITHUB_ACTOR_ID", "")
    pushed_by = {"username": actor, "id": int(number) if number.isdecimal() else None}
    return {
        "schema": "classroom50/result/v1",
        **{key: variables[name] for name, key in _CLASSROOM50.items()},
        "assignment_type": variables.get("ASSIGNMENT_TYPE") or "individual",
        "review": variables.get("REVIEW_URL") or variables["COMMIT_URL"],
        "datetime": "{}{}:{}:{}".format(*tag.groups()) if tag else now, "graded_at": now,
        **({"submitted_by": pushed_by} if actor else {}),
        "score": sum(grade.earned for grade in grades),
        "max-score": sum(grade.points for grade in grades),
        "tests": [
            {
                "test-name": f"{grade.exercise}: {result.title}", "passed": not result.feedback,
                "score": result.earned, "max-score": result.points, "message": result.feedback,
            }
            for grade in grades for result in _results(grade)
        ],
    }


def check_runner(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables of Classroom 50's runner. Raises DlgoError, which lists the missing ones."""
    owner = environment.get("OWNER") or environment.get("USERNAME", "")
    variables = {**environment, "OWNER": owner}
    missing = [name for name in _CLASSROOM50 if not variables.get(name)]
    if missing:
        raise DlgoError(
            f"result.json needs {', '.join(missing)}; Classroom 50's runner sets these variables"
        )
    return variables


def _results(grade: Grade) -> list[Result]:
    no_file = Result("handed in", grade.points, 0, f"There is no file {grade.exercise}.py.", 0.0)
    return grade.results or [no_file]


def write_grades_table(
    path: Path, grades: Mapping[str, list[Grade]], exercises: list[str], roster: Roster | None
) -> list[str]:
    """Write grades as CSV, a row a student; return the students who are not on the roster."""
    cells = {}
    for student, row in grades.items():
        points = [sum(grade.mark for grade in row if grade.exercise == name)
                  for name in exercises]
        late = " ".join(grade.exercise for grade in row if grade.late)
        cells[student] = [*map(shortest, points), shortest(sum(points)), late]
    return write_class_table(path, [*exercises, "total", "late"], cells,
                             [0] * (len(exercises) + 1) + [""], roster)


def save(path: Path, grades: Iterable[Grade]) -> None:
    """Save grades for the next run."""
    write_file(path, json.dumps([dataclasses.asdict(grade) for grade in grades], indent=1) + "\n")


def load(path: Path) -> dict[tuple[str, str], Grade]:
    """Grades that `save` wrote, by student and exercise; {} without a file. Raises DlgoError."""
    remedy = "restore it from a copy, or choose another --out"
    with reading(path, "file of grades", restore=remedy, other="choose another --out"):
        if not path.exists():
            return {}
        rows = read_json(path, "it")
        if not isinstance(rows, list):
            raise ForeignFileError("it is not a list")
        grades = [Grade(**row | {"results": [Result(**r) for r in row["results"]]}) for row in rows]
    return {(grade.student, grade.exercise): grade for grade in grades}
