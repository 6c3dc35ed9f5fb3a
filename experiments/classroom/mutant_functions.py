"""Wrong programs of another kind: the solution, and one function put in place of one of its own.

The new function calls the right one, but it forgets or mixes up an argument, mirrors colours, fails
beyond a size, remembers earlier calls, or has no luck: mistakes in many lines, which no change of
one line makes. They need no knowledge of an exercise: the values that its checks ask say what an
argument is.
"""

from __future__ import annotations

import ast
import itertools
import numbers
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from experiments.classroom.mutant_lines import Mutant

# Name of the function, arguments, result.
Asked = tuple[str, tuple[Any, ...], Any]
# What is wrong in words, and the lines that change arguments before the right function is called,
# or that return something else.
Fault = tuple[str, str]

_FUNCTION = '''

_right, _memory = {name}, {{}}


def {name}({signature}):
    """Wrong: {fault}."""
{lines}
    return _right({parameters})
'''
_FEW = 4  # different values of an argument at most, to try each of them for all


def by_wrappers(solution: str, asked: Sequence[Asked]) -> Iterator[Mutant]:
    """The mutants of all functions that checks ask."""
    rows = defaultdict(list)
    for name, arguments, _ in asked:
        rows[name].append(arguments)
    for node in ast.parse(solution).body:
        if isinstance(node, ast.FunctionDef) and node.name in rows:
            for fault, lines in dict(_faults(node, rows[node.name])).items():
                yield _wrapped(solution, node, fault, lines)
    yield from _without_luck(solution)


def _wrapped(solution: str, node: ast.FunctionDef, fault: str, lines: str) -> Mutant:
    for argument in node.args.args:
        argument.annotation = None
    body = "\n".join(f"    {line}" for line in lines.splitlines())
    text = _FUNCTION.format(name=node.name, signature=ast.unparse(node.args), fault=fault,
                            lines=body, parameters=", ".join(_parameters(node)))
    return Mutant(solution + text, "functions", node.name, "", f"{node.name}: {fault}")


def _parameters(node: ast.FunctionDef) -> list[str]:
    return [argument.arg for argument in node.args.args]


def _faults(node: ast.FunctionDef, rows: list[tuple[Any, ...]]) -> Iterator[Fault]:
    names = _parameters(node)
    values = {name: [row[place] for row in rows if place < len(row)]
              for place, name in enumerate(names)}
    values = {name: column for name, column in values.items() if column}
    for name, column in values.items():
        if callable(column[0]):
            continue
        yield from _ignored(name, column)
        few = len({*map(repr, column)}) <= _FEW
        if all(map(_is_number, column)):
            yield from _numbers(name, column)
        elif not (few and isinstance(column[0], str)) and all(
                isinstance(value, str | list | tuple | np.ndarray) for value in column):
            yield from _sequences(name, column)
    for first, second in itertools.combinations(values, 2):
        if _kinds(values[first]) == _kinds(values[second]):
            yield f"{first} and {second} are swapped", f"{first}, {second} = {second}, {first}"
    if values:
        yield from _memory(values)
    if "children" in values:
        yield from _trees([name for name, column in values.items() if callable(column[0])],
                          max(map(_depth, rows, values["children"])) // 2)


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _kinds(column: Iterable[Any]) -> set[str]:
    """The kinds of an argument's values: names of types, or less."""
    return {"number" if _is_number(value) else "function" if callable(value)
            else type(value).__name__ for value in column}


def _ignored(name: str, column: list[Any]) -> Iterator[Fault]:
    """The argument does not count."""
    different = {repr(value): value for value in column}
    if len(different) <= _FEW and all(
            isinstance(value, str | int | float | None) for value in column):
        for value in different:
            yield f"{name} is always {value}", f"{name} = {value}"
    if len(different) > 1:
        yield (f"{name} is that of the first call",
               f'{name} = _memory.setdefault("{name}", {name})')
        yield (f"{name} is that of the call before",
               f'{name}, _memory["{name}"] = _memory.get("{name}", {name}), {name}')


def _numbers(name: str, column: list[Any]) -> Iterator[Fault]:
    low, high = min(column), max(column)
    half = (lambda value: value / 2) if any(
        isinstance(value, float) for value in column) else (lambda value: int(value / 2))
    if high > 0:
        yield f"{name} is at most {half(high)}", f"{name} = min({name}, {half(high)})"
    if low < 0:
        yield f"{name} is at least {half(low)}", f"{name} = max({name}, {half(low)})"
        yield f"{name} has no sign", f"{name} = abs({name})"
    if not all(2 * value % 1 == 0 for value in column):  # draws may count half
        yield f"{name} has three digits", f"{name} = round({name}, 3)"
    if any(isinstance(value, float) for value in column):
        yield f"{name} is a whole number", f"{name} = int({name})"


def _sequences(name: str, column: list[Any]) -> Iterator[Fault]:
    longest = max(map(len, column))
    if longest > 1:
        yield f"{name} is reversed", f"{name} = {name}[::-1]"
        yield (f"{name} is that of the first call of its size",
               f"{name} = _memory.setdefault(len({name}), {name})")
        yield f"{name} ends after {longest // 2}", f"{name} = {name}[:{longest // 2}]"
        yield (f"the last of {name} does not count beyond {longest // 2}",
               f"{name} = {name}[:-1] if len({name}) > {longest // 2} else {name}")
    if all(isinstance(value, str) for value in column):
        yield from _colours(name, column, "{name} = {name}.{change}")
    elif all(isinstance(part, str) for value in column for part in value):
        if longest > 1 and max(len(part) for value in column for part in value) == 1 or any(
                len({*map(len, value)}) > 1 for value in column):
            yield from _items(name, column)  # names, not the rows of a board
            return
        yield f"rows of {name} are mirrored", f"{name} = [row[::-1] for row in {name}]"
        yield (f"rows and columns of {name} are swapped",
               f'{name} = ["".join(column) for column in zip(*{name})]')
        half = max(len(row) for value in column for row in value) // 2
        yield f"rows of {name} end after {half}", f"{name} = [row[:{half}] for row in {name}]"
        yield from _colours(name, [row for value in column for row in value],
                            "{name} = type({name})(row.{change} for row in {name})")
    else:
        yield from _items(name, column)


def _colours(name: str, texts: Iterable[str], line: str) -> Iterator[Fault]:
    """Marks of a board are taken for others."""
    marks = sorted({*itertools.chain.from_iterable(texts)})
    if len(marks) > _FEW:
        return
    for mark, other in itertools.permutations(marks, 2):
        yield (f"{mark} on {name} is read as {other}",
               line.format(name=name, change=f"replace({mark!r}, {other!r})"))
    for mark, other in itertools.combinations(marks, 2):
        swap = {ord(mark): other, ord(other): mark}
        yield (f"{mark} and {other} on {name} are swapped",
               line.format(name=name, change=f"translate({swap})"))


def _items(name: str, column: list[Any]) -> Iterator[Fault]:
    """The parts of a list are taken for others."""
    parts = [part for value in column for part in np.ravel(value).tolist()] if all(
        _is_number(part) for value in column for part in np.ravel(np.array(value, dtype=object))
    ) else []
    array = isinstance(column[0], np.ndarray)
    if not all(2 * part % 1 == 0 for part in parts):
        yield (f"{name} have three digits", f"{name} = {name}.round(3)" if array
               else f"{name} = [round(part, 3) for part in {name}]")
    if parts and min(parts) < 0:
        yield (f"{name} have no sign", f"{name} = abs({name})" if array
               else f"{name} = [*map(abs, {name})]")
    if not array and isinstance(column[0], list) and max(map(len, column)) > 1:
        yield f"equal {name} count once", f"{name} = [*dict.fromkeys({name})]"
        yield f"{name} are sorted", f"{name} = sorted({name})"


def _memory(values: dict[str, list[Any]]) -> Iterator[Fault]:
    """Answers are kept between calls. Functions among the arguments are others in each call."""
    right = f"_right({', '.join(values)})"

    def remembered(names: Sequence[str]) -> str:
        return (f"key = repr([{', '.join(names)}])\n"
                f"return _memory[key] if key in _memory else _memory.setdefault(key, {right})")

    plain = [name for name, column in values.items() if not callable(column[0])]
    subsets = [[name for name in plain if name != left_out] for left_out in plain]
    for names in [*subsets, *([plain] if len(plain) < len(values) else [])]:
        if names:
            yield f"answers are remembered by {' and '.join(names)}", remembered(names)
    yield "only the first call is answered", remembered([])
    yield ("asked again, it gives the answer before", f"""\
key = repr([{', '.join(plain)}])
if key not in _memory:
    _memory[key] = _memory[""] = {right}
return _memory[""]""")


def _depth(row: Sequence[Any], children: Callable[[Any], list[Any]]) -> int:
    """The longest path in a tree; the first argument is its root."""
    level, depth = [row[0]], -1
    while level:
        level, depth = [child for position in level for child in children(position)], depth + 1
    return depth


def _trees(functions: list[str], depth: int) -> Iterator[Fault]:
    """A tree's functions are asked for another position, or disregarded."""
    start = """\
parents, siblings, previous = {}, {}, []
right_children, right_FUNCTION = children, FUNCTION
def children(at):
    following = list(right_children(at))
    parents.update(dict.fromkeys(following, at))
    siblings.update(dict.fromkeys(following, following[:1]))
    return following
def FUNCTION(at):
"""
    answers = {
        "the first child": "return right_FUNCTION((right_children(at) or [at])[0])",
        "the parent": "return right_FUNCTION(parents.get(at, at))",
        "the first sibling": "return right_FUNCTION(siblings.get(at, [at])[0])",
        "the first position that was asked": "previous.append(at)\n"
                                             "    return right_FUNCTION(previous[0])",
        "the position asked before": "previous.append(at)\n"
                                     "    return right_FUNCTION(previous[-2:][0])",
    }
    for function, (place, answer) in itertools.product(functions, answers.items()):
        if function != "children":
            yield (f"{function} is asked for {place}",
                   (start + f"    {answer}").replace("FUNCTION", function))
    for function in functions:
        yield (f"{function} is remembered between calls", f"""\
right_{function} = {function}
{function} = lambda at: _memory.setdefault(at, right_{function}(at))""")
        if function != "children":
            yield (f"{function} has no sign", f"""\
right_{function} = {function}
{function} = lambda at: abs(right_{function}(at))""")
            yield (f"{function} has the other sign", f"""\
right_{function} = {function}
{function} = lambda at: -right_{function}(at)""")
    for what, change in (("reversed", "[::-1]"), ("two at most", "[:2]"), ("three at most", "[:3]"),
                         ("without the last of several", "[:1] + right_children(at)[1:-1]")):
        yield f"children are {what}", f"""\
right_children = children
children = lambda at: right_children(at){change}"""
    yield f"the tree ends at depth {depth}", f"""\
depths, right_children = {{}}, children
def children(at):
    following = list(right_children(at)) if depths.setdefault(at, 0) < {depth} else []
    depths.update(dict.fromkeys(following, depths[at] + 1))
    return following"""


def _without_luck(solution: str) -> Iterator[Mutant]:
    """Random choices that are not random."""
    if "random.choice(" not in solution:
        return
    for fault, choice in {
        "begins anew in each call": "random.Random(0).choice(values)",
        "is the first": "values[0]",
        "is never the last of several": "chosen(values[:-1] or values)",
        "is never the first of several": "chosen(values[1:] or values)",
        "is twice as often the first": "chosen([values[0], *values])",
        "takes turns": "values[next(counter) % len(values)]",
        "is drawn once for each number of values": "values[drawn.setdefault(len(values), "
                                                   "chosen(range(len(values))))]",
    }.items():
        yield Mutant(f"""{solution}

import itertools
import random

chosen, counter, drawn = random.choice, itertools.count(), {{}}
random.choice = lambda values: {choice}
""", "functions", "luck", "", f"random.choice {fault}")
