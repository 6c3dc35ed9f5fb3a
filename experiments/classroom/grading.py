"""Grade a hand-in: the student's functions run in a sandbox, the checks run here.

A check calls functions through a pipe and compares what comes back, so nothing that a hand-in does
to its own process gives it points. A function that hangs or dies costs its own check; the others
are tried in a new process.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

from dlgo.digests import hex_digest
from dlgo.errors import DlgoError
from dlgo.files import make_folder
from dlgo.imports import imported_files
from dlgo.records.failures import Failure
from dlgo.system.folders import private_folder
from dlgo.text import error_text
from engines.isolation.calls import CallError, Functions
from engines.programs.program import ProgramError
from engines.programs.sandbox import Allowance, Sandbox, let_other_user_in, other_user
from experiments.classroom.checks import HandIn, Wrong
from experiments.classroom.collecting import Collected, collect
from experiments.classroom.exercise import Exercise, hide_solutions
from experiments.classroom.hand_ins import Source, submissions

# Wall seconds: to load a file, for one call, and for one exercise in all. Gradescope's smallest
# machines have half a core.
_LOAD_SECONDS, _CALL_SECONDS, _ALL_SECONDS = 10.0, 10.0, 45.0
# Processes of a hand-in that may hang or crash before the rest of its checks fail.
_MOST_CRASHES = 4
TRUSTED = "Run without a sandbox (--trust): this code could read and change files."
# The modules that make a mark, besides the exercise's: this one, and that of the hand-in's process.
_GRADERS = (__name__, "engines.isolation.answer")
# The same for the lecturer.
TRUST_WARNING = (
    f"{TRUSTED} If this machine has other copies of dlgo (installed, or clones), it could read "
    "the solutions in them."
)
ALLOWANCE = Allowance(memory_mb=512, processes=16, cpu_seconds=60.0)


@dataclass(frozen=True)
class Result:
    """The result of one check."""

    title: str
    points: int  # that the check is worth
    earned: int  # all or nothing of them
    feedback: str  # for the student; "" if it passed
    seconds: float
    timed_out: bool = False  # whether something did not end in time


@dataclass(frozen=True)
class Grade:
    """The grade of one hand-in of one exercise."""

    student: str  # as the class's folder calls them
    exercise: str
    results: list[Result]  # empty if nothing was handed in
    points: int  # of all checks
    notes: list[str] = field(default_factory=list)  # left out of the hand-in; cells that failed
    trusted: bool = False  # whether it ran without a sandbox
    digest: str = ""  # of all that it was made of; "" if nothing was handed in
    hand_in: str = ""  # number or date of the one that was graded; "" if there was only one
    late: bool = False
    moment: str = ""  # when it was handed in, in the class's time zone
    # What `Policy.marked` adds: points for each point, points of the lecturer, points lost by
    # lateness, the lecturer's words, whether the exercise counts for this student.
    weight: float = 1.0
    change: float = 0.0
    penalty: float = 0.0
    comments: list[str] = field(default_factory=list)
    counts: bool = True

    @property
    def earned(self) -> int:
        """Points of the checks that passed."""
        return sum(result.earned for result in self.results)

    @property
    def mark(self) -> float:
        """The points that count in the end."""
        points = max(0.0, self.earned - self.penalty + self.change) * self.weight
        return round(points, 2) if self.counts else 0.0

    @property
    def highest(self) -> float:
        """The points of a correct solution that was handed in in time."""
        return self.points * self.weight if self.counts else 0.0

    @property
    def reasons(self) -> list[str]:
        """What made the mark differ from the points of the checks, in words, and comments."""
        cost = f"{self.penalty:g} point{'' if self.penalty == 1 else 's'}"
        lines = [f"Lateness costs {cost}."] if self.penalty else []
        lines += [f"The lecturer changed the points by {self.change:+g}."] if self.change else []
        lines += [f"Each point counts {self.weight:g} times."] if self.weight != 1 else []
        lines += [] if self.counts else ["This exercise does not count for you."]
        return [*lines, *(f"Comment: {text}" for text in self.comments)]

    @property
    def timed_out(self) -> bool:
        """Whether something did not end in time, which a slow machine may have caused."""
        return any(result.timed_out for result in self.results)

    @property
    def seconds(self) -> float:
        """Wall seconds of all checks."""
        return sum(result.seconds for result in self.results)


def shortest(points: float) -> str:
    """Points without zeros at the end."""
    return f"{round(points, 2):g}"


def points_text(grade: Grade) -> str:
    """The exercise, points and points possible: `ko 8/10`."""
    return f"{grade.exercise} {shortest(grade.mark)}/{shortest(grade.highest)}"


def notes_of(grades: list[Grade]) -> list[str]:
    """Notes on skipped parts of a hand-in, each once."""
    return list(dict.fromkeys(note for grade in grades for note in grade.notes))


class _Student:
    """A student's functions, in one process after another."""

    def __init__(self, path: Path, sandbox: Sandbox) -> None:
        self._path, self._sandbox = path, sandbox
        self._functions: Functions | None = None
        self._crashes = 0
        self._skipped_cells: list[str] = []  # that ended their process
        self._broken: CallError | ProgramError | None = None  # why the file cannot be loaded
        self._deadline = time.monotonic() + _ALL_SECONDS
        self._missing_explained = False
        self.notes: list[str] = []  # what failed or was not run in the cells of a notebook

    def call(self, name: str, *arguments: Any) -> Any:
        """What the function returns. Raises Wrong, with words for the student."""
        while True:
            seconds = self._deadline - time.monotonic()
            if seconds <= 0:
                raise Wrong(f"Not run: the {_ALL_SECONDS:g} s for this exercise are used up.", True)
            if self._broken is not None:
                raise Wrong(f"Not run: {self._path.name} cannot be loaded; see the first check.",
                            _wrong(self._broken, self._path.name).timed_out)
            if self._crashes == _MOST_CRASHES:
                raise Wrong(
                    f"Not run: your program hung or crashed {_MOST_CRASHES} times before.", True)
            try:
                if self._functions is None:
                    self._functions = self._load(min(_LOAD_SECONDS, seconds))
                return self._functions.call(name, *arguments, timeout=min(_CALL_SECONDS, seconds))
            except ProgramError as error:
                self._functions = None
                self._crashes += 1
                if not error.cell:
                    raise _wrong(error, name) from None
                self._skipped_cells.append(error.cell)  # and tried again
                self.notes.append(f"{error.cell} ended the program, or it never ended")
            except CallError as error:
                if error.kind == "missing":
                    raise Wrong(self._missing(name, str(error))) from None
                raise _wrong(error, self._path.name if self._broken else name) from None

    def _missing(self, name: str, similar: str) -> str:
        """That there is no such function, and what is like it, or (the first time) the first note
        on what failed, which may be why."""
        text = f"There is no function {name}(); use the names of the task."
        if similar:
            return f"{text.removesuffix('.')}: {similar}."
        if self._missing_explained or not self.notes:
            return text
        self._missing_explained = True
        return f"{text} {min(self.notes, key=lambda note: ' failed' not in note)}."

    def _load(self, seconds: float) -> Functions:
        try:
            functions = Functions(self._path, self._sandbox, seconds, self._skipped_cells)
        except (CallError, ProgramError) as error:
            self._broken = None if isinstance(error, ProgramError) and error.cell else error
            raise
        self.notes = functions.reports
        return functions

    def renew(self) -> None:
        """Make the next call in a new process."""
        self.close()
        self._functions = None

    def close(self) -> None:
        if self._functions is not None:
            self._functions.close()


def _wrong(error: CallError | ProgramError, name: str) -> Wrong:
    if isinstance(error, CallError):
        return Wrong(_words(error, name))
    text = str(error).replace("loading", "Loading", 1)  # names of functions stay as they are
    return Wrong(f"{text}.", error.failure is Failure.TIMEOUT)


def _words(error: CallError, name: str) -> str:
    if error.kind == "NotImplementedError":
        return f"{name}() is not written yet."
    if error.kind == "ArgumentChanged":
        return str(error)
    place = f", in {error.place}" if error.place else ""
    return f"{name} raised {error}{place}."


def version_of(exercise: Exercise) -> bytes:
    """All that a mark is made of but the hand-in: the exercise's text as this variant has it, and
    the files of the modules that grade it."""
    files = imported_files([exercise.module_name, *_GRADERS], ("dlgo", "engines", "experiments"))
    contents = [name.encode() + path.read_bytes() for name, path in sorted(files.items())]
    return b"\0".join([exercise.source.encode(), *contents])


def grade(
    student: str, exercise: Exercise, collected: Collected, trust: bool = False,
    saved_grades: Mapping[tuple[str, str], Grade] | None = None,
) -> Grade:
    """Grade a collected hand-in; with `trust`, without a sandbox.

    A grade of the same files by the same version of everything in `saved_grades`, by student and
    exercise, is given again.
    Raises SandboxError if there is no working sandbox here, and it is not trusted.
    """
    path = collected.exercises.get(exercise.name)
    if path is None:
        return Grade(student, exercise.name, [], exercise.points, collected.notes)
    functions = _Student(path, Sandbox([collected.folder], ALLOWANCE, sealed=True, trusted=trust))
    digest = hex_digest([version_of(exercise), collected.digest.encode()], 16)
    earlier = (saved_grades or {}).get((student, exercise.name))
    if earlier is not None and (earlier.digest, earlier.trusted) == (digest, trust):
        return earlier
    results = []
    if trust and other_user():
        hide_solutions()
    try:
        for check in (*exercise.checks, exercise.public_check()):
            start = time.monotonic()
            fault = check.fault(HandIn(functions.call, functions.renew))
            results.append(Result(
                check.title, check.points, 0 if fault else check.points, str(fault or ""),
                time.monotonic() - start, fault is not None and fault.timed_out,
            ))
    finally:
        functions.close()
    notes = [*collected.notes, *functions.notes]
    if exercise.seed and any(result.feedback for result in results):
        notes += exercise.notes(path.read_text(errors="replace"))
    return Grade(student, exercise.name, results, exercise.points, notes, trust, digest)


def grade_hand_in(
    student: str, source: Source, exercises: list[Exercise], trust: bool = False,
    saved_grades: Mapping[tuple[str, str], Grade] | None = None, due: datetime | None = None,
    zone: tzinfo | None = None,
) -> list[Grade]:
    """The grades of one student: of each exercise, the last hand-in with a file of it counts.

    `source` is a hand-in or a folder of several; those after `due` (in `zone`) are late. Others as
    `grade`. A hand-in that breaks the grader itself gets no points and a note: the others must get
    their grades.
    """
    try:
        return _grade_last(student, source, exercises, trust, saved_grades, due, zone)
    except DlgoError:
        raise
    except Exception as error:
        note = f"this hand-in cannot be graded: {error_text(error)}"
        return [Grade(student, exercise.name, [], exercise.points, [note])
                for exercise in exercises]


def _grade_last(
    student: str, source: Source, exercises: list[Exercise], trust: bool,
    saved_grades: Mapping[tuple[str, str], Grade] | None, due: datetime | None, zone: tzinfo | None,
) -> list[Grade]:
    grades: dict[str, Grade] = {}
    names = [exercise.name for exercise in exercises]
    for submission in reversed(submissions(source, zone)):
        late = submission.is_late(due)
        with private_folder("hand-in-") as place:
            if trust:
                let_other_user_in(place)
            collected = collect(submission.parts, make_folder(place / "files"), names)
            if not collected.exercises:
                files = ", ".join(collected.names[:5]) or "none"
                collected.notes.append(f"no file is named after an exercise; files: {files}")
            for exercise in exercises:
                if exercise.name not in grades or not grades[exercise.name].results:
                    graded = grade(student, exercise, collected, trust, saved_grades)
                    grades[exercise.name] = dataclasses.replace(
                        graded, hand_in=submission.name, late=late and bool(graded.results),
                        moment=submission.moment.isoformat())
    return [grades[exercise.name] for exercise in exercises]
