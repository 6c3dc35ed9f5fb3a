"""Facts about every exercise: solutions earn all points, planted bugs lose some, a start none."""

from __future__ import annotations

import ast
import copy
import json
from typing import Any

import numpy as np
import pytest

from engines.isolation.plain import from_plain, to_plain
from experiments.classroom import exercise as exercise_module
from experiments.classroom.checks import HandIn, Wrong
from experiments.classroom.exercise import Exercise, ExerciseError, exercises, get_exercise
from tests.command import ROOT
from tests.conftest import one_line_error

EXERCISES = exercises()
every_exercise = pytest.mark.parametrize("name", EXERCISES)


def outcomes(exercise: Exercise, source: str) -> dict[str, str]:
    """The feedback of each check in this process, by its title; "" where it passes."""
    names: dict[str, Any] = {"__name__": "hand_in"}
    exec(compile(source, "hand_in.py", "exec"), names)

    def call(name: str, *arguments: Any) -> Any:
        copies = [one if callable(one) else copy.deepcopy(one) for one in arguments]
        try:
            with np.errstate(all="ignore"):
                return from_plain(to_plain(names[name](*copies)))
        except Exception as error:
            raise Wrong(f"{type(error).__name__}: {error}") from None

    said = {}
    for check in exercise.checks:
        said[check.title] = ""
        try:
            check.run(HandIn(call))
        except Exception as error:  # Wrong, or what came back is of another kind
            said[check.title] = f"{type(error).__name__}: {error}"
    return said


@every_exercise
def test_a_solution_earns_all_points(name) -> None:
    exercise = EXERCISES[name]
    assert not any(outcomes(exercise, exercise.solution()).values())
    assert exercise.points == 10, "points are out of ten, so that exercises weigh the same"
    assert len(exercise.checks) >= 3


@every_exercise
def test_planted_bugs_lose_points_and_are_told_of(name) -> None:
    exercise, solution = EXERCISES[name], EXERCISES[name].solution()
    assert len(exercise.planted) >= 3
    for bug, (right, wrong) in exercise.planted.items():
        assert solution.count(right) == 1, f"{bug}: {right!r} must stand in the solution once"
        said = outcomes(exercise, solution.replace(right, wrong))
        assert any(said.values()), f"{bug} loses nothing"


@every_exercise
def test_an_untouched_start_earns_nothing_and_tells_nothing(name) -> None:
    """No solution and no check is in the student's file, nor in the notebook."""
    exercise = EXERCISES[name]
    start = exercise.student_version()
    assert all(outcomes(exercise, start).values())
    assert "SOLUTION" not in start and "HIDDEN" not in start and "PLANTED" not in start
    assert "experiments" not in start and "hand_in" not in start
    assert start.count("YOUR CODE HERE") == exercise.source.count("BEGIN SOLUTION") > 0
    for node in ast.walk(ast.parse(start)):  # task and types are said of each function
        if isinstance(node, ast.FunctionDef):
            assert ast.get_docstring(node) and node.returns is not None, node.name
            assert all(argument.annotation for argument in node.args.args), node.name
    notebook = json.loads(exercise.notebook())
    code = "".join("".join(cell["source"]) + "\n\n" for cell in notebook["cells"][1:])
    assert ast.dump(ast.parse(code)) == ast.dump(ast.Module(ast.parse(start).body[1:], []))


@every_exercise
def test_whatever_is_returned_is_wrong_and_nothing_breaks(name) -> None:
    """Constant answers of all kinds earn at most a few points."""
    exercise = EXERCISES[name]
    names = [node.name for node in ast.parse(exercise.student_version()).body
             if isinstance(node, ast.FunctionDef)]
    for answer in ("None", "0", "1.5", "True", "[]", "{}", "'x'", "(0, 0)", "[[0]]", "10 ** 50",
                   "float('nan')", "set()"):
        source = "".join(f"def {name}(*_): return {answer}\n" for name in names)
        said = outcomes(exercise, source)
        earned = sum(check.points for check in exercise.checks if not said[check.title])
        assert earned <= 2, f"returning {answer} earns {earned} points"


def test_an_unknown_exercise_is_named() -> None:
    with one_line_error(ExerciseError, "there is no exercise 'chess'; the exercises are"):
        get_exercise("chess")


def test_a_package_for_students_says_that_it_has_no_exercises(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(exercise_module, "_FOLDER", tmp_path)
    with one_line_error(ExerciseError, "was built for students"):
        get_exercise("ko")


def test_the_lecturers_page_has_every_exercise_in_its_chapter_and_one_week() -> None:
    page = (ROOT / "docs/teach.md").read_text(encoding="utf-8")
    weeks = page.split("## Twelve weeks")[1].split("##")[0].splitlines()
    for name, exercise in EXERCISES.items():
        [row] = [line for line in weeks if f"`{name}`" in line]
        assert f"[{exercise.chapter}](" in row, row
    assert "--classroom50 " in page and "--gradescope " in page
