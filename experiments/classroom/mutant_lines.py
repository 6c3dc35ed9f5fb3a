"""Wrong programs: a solution with one change of its text.

One that an operator of Cosmic Ray makes in one place; or a name for another one of the same kind
(a child for its parent, one player for the other), in one place or everywhere in a function.
"""

from __future__ import annotations

import ast
import itertools
import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import Any

from dlgo.extras import require_extra

# Types of values that can stand for each other.
_ALIKE = {"float": "int", "tuple": "list", "ndarray": "list", "frozenset": "set",
          "builtin_function_or_method": "function", "method": "function"}
# Functions, and those that do the opposite. The order of their arguments does not matter.
_OPPOSITES = {"max": "min", "min": "max", "any": "all", "all": "any"}


@dataclass(frozen=True)
class Mutant:
    """A solution with one change."""

    source: str
    kind: str  # "planted", "operators", "names", "functions" or "conditions"
    place: str  # "line 12", or the name of a planted bug or of a function
    before: str  # the lines that differ, with " / " between them; "" for another function
    after: str  # the same lines of the mutant; or what is wrong, in words

    def has(self, text: str) -> bool:
        """Whether the change put `text` into the lines; blanks are ignored."""
        old, new, text = ("".join(part.split()) for part in (self.before, self.after, text))
        return text in new and text not in old


# A place of a text: line and columns, from 1 and 0, and what stands there in the mutant.
Replacement = tuple[int, int, int, str]


def by_operators(solution: str, line_numbers: Collection[int]) -> Iterator[Mutant]:
    """The mutants that Cosmic Ray makes of lines of a source, given by their numbers."""
    require_extra("test", "mutation testing", "cosmic_ray")
    from cosmic_ray import plugins
    from cosmic_ray.mutating import mutate_code

    lines = solution.splitlines()
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
            if number in line_numbers:
                yield Mutant(mutated, "operators", f"line {number}", old_line.strip(),
                             " ".join(new_line.split()))


def by_names(
    solution: str, line_numbers: Collection[int], kinds: Mapping[str, Mapping[str, set[str]]],
) -> Iterator[Mutant]:
    """The mutants of names, marks and calls on these lines; `kinds` as `kinds_of_names` returns."""
    for function in ast.parse(solution).body:
        if isinstance(function, ast.FunctionDef):
            texts = {id(node.value) for node in ast.walk(function) if isinstance(node, ast.Expr)}
            nodes = [node for node in ast.walk(function) if id(node) not in texts
                     and getattr(node, "lineno", 0) in line_numbers]
            for change in _changes(nodes, kinds.get(function.name, {})):
                yield _replaced(solution, change)


def _changes(nodes: list[ast.AST], kinds: Mapping[str, set[str]]) -> Iterator[list[Replacement]]:
    places: defaultdict[str, list[ast.expr]] = defaultdict(list)
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            places[node.id].append(node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            places[repr(node.value)].append(node)
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            places[f"[{node.slice.value!r}]"].append(node.slice)
        if isinstance(node, ast.Call) and ast.unparse(node.func) not in _OPPOSITES:
            for first, second in itertools.combinations(node.args, 2):
                yield [_as(first, ast.unparse(second)), _as(second, ast.unparse(first))]
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".index"):
            yield from _ties(node)
    for name, other in itertools.permutations(places, 2):
        if _can_stand_for(name, other, kinds):
            for place in places[name]:
                yield [_as(place, other)]
            yield [_as(place, other) for place in places[name]]
            if name < other:
                yield [_as(place, new) for old, new in ((name, other), (other, name))
                       for place in places[old]]
    for name in _OPPOSITES.keys() & places.keys():
        yield [_as(place, _OPPOSITES[name]) for place in places[name]]


def _can_stand_for(name: str, other: str, kinds: Mapping[str, set[str]]) -> bool:
    if name[0] in "'[" or other[0] in "'[":
        return name[0] == other[0]
    return bool(kinds.get(name, set()) & kinds.get(other, set()))


def _ties(call: ast.Call) -> Iterator[list[Replacement]]:
    """The last of several equal values in place of the first, and a random one."""
    assert isinstance(call.func, ast.Attribute)
    values, value = ast.unparse(call.func.value), ast.unparse(call.args[0])
    yield [_as(call, f"(len({values}) - 1 - {values}[::-1].index({value}))")]
    yield [_as(call, f"__import__('random').choice([n for n, one in enumerate({values}) "
                     f"if one == {value}])")]


def _as(node: ast.expr, text: str) -> Replacement:
    text = text.strip("[]") if isinstance(node, ast.Constant) and text[0] == "[" else text
    return node.lineno, node.col_offset, (node.end_col_offset or 0), text


def _replaced(solution: str, changes: Sequence[Replacement]) -> Mutant:
    old_lines = solution.splitlines()
    lines = list(old_lines)
    for number, begin, end, text in sorted(changes, reverse=True):
        lines[number - 1] = lines[number - 1][:begin] + text + lines[number - 1][end:]
    numbers = sorted({change[0] for change in changes})
    before, after = (" / ".join(version[number - 1].strip() for number in numbers)
                     for version in (old_lines, lines))
    place = f"line{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"
    return Mutant("\n".join(lines) + "\n", "names", place, before, after)


def kinds_of_names(file: str, program: Callable[[], Any]) -> dict[str, dict[str, set[str]]]:
    """The types of values that each name has in each function of a file while a program runs; names
    of functions inside it are its own."""
    kinds: defaultdict[str, defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))

    def profile(frame: Any, event: str, _: Any) -> None:
        if event != "return" or frame.f_code.co_filename != file:
            return
        function = frame.f_code.co_qualname.partition(".")[0]
        for name, value in frame.f_locals.items():
            kind = type(value).__name__
            kinds[function][name].add(_ALIKE.get(kind, kind))

    sys.setprofile(profile)
    try:
        program()
    finally:
        sys.setprofile(None)
    return {function: dict(names) for function, names in kinds.items()}


def bytecode(code: CodeType) -> tuple[Any, ...]:
    """What code does, without its lines and columns."""
    constants = [bytecode(constant) if isinstance(constant, CodeType) else repr(constant)
                 for constant in code.co_consts]
    return code.co_code, code.co_names, code.co_varnames, code.co_freevars, tuple(constants)
