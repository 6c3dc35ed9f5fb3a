"""An encoder with a history, for the tests of replaying: six positions, one plane each."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec
from dlgo.encoders.base import Encoder, clear, encode, make_shape
from dlgo.jit import kernel

HISTORY = 5


class KeysKernel(NamedTuple):
    """Shows the key of the position and those before it, so that none can be mistaken."""

    shape: np.ndarray


@kernel
def encode_keys(encoder, window, known, out):
    clear(out)
    for i in range(known):
        # The low bits fit a float32 exactly.
        out[0, 0, i] = kernels.key(kernels.row(window, i)) & 0xFFFFF
        out[0, 1, i] = 1 + kernels.to_move(kernels.row(window, i))


encode.register(KeysKernel, encode_keys)


def history_encoder(game: GameSpec) -> Encoder:
    kernel: Any = KeysKernel(make_shape(game, HISTORY + 1, HISTORY))
    return Encoder("keys", game, tuple(f"position {i} ago" for i in range(HISTORY + 1)), kernel)
