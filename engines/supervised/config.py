"""The configuration of supervised learning: architecture, optimizer, targets; all except the
data."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dlgo.errors import SpecError
from engines.learning.networks import catalog
from engines.learning.settings import AUTO, RunConfig, cpu_minutes_setting, curves_setting, setting

_SMALLEST_GAIN = 1e-4  # of the held-out loss; less does not count as getting better


@dataclass(frozen=True)
class SupervisedConfig(RunConfig):
    """All settings that determine the result, besides the data."""

    owner = "train supervised"

    name: str = setting(None, "name of the model on its card; default: the folder's name")
    encoder: str = setting(None, "input encoding; default: the game's default encoder")
    network: str = setting(
        "resnet", "network architecture, such as cnn or resnet:blocks=4,filters=64")
    value_head: bool | None = setting(
        None, "also predict the results; default: as the architecture does", kind=bool)
    optimizer: str = setting(
        "adam", "optimizer and its learning rate, such as momentum:lr=0.05; one of sgd, momentum, "
        "adagrad, adadelta, adam")
    schedule: str = setting(
        "constant", "learning rate schedule: constant, decay (the book's), steps or cosine")
    loss: str = setting(
        "cross-entropy", "loss of the policy; mse: squared error of sigmoids, as in chapter 6",
        choices=("cross-entropy", "mse"))
    value_weight: float = setting(
        1.0, "weight of the value's squared error in the loss", low=0, high=1000)
    epochs: int = setting(10, "maximum number of epochs", low=1, high=100_000)
    cpu_minutes: float = cpu_minutes_setting()
    patience: int = setting(
        0, "stop after this many epochs without a lower held-out loss; 0: never", low=0)
    batch_size: int = setting(128, "positions per training step", low=1, high=1_000_000)
    test: float = setting(0.1, "share of the games to hold out", low=0.001, high=0.9)
    games: int | None = setting(
        None, "number of training games to use; default: all", kind=int, low=1)
    symmetries: bool = setting(False, "show each position under a random symmetry of the board")
    targets: str = setting(
        "move", "policy target; move: the chosen move; policy: the engine's policy over all moves",
        choices=("move", "policy"))
    precision: str = setting(
        AUTO, "number format of training; mixed: bfloat16 with float32 weights; auto: mixed on a "
        "GPU",
        choices=(AUTO, "float32", "mixed"))
    seed: int = setting(1, "seed of all random numbers")
    curves: bool = curves_setting()
    policy_head: bool = setting(
        True, "predict the moves; no: only the results, as AlphaGo's value network does")

    def check(self) -> None:
        """Raise SpecError if there is nothing to learn."""
        super().check()
        if not self.policy_head and not self.value_head:
            raise SpecError(f"{self.owner}: with --no-policy the network predicts only the "
                            "results; add --value")

    def canonical(self) -> SupervisedConfig:
        """The same with canonical specifications. Raises SpecError for a bad setting."""
        self.check()
        name, _ = catalog.parse("network", catalog.NETWORKS, self.network)
        head = self.value_head
        return dataclasses.replace(
            self,
            network=catalog.canonical("network", catalog.NETWORKS, self.network),
            optimizer=catalog.canonical("optimizer", catalog.OPTIMIZERS, self.optimizer),
            schedule=catalog.canonical("schedule", catalog.SCHEDULES, self.schedule),
            value_head="value" in catalog.NETWORKS[name].heads if head is None else head,
        )

    @property
    def heads(self) -> tuple[str, ...]:
        """The heads of the network."""
        return ("policy",) * self.policy_head + ("value",) * bool(self.value_head)

    @property
    def iterations(self) -> int:  # type: ignore[override]  # a field elsewhere
        """Epochs, at most."""
        return self.epochs

    def changeable(self) -> set[str]:
        """More epochs are allowed where the learning rate does not depend on their number."""
        return {"name", "patience", "curves"} | (
            set() if self.schedule.startswith("cosine") else {"epochs", "cpu_minutes"}
        )

    def finished(self, history: Sequence[Mapping[str, float]]) -> bool:
        """Whether all epochs are done, or the last ones have not helped."""
        out_of_patience = 0 < self.patience <= len(history) - best_epoch(history)
        return out_of_patience or super().finished(history)


def best_epoch(history: Sequence[Mapping[str, float]]) -> int:
    """The epoch with the lowest held-out loss of the policy (where only results are learned, the
    lowest error of the value); 0 before the first one."""
    best, lowest = 0, math.inf
    for epoch, row in enumerate(history, 1):
        loss = row["test_cross_entropy" if "test_cross_entropy" in row else "test_value_mse"]
        if loss < lowest - _SMALLEST_GAIN:
            best, lowest = epoch, loss
    return best
