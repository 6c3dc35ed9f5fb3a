"""Plain values between processes that do not trust each other: as JSON, and nothing that runs.

Numbers, text, lists, tuples, sets, dicts and arrays arrive as what they were. Functions travel one
way: the other side can call them, and we compute. Any other returned value arrives as an `Other`,
which equals nothing. A hand-in's process loads NumPy only if it uses it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

# Characters of the description of what is not plain.
_SHOWN = 80
# Limits of what arrives: parts of a list, a set or a dict (a set of numbers that are chosen to
# collide takes the square of their count), levels of parts within parts, bytes of an array.
_PARTS, _LEVELS, _ARRAY_BYTES = 4096, 40, 1 << 24
# Types of arrays: booleans, numbers, and short text.
_TYPE = re.compile(r"[<>|=]?[biufU]\d{1,3}")


@dataclass(frozen=True, eq=False)
class Other:
    """A placeholder for an object that is not plain; `text` is its description."""

    text: str

    def __repr__(self) -> str:
        return self.text


def to_plain(value: Any, functions: list[Callable[..., Any]] | None = None) -> Any:
    """A value as JSON can hold it; functions in it go to `functions` (None: they are not plain)."""
    def plain(parts: Any) -> list[Any]:
        return [to_plain(part, functions) for part in parts]

    kind = type(value)
    if value is None or kind in (bool, int, float, str):
        return value
    if kind is list:
        return plain(value)
    if isinstance(value, tuple):
        return {"tuple": plain(value)}
    if kind in (set, frozenset):
        return {"set": plain(value)}
    if isinstance(value, dict):
        return {"dict": list(map(plain, value.items()))}
    numpy = kind.__module__.partition(".")[0] == "numpy"
    if numpy and hasattr(value, "tolist") and value.dtype != object:
        if value.ndim:
            return {"array": [value.dtype.str, list(value.shape), value.ravel().tolist()]}
        return to_plain(value.tolist(), functions)
    if functions is not None and callable(value):
        functions.append(value)
        return {"function": len(functions) - 1}
    return {"other": f"{kind.__name__}: {str(value)[:_SHOWN]}"}


def from_plain(
    value: Any, function: Callable[[int], Callable[..., Any]] | None = None, levels: int = _LEVELS
) -> Any:
    """The value that `to_plain` converted; `function` turns its number into a function. Raises
    ValueError, TypeError or KeyError for something else, and for what is too large or too deep: a
    trusted client, which alone sends functions, may send as much as it likes. Code never runs."""
    def parts(values: Any) -> list[Any]:
        if type(values) is not list or (len(values) > _PARTS and function is None) or not levels:
            raise ValueError("too large")
        return [from_plain(part, function, levels - 1) for part in values]

    if isinstance(value, list):
        return parts(value)
    if not isinstance(value, dict):
        return value
    [(kind, content)] = value.items()
    match kind:
        case "tuple":
            return tuple(parts(content))
        case "set":
            return frozenset(parts(content))
        case "dict":
            return dict(parts(content))
        case "array":
            return _array(*content)
        case "function" if function is not None:
            return function(content)
        case "other":
            return Other("".join(content)[: 2 * _SHOWN])
    raise ValueError(kind)


def _array(dtype: str, shape: list[int], numbers: list[Any]) -> Any:
    """An array; what it claims to be is checked before any memory is taken."""
    if not _TYPE.fullmatch(dtype) or len(shape) > 8 or not all(
            type(size) is int and 0 <= size <= _ARRAY_BYTES for size in shape):
        raise ValueError(dtype)
    if len(numbers) != math.prod(shape) or not all(
            type(number) in (bool, int, float, str) for number in numbers):
        raise ValueError(shape)
    import numpy as np

    kind = np.dtype(dtype)
    if kind.itemsize * max(len(numbers), 1) > _ARRAY_BYTES:
        raise ValueError("too large")
    return np.array(numbers, dtype=kind).reshape(shape)
