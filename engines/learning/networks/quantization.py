"""Eight bits: writes `network-int8.onnx` beside a model's float32 network.

Weights and activations of the body become integers of eight bits, which processors with VNNI
multiply four at a time; the last layer of each head stays in float32, since nothing after it
evens its errors out. Static quantisation (Jacob et al. 2018): the range of each activation is
measured beforehand, on positions of the network's own play. (Positions of random play are
unsuitable: their activations are smaller than in a search.) The file is plain ONNX with
QuantizeLinear and DequantizeLinear around each layer, which ONNX Runtime runs in integers. Weights
have a scale for each filter. `docs/networks.md` has its cost and its gain.
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dlgo.digests import hex_digest
from dlgo.encoders import get_encoder
from dlgo.errors import ModelError
from dlgo.files import make_folder, write_file
from dlgo.games import recorded_game
from dlgo.rng import derive_seed
from dlgo.vector import Episodes, VectorEnv
from engines.learning.networks import store
from engines.learning.networks.card import FILE_NAME, Card
from engines.learning.networks.runtimes import INT8, NetworkRuntime, OnnxRuntime, score_head

# Positions that ranges are measured on, and those, of other games, that the cost is measured on.
# The mean over eight batches of 64 of the smallest and of the largest value is the range: the
# extremes of all 512 would waste half of the steps on values that hardly ever come.
CALIBRATION, HELD_OUT, _BATCH = 512, 1024, 64
# Those of the networks of a run.
_HELD_OUT_OF_RUN = 256
_LAYERS = ("Conv", "Gemm", "MatMul")
# What is computed in integers: layers, and what stands between two of them.
_QUANTISED = [*_LAYERS, "Add", "Relu", "MaxPool"]
# Games at once: enough for batches that a network likes, few enough for Go, whose games are long.
_GAMES = 32
# Each game starts with up to this many random moves, and later has a random one now and then: a
# search, too, looks at positions that the network would not play for.
_MOST_OPENING, _RANDOM = 8, 0.1


def quantise_model(
    name: str, folder: Path | None = None, *, seed: int = 1, held_out: int = HELD_OUT
) -> Card:
    """Write a model's network in eight bits and its loss of accuracy into the card; return the
    card.

    The same model and seed give the same file with the same packages on the same machine.

    Args:
        folder: folder of a new model with all files of the old one; by default the file is added
            to the model itself.
        seed: seed of the games from which positions are drawn.
        held_out: number of positions on which the loss of accuracy is measured (`difference`), for
            `accuracy["int8"]`.
    """
    source, card = store.load_card(name)
    content = store.read_file(source, card, store.ONNX_FILE)
    runtime = OnnxRuntime(card, content)
    calibration, _ = self_play_positions(runtime, CALIBRATION, derive_seed(seed, "calibration"))
    quantised = quantise(content, card, calibration)
    planes, legal = self_play_positions(runtime, held_out, derive_seed(seed, "held out"))
    cost = difference(
        runtime.evaluate(planes), OnnxRuntime(card, quantised).evaluate(planes), legal)
    target = source if folder is None else make_folder(folder, error=ModelError)
    if target.resolve() != source.resolve():
        for file in (store.ONNX_FILE, store.KERAS_FILE, store.DENSE_FILE):
            if (source / file).exists():  # the training's is not needed to play
                _write(target / file, store.read_file(source, card, file))
        card = dataclasses.replace(card, name=target.resolve().name)
    import onnxruntime

    card = dataclasses.replace(
        card, files={**card.files, store.INT8_FILE: hex_digest(quantised, 64)},
        accuracy={**card.accuracy, "int8": {
            "positions": held_out, **{part: round(number, 6) for part, number in cost.items()},
            "calibration_positions": CALIBRATION, "seed": seed,
        }},
        versions={**card.versions, "int8": f"onnxruntime {onnxruntime.__version__}"},
    )
    _write(target / store.INT8_FILE, quantised)
    _write(target / FILE_NAME, card.to_json())
    return card


def _write(path: Path, content: bytes | str) -> None:
    write_file(path, content, error=ModelError, remedy=store.REMEDY)


def quantise_columns(folder: Path, runtime: str, seed: int) -> dict[str, float]:
    """Quantise the network of a run if it plays in eight bits: columns of the history."""
    if runtime != INT8:
        return {}
    cpu = time.process_time()
    cost = quantise_model(str(folder), seed=seed, held_out=_HELD_OUT_OF_RUN).accuracy["int8"]
    return {"int8_policy": cost["policy"], "int8_value": cost["value"],
            "quantise_cpu_seconds": time.process_time() - cpu}


def quantise(content: bytes, card: Card, calibration: np.ndarray) -> bytes:
    """An ONNX file's network in eight bits, as the bytes of an ONNX file.

    Args:
        content: of the float32 network; batch normalisation is part of its convolutions, as
            `save_model` writes it.
        calibration: float32[n, rows, cols, planes], what ranges are measured on.

    Raises ModelError if it has no layers but the last ones of its heads.
    """
    import onnx
    from onnxruntime import quantization
    from onnxruntime.quantization.shape_inference import quant_pre_process

    with tempfile.TemporaryDirectory() as folder, _quiet():
        plain, clean, small = (Path(folder) / f"{name}.onnx" for name in ("a", "b", "c"))
        plain.write_bytes(content)
        # Folds what remains of constants, and makes one layer of a product and its bias.
        quant_pre_process(plain, clean, skip_symbolic_shape=True)
        graph = onnx.load(clean).graph
        last = _last_layers(graph)
        if last >= {node.name for node in graph.node if node.op_type in _LAYERS}:
            raise ModelError(
                f"model {card.name} has no layers to quantise, since the last layers of its heads "
                "stay in float32; play it with runtime=onnx"
            )
        quantization.quantize_static(
            clean, small, _CalibrationReader(calibration),
            quant_format=quantization.QuantFormat.QDQ, per_channel=True,
            # Unsigned activations times signed weights are what VNNI multiplies; ONNX Runtime is
            # five times slower where both are signed.
            activation_type=quantization.QuantType.QUInt8,
            weight_type=quantization.QuantType.QInt8,
            op_types_to_quantize=_QUANTISED, nodes_to_exclude=sorted(last),
            extra_options={"CalibMovingAverage": True},
        )
        return small.read_bytes()


class _CalibrationReader:
    """The calibration positions, batch after batch, as ONNX Runtime asks for them."""

    def __init__(self, planes: np.ndarray) -> None:
        starts = range(0, len(planes), _BATCH)
        self._batches = iter([planes[start : start + _BATCH] for start in starts])

    def get_next(self) -> dict[str, np.ndarray] | None:
        """The next batch by the name of the network's input; None after the last one."""
        batch = next(self._batches, None)
        return None if batch is None else {"planes": batch}


def _last_layers(graph: Any) -> set[str]:
    """Names of an ONNX graph's layers with weights that are the last before an output."""
    makers = {output: node for node in graph.node for output in node.output}
    last: set[str] = set()
    waiting = [output.name for output in graph.output]
    while waiting:
        node = makers.get(waiting.pop())
        if node is not None and node.op_type in _LAYERS:
            last.add(node.name)
        elif node is not None:
            waiting.extend(node.input)
    return last


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """No advice from ONNX Runtime's tools, which goes to the root logger."""
    level = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(level)


def self_play_positions(
    runtime: NetworkRuntime, count: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Positions of games that a network plays against itself, drawing moves by its policy.

    Games are played to their ends before positions are drawn from all of them, so that the ends
    are there, too. A network that only has a value plays random moves. Raises UnnamedGameError for
    a network of a game whose file has not been named.

    Returns:
        planes: float32[count, rows, cols, planes]. legal: bool[count, num_actions], the sensible
        moves, in the network's order of actions.
    """
    game = recorded_game(runtime.card.game)
    encoder = get_encoder(runtime.card.encoder, game)
    head, rng = score_head(runtime.heads), np.random.default_rng(seed)
    env = VectorEnv(game, _GAMES, encoder, seed, search=True,
                    episodes=Episodes(_MOST_OPENING, autoreset=False))
    step, actions = env.time_step, np.zeros(_GAMES, np.int64)
    planes: list[np.ndarray] = []
    legal: list[np.ndarray] = []
    while len(planes) < count:
        env.reset()
        while not step.ended.all():
            playing = ~step.ended
            observations, masks = step.observations[playing], step.masks[playing]
            players = step.players[playing]
            policies = masks / masks.sum(axis=1, keepdims=True)
            if head:
                scores = encoder.to_network_order(runtime.evaluate(observations)[head], players)
                policies = _RANDOM * policies + (1 - _RANDOM) * masked_softmax(scores, masks)
            cumulative = policies.cumsum(axis=1)
            actions[playing] = (
                cumulative > rng.random((len(cumulative), 1)) * cumulative[:, -1:]).argmax(axis=1)
            planes.extend(observations)
            legal.extend(encoder.to_network_order(masks, players))
            env.step(actions, playing)
    sample = rng.permutation(len(planes))[:count].tolist()
    return np.stack([planes[i] for i in sample]), np.stack([legal[i] for i in sample])


def masked_softmax(logits: np.ndarray, legal: np.ndarray) -> np.ndarray:
    """Probabilities of the legal actions: float64[n, num_actions]."""
    masked = np.where(legal, logits, -np.inf).astype(np.float64)
    powers = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def difference(
    expected: Mapping[str, np.ndarray], answers: Mapping[str, np.ndarray], legal: np.ndarray
) -> dict[str, float]:
    """Mean differences of a network's answers from those in float32.

    Args:
        wanted, answers: of each head: float32[n, ...], about the same positions.
        legal: bool[n, num_actions], the moves that are compared.

    Returns:
        policy: Kullback-Leibler divergence of the policies, in nats. first_move: share of
        positions in which another move is thought best. value: absolute difference of the values,
        or of the action values. 0 for heads that the network lacks.
    """
    policy = first_move = value = 0.0
    head = score_head(expected)
    if head:
        best = [np.where(legal, scores[head], -np.inf).argmax(axis=1)
                for scores in (expected, answers)]
        first_move = float((best[0] != best[1]).mean())
    if head == "policy":
        true, approximate = (masked_softmax(scores[head], legal) for scores in (expected, answers))
        tiny = np.finfo(np.float64).tiny
        ratio = np.log(np.maximum(true, tiny)) - np.log(np.maximum(approximate, tiny))
        policy = float((true * ratio).sum(axis=1).mean())
    if "value" in expected:
        value = float(np.abs(expected["value"] - answers["value"]).mean())
    elif head and head != "policy":
        value = float(np.abs(expected[head] - answers[head])[legal].mean())
    return {"policy": policy, "first_move": first_move, "value": value}
