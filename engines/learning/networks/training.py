"""One training loop for all networks that learn from records: `train(plan, data, folder)`.

What it reads is a data set of games (`engines/learning/data`): policies and results, in batches
that depend on seed and epoch alone. What it leaves is a model folder (`store.py`) with
`training/` in it: history.csv, curves.png, a TensorBoard log, and after each epoch a checkpoint
of weights, optimiser and generators. So the same command continues after a crash, and ends with
the same network as an unbroken run.

Called by `dlgo train` and the scripts of chapters 6 and 7.
"""

from __future__ import annotations

import dataclasses
import hashlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dlgo.encoders import get_encoder
from dlgo.errors import ModelError
from dlgo.lock import held
from engines.learning.networks import catalog
from engines.learning.networks.card import FILE_NAME, Card, read_card
from engines.learning.networks.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from engines.learning.networks.curves import Curves

# (part, encoder, batch_size, seed, epoch, symmetries, shuffle, targets) -> batches
BatchSource = Callable[..., Iterator[Any]]
_SMALLEST_GAIN = 1e-4  # of the held-out loss; less does not count as getting better


@dataclass(frozen=True)
class TrainingPlan:
    """All that decides what is learned, besides the data. Equal plans give equal networks.

    Attributes:
        name: of the model, for its card.
        encoder: what the network sees. network: its architecture; value_head: None for what is
            usual for it.
        optimizer, schedule: see `catalog.py`. loss: "cross-entropy" or "mse", of the policy.
        value_weight: of the value's squared error beside the policy's loss.
        epochs: at most. patience: stop after so many without a better held-out loss; 0: never.
        batch_size: positions a step. test: share of the games held out.
        games: how many of the training games to use; None for all.
        symmetries: show positions from random sides. targets: "move", the move played, or
            "policy", what the player thought of all moves.
        precision: "float32", "mixed", or "auto": mixed where there is a GPU.
        seed: of weights, order, sides and dropout.
    """

    name: str
    encoder: str
    network: str
    value_head: bool | None = None
    optimizer: str = "adam"
    schedule: str = "constant"
    loss: str = "cross-entropy"
    value_weight: float = 1.0
    epochs: int = 10
    patience: int = 0
    batch_size: int = 128
    test: float = 0.1
    games: int | None = None
    symmetries: bool = False
    targets: str = "move"
    precision: str = "auto"
    seed: int = 1

    def canonical(self) -> TrainingPlan:
        """The same with canonical specifications. Raises SpecError for a bad one."""
        name, _ = catalog.parse("network", catalog.NETWORKS, self.network)
        head = self.value_head
        return dataclasses.replace(
            self,
            network=catalog.canonical("network", catalog.NETWORKS, self.network),
            optimizer=catalog.canonical("optimizer", catalog.OPTIMIZERS, self.optimizer),
            schedule=catalog.canonical("schedule", catalog.SCHEDULES, self.schedule),
            value_head=catalog.NETWORKS[name].value_head if head is None else head,
        )

    def differences(self, other: dict[str, Any]) -> list[str]:
        """What stands in the way of going on with a run of other settings.

        More epochs are no obstacle where the learning rate does not depend on their number.
        """
        mine = dataclasses.asdict(self)
        free = {"name", "patience"}
        if not self.schedule.startswith("cosine"):
            free.add("epochs")
        return [
            f"{key}={other.get(key)}" for key, value in mine.items()
            if key not in free and other.get(key) != value
        ]


class Progress:
    """Is told how training goes on; this one keeps it to itself."""

    def started(self, lines: list[str]) -> None:
        """What is trained, on what, with what."""

    def step(self, epoch: int, done: int, of: int, rate: float, left: float) -> None:
        """`done` of about `of` batches; `rate`: positions a second; `left`: seconds."""

    def epoch(self, row: dict[str, float], of: int) -> None:
        """An epoch is over; `row` is its line of history.csv."""

    def ended(self, card: Card, reason: str) -> None:
        """The model is written."""


def train(
    plan: TrainingPlan, data: Any, folder: Path, progress: Progress | None = None,
    batches: BatchSource | None = None, source: dict[str, Any] | None = None,
) -> Card:
    """Train a network and write it to `folder`; goes on where an earlier run was stopped.

    Args:
        data: an `engines.learning.data.Dataset`.
        batches: where batches come from; `engines.learning.data.batches` by default.
        source: what the card says of the data, besides its size.

    Returns:
        The model's card.

    Raises:
        SpecError: for a network, encoder, optimiser or schedule that does not exist.
        DataError: if there are too few games to hold some out.
        ModelError: if `folder` holds a run with other settings or data, or a damaged one, or
            another process works in it.
        KeyboardInterrupt: with a message that says what is kept.
    """
    progress = progress or Progress()
    plan = plan.canonical()
    if batches is None:
        from engines.learning.data import batches
    encoder = get_encoder(plan.encoder, data.game)
    training, held_out = data.split(test=plan.test, seed=plan.seed)
    if plan.games is not None:
        training = training.subset(plan.games)
    source = {
        **(source or {}), "games": training.n_games, "positions": training.n_positions,
        "test_games": held_out.n_games, "test_positions": held_out.n_positions,
        "cpu_seconds": round(training.cpu_seconds + held_out.cpu_seconds, 1),
        "digest": hashlib.sha256(
            training.digests.tobytes() + held_out.digests.tobytes()
        ).hexdigest()[:16],
    }
    with held(folder / ".lock", f"model {folder}", "training", "folder", ModelError):
        earlier = read_checkpoint(folder / "training")
        if earlier is not None:
            _check_same(plan, source, earlier, folder)
            if (earlier.stopped or earlier.epoch >= plan.epochs) and (folder / FILE_NAME).exists():
                card = read_card(folder)
                progress.ended(card, "it was already trained")
                return card
        run = _Run(plan, encoder, training, held_out, batches, folder, progress)
        try:
            checkpoint = run.train(earlier, source)
        except KeyboardInterrupt:
            done = run.checkpoint.epoch if run.checkpoint else 0
            raise KeyboardInterrupt(
                f"stopped after epoch {done} of {plan.epochs}, which is kept in {folder}; "
                "the same command continues"
            ) from None
        card = run.write_model(checkpoint, source, str(data.game))
        progress.ended(card, "stopped early" if checkpoint.stopped else "done")
        return card


def _check_same(
    plan: TrainingPlan, source: dict[str, Any], earlier: Checkpoint, folder: Path
) -> None:
    differences = plan.differences(earlier.plan)
    differences += [
        f"{key}={earlier.source[key]}" for key, value in source.items()
        if key in earlier.source and earlier.source[key] != value
    ]
    if differences:
        raise ModelError(
            f"{folder} holds a training run with {', '.join(differences)}; choose another "
            "folder, or the same settings to continue it"
        )


class _Run:
    """A network in training, in this process."""

    def __init__(
        self, plan: TrainingPlan, encoder: Any, training: Any, held_out: Any,
        batches: BatchSource, folder: Path, progress: Progress,
    ) -> None:
        # Everything that needs Keras is imported here: a mistake in the settings shows at once.
        from engines.learning.networks import backend
        from engines.learning.networks.architectures import build_network, flops
        from engines.learning.networks.optimizers import make_optimizer, policy_loss

        self._plan, self._encoder, self._folder = plan, encoder, folder
        self._training, self._held_out = training, held_out
        self._batches, self._progress = batches, progress
        self._build, self._backend = build_network, backend
        self.checkpoint: Checkpoint | None = None
        self._steps = -(-training.n_positions // plan.batch_size)
        self._gpu = backend.gpu_name()
        precision = backend.use_precision(plan.precision)
        backend.keras.utils.clear_session()
        backend.make_repeatable(plan.seed)
        self._network = build_network(plan.network, encoder, plan.value_head)
        keras = backend.keras
        losses = {"policy": policy_loss(plan.loss)}
        metrics = {"policy": [
            keras.metrics.CategoricalCrossentropy(name="cross_entropy", from_logits=True),
            keras.metrics.CategoricalAccuracy(name="accuracy"),
        ]}
        weights = {"policy": 1.0}
        if plan.value_head:
            losses["value"] = "mean_squared_error"
            metrics["value"] = [keras.metrics.MeanSquaredError(name="mse")]
            weights["value"] = plan.value_weight
        optimizer = make_optimizer(plan.optimizer, plan.schedule, plan.epochs, self._steps)
        optimizer.build(self._network.trainable_variables)
        self._network.compile(
            optimizer, loss=losses, loss_weights=weights, weighted_metrics=metrics,
            # XLA compiles again for the last, smaller batch; on a CPU that is never won back.
            jit_compile="auto" if self._gpu else False,
        )
        progress.started([
            f"network   {plan.network}: {self._network.count_params():,} weights, "
            f"{flops(self._network) / 1e6:.1f} million operations a position, {precision}"
            f"{', on ' + self._gpu if self._gpu else ''}",
            f"data      {training.n_games:,} games, {training.n_positions:,} positions; held out: "
            f"{held_out.n_games:,} games, {held_out.n_positions:,} positions",
            f"training  {plan.optimizer}, {plan.schedule}, batches of {plan.batch_size}, "
            f"at most {plan.epochs} epochs, seed {plan.seed}",
        ])

    def _state(self) -> list[Any]:
        """All variables that the rest of the run depends on, generators of dropout included."""
        return [*self._network.variables, *self._network.optimizer.variables]

    def train(self, earlier: Checkpoint | None, source: dict[str, Any]) -> Checkpoint:
        """The epochs that are missing. Returns the last checkpoint."""
        plan = self._plan
        folder = self._folder / "training"
        checkpoint = earlier or Checkpoint.new(dataclasses.asdict(plan), source)
        if earlier is not None:
            checkpoint.restore(self._state(), folder)
            checkpoint.stopped = False
        self.checkpoint = checkpoint
        curves = Curves(folder, checkpoint.history)
        while checkpoint.epoch < plan.epochs and not self._out_of_patience(checkpoint):
            row = self._one_epoch(checkpoint.epoch + 1)
            found = dataclasses.replace(checkpoint, epoch=checkpoint.epoch + 1)
            found.history = [*checkpoint.history, row]
            found.state = [np.asarray(variable) for variable in self._state()]
            best = checkpoint.best_loss
            if best is None or row["test_cross_entropy"] < best - _SMALLEST_GAIN:
                found.best_epoch, found.best_loss = found.epoch, row["test_cross_entropy"]
                found.best = self._network.get_weights()
            found.stopped = self._out_of_patience(found)
            write_checkpoint(folder, found)
            self.checkpoint = checkpoint = found
            curves.add(row)
            self._progress.epoch(row, plan.epochs)
        return checkpoint

    def _out_of_patience(self, checkpoint: Checkpoint) -> bool:
        patience = self._plan.patience
        return bool(patience) and checkpoint.epoch - checkpoint.best_epoch >= patience

    def _one_epoch(self, epoch: int) -> dict[str, float]:
        plan, network = self._plan, self._network
        wall, cpu = time.perf_counter(), time.process_time()
        means = _Means()
        positions = 0
        for done, batch in enumerate(self._stream(self._training, epoch, True), 1):
            means.add(self._on_batch(network.train_on_batch, batch), batch)
            positions += len(batch.planes)
            rate = positions / (time.perf_counter() - wall)
            left = max(0, (self._steps * (plan.epochs - epoch + 1) - done)) * plan.batch_size / rate
            self._progress.step(epoch, done, self._steps, rate, left)
        row: dict[str, float] = {"epoch": epoch, **means.named("")}
        trained = time.perf_counter() - wall
        means = _Means()
        for batch in self._stream(self._held_out, 0, False):
            means.add(self._on_batch(network.test_on_batch, batch), batch)
        row |= means.named("test_")
        row["learning_rate"] = float(network.optimizer.learning_rate)
        row["positions_per_second"] = round(positions / trained, 1)
        row["wall_seconds"] = time.perf_counter() - wall
        row["cpu_seconds"] = time.process_time() - cpu
        row["gpu_seconds"] = row["wall_seconds"] if self._gpu else 0.0
        return row

    def _stream(self, part: Any, epoch: int, training: bool) -> Iterator[Any]:
        plan = self._plan
        return self._batches(
            part, self._encoder, plan.batch_size, plan.seed, epoch,
            symmetries=plan.symmetries and training, shuffle=training, targets=plan.targets,
        )

    def _on_batch(self, step: Callable[..., dict[str, Any]], batch: Any) -> dict[str, Any]:
        """What a step of training or testing says of this batch alone."""
        targets, weights = {"policy": batch.policies}, {"policy": batch.policy_weights}
        if self._plan.value_head:
            targets["value"] = batch.values[:, None]
            weights["value"] = np.ones_like(batch.values)
        self._network.reset_metrics()  # some versions of Keras go on counting, some do not
        return step(batch.planes, targets, weights, return_dict=True)

    def write_model(self, checkpoint: Checkpoint, source: dict[str, Any], game: str) -> Card:
        """Write the network of the best epoch, in float32, with its card."""
        from engines.learning.networks.store import save_model

        plan = self._plan
        self._backend.use_precision("float32")
        network = self._build(plan.network, self._encoder, plan.value_head)
        network.set_weights(checkpoint.best)
        rows = checkpoint.history
        best = rows[checkpoint.best_epoch - 1]
        totals = {
            name: round(sum(row[name] for row in rows), 1)
            for name in ("cpu_seconds", "gpu_seconds", "wall_seconds")
        }
        measured = {key: value for key, value in best.items() if key not in _NOT_ACCURACY}
        return save_model(self._folder, network, Card(
            name=plan.name, game=game, encoder=plan.encoder, network=plan.network,
            value_head=bool(plan.value_head), shape=tuple(self._encoder.shape),
            num_actions=self._encoder.num_actions,
            training={
                "method": "supervised", "data": source, "settings": dataclasses.asdict(plan),
                "seed": plan.seed, "epochs": checkpoint.epoch, "best_epoch": checkpoint.best_epoch,
                "gpu": self._gpu, **totals,
            },
            accuracy={
                part: {
                    key.removeprefix("test_"): value for key, value in measured.items()
                    if key.startswith("test_") == (part == "test")
                } for part in ("train", "test")
            },
        ))


_NOT_ACCURACY = {
    "epoch", "learning_rate", "positions_per_second", "wall_seconds", "cpu_seconds", "gpu_seconds",
}


class _Means:
    """Means over an epoch of what Keras says of each batch.

    Of the policy only where it counts (`policy_weights`); of the rest over all positions. Names
    do not depend on how many outputs the network has.
    """

    _OF_POLICY = ("cross_entropy", "accuracy")

    def __init__(self) -> None:
        self._sums: dict[str, float] = {}
        self._counts: dict[str, float] = {}

    def add(self, found: dict[str, Any], batch: Any) -> None:
        """Count a batch."""
        for key, value in found.items():
            name = key if key == "policy_loss" else key.removeprefix("policy_")
            policy = name in self._OF_POLICY
            weight = float(batch.policy_weights.sum()) if policy else len(batch.values)
            self._sums[name] = self._sums.get(name, 0.0) + weight * float(value)
            self._counts[name] = self._counts.get(name, 0.0) + weight

    def named(self, prefix: str) -> dict[str, float]:
        """The means, in a fixed order."""
        return {
            f"{prefix}{name}": self._sums[name] / max(self._counts[name], 1e-9)
            for name in ("loss", *self._OF_POLICY, "value_mse") if name in self._sums
        }
