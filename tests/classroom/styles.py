"""Correct solutions in other styles: what a solution returns as other types, or other functions."""

from __future__ import annotations

import ast

from experiments.classroom.exercise import Exercise

_PARTS = " else type(value)(map(change, value)) if isinstance(value, (list, tuple)) else value"
_PARTS_OF_SETS = _PARTS.replace("tuple)", "tuple, set)")
# How to change the value that a function returns.
_VALUES = {
    "tuples for lists": "tuple(map(change, value)) if isinstance(value, list) else value",
    "lists for tuples and sets":
        "list(map(change, value)) if isinstance(value, (tuple, set, frozenset)) else value",
    "arrays": "np.array(value) if isinstance(value, (list, tuple))"
              " and {*map(type, value)} in ({int}, {float})" + _PARTS,
    "numbers of NumPy":
        "np.array(value)[()] if isinstance(value, (bool, int, float))" + _PARTS_OF_SETS,
    "floats for whole numbers": "float(value) if type(value) is int" + _PARTS_OF_SETS,
}
# How to change the function.
_FUNCTIONS = {
    "methods":
        "type('Solution', (), {'solve': lambda self, *given: function(*given)})().solve",
    "callable objects": "functools.partial(function)",
    "decorated": "functools.wraps(function)(lambda *given, **named: function(*given, **named))",
    "a cache": "lambda *given: function(*given) if any(map(callable, given))"
               " else cache.setdefault(name + repr(given), function(*given))",
}
STYLES = (*_VALUES, *_FUNCTIONS)


def restyled(exercise: Exercise, style: str) -> str:
    """The solution in a style. Its functions call each other as they were."""
    solution = exercise.solution()
    names = [node.name for node in ast.parse(solution).body if isinstance(node, ast.FunctionDef)]
    change = "function"
    if style in _VALUES:
        change = "lambda *given: change(function(*given))"
    return f"""
import functools
import numpy as np
cache, own = {{}}, {{"__name__": "own"}}
exec({solution!r}, own)
def change(value):
    return {_VALUES.get(style, "value")}
def wrapped(name, function):
    return {_FUNCTIONS.get(style, change)}
globals().update({{name: wrapped(name, own[name]) for name in {names}}})
"""
