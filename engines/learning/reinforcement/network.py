"""A network in training that plays its own games: in one process, with the weights it has now.

A policy changes with every iteration. Written as ONNX for each, it would spend more time on that
than in its games. So Keras plays as well as learns here, in large batches, and a model is written
(`engines/learning/networks/saving.py`) only where it is to be kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dlgo.encoders import get_encoder
from dlgo.encoders.base import Encoder
from dlgo.games import get_game
from engines.learning.networks.card import Card
from engines.learning.reinforcement.config import ReinforcementConfig


class NetworkScorer:
    """A Keras network as a `Scorer` of positions: its first head scores actions.

    Args:
        network: with the heads of `config`. history: none.
    """

    def __init__(self, network: Any, heads: Sequence[str]) -> None:
        from engines.learning.networks.backend import compiled_call

        self.network = network
        self._scores, self._valued = heads[0], "value" in heads
        self._call = compiled_call(network)

    def score(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        answers = self._call(planes)
        scores = np.asarray(answers[self._scores], np.float32)
        if not self._valued:
            return scores, np.zeros(len(planes), np.float32)
        return scores, np.asarray(answers["value"], np.float32)[:, 0]


class NetworkInTraining(NetworkScorer):
    """A network, its losses and its optimiser.

    Args:
        config: of the run; its `precision` is settled. Weights are random, or those of
            `first_network`.
        losses, weights: the loss of each head, and what it weighs.
        metrics: of heads, to be measured in each step.

    Attributes:
        encoder: what the network sees. gpu: what it computes on; None: the processor.
        first: the card of `first_network`, if there is one.
        state: all variables that the rest of the run depends on.

    Raises:
        ModelError: if `first_network` is not a model, or one that is built otherwise.
    """

    def __init__(
        self, config: ReinforcementConfig, losses: Mapping[str, Any],
        weights: Mapping[str, float], metrics: Mapping[str, Sequence[Any]],
    ) -> None:
        from engines.learning.networks import backend
        from engines.learning.networks.architectures import build_network
        from engines.learning.networks.optimizers import make_optimizer

        self._config = config
        self.encoder: Encoder = get_encoder(config.encoder, get_game(config.game))
        self.gpu = backend.gpu_name()
        backend.keras.utils.clear_session()
        backend.use_precision(config.precision)
        backend.make_repeatable(config.seed)
        super().__init__(build_network(config.network, self.encoder, config.heads), config.heads)
        backend.use_precision("float32")
        self.first: Card | None = None
        if config.first_network:
            from engines.learning.networks.first_network import take_over

            scores, *others = config.heads
            self.first = take_over(
                self.network, config.first_network, config, self.encoder, [scores], others)
        self._kept = build_network(config.network, self.encoder, config.heads)  # what is written
        optimizer = make_optimizer(config.optimizer, "constant", 1, 1)
        optimizer.global_clipnorm = config.clip_norm
        optimizer.build(self.network.trainable_variables)
        self._rate = float(optimizer.learning_rate)
        self.network.compile(
            optimizer, loss=dict(losses), loss_weights=dict(weights),
            metrics={head: list(metrics.get(head, ())) for head in config.heads},
            jit_compile="auto" if self.gpu else False,
        )
        self.state = [*self.network.variables, *optimizer.variables]

    def copy(self) -> NetworkScorer:
        """Another network of the same build, with weights of its own."""
        from engines.learning.networks import backend
        from engines.learning.networks.architectures import build_network

        backend.use_precision(self._config.precision)
        network = build_network(self._config.network, self.encoder, self._config.heads)
        backend.use_precision("float32")
        network.set_weights(self.network.get_weights())
        return NetworkScorer(network, self._config.heads)

    def set_rate(self, iteration: int) -> float:
        """Set the learning rate of an iteration, and return it."""
        rate = self._config.learning_rate(iteration, self._rate)
        self.network.optimizer.learning_rate.assign(rate)
        return rate

    def step(
        self, planes: np.ndarray, targets: dict[str, np.ndarray], weights: np.ndarray
    ) -> dict[str, float]:
        """A step of training; what Keras says of it.

        Args:
            planes: float32[batch_size, ...], always so many: another size is compiled anew.
            targets: of each head. weights: float32[batch_size], 0 for rows that are padding.
        """
        from engines.learning.networks.backend import learn_batch

        # The policy's losses have the weights in what they are told.
        sample = {head: np.ones_like(weights) if targets[head].shape[-1] > 1 else weights
                  for head in targets}
        said = learn_batch(self.network, planes, targets, sample)
        return {name: float(value) for name, value in said.items()}

    def save(self, folder: Path, name: str, training: dict[str, Any],
             accuracy: dict[str, Any]) -> Card:
        """Write the network as a model folder, in float32."""
        from engines.learning.networks.saving import save_model

        config = self._config
        self._kept.set_weights(self.network.get_weights())
        return save_model(folder, self._kept, Card(
            name=name, game=config.game, encoder=config.encoder, network=config.network,
            shape=tuple(self.encoder.shape), num_actions=self.encoder.num_actions,
            training=training, accuracy=accuracy,
        ))
