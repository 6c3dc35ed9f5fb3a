"""An exercise, read from its one source: the task for students, the solution, the checks."""

from __future__ import annotations

import ast
import importlib
import json
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from dlgo.errors import DlgoError
from experiments.classroom.checks import Check

_FOLDER = Path(__file__).with_name("exercises")
_SOLUTION = re.compile(
    r"^(?P<indent>[ ]*)### BEGIN SOLUTION\n.*?^(?P=indent)### END SOLUTION\n", re.DOTALL | re.M
)
_HIDDEN = re.compile(r"^### BEGIN HIDDEN TESTS\n.*?^### END HIDDEN TESTS\n", re.DOTALL | re.M)
_MARKS = re.compile(r"^[ ]*### (BEGIN|END) SOLUTION\n", re.M)
_START = (
    "\\g<indent># YOUR CODE HERE\n"
    '\\g<indent>raise NotImplementedError("to be written")\n'
)
_TITLE = re.compile(r"(?P<title>.+) \(chapter (?P<chapter>\d+)\)\.")


class ExerciseError(DlgoError):
    """There is no such exercise."""


@dataclass(frozen=True)
class Exercise:
    """An exercise.

    Attributes:
        name: of its file, and of the file that students hand in.
        title: what it is about.
        chapter: of the book.
    """

    name: str
    title: str
    chapter: int

    @property
    def source(self) -> str:
        """All of it."""
        return (_FOLDER / f"{self.name}.py").read_text(encoding="utf-8")

    @cached_property
    def checks(self) -> list[Check]:
        """What is checked, in the order of the file."""
        return [value for value in vars(self._module).values() if isinstance(value, Check)]

    @property
    def points(self) -> int:
        """Of all checks."""
        return sum(check.points for check in self.checks)

    @property
    def planted(self) -> dict[str, tuple[str, str]]:
        """Bugs that must lose points: name to (what stands in the solution, what it becomes)."""
        return self._module.PLANTED

    @property
    def _module(self) -> object:
        return importlib.import_module(f"experiments.classroom.exercises.{self.name}")

    def student_version(self) -> str:
        """The file that students are given: no solutions, no checks."""
        return _SOLUTION.sub(_START, _HIDDEN.sub("", self.source)).rstrip() + "\n"

    def solution(self) -> str:
        """The file that a perfect student hands in."""
        return _MARKS.sub("", _HIDDEN.sub("", self.source)).rstrip() + "\n"

    def notebook(self) -> str:
        """The student's version as a notebook (nbformat 4.5): the task, then a cell a function."""
        text = self.student_version()
        lines, tree = text.splitlines(keepends=True), ast.parse(text)
        cells = [_cell("markdown", ast.get_docstring(tree), 0)]
        starts = [
            _first_line(node) for node in tree.body
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
        ]
        begins = [tree.body[0].end_lineno, *starts, len(lines)]
        for number, (begin, end) in enumerate(zip(begins, begins[1:], strict=False), 1):
            if code := "".join(lines[begin:end]).strip():
                cells.append(_cell("code", code, number))
        return json.dumps({
            "cells": cells, "nbformat": 4, "nbformat_minor": 5,
            "metadata": {"kernelspec": {
                "display_name": "Python 3", "language": "python", "name": "python3",
            }},
        }, indent=1) + "\n"


def _first_line(node: ast.FunctionDef | ast.ClassDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1


def _cell(kind: str, text: str, number: int) -> dict[str, object]:
    cell: dict[str, object] = {
        "cell_type": kind, "id": f"cell-{number}", "metadata": {},
        "source": text.splitlines(keepends=True),
    }
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def exercises() -> dict[str, Exercise]:
    """All exercises by name, in the order of chapters.

    Raises:
        ExerciseError: in a package for students, which has none.
    """
    listed = []
    if not (_FOLDER / "__init__.py").exists():
        raise ExerciseError(
            "this dlgo was built for students and has no exercises; lecturers install one that was "
            "built without DLGO_STUDENT"
        )
    for path in sorted(_FOLDER.glob("[a-z]*.py")):
        first = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))).split("\n")[0]
        match = _TITLE.fullmatch(first)
        listed.append(Exercise(path.stem, match["title"], int(match["chapter"])))
    return {exercise.name: exercise for exercise in sorted(listed, key=lambda e: e.chapter)}


def get_exercise(name: str) -> Exercise:
    """The exercise of that name. Raises ExerciseError, naming those that there are."""
    known = exercises()
    if name not in known:
        raise ExerciseError(f"there is no exercise {name!r}; there are {', '.join(known)}")
    return known[name]
