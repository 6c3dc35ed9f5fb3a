"""Network runtimes: planes in, answers by name out, with any library behind it.

    runtime = load_runtime("out/my-model")
    answers = runtime.evaluate(planes)
    answers["policy"], answers["value"]

ONNX Runtime plays: it starts in a few hundredths of a second, needs no TensorFlow, and is
fastest for one position at a time. It also runs a network in eight bits, where the model has one
(`quantization.py`): several times faster for batches where the processor can. Networks of dense
layers alone are compiled here, and run within the search (`dense.py`); others can be, for programs
without ONNX Runtime (`convolutions.py`). Keras is for a GPU and for comparison. `docs/networks.md`
has the measurements.
"""

from __future__ import annotations

import functools
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from dlgo.errors import DlgoError, ModelError
from dlgo.rates import rates_in_turns
from engines.learning.networks import store
from engines.learning.networks.card import Card

if TYPE_CHECKING:
    from dlgo.encoders import Encoder

# Ways to run a network: ONNX Runtime, the same in eight bits, our own compiled code, Keras.
ONNX, INT8, COMPILED, KERAS = KINDS = ("onnx", "int8", "compiled", "keras")
# The default: compiled for networks of dense layers alone, otherwise onnx.
USUAL = "usual"
_FILES = {ONNX: store.ONNX_FILE, INT8: store.INT8_FILE, COMPILED: store.DENSE_FILE,
          KERAS: store.KERAS_FILE}
# Keras must be faster than ONNX Runtime by a tenth: the measurements differ by as much.
# Each is measured five times for `_SECONDS`, in alternation; the best time counts, since other work
# on the machine makes a round slow, never fast.
_FASTER, _SECONDS, _ROUNDS = 1.1, 0.05, 5


def score_head(heads: Collection[str]) -> str | None:
    """The head by which a network chooses a move; None if it has only a value."""
    return next((head for head in ("policy", "q", "q_pair") if head in heads), None)


class NetworkRuntime(ABC):
    """A network that can be evaluated.

    Attributes:
        kind: one of `KINDS`.
        network_id: digest of its weights.
        heads: the names of its heads.
    """

    kind = ONNX

    def __init__(self, card: Card) -> None:
        self.card = card
        self.network_id = card.network_id
        self.heads = list(card.heads)

    @abstractmethod
    def evaluate(self, planes: np.ndarray) -> dict[str, np.ndarray]:
        """Evaluate n positions at once.

        Takes float32[n, rows, cols, planes], as the card's encoder makes them. Returns for each
        head float32[n, ...], with the shape that the card gives.
        """

    def compiled(self, encoder: Encoder, heads: Sequence[str]) -> Any:
        """The network as a compiled evaluator (`evaluators.value_of`, `dense.scores_of`); None if
        this is not our own code.

        Args:
            encoder: without history.
            heads: the one with scores of actions, then "value"; or one of them.
        """
        return None


def load_runtime(name: str, kind: str = ONNX) -> NetworkRuntime:
    """The model `name` (a path or a shipped model's name), for use by one thread.

    `kind` is one of `KINDS`, or `USUAL`. Raises ModelError if there is no such model, or its files
    are damaged or do not fit its card, or it has no network of that kind.
    """
    folder, card = store.load_card(name)
    if kind == USUAL:
        kind = COMPILED if store.DENSE_FILE in card.files else ONNX
    if kind not in KINDS:
        raise ModelError(f"unknown runtime {kind!r}; runtimes are {', '.join(KINDS)}")
    file = _FILES[kind]
    if kind == COMPILED and file not in card.files:
        file = store.ONNX_FILE
    if kind == INT8 and file not in card.files:
        raise ModelError(f"model {card.name} has no {file}, which runtime={kind} needs; "
                         f"run dlgo train quantise {name} to make it, or use runtime=onnx")
    if not {store.ONNX_FILE, file} & card.files.keys():
        raise ModelError(f"model {card.name} is a network of {card.training.get('method')}, which "
                         "no other engine can play with; choose another model")
    content = store.read_file(folder, card, file)
    runtime: NetworkRuntime
    if kind == KERAS:
        runtime = KerasRuntime(card, str(folder / file))
    elif kind == COMPILED:
        runtime = CompiledRuntime(card, content, file)
    else:
        runtime = OnnxRuntime(card, content)
    runtime.kind = kind
    return runtime


def speeds(name: str, batch: int, kinds: Sequence[str] = KINDS[:-1]) -> dict[str, float]:
    """Positions a CPU second, `batch` at once, of those of these runtimes that a model has here."""
    first = load_runtime(name, USUAL)
    runtimes = {first.kind: first}
    for kind in kinds:
        if kind != first.kind:
            with suppress(DlgoError):  # not installed, or not in the model
                runtimes[kind] = load_runtime(name, kind)
    planes = np.zeros((batch, *first.card.shape), np.float32)

    def ask(runtime: NetworkRuntime) -> int:
        runtime.evaluate(planes)
        return batch

    meters = [functools.partial(ask, runtime) for runtime in runtimes.values()]
    # Without a GPU all have one thread, so that CPU seconds are the same as on an idle machine.
    clock = time.perf_counter if KERAS in kinds else time.process_time
    rates = rates_in_turns(meters, _SECONDS, _ROUNDS, clock)
    return {kind: max(measured) for kind, measured in zip(runtimes, rates, strict=True)}


def fastest_kind(name: str, batch: int, gpu: bool = False) -> str:
    """The installed runtime that computes a network's batches fastest in self-play here.

    Eight bits are not tried: a network that continues learning uses them only on request. Networks
    that can be are compiled, since they compute less within a search than for a batch. Keras is
    tried only where it has a GPU to run on (`gpu`).
    """
    if store.DENSE_FILE in store.load_card(name)[1].files:
        return COMPILED
    if not gpu:
        return ONNX
    rates = speeds(name, batch, (ONNX, KERAS))
    return KERAS if rates.get(KERAS, 0.0) > _FASTER * rates[ONNX] else ONNX


def _check_shapes(card: Card, planes: list, outputs: dict[str, list]) -> None:
    """Whether a network's shapes (batch first) are those of its card. Raises ModelError."""
    for name, shape, expected in (
        ("input", planes, card.shape),
        *((name, outputs.get(name, []), head.shape) for name, head in card.heads.items()),
    ):
        if shape[1:] != list(expected):
            raise ModelError(
                f"model {card.name}: its {name} has the shape {shape[1:]}, its card says "
                f"{list(expected)}; the files do not belong together"
            )


class OnnxRuntime(NetworkRuntime):
    """ONNX Runtime on the CPU."""

    def __init__(self, card: Card, content: bytes) -> None:
        super().__init__(card)
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
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
        _check_shapes(card, self._session.get_inputs()[0].shape, shapes)

    def evaluate(self, planes: np.ndarray) -> dict[str, np.ndarray]:
        answers = self._session.run(self.heads, {self._input: planes})
        return dict(zip(self.heads, answers, strict=True))


class CompiledRuntime(NetworkRuntime):
    """Our own compiled code: `dense.py` or `convolutions.py`, by the file of the weights."""

    def __init__(self, card: Card, content: bytes, file: str = store.DENSE_FILE) -> None:
        super().__init__(card)
        from engines.learning.networks import convolutions, dense  # they load the compiler

        self._code: Any = dense if file == store.DENSE_FILE else convolutions
        self._content = content
        self._network = self._code.read_network(card, content, self.heads)
        ends = np.cumsum([math.prod(head.shape) for head in card.heads.values()])
        self._cuts, self._outputs = ends[:-1], int(ends[-1])

    def compiled(self, encoder: Encoder, heads: Sequence[str]) -> Any:
        # With scratch arrays of its own.
        return self._code.evaluator_of(self.card, self._content, heads, encoder)

    def evaluate(self, planes: np.ndarray) -> dict[str, np.ndarray]:
        n = len(planes)
        answers = np.empty((n, self._outputs), np.float32)
        self._code.answer_many(self._network, planes.reshape(n, -1), answers)
        parts = np.split(answers, self._cuts, axis=1)
        return {
            name: part.reshape(n, *head.shape)
            for (name, head), part in zip(self.card.heads.items(), parts, strict=True)
        }


class KerasRuntime(NetworkRuntime):
    """Keras with its backend, compiled where that is TensorFlow; for GPUs and comparisons."""

    def __init__(self, card: Card, path: str) -> None:
        super().__init__(card)
        from engines.learning.networks.backend import compiled_call, keras

        try:
            model = keras.models.load_model(path, compile=False, safe_mode=True)
        except Exception as error:  # whatever is wrong inside the archive
            text = " ".join(str(error).split())[:200]
            raise ModelError(f"model {card.name}: Keras cannot read it: {text}") from None
        shapes = {name: list(output.shape) for name, output in model.output.items()}
        _check_shapes(card, list(model.input.shape), shapes)
        self.model = model
        self._call = compiled_call(model)

    def evaluate(self, planes: np.ndarray) -> dict[str, np.ndarray]:
        answers = self._call(planes)
        return {name: np.asarray(answers[name]) for name in self.heads}
