"""What AlphaZero learns: the losses of its network, and the batches of a window of games.

In training it may have heads that players have no use for (`AlphaZeroConfig.ownership`, `score`):
they make the features that all heads share learn from every cell of the final board, where the
result alone is one number a game. What is written is the network without them.
"""

from __future__ import annotations

import itertools
import math
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from dlgo.encoders import get_encoder
from dlgo.games import get_game
from engines.alphazero.config import AlphaZeroConfig
from engines.learning.data import Batch, BatchOptions, Dataset, endless_batches
from engines.learning.runs import Run

if TYPE_CHECKING:
    from engines.learning.networks.trainable import TrainableNetwork

# What is written; other heads are for training alone.
PLAYING_HEADS = ("policy", "value")


def new_network(config: AlphaZeroConfig) -> TrainableNetwork:
    """The network that a run begins with, and what each of its heads is taught."""
    # Keras takes seconds to import: a mistake in the settings shows before.
    from engines.learning.networks.optimizers import head_loss, make_optimizer
    from engines.learning.networks.trainable import HeadLoss, TrainableNetwork

    network = TrainableNetwork(
        get_encoder(config.encoder, get_game(config.game)), config.network,
        (*PLAYING_HEADS, *config.final_heads), config.precision, config.seed, kept=PLAYING_HEADS,
    )
    network.compile(make_optimizer(config.optimizer, "constant", 1, 1), {
        "policy": HeadLoss(head_loss("policy"), metrics=["categorical_accuracy"]),
        "value": HeadLoss(head_loss("value"), config.value_weight),
        **{head: HeadLoss(head_loss(head), getattr(config, head)) for head in config.final_heads},
    })
    return network


def learn(
    network: TrainableNetwork, config: AlphaZeroConfig, window: Dataset, iteration: int,
    steps: int, run: Run | None = None,
) -> dict[str, float]:
    """Train for a number of steps; means of what Keras says of them.

    The losses of heads about the end of the game are means over the positions whose game
    has a final board; nan if none has.

    Args:
        network: made by `new_network`.
        window: the games to learn from.
        iteration: 0 for games of others, before the first one; the order of positions comes
            from it and the seed.
        run: checks the losses, and tells how far it is.

    Raises:
        DataError: if there are no positions in the window.
        ModelError: if the loss is not finite.
    """
    window.check_positions()
    options = BatchOptions(
        config.batch_size, symmetries=config.symmetries, targets="policy",
        search_value_weight=config.search_value_weight, finals=config.needs_finals,
        margin_share=config.margin_share,
    )
    stream = endless_batches(window, network.encoder, options, config.seed, 1000 * iteration)
    wall, cpu = time.perf_counter(), time.process_time()
    network.rate = rate = config.learning_rate(max(iteration, 1), network.first_rate)
    sums: dict[str, float] = {}
    done = 0
    ended = 0.0  # batches, of each the part that has a final board
    for batch in itertools.islice(stream, steps):
        losses = network.learn(*_targets(batch, network.heads))
        done += 1
        for name, value in losses.items():
            sums[name] = sums.get(name, 0.0) + value
        if batch.final_weights is not None:
            ended += float(batch.final_weights.mean())
        if run is not None:
            run.check("loss", losses["loss"], done)
            run.progress("training", done, steps, "steps")
    means = {name: total / max(done, 1) for name, total in sums.items()}
    for head in config.final_heads:
        means[f"{head}_loss"] = sums[f"{head}_loss"] / ended if ended else math.nan
    return {
        **means, "steps": done, "learning_rate": rate,
        "train_wall_seconds": time.perf_counter() - wall,
        "train_cpu_seconds": time.process_time() - cpu,
    }


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
