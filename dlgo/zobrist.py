"""Zobrist keys: a position's key is the XOR of one random word per stone, and of the mover's.

Playing or removing a stone is one XOR, so keys are cheap, and equal positions reached by different
moves share theirs (Zobrist 1970; chapter 3.5 of the book). The words come from a fixed seed: keys
are the same in every process and can be stored. They are signed 64-bit ints, because Numba turns
arithmetic that mixes signed and unsigned into floats.
"""

from __future__ import annotations

import numpy as np

SEED = 20_180_115


def zobrist_table(*shape: int, stream: str) -> np.ndarray:
    """Random nonzero int64 words of the given shape, for example `(2, 42)`: player by cell.

    `stream` is a name, so that two tables of one game never share words.
    """
    generator = np.random.Generator(np.random.PCG64([SEED, *stream.encode()]))
    return generator.integers(1, 2**63 - 1, size=shape, dtype=np.int64)
