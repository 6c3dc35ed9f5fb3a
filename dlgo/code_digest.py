"""The version of a class or function that is in no file, but in a notebook's cell or at the prompt.

It is a digest of the compiled code: the same cell run again is the same bot, an edited cell is
another one. It includes the functions, classes and constants of the same notebook that the code
uses. `fingerprint.py` takes whole modules; in a notebook, every other cell would change the bot.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from dlgo import kernels
from dlgo.digests import hex_digest

# Attributes of a class that do not affect how it plays, or that differ from run to run.
_LEFT_OUT = {"__module__", "__qualname__", "__doc__", "__dict__", "__weakref__", "__firstlineno__",
             "__static_attributes__", "__annotations__", "spec_name", "spec_digest"}
_PLAIN = (int, float, complex, str, bytes, bool, type(None))


def code_digest(target: Any) -> str:
    """Digest (32 hexadecimal digits) of the code of a class, a function, or an object's class."""
    if not (inspect.isclass(target) or inspect.isfunction(target)):
        target = type(target)
    visited: set[int] = set()
    words = []
    waiting = [target]
    while waiting:
        value = waiting.pop()
        value = getattr(value, "py_func", value)  # what Numba compiles
        if isinstance(value, _PLAIN):
            words.append(repr(value))
        elif isinstance(value, set | frozenset):
            words += sorted(map(repr, value))
        elif id(value) not in visited:
            visited.add(id(value))
            waiting += reversed([*_parts(value, target.__module__)])
    return hex_digest("\n".join(words).encode(errors="backslashreplace"))


def _parts(value: Any, module: str) -> Iterator[Any]:
    """The parts of a value that are defined in this module; the name of anything else."""
    if isinstance(value, tuple | list):
        yield from value
    elif isinstance(value, Mapping):
        for item in value.items():
            yield from item
    elif isinstance(value, staticmethod | classmethod):
        yield value.__func__
    elif isinstance(value, property):
        yield from (value.fget, value.fset)
    elif isinstance(value, np.ndarray | np.generic):
        yield hex_digest(value.tobytes())
    elif isinstance(value, types.CodeType):
        yield from (value.co_code, *value.co_names, *value.co_varnames, *value.co_consts)
    elif getattr(value, "__module__", None) != module:
        yield getattr(value, "__qualname__", type(value).__qualname__)
    elif inspect.isclass(value):
        yield from value.__bases__
        yield from kernels.functions_of(value).values()  # a state's
        for name, item in vars(value).items():
            if name not in _LEFT_OUT:
                yield from (name, item)
    elif inspect.isfunction(value):
        yield from (value.__code__, value.__defaults__)
        for name in _names(value.__code__):
            if name in value.__globals__:
                yield from (name, value.__globals__[name])
    else:
        yield type(value).__qualname__


def _names(code: types.CodeType) -> Iterator[str]:
    """The names that a function uses, and those of functions inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)
