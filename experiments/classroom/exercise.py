"""An exercise, read from its one source: the task for students, the solution, the checks."""

from __future__ import annotations

import ast
import contextlib
import doctest
import functools
import importlib
import inspect
import json
import re
import stat
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dlgo.errors import DlgoError
from dlgo.readers import read_toml
from dlgo.specs import suggest
from dlgo.text import replace_once
from experiments.classroom.checks import Check, HandIn, require, short
from experiments.classroom.own_examples import same_value, try_examples
from experiments.museum.planting import get_fault

_FOLDER = Path(__file__).with_name("exercises")
_CLONE = Path(__file__).resolve().parents[2]
_SOLUTION = re.compile(
    r"^(?P<indent>[ ]*)### BEGIN SOLUTION\n.*?^(?P=indent)### END SOLUTION\n", re.DOTALL | re.M
)
_HIDDEN = re.compile(r"^### BEGIN HIDDEN TESTS\n.*?^### END HIDDEN TESTS\n", re.DOTALL | re.M)
_MARKS = re.compile(r"^[ ]*### (BEGIN|END) SOLUTION\n", re.M)
_START = (
    "\\g<indent># YOUR CODE HERE\n"
    '\\g<indent>raise NotImplementedError("write this function")\n'
)
_HEAD = """
# Functions must not change their arguments. To try the examples in the texts, run this file, or the
# last cell of a notebook.
"""
_TASK = """One place of this file is wrong. Find it, mend it, and hand in the whole file.

What one sees:
"""
_TITLE = re.compile(r'"""(?P<title>.+) \(chapter (?P<chapter>\d+)\)\.')


class ExerciseError(DlgoError):
    """There is no such exercise."""


@dataclass(frozen=True)
class Exercise:
    """An exercise; `name` is that of its file, and of the file that students hand in."""

    name: str
    title: str
    chapter: int
    source: str

    @property
    def checks(self) -> list[Check]:
        """The checks."""
        return self._module.CHECKS

    @property
    def points(self) -> int:
        """The points of all checks."""
        return sum(check.points for check in self.checks)

    def public_check(self) -> Check:
        """The examples in the tasks' texts, which students can try themselves; worth no points."""
        def run(hand_in: HandIn) -> None:
            module, names = vars(self._module), dict(vars(self._module))
            tasks = [node.name for node in ast.parse(self.student_version()).body
                     if isinstance(node, ast.FunctionDef)]
            names |= {task: functools.partial(hand_in.call, task) for task in tasks}
            for task in tasks:
                for example in doctest.DocTestParser().get_examples(module[task].__doc__ or ""):
                    if not example.want:
                        exec(example.source, names)
                        continue
                    value = eval(example.source, names)
                    require(same_value(value, eval(example.want, names)),
                            f"{example.source.strip()} returned {short(value)}; the text says "
                            f"{example.want.strip()}.")

        return Check("Public: the examples in the text", 0, run)

    @property
    def planted(self) -> dict[str, tuple[str, str]]:
        """Bugs that must lose points: name -> (text in the solution, its replacement)."""
        return self._module.PLANTED

    @property
    def equivalent(self) -> dict[str, str]:
        """Changes that are no bugs: text of the changed line -> reason; see mutants.py."""
        return getattr(self._module, "EQUIVALENT", {})

    @property
    def _module(self) -> Any:
        return importlib.import_module(f"experiments.classroom.exercises.{self.name}")

    def student_version(self) -> str:
        """The file for students, without solutions and checks; run, it tries the examples."""
        text = self._start().rstrip()
        lines, tree = text.splitlines(keepends=True), ast.parse(text)
        lines.insert(tree.body[0].end_lineno or 0, _HEAD)
        names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
        helpers = inspect.getsource(same_value) + "\n" + inspect.getsource(try_examples)
        tasks = ", ".join(f'"{name}"' for name in names)
        footer = textwrap.indent(f"{helpers}\ntry_examples({tasks})\n", "    ")
        return "".join(lines) + f'\n\n\nif __name__ == "__main__":\n{footer}'

    def _start(self) -> str:
        return _SOLUTION.sub(_START, _HIDDEN.sub("", self.source))

    def solution(self) -> str:
        """The file with all solutions."""
        return _MARKS.sub("", _HIDDEN.sub("", self.source)).rstrip() + "\n"

    def solution_lines(self) -> set[int]:
        """The numbers of the lines of `solution` that students write, from 1."""
        numbers, count, inside = set(), 0, False
        for line in _HIDDEN.sub("", self.source).splitlines(keepends=True):
            if _MARKS.fullmatch(line):
                inside = not inside
                continue
            count += 1
            if inside:
                numbers.add(count)
        return numbers

    def notebook(self) -> str:
        """The student's version as a notebook (nbformat 4.5): the task, then a cell a function,
        and one that tries the examples."""
        text = self.student_version()
        lines, tree = text.splitlines(keepends=True), ast.parse(text)
        cells: list[dict[str, Any]] = [{"cell_type": "markdown", "id": "cell-0", "metadata": {},
                  "source": (ast.get_docstring(tree) or "").splitlines(keepends=True)}]
        starts = [node.lineno - 1 for node in tree.body
                  if isinstance(node, ast.FunctionDef | ast.If)]
        begins = [tree.body[0].end_lineno, *starts, len(lines)]
        for number, (begin, end) in enumerate(zip(begins, begins[1:], strict=False), 1):
            cells.append({
                "cell_type": "code", "id": f"cell-{number}", "metadata": {},
                "source": "".join(lines[begin:end]).strip().splitlines(keepends=True),
                "execution_count": None, "outputs": [],
            })
        kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
        return json.dumps({"cells": cells, "nbformat": 4, "nbformat_minor": 5,
                           "metadata": {"kernelspec": kernel}}, indent=1) + "\n"


@dataclass(frozen=True)
class FaultExercise(Exercise):
    """Find the fault: students get a solution with one planted bug, and mend it.

    `of` is the exercise whose solution it is, `bug` a name in its `PLANTED`, `card` the fault of
    the museum that it stands for; the card says what one sees.
    """

    of: Exercise
    bug: str
    card: str

    @property
    def checks(self) -> list[Check]:
        """One check, all of the exercise's: the rest of the file is right, and earns nothing."""
        def run(hand_in: HandIn) -> None:
            for check in self.of.checks:
                check.run(hand_in)

        return [Check("The fault is mended, and everything else still works", 10, run)]

    @property
    def planted(self) -> dict[str, tuple[str, str]]:
        """The fault."""
        return {self.bug: self.of.planted[self.bug]}

    @property
    def _module(self) -> Any:
        return self.of._module

    def _start(self) -> str:
        return replace_once(self.solution(), *self.of.planted[self.bug])


def _find_the_fault(exercise_of: Mapping[str, Exercise]) -> Iterator[FaultExercise]:
    """The exercises of `faults.toml`: the same source with another beginning."""
    for name, table in read_toml(_FOLDER / "faults.toml").items():
        of, card = exercise_of[table["of"]], get_fault(table["card"])
        body = of.source.partition('"""')[2].partition("\n")[2]
        short_title = of.title.partition(":")[0]
        title, symptom = f"Find the fault: {short_title}", textwrap.fill(card.symptom, 88)
        source = (f'"""{title} (chapter {of.chapter}).\n\n{_TASK}\n{symptom}\n\n'
                  f"The program was meant like this:\n{body}")
        yield FaultExercise(name, title, of.chapter, source, of, table["bug"], table["card"])


def hide_solutions() -> None:
    """Let only the owner of this installation read solutions and questions for exams."""
    clone = [_CLONE / name for name in (".git", "build", "tests")]
    folders = [_FOLDER, _FOLDER.with_name("questions")]
    for folder in [*folders, *(clone if (_CLONE / "setup.py").exists() else [])]:
        with contextlib.suppress(OSError):  # it is not there, or the system is read-only
            folder.chmod(stat.S_IMODE(folder.stat().st_mode) & 0o700)


def exercises() -> dict[str, Exercise]:
    """All exercises by name, by chapter. Raises ExerciseError in a package for students."""
    if not (_FOLDER / "__init__.py").exists():
        raise ExerciseError(
            "this dlgo was built for students and has no exercises; install one that was built "
            "without DLGO_STUDENT"
        )
    exercise_of = written_exercises()
    both_kinds = [*exercise_of.values(), *_find_the_fault(exercise_of)]
    return {exercise.name: exercise
            for exercise in sorted(both_kinds, key=lambda exercise: exercise.chapter)}


def written_exercises() -> dict[str, Exercise]:
    """Those in which students write functions, by name, by chapter."""
    collection = []
    for path in sorted(_FOLDER.glob("[a-z]*.py")):
        source = path.read_text(encoding="utf-8")
        if match := _TITLE.match(source):
            collection.append(Exercise(path.stem, match["title"], int(match["chapter"]), source))
    return {exercise.name: exercise for exercise in sorted(collection, key=lambda e: e.chapter)}


def get_exercise(name: str) -> Exercise:
    """The exercise of that name. Raises ExerciseError if there is none."""
    exercise_of = exercises()
    if name not in exercise_of:
        raise ExerciseError(f"there is no exercise {name!r}{suggest(name.lower(), exercise_of)}; "
                            "`dlgo class list` lists all")
    return exercise_of[name]
