"""Losses of policies that learn from the results of their own moves, in Keras.

A network gives logits for all actions; the policy is their softmax over the legal ones. A loss gets
for each decision: the action that was played, its advantage A, its probability p when it was
played, the legal actions. With pi the action's probability now, and r = pi / p:

    REINFORCE (Williams 1992)        -A log pi
    the same, bounded                -A log pi if A >= 0, else -A r
    clipped (Schulman et al. 2017)   -min(r A, clip(r, 1 - e, 1 + e) A)

REINFORCE's loss has no lowest value where A < 0: log pi falls without end, and so may the logits as
long as one keeps learning from the same moves. That is the fault of the book's listing 10.5, with a
target of -1 in a cross-entropy. The bounded form has the same gradient where pi is still p, since
dr = r dlog pi, and fades as the move becomes rare: its lowest value is 0.

Keras hands a loss one array for each output. So `packed` puts the inputs of a loss into one array.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engines.learning.networks.backend import keras

ops = keras.ops
# Of an illegal action: small enough for a probability of 0, and no infinity, which times 0 is nan.
_NEVER = -1e9
_COLUMNS = 4  # action, advantage, probability, weight


def packed(
    actions: np.ndarray, advantages: np.ndarray, probabilities: np.ndarray, weights: np.ndarray,
    legal: np.ndarray,
) -> np.ndarray:
    """The inputs of a loss as one array: float32[n, 4 + num_actions]."""
    columns = np.stack([actions, advantages, probabilities, weights], axis=1)
    return np.concatenate([columns, legal], axis=1).astype(np.float32)


def policy_loss(
    kind: str = "bounded", clip: float = 0.2, entropy: float = 0.0, temperature: float = 1.0
) -> Callable[[Any, Any], Any]:
    """A loss for `keras.Model.compile`: of each decision, weighted.

    Args:
        kind: "reinforce", "bounded" or "clipped", see above.
        clip: e, the clipping range of the ratio.
        entropy: weight of the entropy bonus, in nats.
        temperature: temperature at which the moves were drawn.
    """
    def loss(targets: Any, logits: Any) -> Any:
        action, advantage, probability, weight, logs, nats = _terms(targets, logits, temperature)
        log_pi = ops.sum(action * logs, axis=-1)
        ratio = ops.exp(ops.minimum(log_pi - ops.log(probability), 20.0))
        if kind == "reinforce":
            losses = -advantage * log_pi
        elif kind == "bounded":
            losses = ops.where(advantage >= 0, -advantage * log_pi, -advantage * ratio)
        else:
            near = ops.clip(ratio, 1 - clip, 1 + clip)
            losses = -ops.minimum(ratio * advantage, near * advantage)
        return weight * (losses - entropy * nats)

    loss.__name__ = f"{kind}_policy_loss"
    return loss


def action_value_loss(targets: Any, values: Any) -> Any:
    """Squared error of Q for the action that was played; `packed` has the target as advantage."""
    action = ops.one_hot(ops.cast(targets[:, 0], "int32"), values.shape[-1], dtype="float32")
    error = ops.sum(action * ops.cast(values, "float32"), axis=-1) - targets[:, 1]
    return targets[:, 3] * ops.square(error)


def entropy_metric(temperature: float = 1.0) -> Callable[[Any, Any], Any]:
    """A metric: the policy's entropy in nats."""
    def nats(targets: Any, logits: Any) -> Any:
        *_, weight, _, entropy = _terms(targets, logits, temperature)
        return weight * entropy

    nats.__name__ = "entropy"
    return nats


def moved_metric(temperature: float = 1.0) -> Callable[[Any, Any], Any]:
    """A metric: the distance of the policy from the one that played.

    Mean of (r - 1) - log r, which is never negative and estimates the Kullback-Leibler divergence
    in nats (Schulman 2020, "Approximating KL divergence").
    """
    def kl(targets: Any, logits: Any) -> Any:
        action, _, probability, weight, logs, _ = _terms(targets, logits, temperature)
        step = ops.minimum(ops.sum(action * logs, axis=-1) - ops.log(probability), 20.0)
        return weight * (ops.exp(step) - 1 - step)

    kl.__name__ = "kl"
    return kl


def _terms(targets: Any, logits: Any, temperature: float) -> tuple[Any, ...]:
    """One-hot action, advantage, probability, weight, log-probabilities, entropy."""
    action = ops.one_hot(ops.cast(targets[:, 0], "int32"), logits.shape[-1], dtype="float32")
    legal = targets[:, _COLUMNS:]
    logits = ops.cast(logits, "float32") / temperature
    logs = ops.log_softmax(ops.where(legal > 0, logits, _NEVER), axis=-1)
    # Illegal actions have a probability of 0; its product with their logarithm is to be 0.
    nats = -ops.sum(ops.exp(logs) * ops.where(legal > 0, logs, 0.0), axis=-1)
    return action, targets[:, 1], targets[:, 2], targets[:, 3], logs, nats
