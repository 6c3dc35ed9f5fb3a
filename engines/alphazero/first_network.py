"""The initial network of a run: random weights, those of a model, or trained on given games."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from dlgo.encoders import get_encoder
from dlgo.games import get_game
from dlgo.text import number_of
from engines.alphazero.config import AlphaZeroConfig
from engines.learning.data import Dataset
from engines.learning.runs import Run

if TYPE_CHECKING:
    from engines.learning.networks.trainable import TrainableNetwork

# The heads in the files. Other heads exist in training only: they make the shared features learn
# from every cell of the final board, while the result is one number a game.
_PLAYING_HEADS = ("policy", "value")
# Epochs over the positions of `first_games`.
_EPOCHS = 4


def new_network(config: AlphaZeroConfig) -> TrainableNetwork:
    """The network that a run begins with, with the loss of each head."""
    # Keras takes seconds to import, so settings are checked before.
    from engines.learning.networks.optimizers import head_loss, make_optimizer
    from engines.learning.networks.trainable import HeadLoss, TrainableNetwork

    network = TrainableNetwork(
        get_encoder(config.encoder, get_game(config.game)), config.network,
        (*_PLAYING_HEADS, *config.final_heads), config.precision, config.seed,
        kept_heads=_PLAYING_HEADS,
    )
    network.compile(make_optimizer(config.optimizer, "constant", 1, 1), {
        "policy": HeadLoss(head_loss("policy"), metrics=["categorical_accuracy"]),
        "value": HeadLoss(head_loss("value")),
        **{head: HeadLoss(head_loss(head), getattr(config, head)) for head in config.final_heads},
    })
    return network


def prepare(network: TrainableNetwork, run: Run, learn: Any) -> dict[str, Any]:
    """Prepare a new network by `first_network` and `first_games`.

    `learn` trains it on a data set for a number of steps. Returns the training part of its card,
    whose costs count for the networks that follow.
    """
    config = run.config
    training: dict[str, Any] = {"method": "alphazero", "iterations": 0, "cpu_seconds": 0.0}
    if config.first_network:
        card = network.take_over(config.first_network)
        earlier = card.training
        training |= {name: earlier[name] for name in (
            "games", "cpu_seconds", "gpu_seconds", "wall_seconds", "data") if name in earlier}
        training["first_network"] = {
            "name": card.name, "network_id": card.network_id,
            **{name: earlier[name] for name in ("iterations", "games", "cpu_seconds")
               if name in earlier},
        }
        run.line(f"starting from the weights of {card.name}")
    if config.first_games:
        data = Dataset.open(Path(config.first_games), run.line)
        steps = max(1, round(_EPOCHS * data.n_positions / config.batch_size))
        measured = learn(network, run, data, 0, steps)
        training["data"] = {
            "folder": data.folder.name, "games": data.n_games, "positions": data.n_positions,
            "cpu_seconds": round(data.cpu_seconds, 1), "digest": data.digest,
        }
        for name in ("cpu_seconds", "wall_seconds"):
            spent = training.get(name, 0.0) + measured[f"train_{name}"]
            training[name] = round(spent, 1)
        if network.gpu:
            spent = training.get("gpu_seconds", 0.0) + measured["train_wall_seconds"]
            training["gpu_seconds"] = round(spent, 1)
        run.line(
            f"{number_of(data.n_games, 'given game')}, {number_of(data.n_positions, 'position')}: "
            "policy loss "
            f"{measured['policy_loss']:.3f}, value error {measured['value_loss']:.3f}; "
            f"{measured['train_wall_seconds']:.0f} s"
        )
    return training
