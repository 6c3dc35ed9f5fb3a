"""Optimisers, learning-rate schedules and losses of chapters 6 and 7, in Keras 3.

    make_optimizer("momentum:lr=0.05", "cosine", epochs=20, steps_per_epoch=312)

Names and options are in `catalog.py`.
"""

from __future__ import annotations

from typing import Any

from engines.learning.networks import catalog
from engines.learning.networks.backend import keras

# In boards: up to this size an error of the score counts by its square, then linearly. So games in
# which a whole side is captured do not dominate the others.
SCORE_DELTA = 0.1


def make_optimizer(
    optimizer: str, schedule: str, epochs: int, steps_per_epoch: int
) -> keras.optimizers.Optimizer:
    """The optimiser, its rate following the schedule. Raises SpecError for an unknown optimiser,
    schedule or option."""
    name, settings = catalog.parse("optimizer", catalog.OPTIMIZERS, optimizer)
    rate = schedule_of(settings.pop("lr"), schedule, epochs, steps_per_epoch)
    kind = {
        "sgd": keras.optimizers.SGD, "momentum": keras.optimizers.SGD,
        "adagrad": keras.optimizers.Adagrad, "adadelta": keras.optimizers.Adadelta,
        "adam": keras.optimizers.Adam,
    }[name]
    return kind(learning_rate=rate, **settings)


def schedule_of(rate: float, schedule: str, epochs: int, steps_per_epoch: int) -> Any:
    """The rate, or the rate by the number of steps."""
    name, settings = catalog.parse("schedule", catalog.SCHEDULES, schedule)
    schedules = keras.optimizers.schedules
    if name == "decay":
        return schedules.InverseTimeDecay(rate, 1, settings["decay"])
    if name == "steps":
        return schedules.ExponentialDecay(
            rate, settings["every"] * steps_per_epoch, settings["factor"], staircase=True
        )
    if name == "cosine":
        return schedules.CosineDecay(rate, epochs * steps_per_epoch, alpha=settings["floor"])
    return rate


def head_loss(head: str, policy_loss: str = "cross-entropy") -> Any:
    """The loss of a head: `policy_loss` for policies, else the squared error (a mean over cells).

    The score has Huber's loss, scaled: about the absolute error in boards where the error is large.
    """
    return {
        "policy": _policy_loss(policy_loss), "ownership": _cells_squared, "score": _score_huber,
    }.get(head, "mean_squared_error")


def _policy_loss(name: str) -> Any:
    """The loss of logits: `cross-entropy` of the softmax (chapter 6.5), or `mse`, the mean squared
    error of each logit's sigmoid, as the first networks of chapter 6 are trained."""
    if name == "mse":
        return _sigmoid_mse
    return keras.losses.CategoricalCrossentropy(from_logits=True, name="cross_entropy")


def _sigmoid_mse(target: Any, logits: Any) -> Any:
    return keras.ops.mean(keras.ops.square(target - keras.ops.sigmoid(logits)), axis=-1)

def _cells_squared(target: Any, answer: Any) -> Any:
    return keras.ops.mean(keras.ops.square(target - answer), axis=(1, 2))


def _score_huber(target: Any, answer: Any) -> Any:
    return keras.losses.huber(target, answer, SCORE_DELTA) / SCORE_DELTA
