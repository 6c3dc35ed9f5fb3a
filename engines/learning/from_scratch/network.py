"""A sequence of layers, trained by stochastic gradient descent (chapter 5).

    rng = np.random.default_rng(1)
    network = Network([Dense(64, 30, rng), Sigmoid(), Dense(30, 10, rng)], CrossEntropy())
    for epoch in network.train(images, one_hot(digits, 10), epochs=10, batch=10, rate=0.5,
                               rng=rng): ...
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from engines.learning.from_scratch.layers import Floats, Layer
from engines.learning.from_scratch.losses import Loss, MeanSquaredError


class Network:
    """A sequence of layers: each takes the output of the one before it."""

    def __init__(self, layers: Sequence[Layer], loss: Loss | None = None) -> None:
        self.layers = list(layers)
        self.loss = loss or MeanSquaredError()

    def forward(self, inputs: Floats) -> Floats:
        """The outputs, float64[samples, outputs]."""
        for layer in self.layers:
            inputs = layer.forward(inputs)
        return inputs

    def backward(self, delta: Floats) -> None:
        """Set the gradients of all layers; `delta` is the derivative of the loss by the outputs."""
        for layer in reversed(self.layers):
            delta = layer.backward(delta)

    def train(
        self, inputs: Floats, labels: Floats, *, epochs: int, batch: int, rate: float,
        rng: np.random.Generator,
    ) -> Iterator[float]:
        """Stochastic gradient descent; yields the mean loss of each epoch.

        Args:
            inputs: float64[samples, inputs].
            labels: float64[samples, outputs].
            epochs: how often each sample is used.
            batch: number of samples in a step.
            rate: the learning rate.
            rng: shuffles the samples before each epoch.
        """
        for _ in range(epochs):
            order = rng.permutation(len(inputs))
            total = 0.0
            for start in range(0, len(order), batch):
                indices = order[start : start + batch]
                total += len(indices) * self.step(inputs[indices], labels[indices], rate)
            yield total / len(order)

    def step(self, inputs: Floats, labels: Floats, rate: float) -> float:
        """One step of gradient descent on a mini-batch; returns its loss before the step."""
        outputs = self.forward(inputs)
        self.backward(self.loss.delta(outputs, labels))
        for layer in self.layers:
            for parameter, gradient in zip(layer.parameters, layer.gradients, strict=True):
                parameter -= rate * gradient
        return self.loss.value(outputs, labels)

    def accuracy(self, inputs: Floats, classes: np.ndarray) -> float:
        """The share of samples whose largest output is their class; `classes` is int[samples]."""
        return float((self.forward(inputs).argmax(axis=1) == classes).mean())


def one_hot(classes: np.ndarray, n: int) -> Floats:
    """Labels float64[samples, n], 1 at the class and else 0, for classes int[samples]."""
    return np.eye(n)[classes]
