"""Mutation testing of the exercises: does each small fault in a solution lose points?

    python -m experiments.classroom.mutants ko counting

A mutant is the solution with one change: one that an operator of Cosmic Ray makes, or a bug of the
exercise's `PLANTED`. `EQUIVALENT` of an exercise lists changes that are no faults: a text that only
the mutant's line has (spaces do not matter), and the reason. All other mutants must lose points.
"""

from __future__ import annotations

import copy
import os
import select
import signal
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

import click
import numpy as np

from dlgo.errors import DlgoError
from dlgo.extras import require_extra
from dlgo.text import replace_once
from engines.isolation.answer import call_unchanged
from engines.isolation.plain import from_plain, to_plain
from experiments.classroom.checks import Check, HandIn, Wrong
from experiments.classroom.exercise import Exercise, get_exercise, written_exercises
from experiments.command import run

# CPU seconds and bytes of memory of a mutant, which may run forever. Solutions take up to a second.
_SECONDS, _BYTES = 8, 1 << 30
# Share of the mutants of each exercise that must lose points.
WANTED = 0.95


@dataclass(frozen=True)
class Mutant:
    """A solution with one change."""

    source: str
    place: str  # "line 12", or the name of a planted bug
    before: str  # the first line that differs
    after: str  # the same line of the mutant

    def has(self, text: str) -> bool:
        """Whether the change put `text` into the line; blanks are ignored."""
        old, new, text = ("".join(part.split()) for part in (self.before, self.after, text))
        return text in new and text not in old


@dataclass
class Score:
    """The mutants of an exercise."""

    exercise: str
    killed: int = 0  # that lose points
    equivalent: int = 0
    survivors: list[Mutant] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)  # texts of EQUIVALENT that no mutant has

    @property
    def share(self) -> float:
        """The share of mutants that lose points; equivalent ones do not count."""
        return self.killed / max(self.killed + len(self.survivors), 1)


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
    reported: set[str] = set()

    def call(name: str, *arguments: Any) -> Any:
        copies = [_plainly(argument) if callable(argument) else copy.deepcopy(argument)
                  for argument in arguments]
        try:
            with np.errstate(all="ignore"):
                return from_plain(to_plain(call_unchanged(names[name], copies, reported)))
        except Exception as error:
            raise Wrong(f"{type(error).__name__}: {error}") from None

    return HandIn(call)


def _plainly(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *arguments: from_plain(to_plain(function(*arguments)))


def planted(exercise: Exercise) -> Iterator[Mutant]:
    """The mutants made by hand. Raises DlgoError if the text that a bug replaces is not there."""
    solution = exercise.solution()
    for name, (right, wrong) in exercise.planted.items():
        try:
            yield Mutant(replace_once(solution, right, wrong), name, right, wrong)
        except ValueError as error:
            raise DlgoError(f"solution {exercise.name}, bug {name!r}: {error}") from None


def generated(solution: str, line_numbers: Collection[int]) -> Iterator[Mutant]:
    """The mutants that Cosmic Ray makes of lines of a source, given by their numbers; each once."""
    require_extra("test", "mutation testing", "cosmic_ray")
    from cosmic_ray import plugins
    from cosmic_ray.mutating import mutate_code

    lines, bytecodes = solution.splitlines(), {_bytecode(compile(solution, "", "exec"))}
    for name in plugins.operator_names():
        operator = plugins.get_operator(name)
        # Whether `is` differs from `==` depends on the interpreter.
        if operator.arguments() or name.endswith(("_Is", "_IsNot")):
            continue
        occurrence = 0
        while (mutated := mutate_code(solution, operator(), occurrence)) is not None:
            occurrence += 1
            number, old_line, new_line = next(
                (number, *pair) for number, pair
                in enumerate(zip(lines, mutated.splitlines(), strict=False), 1) if len({*pair}) > 1)
            try:
                code = _bytecode(compile(mutated, "", "exec"))
            except SyntaxError:
                continue
            if number in line_numbers and code not in bytecodes:
                bytecodes.add(code)
                yield Mutant(
                    mutated, f"line {number}", old_line.strip(), " ".join(new_line.split()))


def _bytecode(code: CodeType) -> Any:
    """What code does, without its lines and columns."""
    constants = [_bytecode(constant) if isinstance(constant, CodeType) else repr(constant)
                 for constant in code.co_consts]
    return code.co_code, code.co_names, code.co_varnames, code.co_freevars, tuple(constants)


def loses_points(exercise: Exercise, source: str) -> bool:
    """Whether a check fails, in a process of its own; so does one that does not end."""
    readable, writable = os.pipe()
    child = os.fork()
    if not child:
        try:
            import resource

            sys.setrecursionlimit(5000)
            resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
            resource.setrlimit(resource.RLIMIT_DATA, (_BYTES, _BYTES))
            if not any(outcomes(exercise, source).values()):
                os.write(writable, b"passed")
        finally:
            os._exit(0)
    os.close(writable)
    try:  # a mutant may wait, which takes no CPU time
        ready, _, _ = select.select([readable], [], [], 10 * _SECONDS)
        return not (ready and os.read(readable, 9))
    finally:
        os.close(readable)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def score(exercise: Exercise) -> Score:
    """Try all mutants of an exercise."""
    result, unused = Score(exercise.name), set(exercise.equivalent)
    for mutant in (
        *planted(exercise), *generated(exercise.solution(), exercise.solution_lines()),
    ):
        if texts := [text for text in exercise.equivalent if mutant.has(text)]:
            unused.difference_update(texts)
            result.equivalent += 1
        elif loses_points(exercise, mutant.source):
            result.killed += 1
        else:
            result.survivors.append(mutant)
    result.unused = sorted(unused)
    return result


@click.command()
@click.argument("names", nargs=-1, metavar="[EXERCISE]...")
def main(names: tuple[str, ...]) -> None:
    """Print how many mutants of each exercise lose points, and the lines of those that do not."""
    low = []
    for exercise in [get_exercise(name) for name in names] or written_exercises().values():
        result = score(exercise)
        total = result.killed + len(result.survivors)
        click.echo(f"{exercise.name}: {result.share:.0%}, {result.killed} of {total} mutants lose "
                   f"points; {result.equivalent} more are equivalent")
        for mutant in result.survivors:
            click.echo(f"  {mutant.place}: {mutant.before}\n    -> {mutant.after}")
        for line in result.unused:
            click.echo(f"  EQUIVALENT has a text that no mutant has: {line}")
        low += [exercise.name] * (result.share < WANTED)
    if low:
        raise DlgoError(f"less than {WANTED:.0%} of the mutants lose points in {', '.join(low)}; "
                        "sharpen their checks")


if __name__ == "__main__":
    run(main)
