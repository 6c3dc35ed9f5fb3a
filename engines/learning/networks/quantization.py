"""Eight bits: writes `network-int8.onnx` beside a model's float32 network.

Weights and activations of the body become integers of eight bits, which processors with VNNI
multiply four at a time; the last layer of each head stays in float32, since nothing after it
evens its errors out. Static quantisation (Jacob et al. 2018): the range of each activation is
measured beforehand, on positions of the network's own play. The file is plain ONNX with
QuantizeLinear and DequantizeLinear around each layer, so that ONNX Runtime and OpenVINO both run
it in integers. Weights have a scale for each filter. `docs/networks.md` has what it costs and
brings.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import logging
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dlgo.errors import ModelError
from dlgo.files import make_folder, write_file
from dlgo.rng import derive_seed
from engines.learning.networks import store
from engines.learning.networks.card import FILE_NAME, Card
from engines.learning.networks.runtimes import INT8_KINDS, OnnxRuntime
from engines.learning.networks.self_play_positions import Positions, difference, self_play_positions

REMEDY = "make room, or name another folder"
# Positions that ranges are measured on, and those, of other games, that the cost is measured on.
# The mean over eight batches of 64 of the smallest and of the largest value is the range: the
# extremes of all 512 would waste half of the steps on values that hardly ever come.
CALIBRATION, HELD_OUT, _BATCH = 512, 1024, 64
_HELD_OUT_OF_RUN = 256
_LAYERS = ("Conv", "Gemm", "MatMul")
# What is computed in integers: layers, and what stands between two of them.
_QUANTISED = [*_LAYERS, "Add", "Relu", "MaxPool"]


def quantise_model(
    name: str, folder: Path | None = None, *, seed: int = 1, held_out: int = HELD_OUT,
    calibration: Positions | None = None,
) -> Card:
    """Write a model's network in eight bits, and into its card what that costs.

    The same model and seed give the same file with the same packages on the same machine.

    Args:
        name: of the model, or its folder.
        folder: of a new model, with all the files of the old one; by default the file is added to
            the model itself.
        seed: of the games from which positions are drawn.
        held_out: positions that the cost is measured on.
        calibration: positions to measure ranges on; by default `CALIBRATION` of its own play.

    Returns:
        The card as it was written; `accuracy["int8"]` has the cost.

    Raises:
        ModelError: if there is no such model, it is damaged, has nothing to quantise, or a file
            cannot be written.
    """
    source, card = store.load_card(name)
    content = store.read_file(source, card, store.ONNX_FILE)
    runtime = OnnxRuntime(card, content)
    if calibration is None:
        calibration = self_play_positions(runtime, CALIBRATION, derive_seed(seed, "calibration"))
    quantised = quantise(content, card, calibration)
    others = self_play_positions(runtime, held_out, derive_seed(seed, "held out"))
    cost = difference(
        runtime.evaluate(others.planes), OnnxRuntime(card, quantised).evaluate(others.planes),
        others.legal,
    )
    target = source if folder is None else make_folder(folder, error=ModelError)
    if target.resolve() != source.resolve():
        for file in (store.ONNX_FILE, store.KERAS_FILE, store.DENSE_FILE):
            if (source / file).exists():  # the training's is not needed to play
                _write(target / file, store.read_file(source, card, file))
        card = dataclasses.replace(card, name=target.resolve().name)
    card = dataclasses.replace(
        card, files={**card.files, store.INT8_FILE: hashlib.sha256(quantised).hexdigest()},
        accuracy={**card.accuracy, "int8": {
            **cost.to_json(), "calibration_positions": len(calibration), "seed": seed,
        }},
        versions={**card.versions, "int8": _version()},
    )
    _write(target / store.INT8_FILE, quantised)
    _write(target / FILE_NAME, card.to_json())
    return card


def quantise_columns(folder: Path, runtime: str, seed: int) -> dict[str, float]:
    """Quantise the network of a run if it plays in eight bits: columns of the history."""
    if runtime not in INT8_KINDS:
        return {}
    cpu = time.process_time()
    cost = quantise_model(str(folder), seed=seed, held_out=_HELD_OUT_OF_RUN).accuracy["int8"]
    return {"int8_policy": cost["policy"], "int8_value": cost["value"],
            "quantise_cpu_seconds": time.process_time() - cpu}


def quantise(content: bytes, card: Card, calibration: Positions) -> bytes:
    """An ONNX file's network in eight bits, as the bytes of an ONNX file.

    Args:
        content: of the float32 network; batch normalisation is part of its convolutions, as
            `save_model` writes it.
        card: for messages. calibration: what ranges are measured on.

    Raises:
        ModelError: if it has no layers but the last ones of its heads.
    """
    import onnx
    from onnxruntime import quantization
    from onnxruntime.quantization.shape_inference import quant_pre_process

    class Reader(quantization.CalibrationDataReader):
        """The calibration positions, batch after batch."""

        def __init__(self) -> None:
            planes = calibration.planes
            self._batches = iter(
                [planes[i : i + _BATCH] for i in range(0, len(planes), _BATCH)])

        def get_next(self) -> dict[str, Any] | None:
            batch = next(self._batches, None)
            return None if batch is None else {"planes": batch}

    with tempfile.TemporaryDirectory() as folder, _quiet():
        plain, clean, small = (Path(folder) / f"{name}.onnx" for name in ("a", "b", "c"))
        plain.write_bytes(content)
        # Folds what remains of constants, and makes one layer of a product and its bias.
        quant_pre_process(plain, clean, skip_symbolic_shape=True)
        graph = onnx.load(clean).graph
        layers, last = _layers(graph)
        if layers <= last:
            raise ModelError(
                f"model {card.name} has no layers but the last ones of its heads, which stay in "
                "float32; there is nothing to quantise, so play it with runtime=onnx"
            )
        quantization.quantize_static(
            clean, small, Reader(), quant_format=quantization.QuantFormat.QDQ, per_channel=True,
            # Unsigned activations times signed weights are what VNNI multiplies; ONNX Runtime is
            # five times slower where both are signed.
            activation_type=quantization.QuantType.QUInt8,
            weight_type=quantization.QuantType.QInt8,
            op_types_to_quantize=_QUANTISED, nodes_to_exclude=sorted(last),
            extra_options={"CalibMovingAverage": True},
        )
        return small.read_bytes()


def _layers(graph: Any) -> tuple[set[str], set[str]]:
    """Names of an ONNX graph's layers with weights, and of those that are the last before an
    output."""
    makers = {output: node for node in graph.node for output in node.output}
    last: set[str] = set()
    for output in graph.output:
        waiting = [output.name]
        while waiting:
            node = makers.get(waiting.pop())
            if node is None:
                continue
            if node.op_type in _LAYERS:
                last.add(node.name)
            else:
                waiting.extend(node.input)
    return {node.name for node in graph.node if node.op_type in _LAYERS}, last


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """No advice from ONNX Runtime's tools, which goes to the root logger."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)


def _version() -> str:
    import onnxruntime

    return f"onnxruntime {onnxruntime.__version__}"


def _write(path: Path, content: bytes | str) -> None:
    write_file(path, content, error=ModelError, remedy=REMEDY)
