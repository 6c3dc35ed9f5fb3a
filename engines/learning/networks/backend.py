"""Keras, imported without its chatter, and what differs between its backends.

    from engines.learning.networks.backend import keras

TensorFlow, or JAX where only that is installed, unless KERAS_BACKEND says otherwise. The import
takes seconds, so only what trains or writes networks comes here; playing does not.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

from dlgo.errors import DlgoError
from dlgo.system.machine import processor, processor_features


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Nothing reaches standard error, not even from C++: TensorFlow greets there on import."""
    sys.stderr.flush()
    copy = os.dup(2)
    try:
        with open(os.devnull, "wb") as nowhere:  # noqa: PTH123
            os.dup2(nowhere.fileno(), 2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        sys.stderr.flush()
        os.dup2(copy, 2)
        os.close(copy)


os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
if find_spec("tensorflow") is None and find_spec("jax") is not None:
    os.environ.setdefault("KERAS_BACKEND", "jax")
# It warns of every second network that one process trains.
logging.getLogger("tensorflow").setLevel(logging.ERROR)
try:
    with _silence():
        import keras
except ImportError as error:
    raise DlgoError(
        f'Keras or its backend is missing ({error}); run pip install "dlgo-suite[train]"'
    ) from None

__all__ = [
    "backend_name", "compiled_call", "gpu_name", "is_tensorflow", "keras", "make_repeatable",
    "training_precision", "use_precision",
]


def backend_name() -> str:
    """The backend and its version, for a model's card."""
    name = keras.backend.backend()
    module = sys.modules.get(name)
    return f"{name} {getattr(module, '__version__', '')}".strip()


def is_tensorflow() -> bool:
    """Whether TensorFlow is the backend."""
    return bool(keras.backend.backend() == "tensorflow")


def gpu_name() -> str | None:
    """The name of the GPU, or None if the backend has none."""
    backend = keras.backend.backend()
    if backend not in ("tensorflow", "jax"):
        return None
    # Asked for GPUs alone, JAX ends with an error where there is none.
    gpus = [name for name in keras.distribution.list_devices() if name.startswith(("gpu", "cuda"))]
    if not gpus:
        return None
    if backend == "tensorflow":
        import tensorflow as tf

        device = tf.config.list_physical_devices("GPU")[0]
        details = tf.config.experimental.get_device_details(device)
        return str(details.get("device_name", gpus[0]))
    return str(gpus[0])


def make_repeatable(seed: int) -> None:
    """The same seed gives the same weights, on this machine and backend."""
    keras.utils.set_random_seed(seed)
    if is_tensorflow():
        import tensorflow as tf

        tf.config.experimental.enable_op_determinism()


def use_precision(name: str) -> str:
    """Set the type networks compute in; "auto" is mixed where there is a GPU. Returns the Keras
    policy: "float32" or "mixed_bfloat16"."""
    mixed = name == "mixed" or (name == "auto" and gpu_name() is not None)
    policy = "mixed_bfloat16" if mixed else "float32"
    keras.config.set_dtype_policy(policy)
    return policy


def training_precision() -> str:
    """The default training precision: "mixed" if bfloat16 is faster here.

    So it is on GPUs, on processors with matrix units (AMX), and on AMD's vector units: those train
    1.4 times as fast with it. Intel's vector units without matrix units take almost twice the time.
    """
    if gpu_name() is not None:
        return "mixed"
    features = processor_features()
    fast = "amx_bf16" in features or ("avx512_bf16" in features and "AMD" in processor())
    return "mixed" if fast else "float32"


def compiled_call(model: Any) -> Callable[[Any], Any]:
    """The model's answers to float32[n, ...], for any n; compiled once where that is TensorFlow."""
    def call(planes: Any) -> Any:
        return model(planes, training=False)

    if not is_tensorflow():
        return call
    import tensorflow as tf

    shape = tf.TensorSpec([None, *model.input_shape[1:]], tf.float32)
    return tf.function(call, input_signature=[shape])
