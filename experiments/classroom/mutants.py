"""Mutation testing of the exercises: does each small fault in a solution lose points?

    python -m experiments.classroom.mutants ko counting

A mutant is the solution with one change of its text (mutant_lines.py), with another function in
place of one of its own (mutant_functions.py), with a bug of the exercise's `PLANTED`, or with one
of these for a certain colour only (mutant_conditions.py).
`EQUIVALENT` of an exercise lists changes that are no faults: a text that only the mutant's lines
have, or what this program prints after "->" (spaces do not matter), and the reason. All other
mutants must lose points, and each entry must be needed.
"""

from __future__ import annotations

import copy
import itertools
import os
import random
import select
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import click
import numpy as np
import psutil

from dlgo.errors import DlgoError
from dlgo.text import replace_once
from engines.isolation.answer import answer_of
from engines.isolation.calls import check_unchanged
from engines.isolation.plain import fingerprints, from_plain, to_plain
from experiments.classroom.checks import Check, HandIn, Wrong
from experiments.classroom.exercise import Exercise, get_exercise, written_exercises
from experiments.classroom.mutant_conditions import by_conditions, difference, variations
from experiments.classroom.mutant_functions import Asked, by_wrappers
from experiments.classroom.mutant_lines import (
    Mutant,
    by_names,
    by_operators,
    bytecode,
    kinds_of_names,
)
from experiments.command import run

# CPU seconds and bytes of memory of a mutant, which may run forever: some seconds, and some times
# as long as the solution takes.
_SECONDS, _TIMES, _BYTES = 2, 8, 1 << 30
# Bytes of what is said of one.
_LONGEST = 4096
# Share of the mutants of each exercise that must lose points.
WANTED = 0.95


@dataclass
class Score:
    """The mutants of an exercise."""

    exercise: str
    killed: Counter[str] = field(default_factory=Counter)  # those that lose points, by kind
    equivalent: int = 0
    survivors: list[Mutant] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)  # texts of EQUIVALENT that no survivor has

    @property
    def share(self) -> float:
        """The share of mutants that lose points, of the kind in which it is smallest; equivalent
        ones do not count."""
        survivors = Counter(mutant.kind for mutant in self.survivors)
        return min(self.killed[kind] / (self.killed[kind] + survivors[kind])
                   for kind in self.killed | survivors)

    def __str__(self) -> str:
        """The numbers in a line."""
        killed, left = self.killed.total(), len(self.survivors)
        return (f"{self.exercise}: {self.share:.0%} or more of each kind, {killed} of "
                f"{killed + left} mutants lose points; {self.equivalent} more are equivalent")


def outcomes(
    exercise: Exercise, source: str, checks: Sequence[Check] = ()
) -> dict[str, str]:
    """The feedback of each check (by default all) by its title, "" where it passes; runs in this
    process."""
    checks = checks or exercise.checks
    try:
        hand_in = in_process(source)
    except Exception as error:
        return {check.title: f"{type(error).__name__}: {error}" for check in checks}
    return {check.title: check.feedback(hand_in) for check in checks}


def in_process(source: str) -> HandIn:
    """A program whose functions run in this process. Raises what it raises when it is loaded."""
    names: dict[str, Any] = {"__name__": "hand_in"}
    exec(compile(source, "hand_in.py", "exec"), names)
    changers: set[str] = set()

    def call(name: str, *arguments: Any) -> Any:
        copies = [_plainly(argument) if callable(argument) else copy.deepcopy(argument)
                  for argument in arguments]
        before = fingerprints(copies)
        try:
            with np.errstate(all="ignore"):
                answer = answer_of(names[name], copies)
            check_unchanged(name, before, answer, changers)
            return from_plain(answer["value"])
        except Exception as error:
            raise Wrong(f"{type(error).__name__}: {error}") from None

    return HandIn(call)


def calls_of(exercise: Exercise) -> list[Asked]:
    """What the checks ask, with the solution's answers; in this process. Raises DlgoError if the
    solution does not pass."""
    solution, calls = in_process(exercise.solution()), list[Asked]()

    def call(name: str, *arguments: Any) -> Any:
        result = solution.call(name, *arguments)
        calls.append((name, arguments, result))
        return result

    for check in exercise.checks:
        if feedback := check.feedback(HandIn(call)):
            raise DlgoError(f"solution {exercise.name}, {check.title}: {feedback}")
    return calls


def _plainly(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *arguments: from_plain(to_plain(function(*arguments)))


def planted(exercise: Exercise) -> Iterator[Mutant]:
    """The mutants made by hand. Raises DlgoError if the text that a bug replaces is not there."""
    solution = exercise.solution()
    for name, (right, wrong) in exercise.planted.items():
        try:
            source = replace_once(solution, right, wrong)
            before, after = (" ".join(text.split()) for text in (right, wrong))
            yield Mutant(source, "planted", name, before, after)
        except ValueError as error:
            raise DlgoError(f"solution {exercise.name}, bug {name!r}: {error}") from None


def all_mutants(exercise: Exercise, asked: Sequence[Asked]) -> Iterator[Mutant]:
    """The mutants of all kinds that do something else than the solution; each once."""
    solution, line_numbers = exercise.solution(), exercise.solution_lines()
    kinds = kinds_of_names("hand_in.py", lambda: outcomes(exercise, solution))
    codes = {bytecode(compile(solution, "", "exec"))}
    for mutant in itertools.chain(
        planted(exercise), by_operators(solution, line_numbers),
        by_names(solution, line_numbers, kinds), by_wrappers(solution, asked),
    ):
        try:
            code = bytecode(compile(mutant.source, "", "exec"))
        except SyntaxError:
            continue
        if code not in codes:
            codes.add(code)
            yield mutant


def score(exercise: Exercise) -> Score:
    """Try all mutants of an exercise."""
    result, unused, faults = Score(exercise.name), set(exercise.equivalent), list[Mutant]()
    start = time.process_time()
    asked = calls_of(exercise)
    seconds = _SECONDS + int(_TIMES * (time.process_time() - start))

    inputs = variations(in_process(exercise.solution()), asked)

    def add(mutant: Mutant) -> None:
        if _in_child(lambda: _passed(exercise, mutant.source), seconds) != "passed":
            result.killed[mutant.kind] += 1
            faults.append(mutant)
        elif texts := [text for text in exercise.equivalent if mutant.has(text)]:
            unused.difference_update(texts)
            result.equivalent += 1
        elif mutant.kind != "conditions":
            result.survivors.append(mutant)
        elif witness := _in_child(lambda: difference(in_process(mutant.source), inputs), seconds):
            result.survivors.append(replace(mutant, after=f"{mutant.after}, as in {witness}"))

    for mutant in all_mutants(exercise, asked):
        add(mutant)
    changes = [fault for fault in faults if fault.kind in ("planted", "operators")]
    for mutant in by_conditions(exercise.solution(), changes, asked):
        add(mutant)
    result.unused = sorted(unused)
    return result


def _passed(exercise: Exercise, source: str) -> str:
    """The word "passed", if a program passes all checks."""
    hand_in = in_process(source)
    return "" if any(check.feedback(hand_in) for check in exercise.checks) else "passed"


def _in_child(task: Callable[[], str], seconds: int) -> str:
    """The text that a task returns in a process of its own; "" if it raises something, or does not
    end in CPU time."""
    readable, writable = os.pipe()
    child = os.fork()
    if not child:
        try:
            import resource

            sys.setrecursionlimit(5000)
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            most = _BYTES + getattr(psutil.Process().memory_info(), "data", 0)  # ours is copied
            resource.setrlimit(resource.RLIMIT_DATA, (most, most))
            random.seed(0)  # the same luck in each run
            os.write(writable, task().encode())
        finally:
            os._exit(0)
    os.close(writable)
    try:  # a mutant may wait, which takes no CPU time
        ready, _, _ = select.select([readable], [], [], 10 * seconds)
        return os.read(readable, _LONGEST).decode() if ready else ""
    finally:
        os.close(readable)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


@click.command()
@click.argument("names", nargs=-1, metavar="[EXERCISE]...")
def main(names: tuple[str, ...]) -> None:
    """Print how many mutants of each exercise lose points, and the lines of those that do not."""
    low = []
    for exercise in [get_exercise(name) for name in names] or written_exercises().values():
        result = score(exercise)
        click.echo(str(result))
        for mutant in result.survivors:
            click.echo(f"  {mutant.place}: {mutant.before}".rstrip(": "))
            click.echo(f"    -> {mutant.after}")
        for line in result.unused:
            click.echo(f"  EQUIVALENT has a text that no survivor has: {line}")
        low += [exercise.name] * (result.share < WANTED)
    if low:
        raise DlgoError(f"less than {WANTED:.0%} of a kind of mutants lose points in "
                        f"{', '.join(low)}; sharpen their checks")


if __name__ == "__main__":
    run(main)
