"""Hidden inputs ask for all that an exercise's text promises, and for nothing that it excludes."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterable
from types import ModuleType

import pytest

from experiments.classroom import mutants
from experiments.classroom.exercise import Exercise, written_exercises
from tests.classroom.promises import Call, Promise

EXERCISES = written_exercises()
_PACKAGE = "tests.classroom.promises"
every_exercise = pytest.mark.parametrize("name", EXERCISES)


def promises_of(name: str) -> ModuleType:
    return importlib.import_module(f"{_PACKAGE}.{name}")


@functools.cache
def forms(name: str) -> list[Exercise]:
    """The form for a whole class, and three individual ones if there are any."""
    exercise = EXERCISES[name]
    seeds = ("", *(("anna", "ben", "carla") if exercise.varies else ()))
    return [exercise.individual(seed) for seed in seeds]


@functools.cache
def calls(exercise: Exercise) -> list[Call]:
    return [Call(*asked, exercise.constants) for asked in mutants.calls_of(exercise)]


def not_kept(promises: Iterable[Promise], text: str, asked: list[Call]) -> list[str]:
    """What is wrong with promises on a text, in words."""
    plain, problems = " ".join(text.split()), []
    for promise in promises:
        if " ".join(promise.text.split()) not in plain:
            problems.append(f"the text does not say {promise.text!r}")
        count = sum(bool(promise.asked(call)) for call in asked)
        if count < promise.least:
            problems.append(f"{count} of {promise.least} inputs ask for {promise.text!r}")
    return problems


@every_exercise
def test_hidden_inputs_ask_for_all_that_the_text_promises(name: str) -> None:
    promises = promises_of(name).PROMISES
    assert len(promises) >= 3
    for exercise in forms(name):
        text = exercise.student_version()
        assert not not_kept(promises, text, calls(exercise)), exercise.seed


@every_exercise
def test_hidden_inputs_obey_the_text(name: str) -> None:
    for exercise in forms(name):
        for call in calls(exercise):
            promises_of(name).valid(call)


def test_a_promise_that_no_input_asks_for_is_named() -> None:
    asked = [Call("liberties", (1,), 4), Call("liberties", (2,), 3)]
    promises = [Promise("A lone  stone", lambda call: call.result == 4),
                Promise("has liberties", lambda call: call.arguments[0] > 1, least=2),
                Promise("on the edge", lambda call: True)]
    assert not_kept(promises, "A lone\nstone has liberties.", asked) == [
        "1 of 2 inputs ask for 'has liberties'", "the text does not say 'on the edge'"]
