"""Small models for tests, written without Keras: a few layers as ONNX, and a card."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from dlgo import get_game
from dlgo.encoders import get_encoder
from dlgo.rng import derive_seed
from engines.learning.networks.card import Card, head_of
from engines.learning.networks.dense import PLANES, DenseLayer, pack_layers
from engines.learning.networks.store import DENSE_FILE, KERAS_FILE, ONNX_FILE


def linear_onnx(
    shape: tuple[int, ...], policy: np.ndarray, bias: np.ndarray, value: np.ndarray | None,
    value_bias: float = 0.0,
) -> bytes:
    """logits = planes @ policy + bias; value = tanh(planes @ value + value_bias)."""
    nodes = [
        helper.make_node("Flatten", ["planes"], ["flat"], axis=1),
        helper.make_node("MatMul", ["flat", "w"], ["wx"]),
        helper.make_node("Add", ["wx", "b"], ["policy"]),
    ]
    constants = {"w": policy, "b": bias}
    outputs = [helper.make_tensor_value_info("policy", TensorProto.FLOAT, ["n", len(bias)])]
    if value is not None:
        nodes += [
            helper.make_node("MatMul", ["flat", "v"], ["vx"]),
            helper.make_node("Add", ["vx", "vb"], ["vy"]),
            helper.make_node("Tanh", ["vy"], ["value"]),
        ]
        constants |= {"v": value[:, None], "vb": np.array([value_bias])}
        outputs.append(helper.make_tensor_value_info("value", TensorProto.FLOAT, ["n", 1]))
    return _model(nodes, constants, outputs, shape)


def conv_onnx(shape: tuple[int, ...], actions: int, filters: int, seed: int) -> bytes:
    """Two convolutions of 3x3 with ReLU, the second with a residual; then policy and value."""
    rng = np.random.default_rng(seed)
    rows, cols, planes = shape

    def weights(*sides: int) -> np.ndarray:
        return rng.standard_normal(sides) * np.sqrt(2 / np.prod(sides[1:]))

    nodes = [
        helper.make_node("Transpose", ["planes"], ["x0"], perm=[0, 3, 1, 2]),
        helper.make_node("Conv", ["x0", "k1", "b1"], ["c1"], name="conv1", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c1"], ["x1"], name="relu1"),
        helper.make_node("Conv", ["x1", "k2", "b2"], ["c2"], name="conv2", pads=[1, 1, 1, 1]),
        helper.make_node("Add", ["c2", "x1"], ["s2"], name="add2"),
        helper.make_node("Relu", ["s2"], ["x2"], name="relu2"),
        helper.make_node("Flatten", ["x2"], ["flat"], name="flatten", axis=1),
        helper.make_node("Gemm", ["flat", "w", "bw"], ["policy"], name="policy_out", transB=1),
        helper.make_node("Gemm", ["flat", "v", "bv"], ["v1"], name="value_out", transB=1),
        helper.make_node("Tanh", ["v1"], ["value"], name="tanh"),
    ]
    size = filters * rows * cols
    constants = {
        "k1": weights(filters, planes, 3, 3), "b1": weights(filters, 1)[:, 0] / 10,
        "k2": weights(filters, filters, 3, 3), "b2": weights(filters, 1)[:, 0] / 10,
        "w": weights(actions, size), "bw": np.zeros(actions),
        "v": weights(1, size) / 3, "bv": np.zeros(1),
    }
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", length])
               for name, length in (("policy", actions), ("value", 1))]
    return _model(nodes, constants, outputs, shape)


def _model(nodes: list, constants: dict, outputs: list, shape: tuple[int, ...]) -> bytes:
    graph = helper.make_graph(
        nodes, "network",
        [helper.make_tensor_value_info("planes", TensorProto.FLOAT, ["n", *shape])], outputs,
        [numpy_helper.from_array(array.astype(np.float32), name)
         for name, array in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 9
    onnx.checker.check_model(model)
    return model.SerializeToString()


def write_model(
    folder: Path, game_name: str, encoder_name: str = "planes", *, value: bool = True,
    bias: np.ndarray | None = None, value_bias: float | None = None, scale: float = 1.0,
    filters: int = 0,
) -> Path:
    """A model folder with random weights of the size `scale`, or only a bias if that is given.

    With `filters` it has convolutions, otherwise only a linear layer.
    """
    game = get_game(game_name)
    encoder = get_encoder(encoder_name, game)
    size = int(np.prod(encoder.shape))
    rng = np.random.default_rng(derive_seed(game_name, encoder_name))
    weights = scale * rng.standard_normal((size, game.num_actions))
    heads = scale * rng.standard_normal(size) / 10
    if bias is not None:
        weights[:] = 0
    if value_bias is not None:
        heads[:] = 0
    content = conv_onnx(encoder.shape, game.num_actions, filters, 1) if filters else linear_onnx(
        encoder.shape, weights, np.zeros(game.num_actions) if bias is None else bias,
        heads if value else None, value_bias or 0.0,
    )
    answers = {"policy": (game.num_actions,)} | ({"value": (1,)} if value else {})
    digest = hashlib.sha256(content).hexdigest()
    card = Card(
        name=folder.name, game=str(game), encoder=encoder_name, network="linear",
        shape=encoder.shape, num_actions=game.num_actions,
        heads={name: head_of(name, shape) for name, shape in answers.items()},
        network_id=f"sha256:{digest[:32]}", files={ONNX_FILE: digest, KERAS_FILE: "none"},
        training={"cpu_seconds": 12.5, "gpu_seconds": 0.0, "wall_seconds": 14.0},
        accuracy={"test": {"accuracy": 0.25}},
    )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ONNX_FILE).write_bytes(content)
    (folder / "card.json").write_text(card.to_json())
    return folder


def write_dense_model(folder: Path, game_name: str, encoder_name: str) -> Path:
    """A model folder with a network of random weights, `wide:hidden=24,value_hidden=8`."""
    game = get_game(game_name)
    encoder = get_encoder(encoder_name, game)
    rng = np.random.default_rng(derive_seed(game_name, encoder_name))

    def layer(name: str, source: str, activation: str, inputs: int, outputs: int) -> DenseLayer:
        kernel = rng.standard_normal((inputs, outputs)).astype(np.float32)
        size = {"hidden": 3, "value": 0.3}.get(name, 1)
        scale = np.float32(size * np.sqrt(2 / inputs))
        bias = rng.standard_normal(outputs).astype(np.float32) / 10
        return DenseLayer(name, source, activation, scale * kernel, bias)

    layers = [
        layer("hidden", PLANES, "relu", int(np.prod(encoder.shape)), 24),
        layer("value_hidden", "hidden", "relu", 24, 8),
        layer("policy", "hidden", "linear", 24, game.num_actions),
        layer("value", "value_hidden", "tanh", 8, 1),
    ]
    nodes = [helper.make_node("Flatten", [PLANES], ["flat"], axis=1)]
    constants = {}
    for name, source, activation, kernel, bias in layers:
        constants |= {f"{name}.w": kernel, f"{name}.b": bias}
        below = "flat" if source == PLANES else source
        raw = name if activation == "linear" else f"{name}.raw"
        inputs = [below, f"{name}.w", f"{name}.b"]
        nodes.append(helper.make_node("Gemm", inputs, [raw], name=f"{name}.product"))
        if raw != name:
            nodes.append(helper.make_node(activation.capitalize(), [raw], [name]))
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", length])
               for name, length in (("policy", game.num_actions), ("value", 1))]
    content = {
        ONNX_FILE: _model(nodes, constants, outputs, encoder.shape), DENSE_FILE: pack_layers(layers)
    }
    card = Card(
        name=folder.name, game=str(game), encoder=encoder_name,
        network="wide:hidden=24,value_hidden=8", shape=encoder.shape,
        num_actions=game.num_actions,
        heads={"policy": head_of("policy", (game.num_actions,)), "value": head_of("value", (1,))},
        network_id="sha256:dense",
        files={name: hashlib.sha256(data).hexdigest() for name, data in content.items()},
    )
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in content.items():
        (folder / name).write_bytes(data)
    (folder / "card.json").write_text(card.to_json())
    return folder
