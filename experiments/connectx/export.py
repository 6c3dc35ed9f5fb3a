"""Writes a trained network as an agent for Kaggle's ConnectX: `dlgo connectx export`.

The file is the text of `agent_template.py` with the operations and weights of `network.onnx` at its
end. They are compared with ONNX Runtime before the file is written.
"""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import numpy as np

from dlgo.errors import ModelError
from dlgo.extras import require_extra
from dlgo.files import write_file
from dlgo.games import recorded_game
from dlgo.games.connect4.state import ConnectFour
from dlgo.games.connectn.state import ConnectN
from engines.learning.networks.card import FILE_NAME, Card
from engines.learning.networks.runtimes import OnnxRuntime
from engines.learning.networks.store import ONNX_FILE, load_card, read_file
from experiments.connectx import agent_template

TEMPLATE = Path(agent_template.__file__)
# Limit for differences of logits and values: beyond it, weights of 16 bits are not enough.
TOLERANCE = 1e-2
_ENCODER, _HEADS = "planes", ("policy", "value")
Step = tuple[str, list[str], str]  # operation, names of its arguments, name of its result


def export_agent(model: str, out: Path) -> tuple[Card, float]:
    """Write a model (the name of a shipped one, a folder, or that of a run of `dlgo train
    alphazero`, whose last network is taken) as an agent's file; an existing file is replaced.

    Returns the model's card and the largest difference between the agent's outputs and the model's.
    Raises ModelError if there is no such model, its game is not ConnectX, or the agent cannot
    compute it.
    """
    path = Path(model)
    networks = sorted(path.glob(f"nets/[0-9]*/{FILE_NAME}"))
    if networks and not (path / FILE_NAME).exists():
        model = str(networks[-1].parent)
    folder, card = load_card(model)
    board = _board_of(card)
    content = read_file(folder, card, ONNX_FILE)
    network, runtime = read_network(content, card), OnnxRuntime(card, content)
    for kind in (np.float16, np.float32):
        steps, weights = _pack(*network, kind)
        error = _error(agent_template.Network(weights, steps), runtime)
        if error <= TOLERANCE:
            lines = "".join(f"    {step},\n" for step in steps)
            write_file(out, (
                f"{TEMPLATE.read_text(encoding='utf-8')}\n"
                f"# {card.network} of {card.name}, {card.network_id}, trained on {card.game}.\n"
                f"TRAINED_ON = {board}\n"
                f"STEPS = [\n{lines}]\n"
                f'WEIGHTS = """\n{weights}"""\n'
            ))
            return card, error
    raise ModelError(
        f"model {card.name}: the agent's outputs would differ by {error:.2g}, more than "
        f"{TOLERANCE:g}; export another model"
    )


def _board_of(card: Card) -> tuple[int, int, int]:
    """Rows, columns and how many in a row win; raises ModelError if the network does not fit."""
    game = recorded_game(card.game)
    is_connectx = isinstance(game, ConnectFour) or (
        isinstance(game, ConnectN) and game.gravity and not game.pie)
    for fits, problem in (
        (is_connectx, f"it plays {game}; ConnectX is connect4, or connectn without pie=yes and "
                      "gravity=no"),
        (card.encoder == _ENCODER, f"it reads {card.encoder}, not {_ENCODER}"),
        *((head in card.heads, f"it has no {head} head") for head in _HEADS),
    ):
        if not fits:
            raise ModelError(f"model {card.name} cannot become a ConnectX agent: {problem}")
    return game.board_rows, game.board_cols, getattr(game, "n", 4)


def read_network(content: bytes, card: Card) -> tuple[list[Step], dict[str, np.ndarray]]:
    """The operations of a network's ONNX file that lead to its heads, and their constants by name.

    Raises ModelError if there are others than `agent_template.OPERATIONS`.
    """
    require_extra("train", "reading the weights of a network", "onnx")
    import onnx
    from onnx import numpy_helper

    graph = onnx.load_model_from_string(content).graph
    arrays = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    needed, steps = set(_HEADS), list[Step]()
    constants: dict[str, np.ndarray] = {}
    for node in reversed(graph.node):
        if node.output[0] not in needed:
            continue
        operation, arguments = node.op_type, list(node.input)
        if operation == "Reshape":  # of planes to a vector; what computes the shape is left out
            operation, arguments = "Flatten", arguments[:1]
        elif operation == "Conv":
            arrays[arguments[1]] = arrays[arguments[1]].transpose(0, 2, 3, 1)
        elif operation == "Transpose":
            arguments.append(f"{node.output[0]}/perm")
            arrays[arguments[-1]] = np.array(onnx.helper.get_node_attr_value(node, "perm"))
        if operation not in agent_template.OPERATIONS:
            raise ModelError(
                f"model {card.name} cannot become a ConnectX agent: its network computes "
                f"{operation}, which the agent does not"
            )
        steps.insert(0, (operation, arguments, node.output[0]))
        needed.update(arguments)
        constants |= {name: arrays[name] for name in arguments if name in arrays}
    return steps, constants


def _pack(
    steps: list[Step], constants: dict[str, np.ndarray], kind: type
) -> tuple[list[Step], str]:
    """The steps with short names, and the constants as `agent_template.Network` reads them, floats
    stored as `kind`."""
    names = {name: f"w{number}" for number, name in enumerate(constants)}
    names |= {result: f"x{number}" for number, (_, _, result) in enumerate(steps)
              if result not in _HEADS}
    packed = io.BytesIO()
    arrays: dict[str, Any] = {
        names[name]: array.astype(kind) if array.dtype.kind == "f" else array
        for name, array in constants.items()
    }
    np.savez_compressed(packed, **arrays)
    return [
        (operation, [names.get(name, name) for name in arguments], names.get(result, result))
        for operation, arguments, result in steps
    ], base64.encodebytes(packed.getvalue()).decode()


def _error(network: agent_template.Network, runtime: OnnxRuntime) -> float:
    """The largest difference between the outputs of an agent's network and of ONNX Runtime, for
    random planes."""
    rng = np.random.default_rng(0)
    # A cell is one player's, the opponent's or empty; all cells say who is to move.
    planes = np.zeros((50, *runtime.card.shape), np.float32)
    cells = rng.integers(0, 3, planes.shape[:3])
    planes[..., 0], planes[..., 1] = cells == 1, cells == 2
    planes[..., 2] = rng.integers(0, 2, (len(planes), 1, 1))
    logits, values = network.evaluate(planes)
    answers = runtime.evaluate(planes)
    return float(max(
        np.max(np.abs(logits - answers["policy"])), np.max(np.abs(values - answers["value"][:, 0]))
    ))
