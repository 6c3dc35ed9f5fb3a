"""Layers: functions with parameters, and how an error travels back through them.

A mini-batch is a matrix with a row for each sample. In the forward pass each layer turns it
into another one. In the backward pass the *delta* goes the other way: the derivative of the
loss with respect to the layer's output comes in, the derivative with respect to its input goes out,
and the layer stores the derivatives for its own parameters. All of backpropagation is that, layer
by layer: the chain rule read from right to left (appendix B).
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

Floats = np.ndarray  # float64 throughout: the check of the gradients needs the digits


class Layer(ABC):
    """One step of a network.

    Attributes:
        parameters: arrays that training changes, in place; may be empty.
        gradients: of the loss with respect to them, written by `backward`, in the same order.
    """

    parameters: tuple[Floats, ...] = ()
    gradients: tuple[Floats, ...] = ()

    @abstractmethod
    def forward(self, inputs: Floats) -> Floats:
        """The output, float64[samples, outputs], for float64[samples, inputs]; keeps what
        `backward` needs."""

    @abstractmethod
    def backward(self, delta: Floats) -> Floats:
        """Send an error back through the layer, after `forward` with the same samples.

        Takes float64[samples, outputs], derivatives of the loss with respect to the output, and
        gives float64[samples, inputs], those with respect to the input.
        """


class Dense(Layer):
    """Every output is a weighted sum of all inputs, plus a bias: x W + b.

    Args:
        inputs, outputs: numbers of each.
        rng: draws the weights.
        scale: standard deviation of the weights. By default 1 / sqrt(inputs), which keeps
            the sums about as large as the inputs. With a standard deviation of 1, as in the
            book, the sigmoids of a wide layer start so far out that their slope is nearly 0.
    """

    def __init__(
        self, inputs: int, outputs: int, rng: np.random.Generator, scale: float | None = None
    ) -> None:
        scale = inputs**-0.5 if scale is None else scale
        self.weights = scale * rng.standard_normal((inputs, outputs))
        self.biases = np.zeros(outputs)
        self.parameters = (self.weights, self.biases)

    def forward(self, inputs: Floats) -> Floats:
        self._inputs = inputs
        return inputs @ self.weights + self.biases

    def backward(self, delta: Floats) -> Floats:
        # d loss / d W[i, j] = x[i] * delta[j], with the delta that has come in, not the one
        # that goes out (where appendix B slips); the product sums over the samples.
        self.gradients = (self._inputs.T @ delta, delta.sum(axis=0))
        return delta @ self.weights.T


class Sigmoid(Layer):
    """1 / (1 + exp(-x)) of every number: between 0 and 1, steepest at x = 0."""

    def forward(self, inputs: Floats) -> Floats:
        # The same function; exp of a large number would overflow, tanh does not.
        self._outputs = 0.5 * (1 + np.tanh(0.5 * inputs))
        return self._outputs

    def backward(self, delta: Floats) -> Floats:
        return delta * self._outputs * (1 - self._outputs)


class ReLU(Layer):
    """x where it is positive, else 0 (chapter 6): its slope does not fade for large x."""

    def forward(self, inputs: Floats) -> Floats:
        self._positive = inputs > 0
        return inputs * self._positive

    def backward(self, delta: Floats) -> Floats:
        return delta * self._positive
