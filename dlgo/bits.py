"""Machine instructions on 64-bit words that Numba does not offer: counting and finding bits.

Each compiles to one instruction (`popcnt`, `tzcnt`, `lzcnt`) where the processor has it.
"""

from __future__ import annotations

from typing import Any

from numba import config, types
from numba.extending import intrinsic


@intrinsic
def popcount(typing_context: Any, word: Any) -> Any:
    """How many bits of `word` are set."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), code


@intrinsic
def lowest_bit(typing_context: Any, word: Any) -> Any:
    """The index of the lowest set bit; `word` is not 0."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

    return types.int64(types.int64), code


@intrinsic
def highest_bit(typing_context: Any, word: Any) -> Any:
    """The index of the highest set bit; `word` is not 0."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        zeros = builder.ctlz(arguments[0], context.get_constant(types.boolean, True))
        return builder.sub(context.get_constant(types.int64, 63), zeros)

    return types.int64(types.int64), code


def _word(word: int) -> int:
    return int(word) & 2**64 - 1


if config.DISABLE_JIT:  # an intrinsic is machine code only
    popcount = lambda word: _word(word).bit_count()  # noqa: E731
    lowest_bit = lambda word: (_word(word) & -_word(word)).bit_length() - 1  # noqa: E731
    highest_bit = lambda word: _word(word).bit_length() - 1  # noqa: E731
