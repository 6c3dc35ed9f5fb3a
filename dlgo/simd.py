"""Eight float32 numbers at once (SIMD), in compiled code.

Numba turns a loop over an array into such instructions, but not sums that stay in registers while
the loop goes over something else. A product of matrices is several times as fast with these:

    sums = load(bias, 0)
    for i in range(n):
        sums = multiply_add(sums, inputs[i], load(weights, WIDTH * i))
    store(outputs, 0, sums)

Each product is rounded before it is added, so all processors give the same sums, to the bit. Places
in arrays are not checked, and count elements of arrays in C order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, register_model

from dlgo.bits import INTERPRETED

WIDTH = 8
_VECTOR = ir.VectorType(ir.FloatType(), WIDTH)
_UNDEFINED = ir.Constant(_VECTOR, ir.Undefined)
_FIRST = ir.IntType(32)(0)
_ALL_FIRST = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)


class _Vector(types.Type):
    """The numbers, as Numba's type."""

    def __init__(self) -> None:
        super().__init__("eight float32")


@register_model(_Vector)
class _VectorModel(models.PrimitiveModel):
    """A register, or two of half the width."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)


_vector = _Vector()


def _pointer(context: Any, builder: Any, kind: Any, array: Any, place: Any) -> Any:
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [place]), _VECTOR.as_pointer())


def _load(typing_context: Any, array: Any, place: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _pointer(context, builder, signature.args[0], *arguments)
        return builder.load(pointer, align=4)

    return _vector(array, types.int64), code


def _store(typing_context: Any, array: Any, place: Any, vector: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _pointer(context, builder, signature.args[0], *arguments[:2])
        builder.store(arguments[2], pointer, align=4)
        return context.get_dummy_value()

    return types.none(array, types.int64, _vector), code


def _multiply_add(typing_context: Any, sums: Any, factor: Any, vector: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        one = builder.insert_element(_UNDEFINED, arguments[1], _FIRST)
        factors = builder.shuffle_vector(one, _UNDEFINED, _ALL_FIRST)
        return builder.fadd(arguments[0], builder.fmul(factors, arguments[2]))

    return _vector(_vector, types.float32, _vector), code


def _plain_store(array: np.ndarray, place: int, vector: np.ndarray) -> None:
    array[place : place + WIDTH] = vector


# load(array, place): the numbers from a place on. store(array, place, vector): write them there.
# multiply_add(sums, factor, vector): sums + factor * vector. Arrays: float32, one axis.
load: Callable[..., Any] = intrinsic(_load)
store: Callable[..., None] = intrinsic(_store)
multiply_add: Callable[..., Any] = intrinsic(_multiply_add)
if INTERPRETED:
    load, store = (lambda array, place: array[place : place + WIDTH].copy()), _plain_store
    multiply_add = lambda sums, factor, vector: sums + factor * vector  # noqa: E731
