"""The network in training: Keras, its optimiser, and the model folders it leaves.

In training it may have heads that players have no use for (`AlphaZeroConfig.ownership`, `score`):
they make the features that all heads share learn from every cell of the final board, where the
result alone is one number a game. What is written is the network without them.
"""

from __future__ import annotations

import itertools
import math
import time
from pathlib import Path
from typing import Any

import numpy as np

from dlgo.encoders import get_encoder
from dlgo.games import get_game
from engines.alphazero.config import AlphaZeroConfig
from engines.learning.data import Batch, BatchOptions, Dataset, endless_batches
from engines.learning.networks.card import Card
from engines.learning.runs import Run

# What is written; other heads are for training alone.
PLAYING_HEADS = ("policy", "value")


class NetworkInTraining:
    """A network, and the state of its optimiser.

    Attributes:
        network: with all its heads. gpu: what it trains on, None for the processor.
    """

    def __init__(self, config: AlphaZeroConfig) -> None:
        from engines.learning.networks import backend
        from engines.learning.networks.architectures import build_network, with_heads
        from engines.learning.networks.optimizers import head_loss, make_optimizer

        self._config = config
        self._encoder = get_encoder(config.encoder, get_game(config.game))
        self.gpu = backend.gpu_name()
        backend.use_precision(config.precision)
        backend.make_repeatable(config.seed)
        heads = self._heads = (*PLAYING_HEADS, *config.final_heads)
        self.network = build_network(config.network, self._encoder, heads)
        self._playing = with_heads(self.network, PLAYING_HEADS)
        backend.use_precision("float32")
        self._kept = build_network(config.network, self._encoder, PLAYING_HEADS)  # what is written
        optimizer = make_optimizer(config.optimizer, "constant", 1, 1)
        optimizer.build(self.network.trainable_variables)
        self._rate = float(optimizer.learning_rate)
        self.network.compile(
            optimizer,
            loss={head: head_loss(head) for head in heads},
            loss_weights={"policy": 1.0, "value": config.value_weight}
            | {head: getattr(config, head) for head in config.final_heads},
            weighted_metrics={"policy": ["categorical_accuracy"], "value": []},
            jit_compile="auto" if self.gpu else False,
        )

    def take_over(self, name: str) -> Card:
        """Begin with the weights of a model; heads that only training has stay as they are.

        Args:
            name: of a shipped model, or a folder.

        Returns:
            The model's card.

        Raises:
            ModelError: for an unknown or damaged model, or one that is built otherwise.
        """
        from engines.learning.networks.first_network import take_over

        return take_over(self._playing, name, self._config, self._encoder, PLAYING_HEADS)

    def learn(
        self, window: Dataset, iteration: int, steps: int, run: Run | None = None
    ) -> dict[str, float]:
        """Train for so many steps; means of what Keras says of them.

        The losses of heads about the end of the game are means over the positions whose game
        has a final board; nan if none has.

        Args:
            window: the games to learn from.
            iteration: 0 for games of others, before the first one; the order of positions comes
                from it and the seed.
            run: checks the losses, and tells how far it is.

        Raises:
            DataError: if there are no positions in the window.
            ModelError: if the loss is not finite.
        """
        from engines.learning.networks.backend import learn_batch

        window.check_positions()
        config = self._config
        options = BatchOptions(
            config.batch_size, symmetries=config.symmetries, targets="policy",
            search_value_weight=config.search_value_weight, finals=config.needs_finals,
            margin_share=config.margin_share,
        )
        stream = endless_batches(window, self._encoder, options, config.seed, 1000 * iteration)
        wall, cpu = time.perf_counter(), time.process_time()
        rate = config.learning_rate(max(iteration, 1), self._rate)
        self.network.optimizer.learning_rate.assign(rate)
        sums: dict[str, float] = {}
        done = 0
        ended = 0.0  # batches, of each the part that has a final board
        for batch in itertools.islice(stream, steps):
            losses = learn_batch(self.network, *_targets(batch, self._heads))
            done += 1
            for name, value in losses.items():
                sums[name] = sums.get(name, 0.0) + float(value)
            if batch.final_weights is not None:
                ended += float(batch.final_weights.mean())
            if run is not None:
                run.check("loss", float(losses["loss"]), done)
                run.progress("training", done, steps, "steps")
        means = {name: total / max(done, 1) for name, total in sums.items()}
        for head in config.final_heads:
            means[f"{head}_loss"] = sums[f"{head}_loss"] / ended if ended else math.nan
        return {
            **means, "steps": done, "learning_rate": rate,
            "train_wall_seconds": time.perf_counter() - wall,
            "train_cpu_seconds": time.process_time() - cpu,
        }

    @property
    def state(self) -> list[Any]:
        """All variables that the rest of the run depends on."""
        return [*self.network.variables, *self.network.optimizer.variables]

    def save(self, folder: Path, name: str, training: dict[str, Any]) -> Card:
        """Write the network as a model folder, with a policy and a value head and no others."""
        from engines.learning.networks.saving import save_model

        config = self._config
        self._kept.set_weights(self._playing.get_weights())
        return save_model(folder, self._kept, Card(
            name=name, game=config.game, encoder=config.encoder, network=config.network,
            shape=tuple(self._encoder.shape),
            num_actions=self._encoder.num_actions, training=training,
        ))


def _targets(
    batch: Batch, heads: tuple[str, ...]
) -> tuple[np.ndarray, dict[str, Any], dict[str, Any]]:
    # Keras divides by the size of the batch, whatever the weights: so their mean is made 1, or
    # the policy would count the less, the fewer searches are full.
    weights = batch.policy_weights / max(float(batch.policy_weights.mean()), 1e-6)
    # The other heads count the less, the fewer games have a final board. Made up for, a single
    # position of a game played on after all others were resigned would weigh as much as a batch.
    counts = {"policy": weights, "value": np.ones_like(batch.values)}
    return (
        batch.planes, {head: batch.target(head) for head in heads},
        {head: counts.get(head, batch.final_weights) for head in heads},
    )
