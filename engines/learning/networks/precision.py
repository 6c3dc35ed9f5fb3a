"""Whether training in bfloat16 is faster here than in float32: found by trying, and remembered.

Processors that have instructions for bfloat16 differ: matrix units (AMX) and AMD's vector units
gain by it, and Intel's vector units without matrix units take almost twice the time of float32.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from dlgo.rates import Meter, rates_in_turns
from engines.learning.networks.measured import key_of, processor, remembered

# What a step of training is measured with: a few convolutions, as most networks here have.
_LAYERS, _FILTERS, _SIDE, _BATCH = 3, 64, 8, 256
# Another precision than float32 must be faster by a tenth; the best of some rounds counts, since
# other work on the machine makes a round slow, never fast.
_FASTER, _SECONDS, _ROUNDS = 1.1, 0.3, 4
_FLAGS = {"avx512_bf16", "amx_bf16"}  # of processors that know bfloat16


def training_precision() -> str:
    """What a network computes in where that is left open: "mixed" or "float32".

    Mixed (bfloat16, with weights in float32) on a GPU, and on a processor that trains a tenth
    faster with it. Measured once for a machine and version of TensorFlow, in some seconds.
    """
    from engines.learning.networks.backend import backend_name, gpu_name

    if gpu_name() is not None:
        return "mixed"
    if not _FLAGS & set(processor()[1].split()):
        return "float32"
    key = key_of(("tensorflow", "keras"), backend_name())
    rates = remembered("precision", key, _try_both, unit="steps a CPU second")
    return "mixed" if rates["mixed"] > _FASTER * rates["float32"] else "float32"


def _try_both() -> dict[str, float]:
    """Steps a CPU second in each precision."""
    meters = [_meter(name) for name in ("float32", "mixed")]
    rates = rates_in_turns(meters, _SECONDS, _ROUNDS, time.process_time)
    return {name: max(measured) for name, measured in zip(("float32", "mixed"), rates, strict=True)}


def _meter(precision: str) -> Meter:
    """Takes a step of training each time."""
    from engines.learning.networks.backend import keras, use_precision

    use_precision(precision)
    layers = [
        keras.layers.Conv2D(_FILTERS, 3, padding="same", activation="relu")
        for _ in range(_LAYERS)
    ]
    network = keras.Sequential([
        keras.layers.Input((_SIDE, _SIDE, _FILTERS)), *layers, keras.layers.Flatten(),
        keras.layers.Dense(1, dtype="float32"),
    ])
    use_precision("float32")
    network.compile("sgd", "mse")
    planes = np.zeros((_BATCH, _SIDE, _SIDE, _FILTERS), np.float32)
    step: Callable[..., Any] = functools.partial(
        network.train_on_batch, planes, np.zeros((_BATCH, 1), np.float32))

    def meter() -> int:
        step()
        return 1

    return meter
