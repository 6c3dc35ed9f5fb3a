"""Machine instructions on 64-bit words that Numba does not offer: counting and finding bits.

Each compiles to one instruction (`popcnt`, `tzcnt`, `lzcnt`) where the processor has it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numba import config, types
from numba.extending import intrinsic

# NUMBA_DISABLE_JIT: kernels run as plain Python, where intrinsics, which are machine code, do not.
INTERPRETED = bool(config.DISABLE_JIT)

# In compiled code the result is an int like any other.
int64 = cast(Callable[[int | np.integer], int], np.int64)


def _popcount(typing_context: Any, word: Any) -> Any:
    """How many bits of `word` are set."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), code


def _lowest_bit(typing_context: Any, word: Any) -> Any:
    """The index of the lowest set bit; `word` is not 0."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

    return types.int64(types.int64), code


def _highest_bit(typing_context: Any, word: Any) -> Any:
    """The index of the highest set bit; `word` is not 0."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        zeros = builder.ctlz(arguments[0], context.get_constant(types.boolean, True))
        return builder.sub(context.get_constant(types.int64, 63), zeros)

    return types.int64(types.int64), code


def _word(word: int) -> int:
    return int(word) & 2**64 - 1


def _instruction(code: Callable[..., Any], plain: Callable[[int], int]) -> Callable[[int], int]:
    """`code` for Numba; `plain` where nothing is compiled."""
    instruction: Callable[[int], int] = plain if INTERPRETED else intrinsic(code)
    return instruction


popcount = _instruction(_popcount, lambda word: _word(word).bit_count())
lowest_bit = _instruction(_lowest_bit, lambda word: (_word(word) & -_word(word)).bit_length() - 1)
highest_bit = _instruction(_highest_bit, lambda word: _word(word).bit_length() - 1)
