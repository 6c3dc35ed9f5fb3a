"""Facts about every exercise: solutions earn all points, planted bugs lose some, a start none."""

from __future__ import annotations

import ast
import contextlib
import copy
import dataclasses
import doctest
import importlib.util
import json
import os
import types

import pytest

from experiments.classroom import mutants
from experiments.classroom.checks import HandIn, Wrong
from experiments.classroom.exercise import (
    ExerciseError,
    FaultExercise,
    exercises,
    get_exercise,
    written_exercises,
)
from experiments.classroom.mutants import outcomes
from tests.conftest import RUN_ALL, one_line_error

EXERCISES = written_exercises()
every_exercise = pytest.mark.parametrize("name", EXERCISES)


@every_exercise
def test_a_solution_earns_all_points(name) -> None:
    exercise = EXERCISES[name]
    assert not any(outcomes(exercise, exercise.solution()).values())
    assert exercise.points == 10, "points are out of ten, so that exercises weigh the same"
    assert len(exercise.checks) >= 3
    public = [exercise.public_check()]
    assert not any(outcomes(exercise, exercise.solution(), public).values())
    assert all(outcomes(exercise, exercise.student_version(), public).values())


@every_exercise
def test_planted_bugs_lose_points_and_are_told_of(name) -> None:
    exercise = EXERCISES[name]
    assert len(exercise.planted) >= 3
    for mutant in [*mutants.planted(exercise)][:: 1 if RUN_ALL else 3]:
        assert any(outcomes(exercise, mutant.source).values()), f"{mutant.place} loses nothing"


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="mutants run in forked processes")
@pytest.mark.skipif(not importlib.util.find_spec("cosmic_ray"), reason="needs Cosmic Ray")
@pytest.mark.parametrize("name", EXERCISES if RUN_ALL else ["ko"])
def test_nearly_all_mutants_lose_points(name) -> None:
    """All exercises with --run-all: ten CPU minutes."""
    result = mutants.score(EXERCISES[name])
    assert result.share >= mutants.WANTED, result.survivors
    assert not result.unused and result.killed.total() >= 50


def test_a_fault_of_the_museum_earns_nothing_until_it_is_mended(capsys) -> None:
    faulty = [dataclasses.replace(exercise, bugs={bug: card}) for exercise in exercises().values()
              if isinstance(exercise, FaultExercise) for bug, card in exercise.bugs.items()]
    assert len(faulty) >= 20
    for exercise in faulty:
        assert not any(outcomes(exercise, exercise.solution()).values())
        assert exercise.points == 10 and all(
            outcomes(exercise, exercise.student_version()).values()), exercise.name
        # Another fault in the right file earns nothing, either.
        other = next(mutant for mutant in mutants.planted(exercise.of)
                     if mutant.source != exercise.student_version())
        assert all(outcomes(exercise, other.source).values()), exercise.name
        start = exercise.student_version()
        assert "SOLUTION" not in start
        # It shows what the whole program answers, and says of no function what it should do.
        for text, right in ((start, False), (exercise.solution(), True)):
            exec(compile(text + start[start.index("\nif __name__"):], "hand_in.py", "exec"),
                 {"__name__": "__main__"})
            assert ("WRONG" not in capsys.readouterr().out) == right, exercise.bug
        functions = [node for node in ast.parse(start).body if isinstance(node, ast.FunctionDef)]
        assert not any(">>>" in (ast.get_docstring(function) or "") for function in functions)
        assert "\nSymptoms: " in start and "# now " in start


def test_a_changed_argument_costs_the_first_check_that_sees_it() -> None:
    exercise = EXERCISES["captures"]
    right = "    return stones + 1"
    source = exercise.solution().replace(right, f"    board.clear()\n{right}")
    failed = [text for text in outcomes(exercise, source).values() if text]
    assert failed == ["CallError: captured() changed its argument 'board'; work on a copy."]


@every_exercise
def test_an_untouched_start_earns_nothing_and_tells_nothing(name) -> None:
    """No solution and no check is in the student's file, nor in the notebook."""
    exercise = EXERCISES[name]
    start = exercise.student_version()
    assert all(outcomes(exercise, start).values())
    assert "SOLUTION" not in start and "HIDDEN" not in start and "PLANTED" not in start
    assert "experiments" not in start and "hand_in" not in start and "import dlgo" not in start
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
    with one_line_error(ExerciseError, "there is no exercise 'chess'; `dlgo class list`"):
        get_exercise("chess")
    with one_line_error(ExerciseError, "alpha_beta"):
        get_exercise("AlphaBeta")


@every_exercise
def test_students_try_three_examples_of_each_task_offline(name, capsys) -> None:
    """The solution gives what the examples show; a start is told what is missing."""
    exercise = EXERCISES[name]
    start = exercise.student_version()
    tasks = [node.name for node in ast.parse(start).body if isinstance(node, ast.FunctionDef)]
    footer = start[start.index("if __name__"):]

    def run(source: str) -> str:
        names = {"__name__": "__main__"}
        exec(compile(source, "hand_in.py", "exec"), names)
        return capsys.readouterr().out

    examples = len(tasks) if exercise.is_prediction else 3 * len(tasks)
    good = run(f"{exercise.solution()}\n{footer}")
    assert good.count("right ") == good.count("\n") == examples, good
    bad = run(start)
    assert bad.count("WRONG ") == bad.count("write this function") == examples, bad


@pytest.mark.parametrize("name", [
    name for name, exercise in EXERCISES.items() if not exercise.is_prediction])
def test_answers_to_the_examples_alone_earn_nothing(name) -> None:
    """Hidden checks ask for more than the examples show."""
    exercise, shown = EXERCISES[name], set()
    names = {"__name__": "hand_in"}
    exec(compile(exercise.solution(), "hand_in.py", "exec"), names)
    for task, function in list(names.items()):
        if isinstance(function, types.FunctionType):
            spied = {**names, task: lambda *given, task=task: shown.add((task, repr(given)))}
            for example in doctest.DocTestParser().get_examples(function.__doc__ or ""):
                with contextlib.suppress(TypeError):  # sorted(...) of what the spy returns
                    exec(example.source, spied)

    def call(task, *arguments):
        if (task, repr(arguments)) not in shown:
            raise Wrong("This is no example.")
        return names[task](*copy.deepcopy(arguments))

    passed = [check.title for check in exercise.checks if not check.feedback(HandIn(call))]
    assert shown and not passed
