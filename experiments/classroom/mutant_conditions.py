"""Wrong programs that are right for one colour, player or rule only.

A function of the solution in which one place is wrong answers if an argument has a certain value;
otherwise, the right one answers. Many of these are no faults, as nothing in the place depends on
the value. A mutant survives only if an input tells it from the solution that is nearly one of the
checks: nothing but one argument is another one.
"""

from __future__ import annotations

import ast
import contextlib
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from experiments.classroom.checks import HandIn, Wrong, same, short
from experiments.classroom.mutant_functions import Asked
from experiments.classroom.mutant_lines import Mutant

_MOST = 3  # values of such an argument
_ROWS = 150
_PROGRAM = '''{solution}

_right, _wrong = {name}, {{"__name__": "wrong"}}
exec({wrong!r}, _wrong)


def {name}(*arguments):
    return (_wrong["{name}"] if arguments[{place}] == {value!r} else _right)(*arguments)
'''
# Values of one argument: its place, and all that the checks ask.
_Values = Mapping[str, Mapping[int, list[Any]]]


def by_conditions(
    solution: str, faults: Iterable[Mutant], asked: Sequence[Asked]
) -> Iterator[Mutant]:
    """The mutants made of changes of one function each, `faults`."""
    right, values = _functions(solution), _few_values(asked)
    for fault in faults:
        wrong = _functions(fault.source)
        changed = [name for name in right if wrong.get(name) != right[name]]
        if len(changed) != 1:
            continue
        [name] = changed
        for place, options in values.get(name, {}).items():
            for value in options:
                source = _PROGRAM.format(solution=solution, name=name, wrong=fault.source,
                                         place=place, value=value)
                condition = f"{name}: only if argument {place + 1} is {value!r}"
                yield Mutant(source, "conditions", fault.place, fault.before,
                             f"{condition}: {fault.after}")


def variations(right: HandIn, asked: Sequence[Asked]) -> list[Asked]:
    """Inputs that the checks do not ask, and a right program's answers: one argument has another
    one of few values. At most `_ROWS` of each function, and none with an answer by luck."""
    values = _few_values(asked)
    rows: defaultdict[str, dict[str, tuple[Any, ...]]] = defaultdict(dict)
    for name, arguments, _ in asked:
        for place, options in values.get(name, {}).items():
            for value in options:
                row = (*arguments[:place], value, *arguments[place + 1:])
                rows[name][repr(row)] = row
    inputs = []
    for name, row_of in rows.items():
        known = {repr(arguments) for other, arguments, _ in asked if other == name}
        new = [row for text, row in row_of.items() if text not in known]
        for row in random.Random(0).sample(new, min(len(new), _ROWS)):
            with contextlib.suppress(Wrong):  # the text does not allow this input
                answers = [right.call(name, *row) for _ in range(8)]
                if all(same(answer, answers[0]) for answer in answers):  # else it is luck
                    inputs.append((name, row, answers[0]))
    return inputs


def difference(wrong: HandIn, inputs: Iterable[Asked]) -> str:
    """The first of these inputs that a program answers wrong, as text; "" if there is none."""
    for name, row, answer in inputs:
        try:
            equal = same(wrong.call(name, *row), answer)
        except Wrong:
            equal = False
        if not equal:
            return f"{name}({', '.join(map(short, row))})"
    return ""


def _functions(source: str) -> dict[str, str]:
    """What each function of a program does."""
    return {node.name: ast.dump(node) for node in ast.parse(source).body
            if isinstance(node, ast.FunctionDef)}


def _few_values(asked: Sequence[Asked]) -> _Values:
    """The arguments of each function that have two or three values, such as colours."""
    columns: defaultdict[str, defaultdict[int, dict[str, Any]]] = defaultdict(
        lambda: defaultdict(dict))
    for name, arguments, _ in asked:
        for place, value in enumerate(arguments):
            columns[name][place][repr(value)] = value
    return {
        name: {place: list(values.values()) for place, values in places.items()
               if 2 <= len(values) <= _MOST and all(map(_is_mark, values.values()))}
        for name, places in columns.items()}


def _is_mark(value: Any) -> bool:
    """Whether a value can be a colour, a player, a rule, or a yes."""
    return isinstance(value, str | bool) or isinstance(value, int) and value in (-1, 0, 1)
