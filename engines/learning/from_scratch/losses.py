"""Losses: the error of predictions, and the delta that starts backpropagation."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from engines.learning.from_scratch.layers import Floats


class Loss(ABC):
    """A measure of error, averaged over samples: its size does not depend on the batch."""

    @abstractmethod
    def value(self, outputs: Floats, labels: Floats) -> float:
        """The mean loss of outputs, float64[samples, outputs]; labels have the same shape."""

    @abstractmethod
    def delta(self, outputs: Floats, labels: Floats) -> Floats:
        """The derivative of `value` with respect to the outputs."""


class MeanSquaredError(Loss):
    """Half the squared distance of the output from the label."""

    def value(self, outputs: Floats, labels: Floats) -> float:
        return float(0.5 * ((outputs - labels) ** 2).sum() / len(outputs))

    def delta(self, outputs: Floats, labels: Floats) -> Floats:
        return (outputs - labels) / len(outputs)


class CrossEntropy(Loss):
    """-log of the label's probability. Outputs are logits; softmax is part of the loss.

    The derivative is probabilities minus labels. It stays large as long as the prediction is
    wrong. The derivative of squared error behind a sigmoid is nearly 0 where the network is surely
    wrong (chapter 6).
    """

    def value(self, outputs: Floats, labels: Floats) -> float:
        return float(-(labels * log_softmax(outputs)).sum() / len(outputs))

    def delta(self, outputs: Floats, labels: Floats) -> Floats:
        return (np.exp(log_softmax(outputs)) - labels) / len(outputs)


def log_softmax(logits: Floats) -> Floats:
    """The logarithm of exp(logits), divided by its sum in each row."""
    logits = logits - logits.max(axis=1, keepdims=True)  # the same softmax, without overflow
    return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
