"""Losses: how wrong predictions are, and the delta with which backpropagation begins."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from engines.learning.from_scratch.layers import Floats


class Loss(ABC):
    """A measure of error; losses of samples are averaged, so that no size of batch matters."""

    @abstractmethod
    def value(self, outputs: Floats, labels: Floats) -> float:
        """The mean loss of float64[samples, outputs] against labels of that shape."""

    @abstractmethod
    def delta(self, outputs: Floats, labels: Floats) -> Floats:
        """The derivative of `value` with respect to the outputs."""


class MeanSquaredError(Loss):
    """Half the squared distance of a sample from its label."""

    def value(self, outputs: Floats, labels: Floats) -> float:
        return float(0.5 * ((outputs - labels) ** 2).sum() / len(outputs))

    def delta(self, outputs: Floats, labels: Floats) -> Floats:
        return (outputs - labels) / len(outputs)


class CrossEntropy(Loss):
    """-log of the probability given to the label; outputs are logits, softmax is inside.

    Taken together, the two have the simplest derivative there is, probabilities minus labels,
    which stays large as long as the prediction is wrong. That of the squared error of a
    sigmoid fades where the network is surely wrong (chapter 6).
    """

    def value(self, outputs: Floats, labels: Floats) -> float:
        return float(-(labels * _log_softmax(outputs)).sum() / len(outputs))

    def delta(self, outputs: Floats, labels: Floats) -> Floats:
        return (np.exp(_log_softmax(outputs)) - labels) / len(outputs)


def _log_softmax(logits: Floats) -> Floats:
    logits = logits - logits.max(axis=1, keepdims=True)  # changes nothing, and cannot overflow
    return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
