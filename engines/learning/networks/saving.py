"""Writes a trained network as a model folder, and checks what was written."""

from __future__ import annotations

import contextlib
import dataclasses
from pathlib import Path
from typing import Any

import numpy as np

from dlgo.digests import hex_digest
from dlgo.errors import ModelError
from dlgo.files import make_folder, output_path, write_file
from engines.learning.networks.backend import backend_name, keras
from engines.learning.networks.card import Card, head_of
from engines.learning.networks.dense import PLANES, DenseLayer, pack_layers
from engines.learning.networks.onnx_export import to_onnx
from engines.learning.networks.runtimes import CompiledRuntime, NetworkRuntime, OnnxRuntime
from engines.learning.networks.store import (
    DENSE_FILE,
    KERAS_FILE,
    ONNX_FILE,
    REMEDY,
    weights_digest,
    write_card,
)

# Keras and ONNX Runtime must agree so well, as a part of the largest number of an answer, at least
# of 1. A policy that is sure of itself has logits of some hundreds, next to which float32 rounds
# even those that happen to be near 0.
TOLERANCE = 1e-4
# Shares of ones in the planes that both are asked about: few, as on a board, and many. Where planes
# are full, tanh hides any difference between two values.
DENSITIES = (0.0, 0.02, 0.05, 0.1, 0.2, 0.5)
_WITHOUT_WEIGHTS = (keras.layers.InputLayer, keras.layers.Flatten, keras.layers.Dropout)


def save_model(folder: Path, model: Any, card: Card) -> Card:
    """Write a Keras model and its card; the ONNX file is checked against it.

    Args:
        folder: made if it is not there; files of a model in it are replaced.
        model: float32 throughout, as `build_network` makes it.
        card: heads, id, checksums, versions and date are filled in.

    Raises ModelError if ONNX Runtime does not agree with Keras to `TOLERANCE`, or a file cannot be
    written.
    """
    make_folder(folder, error=ModelError)
    heads = {name: head_of(name, output.shape[1:]) for name, output in model.output.items()}
    card = dataclasses.replace(card, heads=heads)
    files = {}
    with contextlib.ExitStack() as stack:
        paths = [
            stack.enter_context(output_path(folder / name, error=ModelError, remedy=REMEDY))
            for name in (KERAS_FILE, ONNX_FILE)
        ]
        model.save(paths[0])
        paths[1].write_bytes(to_onnx(model).SerializeToString())
        check_agreement(model, OnnxRuntime(card, paths[1].read_bytes()), card)
        for path, name in zip(paths, (KERAS_FILE, ONNX_FILE), strict=True):
            files[name] = hex_digest(path.read_bytes(), 64)
        if (dense := dense_file(model)) is not None:
            check_agreement(model, CompiledRuntime(card, dense), card)
            write_file(folder / DENSE_FILE, dense, error=ModelError, remedy=REMEDY)
            files[DENSE_FILE] = hex_digest(dense, 64)
    return write_card(folder, card, weights_digest(model.get_weights()), files,
                      keras=keras.__version__, backend=backend_name())


def dense_file(model: Any) -> bytes | None:
    """The content of the file for `runtime=compiled`; None unless all weights are in Dense."""
    allowed = (keras.layers.Dense, *_WITHOUT_WEIGHTS)
    if not all(isinstance(layer, allowed) for layer in model.layers):
        return None
    layers = [
        DenseLayer(layer.name, _source(layer), layer.activation.__name__, *layer.get_weights())
        for layer in model.layers if isinstance(layer, keras.layers.Dense)
    ]
    if any(layer.source == PLANES for layer in layers if layer.name in model.output):
        return None
    return pack_layers(layers)


def _source(layer: Any) -> str:
    """The dense layer that is the input of a layer, or the planes."""
    while True:
        layer = layer.input._keras_history.operation
        if isinstance(layer, keras.layers.InputLayer):
            return PLANES
        if isinstance(layer, keras.layers.Dense):
            return str(layer.name)


def check_agreement(model: Any, runtime: NetworkRuntime, card: Card) -> None:
    """Ask Keras and what will run the network about the same made-up planes. Raises ModelError if
    their answers differ by more than `TOLERANCE`."""
    noise = np.random.default_rng(0).random((len(DENSITIES), *card.shape))
    density = np.reshape(DENSITIES, (-1, *(1 for _ in card.shape)))
    planes = (noise < density).astype(np.float32)
    with keras.device("cpu:0"):  # GPUs round the factors of float32 products to ten bits
        keras_answers = model(planes, training=False)
    for name, answer in runtime.evaluate(planes).items():
        expected = np.asarray(keras_answers[name], np.float32).reshape(len(planes), -1)
        largest = np.maximum(1, np.abs(expected).max(axis=1, keepdims=True))
        error = np.max(np.abs(expected - answer.reshape(expected.shape)) / largest)
        if not error <= TOLERANCE:
            raise ModelError(
                f"the exported network differs from the trained one: {name} by {error:.2g}, more "
                f"than {TOLERANCE:g}; try another version of onnxruntime"
            )
