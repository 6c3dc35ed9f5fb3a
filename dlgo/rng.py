"""Random numbers for compiled code: SplitMix64, one 64-bit word of state passed in.

Sebastiano Vigna's SplitMix64 (Steele, Lea and Flood 2014) passes BigCrush, needs a single
word, and any seed is a good seed. Nothing here is global, so the same seed gives the same
game in every process and thread.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from dlgo.bits import int64
from dlgo.jit import inline_kernel, kernel

Item = TypeVar("Item")

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, _S32, _S11 = (np.uint64(n) for n in (27, 30, 31, 32, 11))
_TO_UNIT = 1.0 / (1 << 53)


def make_rng(seed: int) -> np.ndarray:
    """A generator state: `uint64[1]`, changed by every draw."""
    return np.array([seed & 0xFFFFFFFFFFFFFFFF], dtype=np.uint64)


def derive_seed(*parts: object) -> int:
    """A 63-bit seed from any printable parts, so that each game and engine has its own.

    A digest, not `hash()`: the latter differs between processes.
    """
    text = "\x1f".join(str(part) for part in parts)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") >> 1


@inline_kernel
def next_word(rng: np.ndarray) -> np.uint64:
    """The next 64 random bits (uint64)."""
    rng[0] += _GOLDEN
    z = rng[0]
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return z ^ (z >> _S31)


@inline_kernel
def below(rng: np.ndarray, n: int) -> int:
    """A random int in `0 .. n - 1`, for `n` below 2**31.

    The upper 32 bits times n, shifted (Lemire): no division; the bias is below n / 2**32.
    """
    return int64(((next_word(rng) >> _S32) * np.uint64(n)) >> _S32)


@kernel
def shuffle(items: np.ndarray, n: int, rng: np.ndarray) -> None:
    """Put the first `n` items of an array into random order (Fisher and Yates)."""
    for i in range(n - 1):
        j = i + below(rng, n - i)
        items[i], items[j] = items[j], items[i]


def shuffled(items: Sequence[Item], rng: np.ndarray) -> list[Item]:
    """The items in random order."""
    order = np.arange(len(items))
    shuffle(order, len(order), rng)
    return [items[i] for i in order.tolist()]


@inline_kernel
def uniform(rng: np.ndarray) -> float:
    """A random float in [0, 1)."""
    return np.float64(next_word(rng) >> _S11) * _TO_UNIT


@kernel
def gamma(rng: np.ndarray, shape: float) -> float:
    """A draw from the gamma distribution with scale 1, for any shape above 0.

    Draws divided by their sum are a draw from a Dirichlet distribution. Marsaglia and Tsang,
    "A simple method for generating gamma variables" (2000): a cubed normal variable, corrected by
    rejection. For shapes below 1, the draw for shape + 1 is raised to a power as in their
    section 6.
    """
    boost = 1.0
    if shape < 1.0:
        boost = (1.0 - uniform(rng)) ** (1.0 / shape)
        shape += 1.0
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        # Box and Muller; 1 - uniform is never 0.
        x = math.sqrt(-2.0 * math.log(1.0 - uniform(rng))) * math.cos(2.0 * math.pi * uniform(rng))
        v = (1.0 + c * x) ** 3
        if v > 0.0 and math.log(1.0 - uniform(rng)) < 0.5 * x * x + d - d * v + d * math.log(v):
            return boost * d * v
