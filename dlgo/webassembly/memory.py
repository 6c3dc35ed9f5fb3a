"""Arguments of kernels as the memory of a WebAssembly module, and the parameters that point there.

Numba passes a tuple as its fields, one after the other, and an array as seven or more numbers:

    meminfo, parent    pointers to Python's objects; kernels count no references: 0
    size, itemsize     in elements; in bytes
    data               pointer to the first element
    shape, strides     a number for each axis; strides in bytes

Views of one array, such as the rows of a batch, share its memory in the image, too.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types

from dlgo.errors import DlgoError

# The memory below belongs to the module, for its stack and its tables.
BASE = 1 << 21
# Arrays begin at multiples of a cache line.
_ALIGNMENT = 64


class Parameter(NamedTuple):
    """A parameter of an exported function."""

    name: str  # `n`, or of an array `state.words.data`, `state.words.shape.0`
    type: str  # of WebAssembly: i32, i64, f32, f64
    value: int | float


class View(NamedTuple):
    """Where an array without gaps is in memory. Records are seen as their bytes."""

    dtype: str
    address: int
    shape: tuple[int, ...]


class Image(NamedTuple):
    """Memory from `BASE` on, and for each exported function its parameters and arrays by name."""

    content: bytes
    parameters: dict[str, list[Parameter]]
    views: dict[str, dict[str, View]]

    def parts(self) -> list[tuple[int, bytes]]:
        """What is not zero, and where it begins in `content`: tables are empty at first."""
        blocks = np.frombuffer(self.content + bytes(-len(self.content) % _ALIGNMENT), np.uint8)
        used = np.append(blocks.reshape(-1, _ALIGNMENT).any(axis=1), False)
        edges = _ALIGNMENT * np.flatnonzero(np.diff(used, prepend=False))
        return [(int(begin), self.content[begin:end])
                for begin, end in edges.reshape(-1, 2).tolist()]


def argument_types(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Numba's types of arguments."""
    return tuple(map(numba.typeof, arguments))


def lay_out(calls: Mapping[str, tuple[Callable[..., Any], tuple[Any, ...]]]) -> Image:
    """The memory that some calls use.

    Args:
        calls: name of an exported function -> (kernel, arguments). Arguments are arrays, numbers
            and tuples of these.

    Raises:
        DlgoError: for an argument that is anything else.
    """
    memory = _Memory()
    parameters: dict[str, list[Parameter]] = {}
    views: dict[str, dict[str, View]] = {}
    for export, (kernel, arguments) in calls.items():
        parameters[export], views[export] = [], {}
        names = inspect.signature(kernel).parameters
        for name, argument in zip(names, arguments, strict=True):
            for path, value in _leaves(name, argument):
                if not isinstance(value, np.ndarray):
                    parameters[export].append(_number(path, value))
                    continue
                address = memory.address(value)
                parameters[export] += _array(path, value, address)
                if value.flags.c_contiguous:
                    seen = value.view(np.uint8) if value.dtype.fields else value
                    views[export][path] = View(seen.dtype.name, address, seen.shape)
    return Image(bytes(memory.content), parameters, views)


def scalar_type(kind: Any, name: str) -> str:
    """WebAssembly's type of a number of one of Numba's types; DlgoError if it has none."""
    if isinstance(kind, types.Boolean):
        return "i32"
    if isinstance(kind, types.Integer):
        return "i32" if kind.bitwidth <= 32 else "i64"
    if isinstance(kind, types.Float) and kind.bitwidth in (32, 64):
        return f"f{kind.bitwidth}"
    raise _unsuitable(name, str(kind))


def _unsuitable(name: str, kind: str) -> DlgoError:
    return DlgoError(f"{name} is {kind}, which WebAssembly does not have; take arrays, numbers and "
                     "tuples of these, and return numbers")


def _leaves(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The arrays and numbers in an argument, with their names."""
    if isinstance(value, tuple):
        for field, item in zip(getattr(value, "_fields", range(len(value))), value, strict=True):
            yield from _leaves(f"{name}.{field}", item)
    else:
        yield name, value


def _number(name: str, value: Any) -> Parameter:
    if not isinstance(value, (bool, int, float, np.generic)):
        raise _unsuitable(name, type(value).__name__)
    number = value.item() if isinstance(value, np.generic) else value
    # Numbers in JSON: true is 1.
    return Parameter(name, scalar_type(numba.typeof(value), name), number + 0)


def _array(name: str, array: np.ndarray, address: int) -> list[Parameter]:
    """The parameters of an array, in Numba's order."""
    pointers = ("meminfo", "i32", 0), ("parent", "i32", 0)
    sizes = ("size", "i64", array.size), ("itemsize", "i64", array.itemsize)
    axes = [(f"{part}.{axis}", "i64", n) for part in ("shape", "strides")
            for axis, n in enumerate(getattr(array, part))]
    return [Parameter(f"{name}.{part}", kind, value) for part, kind, value in (
        *pointers, *sizes, ("data", "i32", address), *axes)]


class _Memory:
    """Arrays that own their memory, one after the other."""

    def __init__(self) -> None:
        self.content = bytearray()
        # Of memory in Python: where it begins and its size -> its address in the image.
        self._addresses: dict[tuple[int, int], int] = {}

    def address(self, array: np.ndarray) -> int:
        """Where an array begins; adds the memory that it is part of."""
        owner = array
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        begin = _begin(owner)
        key = begin, owner.nbytes
        if key not in self._addresses:
            # In the order of memory, whatever the order of the axes.
            axes = sorted(range(owner.ndim), key=lambda axis: -owner.strides[axis])
            block = owner.transpose(axes)
            if not block.flags.c_contiguous:
                raise DlgoError(f"an array of shape {array.shape} has gaps in memory or overlaps "
                                "itself; pass a copy of it to WebAssembly")
            self.content += bytes(-len(self.content) % _ALIGNMENT)
            self._addresses[key] = BASE + len(self.content)
            self.content += block.tobytes()
        return self._addresses[key] + _begin(array) - begin


def _begin(array: np.ndarray) -> int:
    begin: int = array.__array_interface__["data"][0]
    return begin
