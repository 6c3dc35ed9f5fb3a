"""Evaluators: planes in, policy and value out, whatever runs the network.

    evaluator = load_evaluator("out/my-model")
    logits, values = evaluator.evaluate(planes)

ONNX Runtime plays: it starts in a few hundredths of a second, needs no TensorFlow, and is
fastest for one position at a time. OpenVINO reads the same file and computes large batches in
bfloat16 where the processor can, which self-play wants. Keras is for a GPU and for comparison.
`docs/networks.md` has the measurements. Called by `agent.py` and `engines/supervised`.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from dlgo.errors import ModelError
from engines.learning.networks.card import Card
from engines.learning.networks.store import KERAS_FILE, ONNX_FILE, load_card, read_file

# What can run a network; "openvino-bf16" computes in bfloat16 where the processor can.
KINDS = ("onnx", "openvino", "openvino-bf16", "keras")


class Evaluator(ABC):
    """A network ready to be asked.

    Attributes:
        card: the model's.
        network_id: digest of its weights.
    """

    def __init__(self, card: Card) -> None:
        self.card = card
        self.network_id = card.network_id

    @abstractmethod
    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """Ask about `n` positions at once.

        Args:
            planes: float32[n, rows, cols, planes], as the card's encoder makes them.

        Returns:
            (logits, values): float32[n, num_actions], and float32[n] from -1 to 1 as the
            player to move sees it, or None if the network has no value head.
        """


def load_evaluator(name: str, kind: str = "onnx", threads: int = 1) -> Evaluator:
    """The model `name` (a path or a shipped model's name), ready to be asked.

    Args:
        kind: one of `KINDS`.
        threads: CPU threads of one call (ONNX Runtime and OpenVINO).

    Raises:
        ModelError: if there is no such model, or its files are damaged or do not fit its card.
    """
    if kind not in KINDS:
        raise ModelError(f"unknown evaluator {kind!r}; evaluators are {', '.join(KINDS)}")
    folder, card = load_card(name)
    if kind == "keras":
        read_file(folder, card, KERAS_FILE)  # its checksum
        return KerasEvaluator(card, str(folder / KERAS_FILE))
    content = read_file(folder, card, ONNX_FILE)
    if kind == "onnx":
        return OnnxEvaluator(card, content, threads)
    return OpenVINOEvaluator(card, content, threads, "bf16" if kind.endswith("bf16") else "f32")


def fastest_kind(name: str, batch: int, gpu: bool = False, seconds: float = 0.3) -> str:
    """What computes a model's batches fastest on this machine, of what is installed, by trying.

    Args:
        batch: positions at once.
        gpu: whether Keras has a GPU to run on; otherwise it is not tried.
        seconds: how long each kind is tried.

    Returns:
        One of `KINDS`; the simplest, unless another is a tenth faster.
    """
    best, best_rate = KINDS[0], 0.0
    for kind in KINDS if gpu else [kind for kind in KINDS if kind != "keras"]:
        try:
            evaluator = load_evaluator(name, kind)
        except ModelError:
            if kind == KINDS[0]:
                raise
            continue  # not installed
        planes = np.zeros((batch, *evaluator.card.shape), np.float32)
        evaluator.evaluate(planes)
        done, start = 0, time.perf_counter()
        while time.perf_counter() - start < seconds:
            evaluator.evaluate(planes)
            done += 1
        rate = done / (time.perf_counter() - start)
        if rate > 1.1 * best_rate:
            best, best_rate = kind, rate
    return best


def _check_shapes(card: Card, given: list, policy: list, value: list | None) -> None:
    """Whether a network's shapes (batch first) are those of its card. Raises ModelError."""
    def differ(name: str, found: list, wanted: list) -> None:
        if found != wanted:
            raise ModelError(
                f"model {card.name}: its {name} has the shape {found}, its card says {wanted}; "
                "the files do not belong together"
            )

    differ("input", list(given[1:]), list(card.shape))
    differ("policy", list(policy[1:]), [card.num_actions])
    if card.value_head:
        differ("value", list(value[1:]) if value else [], [1])


class OnnxEvaluator(Evaluator):
    """ONNX Runtime on the CPU."""

    def __init__(self, card: Card, content: bytes, threads: int = 1) -> None:
        super().__init__(card)
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 4  # what matters is raised
        try:
            self._session = ort.InferenceSession(
                content, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # ONNX Runtime's errors have no common class of their own
            text = " ".join(str(error).split())
            raise ModelError(f"model {card.name}: ONNX Runtime cannot read it: {text}") from None
        self._input = self._session.get_inputs()[0].name
        shapes = {output.name: output.shape for output in self._session.get_outputs()}
        _check_shapes(
            card, self._session.get_inputs()[0].shape, shapes.get("policy", []),
            shapes.get("value"),
        )
        self._outputs = ["policy", "value"] if card.value_head else ["policy"]

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        found = self._session.run(self._outputs, {self._input: planes})
        return found[0], found[1][:, 0] if len(found) > 1 else None


class OpenVINOEvaluator(Evaluator):
    """OpenVINO on the CPU; an optional package.

    A network compiled for one size of batch is a quarter faster than one for any size, so it is
    compiled for powers of two, as they are needed, and a batch is cut into the largest of them.
    What remains is filled up to the next power with whatever was there before.
    """

    LARGEST = 64  # a larger batch is no faster

    def __init__(
        self, card: Card, content: bytes, threads: int = 1, precision: str = "f32"
    ) -> None:
        super().__init__(card)
        try:
            import openvino
        except ImportError:
            raise ModelError(
                "OpenVINO is not installed; run pip install 'dlgo[openvino]', or take runtime=onnx"
            ) from None
        self._core = openvino.Core()
        self._content = content
        self._settings = {
            "INFERENCE_PRECISION_HINT": precision, "INFERENCE_NUM_THREADS": threads,
            "NUM_STREAMS": 1, "PERFORMANCE_HINT": "LATENCY",
            # Left alone, it ties its thread to the first core: that of every process alike.
            "ENABLE_CPU_PINNING": False,
        }
        self._requests: dict[int, tuple[Any, np.ndarray]] = {}
        model = self._core.read_model(content)
        shapes = {output.get_any_name(): output.partial_shape for output in model.outputs}

        def sides(shape: Any) -> list:
            return [side.get_length() if side.is_static else None for side in shape]

        _check_shapes(
            card, sides(model.inputs[0].partial_shape), sides(shapes.get("policy", [])),
            sides(shapes["value"]) if "value" in shapes else None,
        )

    def _request(self, size: int) -> tuple[Any, np.ndarray]:
        """The network compiled for batches of `size`, and room for such a batch."""
        if size not in self._requests:
            model = self._core.read_model(self._content)
            model.reshape([size, *self.card.shape])
            compiled = self._core.compile_model(model, "CPU", self._settings)
            room = np.zeros((size, *self.card.shape), np.float32)
            self._requests[size] = (compiled.create_infer_request(), room)
        return self._requests[size]

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        n = len(planes)
        logits = np.empty((n, self.card.num_actions), np.float32)
        values = np.empty(n, np.float32) if self.card.value_head else None
        for start in range(0, n, self.LARGEST):
            some = slice(start, min(start + self.LARGEST, n))
            count = some.stop - start
            request, room = self._request(1 << (count - 1).bit_length())
            room[:count] = planes[some]
            request.infer({0: room}, share_inputs=True)
            logits[some] = request.get_tensor("policy").data[:count]
            if values is not None:
                values[some] = request.get_tensor("value").data[:count, 0]
        return logits, values


class KerasEvaluator(Evaluator):
    """Keras with its backend, compiled where that is TensorFlow; for GPUs and comparisons."""

    def __init__(self, card: Card, path: str) -> None:
        super().__init__(card)
        from engines.learning.networks.backend import keras

        try:
            model = keras.models.load_model(path, compile=False, safe_mode=True)
        except Exception as error:  # whatever is wrong inside the archive
            text = " ".join(str(error).split())[:200]
            raise ModelError(f"model {card.name}: Keras cannot read it: {text}") from None
        shapes = {name: list(output.shape) for name, output in model.output.items()}
        _check_shapes(card, list(model.input.shape), shapes["policy"], shapes.get("value"))
        self.model = model
        self._call: Any = lambda planes: model(planes, training=False)
        if keras.backend.backend() == "tensorflow":
            import tensorflow as tf

            self._call = tf.function(self._call, reduce_retracing=True)

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        found = self._call(planes)
        values = np.asarray(found["value"])[:, 0] if self.card.value_head else None
        return np.asarray(found["policy"]), values
