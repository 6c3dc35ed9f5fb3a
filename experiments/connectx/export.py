"""Writes a trained network as an agent for Kaggle's ConnectX: `dlgo connectx export`.

The file is the text of `agent_template.py` with the network's weights at its end. They come from
`network.onnx`, where batch normalisation is a part of the convolutions already. Before it is
written, the text is executed as the environment does it and compared with ONNX Runtime.
"""

from __future__ import annotations

import base64
import io
import re
from pathlib import Path

import numpy as np

from dlgo import GameSpec
from dlgo.errors import ModelError
from dlgo.extras import require_extra
from dlgo.files import write_file
from dlgo.games import recorded_game
from engines.learning.networks.card import FILE_NAME, Card
from engines.learning.networks.runtimes import OnnxRuntime
from engines.learning.networks.store import ONNX_FILE, load_card, read_file
from experiments.connectx.environment import board_of, run_agent_file

TEMPLATE = Path(__file__).with_name("agent_template.py")
# Logits and values may be off by so much, or weights of 16 bits are not enough.
TOLERANCE = 1e-2
_ENCODER = "planes"


def export_agent(model: str, out: Path) -> tuple[Card, float]:
    """Write a model (the name of a shipped one, a folder, or that of a run of `dlgo train
    alphazero`, whose last network is taken) as an agent's file, which is replaced if it is there.

    Returns the model's card, and by how much a logit or a value of the agent is off at most. Raises
    ModelError if there is no such model, or its game is not ConnectX, or it is not what the agent
    computes: a residual network with a value head, on the encoder "planes".
    """
    path = Path(model)
    networks = sorted(path.glob(f"nets/[0-9]*/{FILE_NAME}"))
    if networks and not (path / FILE_NAME).exists():
        model = str(networks[-1].parent)
    folder, card = load_card(model)
    game = _game_of(card)
    content = read_file(folder, card, ONNX_FILE)
    weights, runtime = read_resnet(content, card), OnnxRuntime(card, content)
    for kind in (np.float16, np.float32):
        text = agent_text(card, game, weights, kind)
        error = _error(text, out, runtime)
        if error <= TOLERANCE:
            write_file(out, text)
            return card, error
    raise ModelError(
        f"model {card.name}: the agent's outputs would differ by {error:.2g}, more than "
        f"{TOLERANCE:g}: {ONNX_FILE} has another layout; save it anew with `dlgo train`"
    )


def _game_of(card: Card) -> GameSpec:
    game = recorded_game(card.game)
    for fits, problem in (
        (board_of(game), f"it plays {game}; ConnectX is connect4, or connectn without pie=yes and "
                         "gravity=no"),
        (card.network.partition(":")[0] == "resnet", f"it is a {card.network}, not a resnet"),
        ("value" in card.heads, "it has no value head"),
        (card.encoder == _ENCODER, f"it reads {card.encoder}, not {_ENCODER}"),
    ):
        if not fits:
            raise ModelError(f"model {card.name} cannot become a ConnectX agent: {problem}")
    return game


def read_resnet(content: bytes, card: Card) -> dict[str, np.ndarray]:
    """The weights of a `resnet` from its ONNX file, named as `agent_template.Network` does.

    Keras numbers the convolutions as they are built: the trunk, the policy head, the value head.
    Raises ModelError if the file holds something else.
    """
    require_extra("train", "reading the weights of a network", "onnx")
    import onnx
    from onnx import numpy_helper

    graph = onnx.load_model_from_string(content).graph
    arrays = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    weights: dict[str, np.ndarray] = {}
    try:
        convolutions = sorted(
            (node for node in graph.node if node.op_type == "Conv"),
            key=lambda node: int((re.findall(r"conv2d_(\d+)", node.input[1]) or ["0"])[0]),
        )
        trunk = [f"conv{i}" for i in range(len(convolutions) - 2)]
        names = (*trunk, "policy_conv", "value_conv")
        for name, node in zip(names, convolutions, strict=True):
            kernel = arrays[node.input[1]]  # [out, in, rows, columns]
            weights[name] = kernel.transpose(2, 3, 1, 0).reshape(-1, len(kernel))
            weights[f"{name}_bias"] = arrays[node.input[2]]
        for node in graph.node:
            if node.op_type == "MatMul":
                name = re.findall("/(policy|value)", node.name)
                name = name[0] if name else "value_hidden"
                after = next(n for n in graph.node if node.output[0] in n.input)
                weights[name] = arrays[node.input[1]]
                weights[f"{name}_bias"] = next(arrays[i] for i in after.input if i in arrays)
    except (KeyError, IndexError, StopIteration, ValueError) as error:
        raise ModelError(
            f"model {card.name}: {ONNX_FILE} does not have the layout of a {card.network} "
            f"of this project ({type(error).__name__}: {error}); save it anew with `dlgo train`"
        ) from None
    return weights


def agent_text(
    card: Card, game: GameSpec, weights: dict[str, np.ndarray], kind: type = np.float16
) -> str:
    """The agent's file: the template and a network, whose weights are stored as `kind`."""
    packed = io.BytesIO()
    np.savez_compressed(packed, **{name: array.astype(kind) for name, array in weights.items()})
    return (
        f"{TEMPLATE.read_text(encoding='utf-8')}\n"
        f"# {card.network} of {card.name}, {card.network_id}, trained on {card.game}.\n"
        f"TRAINED_ON = {board_of(game)}\n"
        f'WEIGHTS = """\n{base64.encodebytes(packed.getvalue()).decode()}"""\n'
    )


def _error(text: str, out: Path, runtime: OnnxRuntime) -> float:
    """By how much the agent's network and ONNX Runtime differ at most, about made-up planes."""
    names = run_agent_file(text, str(out))
    network = names["Network"](names["WEIGHTS"])
    rng = np.random.default_rng(0)
    # A cell is one player's, the other's or empty; all cells say who is to move.
    planes = np.zeros((50, *runtime.card.shape), np.float32)
    cells = rng.integers(0, 3, planes.shape[:3])
    planes[..., 0], planes[..., 1] = cells == 1, cells == 2
    planes[..., 2] = rng.integers(0, 2, (len(planes), 1, 1))
    logits, values = network.evaluate(planes)
    answers = runtime.evaluate(planes)
    return float(max(
        np.max(np.abs(logits - answers["policy"])), np.max(np.abs(values - answers["value"][:, 0]))
    ))
