"""Grade a class: all students' hand-ins, in several processes, into tables and pages."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Generator, Mapping
from datetime import datetime
from pathlib import Path

from dlgo.errors import DlgoError
from dlgo.files import make_folder, write_file
from dlgo.readers import MALFORMED, read_json
from dlgo.text import one_line
from engines.jobs import Amount, Inline, Processes, Task
from engines.jobs.protocol import ListSource
from engines.programs.sandbox import check_sandbox
from experiments.classroom import outputs
from experiments.classroom.collecting import Part
from experiments.classroom.exercise import exercises, get_exercise
from experiments.classroom.gradebooks import grade_column, write_gradebook
from experiments.classroom.grading import Grade, grade_hand_in
from experiments.classroom.hand_ins import hand_ins, moment_text
from experiments.classroom.pages import write_grades
from experiments.classroom.policy import Policy
from experiments.command import log

_METADATA = "submission_metadata.json"


def grade_class(
    folder: Path, policy: Policy, out: Path, names: tuple[str, ...] = (),
    gradebook: Path | None = None, assignment: str | None = None, gradescope: Path | None = None,
    classroom50: Path | None = None, regrade_timeouts: bool = False, trust: bool = False,
    workers: int | None = None,
) -> None:
    """Grade the hand-ins in a folder; see `dlgo class grade --help` for the arguments. Raises
    DlgoError in one line; with `gradescope`, its file is written first and says the same."""
    try:
        _grade_class(folder, policy, out, names, gradebook, assignment, gradescope, classroom50,
                     regrade_timeouts, trust, workers)
    except DlgoError as error:
        if gradescope:
            write_file(gradescope, json.dumps(outputs.nothing_graded(str(error)), indent=2) + "\n")
        raise


def _grade_class(
    folder: Path, policy: Policy, out: Path, names: tuple[str, ...], gradebook: Path | None,
    assignment: str | None, gradescope: Path | None, classroom50: Path | None,
    regrade_timeouts: bool, trust: bool, workers: int | None,
) -> None:
    column = grade_column(policy.roster, assignment) if gradebook else 0
    names = names or policy.names
    chosen = [get_exercise(name) for name in names] or list(exercises().values())
    sources, remarks = hand_ins(
        folder, [exercise.name for exercise in chosen], alone=bool(gradescope or classroom50)
    )
    due = moment_text(policy.due, policy.zone) if policy.due else ""
    if due:
        log(f"late: after {due}")
    for remark in remarks:
        log(remark, err=True)
    if classroom50:
        outputs.check_runner(os.environ)
    if trust:
        log(outputs.TRUSTED, err=True)
    else:
        check_sandbox()
    make_folder(out)
    kept = out / "grades.json"
    known = outputs.load(kept)
    titles = [exercise.name for exercise in chosen]
    tasks = [
        Task(student, _grade_student, (
            student, source, titles, trust, policy, policy.due_of(student),
            {key: grade for key, grade in known.items() if key[0] == student
             and not (regrade_timeouts and grade.timed_out)},
        )) for student, source in sources.items()
    ]
    grades: dict[str, list[Grade]] = {student: [] for student in sources}
    with Inline() if workers == 1 or len(tasks) == 1 else Processes(workers) as jobs:
        for outcome in itertools.chain.from_iterable(jobs.rounds(ListSource(tasks))):
            student, row = outcome.task.key, outcome.value
            if outcome.error is not None:
                note = f"could not be graded: {outcome.error}"
                row = [Grade(student, one.name, [], one.points, [note]) for one in chosen]
            grades[student] = row
            known |= {(student, grade.exercise): grade for grade in row}
            outputs.save(kept, known.values())
            points = ", ".join(
                f"{grade.exercise} {outputs.shortest(grade.mark)}/"
                f"{outputs.shortest(grade.highest)}{' (late)' if grade.late else ''}"
                for grade in row if grade.results
            )
            log(f"{student}: {points or 'nothing that can be graded'}")
            for note in outputs.notes_of(row):
                log(f"  {note}")
    if not names:  # columns for exercises with hand-ins
        shown = {grade.exercise for row in grades.values() for grade in row
                 if grade.results or grade.change}
        titles = [title for title in titles if title in shown]
        grades = {student: [grade for grade in row if grade.exercise in shown]
                  for student, row in grades.items()}
    _write(grades, titles, policy, out, due)
    if gradebook:
        write_gradebook(gradebook, policy.roster, {
            student: _summary(row) for student, row in grades.items()}, column)
    [row, *_] = grades.values()
    if gradescope:
        result = outputs.gradescope(row, _total(gradescope.parent.parent / _METADATA))
        write_file(gradescope, json.dumps(result, indent=2) + "\n")
    if classroom50:
        write_file(classroom50, json.dumps(outputs.classroom50(row, os.environ), indent=2) + "\n")


def _grade_student(
    student: str, source: list[Part], names: list[str], trust: bool, policy: Policy,
    due: datetime | None, known: Mapping[tuple[str, str], Grade],
) -> Generator[Amount, None, list[Grade]]:
    yield Amount()
    chosen = [get_exercise(name) for name in names]
    row = grade_hand_in(student, source, chosen, trust, known, due, policy.zone)
    return policy.marked(student, row)


def _write(
    grades: Mapping[str, list[Grade]], titles: list[str], policy: Policy, out: Path, due: str
) -> None:
    others = outputs.write_grades_table(out / "grades.csv", grades, titles, policy.roster)
    for name in others:
        log(f"{name} is not on the roster; their row is the last of the table", err=True)
    for student, exercise in policy.comments:
        if student not in grades:
            log(f"the comment on {exercise} of {student} is unused: there is no hand-in of "
                f"{student}", err=True)
    # Whoever grades one student doesn't ask about the others.
    absent = policy.roster.absent(grades) if policy.roster and len(grades) > 1 else []
    if absent:
        log(f"no hand-in: {', '.join(map(one_line, absent))}", err=True)
    write_grades(out, grades, titles, due, policy.feedback, absent)


def _summary(row: list[Grade]) -> tuple[float, float, str]:
    """Points, points possible, and both by exercise in words."""
    text = "; ".join(
        f"{grade.exercise} {outputs.shortest(grade.mark)}/{outputs.shortest(grade.highest)}"
        + "".join(f" ({comment})" for comment in grade.comments) for grade in row)
    return sum(grade.mark for grade in row), sum(grade.highest for grade in row), text


def _total(metadata: Path) -> float | None:
    """The points of Gradescope's assignment, from the file that it puts beside a submission."""
    try:
        content = read_json(metadata)
        return float(content["assignment"]["total_points"])
    except MALFORMED:
        return None
