"""An exercise, read from its one source: the task for students, the solution, the checks.

`exercise.individual(seed)` is the same exercise with other constants, positions or another fault.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import functools
import importlib
import inspect
import json
import random
import re
import stat
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from dlgo.errors import DlgoError
from dlgo.readers import read_toml
from dlgo.specs import suggest
from dlgo.text import replace_once
from experiments.classroom.checks import Check, HandIn, require, short
from experiments.classroom.own_examples import same_value, try_examples
from experiments.classroom.variants import (
    answer_text,
    is_statement,
    module_of,
    with_answers,
    with_constants,
)
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
# Functions must not change their arguments, nor round numbers unless the text allows it. You can
# import NumPy and Python's own modules; other imports are skipped when your work is graded. To try
# the examples in the texts, run this file, or the last cell of a notebook.
"""
_TASK = """One place of this program is wrong. Find it, mend it, and hand in the whole file.

{symptom}

SYMPTOMS shows answers of the whole program: what it returns now, and what it should return. Run
this file, or the last cell of a notebook, to see whether you have mended it.

{program}"""
_ARGUMENTS = re.compile(r"^[ ]+Args:\n(?:[ ]+\S.*\n)+", re.M)
_TITLE = re.compile(r'"""(?P<title>.+) \(chapter (?P<chapter>\d+)\)\.')


class ExerciseError(DlgoError):
    """There is no such exercise."""


@dataclass(frozen=True)
class Exercise:
    """An exercise; `name` is that of its file, and of the file that students hand in."""

    name: str
    title: str
    chapter: int
    template: str  # the text of its file
    seed: str = ""  # of the variant

    def individual(self, seed: str) -> Self:
        """The variant of a seed."""
        return replace(self, seed=seed)

    @functools.cached_property
    def constants(self) -> dict[str, Any]:
        """What differs from variant to variant, by name; {} if the exercise does not vary."""
        return self._module_of_file.variant(self._rng()) if self.varies else {}

    @property
    def is_prediction(self) -> bool:
        """Whether students predict steps of a search; they may do so without a program."""
        return self.name.startswith("predict_")

    @property
    def varies(self) -> bool:
        """Whether `individual` makes a difference."""
        return hasattr(self._module_of_file, "variant")

    def notes(self, program: str) -> list[str]:
        """What a student must know whose program does not have the values of this variant."""
        values = {name: value for name, value in self.constants.items()
                  if isinstance(value, int | float)}
        if all(re.search(rf"\b{name}\s*=\s*{re.escape(str(value))}(?![\d.])", program)
               for name, value in values.items()):
            return []
        text = ", ".join(f"{name} = {value}" for name, value in values.items())
        return [f"{self.name} was graded with this student's own values: {text}"]

    @functools.cached_property
    def source(self) -> str:
        """The text of the file as this variant has it."""
        source = with_constants(self.template, self.constants)
        return with_answers(source, vars(self._module)) if self.constants else source

    def _rng(self) -> random.Random:
        return random.Random(f"{self.seed} {self.name}")

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
            tasks = _functions(self._start())
            names = vars(self._module) | {
                task.name: functools.partial(hand_in.call, task.name) for task in tasks}
            for text in self._examples(tasks):
                for example in doctest.DocTestParser().get_examples(text):
                    if not example.want:
                        exec(example.source, names)
                        continue
                    value = eval(example.source, names)
                    code = example.source.partition("  #")[0].strip()
                    require(same_value(value, eval(example.want, names)),
                            f"{code} returned {short(value)}; the text says "
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
    def module_name(self) -> str:
        """The module of its file."""
        return f"experiments.classroom.exercises.{self.name}"

    @property
    def _module_of_file(self) -> Any:
        return importlib.import_module(self.module_name)

    @functools.cached_property
    def _module(self) -> Any:
        """The functions of the solution and the checks, with the constants of this variant."""
        if not self.constants:
            return self._module_of_file
        return module_of(self.name, with_constants(self.template, self.constants))

    def _examples(self, tasks: list[ast.FunctionDef]) -> list[str]:
        return [ast.get_docstring(task) or "" for task in tasks]

    def student_version(self) -> str:
        """The file for students, without solutions and checks; run, it tries the examples."""
        text = self._start().rstrip()
        lines, tree = text.splitlines(keepends=True), ast.parse(text)
        lines.insert(tree.body[0].end_lineno or 0, _HEAD)
        helpers = inspect.getsource(same_value) + "\n" + inspect.getsource(try_examples)
        footer = textwrap.indent(f"{helpers}\n{self._trial()}\n", "    ")
        return "".join(lines) + f'\n\n\nif __name__ == "__main__":\n{footer}'

    def _trial(self) -> str:
        """The last lines of the student's file, which try the examples."""
        tasks = ", ".join(f"{task.name}.__doc__" for task in _functions(self._start()))
        return f"for text in [{tasks}]:\n    try_examples(text)"

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

    `template` says what the program is for. `of` is the exercise whose solution it is, and `bugs`
    are names in its `PLANTED`, each with the fault of the museum that it stands for, whose card
    gives the symptom; a variant has one of them. `calls` are lines of Python that show the
    symptom: calls of the whole program, not of the function with the fault.
    """

    of: Exercise = field(kw_only=True)
    bugs: Mapping[str, str] = field(kw_only=True)
    calls: str = field(kw_only=True)

    def individual(self, seed: str) -> Self:
        """The variant of a seed."""
        return replace(self, seed=seed, of=self.of.individual(seed))

    @property
    def constants(self) -> dict[str, Any]:
        """Those of the exercise."""
        return self.of.constants

    @property
    def varies(self) -> bool:
        """Whether the fault, or the program, differs."""
        return len(self.bugs) > 1 or self.of.varies

    @functools.cached_property
    def bug(self) -> str:
        """The name of the fault of this variant."""
        return self._rng().choice(list(self.bugs))

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
    def module_name(self) -> str:
        """The module of the exercise."""
        return self.of.module_name

    @property
    def _module(self) -> Any:
        return self.of._module

    @functools.cached_property
    def source(self) -> str:
        """The solution, without texts that say how it works."""
        symptom = get_fault(self.bugs[self.bug]).symptom
        text = textwrap.fill(f"Symptoms: {symptom[0].lower()}{symptom[1:]}", 96)
        task = _TASK.format(symptom=text, program=self.template.strip())
        lines = _without_explanations(self.of.solution()).splitlines(keepends=True)
        docstring, *_ = body = ast.parse("".join(lines)).body
        imports = max(node.end_lineno or 0 for node in body
                      if isinstance(node, ast.Import | ast.ImportFrom))
        lines.insert(imports, f'\nSYMPTOMS = """\n{self._symptoms}"""\n')
        return (f'"""{self.title} (chapter {self.chapter}).\n\n{task}\n"""\n'
                + "".join(lines[docstring.end_lineno or 0:]))

    @functools.cached_property
    def _symptoms(self) -> str:
        """Examples for the whole program, with the answers that it gives now where they differ."""
        right, wrong = (vars(module_of(self.name, text)) for text in (
            self.of.solution(), replace_once(self.of.solution(), *self.of.planted[self.bug])))
        lines = []
        for code in self.calls.strip().splitlines():
            if is_statement(code):
                exec(code, right)
                exec(code, wrong)
                lines += [f">>> {code}"]
                continue
            now, answer = _answer(code, wrong), _answer(code, right)
            lines += [f">>> {code}" + (f"  # now {now}" if now != answer else ""), answer]
        return "\n".join(lines) + "\n"

    def _examples(self, tasks: list[ast.FunctionDef]) -> list[str]:
        return [self._symptoms]

    def _trial(self) -> str:
        return "try_examples(SYMPTOMS)"

    def _start(self) -> str:
        return replace_once(self.solution(), *self.of.planted[self.bug])


def _answer(code: str, names: dict[str, Any]) -> str:
    try:
        return answer_text(eval(code, names))
    except Exception as error:  # of a program with a fault
        return type(error).__name__


def _without_explanations(source: str) -> str:
    """A program in which docstrings say only what the arguments are: formulas and examples of a
    function would name the one that is wrong."""
    lines = source.splitlines(keepends=True)
    for function in reversed(_functions(source)):
        docstring = function.body[0]
        begin, end = docstring.lineno - 1, docstring.end_lineno
        arguments = _ARGUMENTS.search("".join(lines[begin:end]))
        lines[begin:end] = [f'    """\n{arguments[0]}    """\n'] if arguments else []
    return "".join(lines)


def _functions(source: str) -> list[ast.FunctionDef]:
    """The functions of a program."""
    return [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]


def _find_the_fault(exercise_of: Mapping[str, Exercise]) -> Iterator[FaultExercise]:
    """The exercises of `faults.toml`."""
    for name, table in read_toml(_FOLDER / "faults.toml").items():
        of = exercise_of[table["of"]]
        title = f"Find the fault: {of.title.partition(':')[0]}"
        yield FaultExercise(name, title, of.chapter, table["program"], of=of, bugs=table["bugs"],
                            calls=table["calls"])


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
