"""Supervised learning: a network learns the moves and results of recorded games.

`train(config, data, folder)` reads a data set of games (`engines/learning/data`): policies and
results, in batches that depend on seed and epoch alone. It leaves a model folder, and in its
`training/` what every run leaves (`engines/learning/runs`). An epoch is an iteration.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dlgo.digests import hex_digest
from dlgo.encoders import get_encoder
from dlgo.encoders.base import Encoder
from dlgo.errors import ModelError
from dlgo.extras import require_extra
from dlgo.text import number_of
from engines.learning.data import Batch, BatchOptions, Dataset, batches
from engines.learning.networks.card import FILE_NAME, Card, read_card
from engines.learning.networks.store import TRAINING_MODULES
from engines.learning.runs import Curve, Learner, Progress, Run, open_run
from engines.supervised.config import SupervisedConfig, best_epoch

# Keras's name of a measure, and our column; Keras leaves out the name of a single head.
_COLUMNS = {
    "loss": "loss", "policy_cross_entropy": "cross_entropy", "cross_entropy": "cross_entropy",
    "policy_accuracy": "accuracy", "accuracy": "accuracy", "value_mse": "value_mse",
    "mse": "value_mse",
}
_OF_POLICY = ("cross_entropy", "accuracy")


def train(
    config: SupervisedConfig, data: Dataset, folder: Path, progress: Progress | None = None,
    source: dict[str, Any] | None = None,
) -> Card:
    """Train a network and write it to `folder`; continues where an earlier run was stopped.

    `source` is the card's information about the data, besides its size.

    Raises:
        SpecError: for a network, encoder, optimiser or schedule that does not exist.
        DataError: if there are too few games to hold some out.
        ModelError: as `open_run` and `Run.train`.
        KeyboardInterrupt: with a message that says what is kept.
    """
    config = config.canonical()
    require_extra("train", "training", *TRAINING_MODULES)
    encoder = get_encoder(config.encoder, data.game)
    training, held_out = data.split(test=config.test, seed=config.seed)
    if config.games is not None:
        training = training.subset(config.games)
    training.check_positions()
    held_out.check_positions()
    if (folder / FILE_NAME).exists() and not (folder / "training").exists():
        raise ModelError(
            f"{folder} holds a finished model without its training/, which training would replace; "
            "name another folder"
        )
    digests = training.digests.tobytes() + held_out.digests.tobytes()
    source = {
        **(source or {}), "games": training.n_games, "positions": training.n_positions,
        "test_games": held_out.n_games, "test_positions": held_out.n_positions,
        "cpu_seconds": round(training.cpu_seconds + held_out.cpu_seconds, 1),
        "digest": hex_digest(digests, 16),
    }
    with open_run(
        folder, config, within="training", source=source, progress=progress
    ) as run:
        reason = "it was already trained"
        card = read_card(folder) if run.finished and (folder / FILE_NAME).exists() else None
        # A kill after the last epoch leaves no model, or that of fewer epochs.
        if card is None or card.training.get("epochs") != len(run.history):
            reason, learner = "done", SupervisedLearner(run, encoder, training, held_out)
            run.train(learner)
            if not config.cpu_minutes and len(run.history) < config.epochs:
                reason = "stopped early"
            card = learner.write_model(folder, run)
        cost, test = card.training_cost, card.accuracy["test"]
        reached = (f"{test['accuracy']:.1%} of the held-out moves" if "accuracy" in test
                   else f"squared error {test['value_mse']:.3f} of the held-out results")
        run.line(
            f"{reason}: model {card.name}, epoch {card.training['best_epoch']}, {reached}, "
            f"{cost['cpu_seconds']:,.0f} CPU s, {cost['gpu_seconds']:,.0f} GPU s"
        )
        return card


class SupervisedLearner(Learner):
    """A network in training on the games of two parts, one of them held out."""

    unit = "epoch"
    curves = tuple(
        Curve(title, {"training games": name, "held-out games": f"test_{name}"})
        for title, name in (
            ("cross-entropy of the policy (nats)", "cross_entropy"),
            ("moves predicted", "accuracy"), ("squared error of the value", "value_mse"),
        )
    )

    def __init__(
        self, run: Run, encoder: Encoder, training: Dataset, held_out: Dataset
    ) -> None:
        # Everything that needs Keras is imported here: a mistake in the settings shows at once.
        from engines.learning.networks.architectures import flops
        from engines.learning.networks.backend import keras
        from engines.learning.networks.optimizers import head_loss, make_optimizer, schedule_of
        from engines.learning.networks.trainable import HeadLoss, TrainableNetwork

        config = self._config = run.config
        self._training, self._held_out = training, held_out
        network = self._network = TrainableNetwork(
            encoder, config.network, config.heads, config.precision, config.seed)
        metrics = {"policy": [
            keras.metrics.CategoricalCrossentropy(name="cross_entropy", from_logits=True),
            keras.metrics.CategoricalAccuracy(name="accuracy"),
        ], "value": [keras.metrics.MeanSquaredError(name="mse")]}
        weights = {"policy": 1.0, "value": config.value_weight}
        steps = -(-training.n_positions // config.batch_size)
        # Where a time ends the run, its steps are not known: a cosine then falls by epochs.
        self._by_time = bool(config.cpu_minutes) and config.schedule.startswith("cosine")
        schedule = "constant" if self._by_time else config.schedule
        optimizer = make_optimizer(config.optimizer, schedule, config.epochs, steps)
        network.compile(optimizer, {
            head: HeadLoss(head_loss(head, config.loss), weights[head], metrics[head])
            for head in config.heads
        })
        self._falling = schedule_of(network.first_rate, config.schedule, 1, 1)
        self._best = [np.zeros_like(weights) for weights in network.weights]
        self.state = [*network.state, *self._best]
        run.line(
            f"network   {config.network}: {network.model.count_params():,} weights, "
            f"{flops(network.model) / 1e6:.1f} million operations a position, {network.precision}"
            f"{', on ' + network.gpu if network.gpu else ''}")
        run.line(
            f"data      {number_of(training.n_games, 'game')}, "
            f"{number_of(training.n_positions, 'position')}; held out: "
            f"{number_of(held_out.n_games, 'game')}, {number_of(held_out.n_positions, 'position')}")
        length = (f"{config.cpu_minutes:g} CPU minutes" if config.cpu_minutes
                  else number_of(config.epochs, "epoch"))
        run.line(
            f"training  {config.optimizer}, {config.schedule}, batches of {config.batch_size}, "
            f"at most {length}, seed {config.seed}")

    def iterate(self, run: Run, iteration: int) -> dict[str, float]:
        """An epoch: all training positions once, then all that are held out."""
        network, start = self._network, time.perf_counter()
        if self._by_time:
            network.rate = float(self._falling(self._config.done(run.history)))
        means, positions = _Means(), 0
        for step, batch in enumerate(self._stream(self._training, iteration, True), 1):
            measured = network.learn(*self._given(batch))
            run.check("loss", measured["loss"], step)
            means.add(measured, batch)
            positions += len(batch)
            run.progress("training", positions, self._training.n_positions, "positions")
        row = means.named("")
        trained = time.perf_counter() - start
        means = _Means()
        for batch in self._stream(self._held_out, 0, False):
            means.add(network.test(*self._given(batch)), batch)
        row |= means.named("test_")
        run.check("held-out loss", row["test_loss"], step)
        row["learning_rate"] = network.rate
        row["positions_per_second"] = round(positions / trained, 1)
        row["gpu_seconds"] = time.perf_counter() - start if network.gpu else 0.0
        if best_epoch([*run.history, row]) == iteration:
            for best, weights in zip(self._best, network.weights, strict=True):
                best[...] = weights
        return row

    def lines(self, run: Run, row: Mapping[str, float]) -> list[str]:
        """The losses of an epoch."""
        parts = []
        if self._config.policy_head:
            parts += [
                f"loss {row['cross_entropy']:.3f}, held out {row['test_cross_entropy']:.3f}",
                f"moves {row['accuracy']:.1%}, held out {row['test_accuracy']:.1%}",
            ]
        if self._config.value_head:
            parts.append(f"value error {row['value_mse']:.3f}, held out "
                         f"{row['test_value_mse']:.3f}")
        return ["  ".join([*parts, f"{row['positions_per_second']:,.0f} positions/s"])]

    def _stream(self, part: Dataset, epoch: int, training: bool) -> Iterator[Batch]:
        config = self._config
        return batches(part, self._network.encoder, BatchOptions(
            config.batch_size, shuffle=training, symmetries=config.symmetries and training,
            targets=config.targets,
        ), config.seed, epoch)

    def _given(self, batch: Batch) -> tuple[Any, dict[str, Any], dict[str, Any]]:
        """Planes, targets and weights of a step of training or testing."""
        weights = {"policy": batch.policy_weights, "value": np.ones_like(batch.values)}
        heads = self._config.heads
        return (batch.planes, {head: batch.target(head) for head in heads},
                {head: weights[head] for head in heads})

    def write_model(self, folder: Path, run: Run) -> Card:
        """Write the network of the best epoch, in float32, with its card."""
        config, rows = self._config, run.history
        best = best_epoch(rows)
        totals = {
            name: round(sum(row[name] for row in rows), 1)
            for name in ("cpu_seconds", "gpu_seconds", "wall_seconds")
        }
        training = {
            "method": "supervised", "data": run.source, "settings": config.to_json(),
            "seed": config.seed, "epochs": len(rows), "best_epoch": best,
            "gpu": self._network.gpu, **totals,
        }
        names = [name for name in dict.fromkeys(_COLUMNS.values()) if name in rows[best - 1]]
        accuracy = {
            part: {name: rows[best - 1][prefix + name] for name in names}
            for part, prefix in (("train", ""), ("test", "test_"))
        }
        return self._network.save(folder, config.name, training, accuracy, self._best)


class _Means:
    """Means over an epoch of what Keras says of each batch: of the policy only where it counts."""

    def __init__(self) -> None:
        self._sums: dict[str, float] = {}
        self._counts: dict[str, float] = {}

    def add(self, measured: dict[str, Any], batch: Batch) -> None:
        for key in measured.keys() & _COLUMNS.keys():
            name = _COLUMNS[key]
            weight = float(batch.policy_weights.sum()) if name in _OF_POLICY else len(batch)
            self._sums[name] = self._sums.get(name, 0.0) + weight * float(measured[key])
            self._counts[name] = self._counts.get(name, 0.0) + weight

    def named(self, prefix: str) -> dict[str, float]:
        return {
            f"{prefix}{name}": self._sums[name] / max(self._counts[name], 1e-9)
            for name in dict.fromkeys(_COLUMNS.values()) if name in self._sums
        }
