"""Grade a class: all students' hand-ins, in several processes, into tables and pages."""

from __future__ import annotations

import itertools
import os
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from dlgo.errors import DlgoError
from dlgo.files import make_folder
from engines.jobs import Amount, Inline, Processes, Task
from engines.jobs.protocol import ListSource
from engines.programs.sandbox import check_sandbox, check_trust
from experiments.classroom import outputs
from experiments.classroom.exercise import Exercise, exercises, get_exercise
from experiments.classroom.gradebooks import grade_column
from experiments.classroom.grading import TRUST_WARNING, Grade, grade_hand_in, notes_of, points_text
from experiments.classroom.hand_ins import Part, hand_ins
from experiments.classroom.policy import Policy
from experiments.command import log

# Grades of earlier runs, by student and exercise.
SavedGrades = dict[tuple[str, str], Grade]


@dataclass(frozen=True)
class Settings:
    """How a class is graded, beside its policy; `outputs` is where results go."""

    outputs: outputs.Outputs
    exercises: tuple[str, ...] = ()  # names; (): those of the policy, or all that are handed in
    regrade_timeouts: bool = False  # whether to grade again what did not end in time before
    trust: bool = False  # whether hand-ins run without a sandbox
    workers: int | None = None  # processes; None: one for each core


def grade_class(folder: Path, policy: Policy, settings: Settings) -> None:
    """Grade the hand-ins in a folder, of a class or of one student. Raises DlgoError in one line;
    with `outputs.gradescope`, its file is written first and says the same."""
    try:
        _grade_class(folder, policy, settings)
    except DlgoError as error:
        settings.outputs.write_failure(error)
        raise


def _grade_class(folder: Path, policy: Policy, settings: Settings) -> None:
    files = settings.outputs
    if files.of_one_student and policy.seed_by_student:
        raise DlgoError("--gradescope and --classroom50 do not know whose work they grade; leave "
                        "out --seed-by-student, or grade the whole class")
    column = grade_column(policy.roster, files.assignment) if files.gradebook else 0
    names = settings.exercises or policy.names
    class_exercises = [get_exercise(name) for name in names] or list(exercises().values())
    own_row = policy.roster and policy.roster.row_of(folder.resolve().name)
    is_student = files.of_one_student or bool(own_row)
    sources, remarks = hand_ins(
        folder, [exercise.name for exercise in class_exercises],
        single=is_student)
    due = policy.due_text()
    if due:
        log(f"late: after {due}")
    for remark in remarks:
        log(remark, err=True)
    if files.classroom50:
        outputs.check_runner(os.environ)
    if settings.trust:
        check_trust()
        log(TRUST_WARNING, err=True)
    else:
        check_sandbox()
    grades = _grade_all(sources, class_exercises, policy, settings)
    titles = [exercise.name for exercise in class_exercises]
    if not names:  # columns for exercises with hand-ins
        titles_with_work = {grade.exercise for row in grades.values() for grade in row
                            if grade.results or grade.change}
        titles = [title for title in titles if title in titles_with_work]
        grades = {student: [grade for grade in row if grade.exercise in titles_with_work]
                  for student, row in grades.items()}
    files.write_all(grades, titles, policy, due, column, is_student)


def _grade_all(
    sources: Mapping[str, list[Part]], class_exercises: Sequence[Exercise], policy: Policy,
    settings: Settings,
) -> dict[str, list[Grade]]:
    """The grades of each student, which are saved and reported as they come."""
    make_folder(settings.outputs.folder)
    file = settings.outputs.saved
    saved_grades = outputs.load(file)
    titles = [exercise.name for exercise in class_exercises]
    tasks = [
        Task(student, _grade_student, (
            student, source, titles, settings.trust, policy, policy.due_of(student),
            {key: grade for key, grade in saved_grades.items() if key[0] == student
             and not (settings.regrade_timeouts and grade.timed_out)},
        )) for student, source in sources.items()
    ]
    grades: dict[str, list[Grade]] = {student: [] for student in sources}
    is_single = settings.workers == 1 or len(tasks) == 1
    with Inline() if is_single else Processes(settings.workers) as jobs:
        for outcome in itertools.chain.from_iterable(jobs.rounds(ListSource(tasks))):
            student, row = outcome.task.key, outcome.value
            if outcome.error is not None:
                note = f"could not be graded: {outcome.error}"
                row = [Grade(student, exercise.name, [], exercise.points, [note])
                       for exercise in class_exercises]
            grades[student] = row
            saved_grades |= {(student, grade.exercise): grade for grade in row}
            outputs.save(file, saved_grades.values())
            points = ", ".join(f"{points_text(grade)}{' (late)' if grade.late else ''}"
                               for grade in row if grade.results)
            log(f"{student}: {points or 'nothing that can be graded'}")
            for note in notes_of(row):
                log(f"  {note}")
    return grades


def _grade_student(
    student: str, source: list[Part], names: list[str], trust: bool, policy: Policy,
    due: datetime | None, saved_grades: SavedGrades,
) -> Generator[Amount, None, list[Grade]]:
    yield Amount()
    class_exercises = [policy.exercise(name, student) for name in names]
    row = grade_hand_in(student, source, class_exercises, trust, saved_grades, due, policy.zone)
    return policy.marked(student, row)
