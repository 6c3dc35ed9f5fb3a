"""Plain values between processes that do not trust each other: as JSON, and nothing that runs.

Numbers, text, lists, tuples, sets, dicts and arrays arrive as what they were, and what has one
meaning as one of them as that. Functions travel one way: the other side can call them, and we
compute. Any other returned value arrives as an `Other`, which equals nothing. A hand-in's process
loads NumPy only if it uses it.
"""

from __future__ import annotations

import array
import collections
import enum
import itertools
import math
import re
from binascii import crc32
from collections.abc import (
    Callable,
    ItemsView,
    Iterable,
    Iterator,
    KeysView,
    Mapping,
    Sequence,
    ValuesView,
)
from dataclasses import dataclass
from json import dumps
from typing import Any

# Characters of the description of what is not plain.
_SHOWN = 80
# Limits of what arrives: parts of a list, a set or a dict (a set of numbers that are chosen to
# collide takes the square of their count), levels of parts within parts, bytes of an array.
_PARTS, _LEVELS, _ARRAY_BYTES = 4096, 40, 1 << 24
# Types of arrays: booleans, numbers, and short text; their axes.
_TYPE, _AXES = re.compile(r"[<>|=]?[biufU]\d{1,3}"), 8
_BITS = 12_000  # of a whole number, whose text Python limits to 4,300 digits
# What has an order, and so is a list.
_LISTS = (range, array.array, collections.deque, collections.UserList, KeysView, ValuesView,
          ItemsView, Iterator)


@dataclass(frozen=True, eq=False)
class Other:
    """A placeholder for an object that is not plain; `text` is its description."""

    text: str

    def __repr__(self) -> str:
        return self.text


def to_plain(value: Any, functions: list[Callable[..., Any]] | None = None) -> Any:
    """A value as JSON can hold it; functions in it go to `functions` (None: they are not plain).

    What has one meaning as a plain value is converted: an enumeration's member is its value, a
    fraction is a number, what yields a limited number of values is a list.
    """
    def plain(parts: Iterable[Any]) -> list[Any]:
        return [to_plain(part, functions) for part in parts]

    kind = type(value)
    if value is None or kind in (bool, float, str):
        return value
    if isinstance(value, int):
        bits = int(value).bit_length()
        return int(value) if bits <= _BITS else _other(value, f"about {bits * 3 // 10:,} digits")
    if isinstance(value, float):
        return float(value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, enum.Enum):
        return to_plain(value.value, functions)
    if isinstance(value, tuple):
        return {"tuple": plain(value)}
    if isinstance(value, set | frozenset):
        return {"set": sorted(plain(value), key=repr)}  # in each process the same
    if isinstance(value, Mapping):
        return {"dict": list(map(plain, value.items()))}
    if isinstance(value, list):
        return plain(value)
    if isinstance(value, _LISTS):
        parts = [*itertools.islice(value, _PARTS + 1)]
        return plain(parts) if len(parts) <= _PARTS else _other(value, f"over {_PARTS} values")
    if kind.__module__.partition(".")[0] == "numpy" and hasattr(value, "tolist"):
        if kind.__name__ == "ndarray" and 0 < value.ndim <= _AXES and _TYPE.fullmatch(
                value.dtype.str):
            return {"array": [value.dtype.str, list(value.shape), value.ravel().tolist()]}
        return to_plain(value.tolist(), functions)
    if functions is not None and callable(value):
        functions.append(value)
        return {"function": len(functions) - 1}
    if hasattr(kind, "__float__"):  # a fraction or a decimal number
        number = float(value)
        return to_plain(int(value)) if math.isfinite(number) and value == int(value) else number
    return _other(value, str(value))


def _other(value: Any, text: str) -> dict[str, str]:
    return {"other": f"{type(value).__name__}: {text[:_SHOWN]}"}


def fingerprints(values: Sequence[Any]) -> list[int]:
    """A number for each value, the same for equal values in every process. They tell values apart
    that nobody has chosen to have the same."""
    return [crc32(dumps(to_plain(value, []), default=float).encode()) for value in values]


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
            return frozenset(map(_hashable, parts(content)))
        case "dict":
            return {_hashable(key): part for key, part in parts(content)}
        case "array":
            return _array(*content)
        case "function" if function is not None:
            return function(content)
        case "other":
            return Other("".join(content)[: 2 * _SHOWN])
    raise ValueError(kind)


def _hashable(value: Any) -> Any:
    """A value for a set: lists, such as those of ranges, become tuples."""
    return tuple(map(_hashable, value)) if isinstance(value, list | tuple) else value


def _array(dtype: str, shape: list[int], numbers: list[Any]) -> Any:
    """An array; what it claims to be is checked before any memory is taken."""
    if not _TYPE.fullmatch(dtype) or len(shape) > _AXES or not all(
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
