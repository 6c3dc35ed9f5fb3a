"""Grades as other programs read them: Gradescope, Classroom 50, a table, and our own file.

Gradescope's `results.json`: https://gradescope-autograders.readthedocs.io/en/latest/specs/.
Classroom 50's `result.json`: the schema classroom50/result/v1 of its repository, and the page
"Advanced Autograding" of its wiki.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dlgo.errors import DlgoError
from dlgo.files import write_csv, write_file
from dlgo.readers import MALFORMED, read_json
from experiments.classroom.gradebooks import Roster
from experiments.classroom.grading import Grade, Result

TRUSTED = "Run without a sandbox (--trust): this code could read and change files."
# What Classroom 50's runner says of a hand-in, and the keys under which its file has that.
_CLASSROOM50 = {
    "CLASSROOM": "classroom", "ASSIGNMENT": "assignment", "OWNER": "owner",
    "SUBMISSION_TAG": "submission", "COMMIT_URL": "commit", "RELEASE_URL": "release",
}
_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?")
_FORMULA = re.compile(r"(^|[;\t\n])(?=[\t\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20])")

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
    given = check_runner(environment)
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    # The tag marks late hand-ins, so that it stays the same when grading is repeated.
    tag = re.match(r"submit/(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\dZ)", given["SUBMISSION_TAG"])
    actor, number = given.get("GITHUB_ACTOR"), given.get("GITHUB_ACTOR_ID", "")
    pushed_by = {"username": actor, "id": int(number) if number.isdecimal() else None}
    return {
        "schema": "classroom50/result/v1",
        **{key: given[name] for name, key in _CLASSROOM50.items()},
        "assignment_type": given.get("ASSIGNMENT_TYPE") or "individual",
        "review": given.get("REVIEW_URL") or given["COMMIT_URL"],
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
    given = {**environment, "OWNER": environment.get("OWNER") or environment.get("USERNAME", "")}
    missing = [name for name in _CLASSROOM50 if not given.get(name)]
    if missing:
        raise DlgoError(
            f"result.json needs {', '.join(missing)}; Classroom 50's runner sets these variables"
        )
    return given


def _results(grade: Grade) -> list[Result]:
    missing = Result("handed in", grade.points, 0, f"There is no file {grade.exercise}.py.", 0.0)
    return grade.results or [missing]


def notes_of(grades: list[Grade]) -> list[str]:
    """Notes on skipped parts of a hand-in, each once."""
    return list(dict.fromkeys(note for grade in grades for note in grade.notes))


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


def write_class_table(
    path: Path, columns: list[str], cells: Mapping[str, list[Any]], nothing: list[Any],
    roster: Roster | None,
) -> list[str]:
    """Write a CSV file with a row a student; return the students who are not on the roster.

    Args:
        columns: besides the roster's. cells: their values, by student.
        nothing: the values of students without a hand-in.
        roster: the table has its columns and its order.
    """
    roster = roster or Roster(["student"], [[name] for name in cells])
    rows = {tuple(row): nothing for row in roster.rows}
    others = []
    for name, values in cells.items():
        row = roster.row_of(name)
        if row is None:
            others.append(name)
            row = [name if place == roster.name_place else "" for place in range(
                len(roster.header))]
        rows[tuple(row)] = values
    write_csv(path, [*map(harmless, roster.header), *columns], [
        [*map(harmless, row), *map(harmless, values)] for row, values in rows.items()
    ])
    return others


def shortest(points: float) -> str:
    """Points without zeros at the end."""
    return f"{round(points, 2):g}"


def harmless(cell: Any) -> Any:
    """A cell that no spreadsheet reads as a formula, also after a tab, a line break or a `;`, where
    some begin a new cell."""
    if not isinstance(cell, str) or _NUMBER.fullmatch(cell):
        return cell
    return _FORMULA.sub(r"\1'", re.sub(r"\r\n?", "\n", cell))  # `csv` quotes no `\r`


def save(path: Path, grades: Iterable[Grade]) -> None:
    """Save grades for the next run."""
    write_file(path, json.dumps([dataclasses.asdict(grade) for grade in grades], indent=1) + "\n")


def load(path: Path) -> dict[tuple[str, str], Grade]:
    """Grades that `save` wrote, by student and exercise; {} without a file. Raises DlgoError."""
    if not path.exists():
        return {}
    try:
        rows = read_json(path, "it")
        grades = [Grade(**row | {"results": [Result(**r) for r in row["results"]]}) for row in rows]
    except MALFORMED as error:
        raise DlgoError(f"{path} does not contain grades ({error}); choose another --out") from None
    return {(grade.student, grade.exercise): grade for grade in grades}
