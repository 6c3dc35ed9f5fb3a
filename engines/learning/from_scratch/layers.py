"""Layers: functions with parameters and a backward pass.

A mini-batch is a matrix with one row for each sample. Forward, each layer turns its input into an
output. Backward, it receives *delta*, the derivative of the loss with respect to its output. It
stores the derivatives with respect to its parameters and returns the derivative with respect to
its input, which is the delta of the layer before. This is backpropagation: the chain rule, applied
from the last layer to the first (appendix B).
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

Floats = np.ndarray  # float64: the check of the gradients needs the precision


class Layer(ABC):
    """One step of a network.

    Attributes:
        parameters: arrays that training changes in place; may be empty.
        gradients: derivatives of the loss with respect to them, set by `backward`.
    """

    parameters: tuple[Floats, ...] = ()
    gradients: tuple[Floats, ...] = ()

    @abstractmethod
    def forward(self, inputs: Floats) -> Floats:
        """The output, float64[samples, outputs]. Call it before `backward`."""

    @abstractmethod
    def backward(self, delta: Floats) -> Floats:
        """Set `gradients` and return the delta of the layer before; call `forward` first.

        Args:
            delta: derivative of the loss with respect to the output, float64[samples, outputs].

        Returns:
            The derivative with respect to the input, float64[samples, inputs].
        """


class Dense(Layer):
    """Each output is a weighted sum of all inputs plus a bias: x W + b.

    Args:
        inputs: number of inputs.
        outputs: number of outputs.
        rng: draws the first weights.
        scale: standard deviation of the first weights. The default, 1 / sqrt(inputs), keeps the
            sums about as large as the inputs. If it is large and the layer is wide, sigmoids
            start where their slope is nearly 0. The book takes 1.
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
        # dL / dW[i, j] = x[i] * delta[j], summed over the samples, with the
        # incoming delta, not the returned one (appendix B confuses them).
        self.gradients = (self._inputs.T @ delta, delta.sum(axis=0))
        return delta @ self.weights.T


class Sigmoid(Layer):
    """1 / (1 + exp(-x)): between 0 and 1, steepest at x = 0."""

    def forward(self, inputs: Floats) -> Floats:
        # The same function by tanh, which cannot overflow.
        self._outputs = 0.5 * (1 + np.tanh(0.5 * inputs))
        return self._outputs

    def backward(self, delta: Floats) -> Floats:
        return delta * self._outputs * (1 - self._outputs)


class ReLU(Layer):
    """x if it is positive, else 0 (chapter 6). Its slope stays 1 for large x."""

    def forward(self, inputs: Floats) -> Floats:
        self._positive = inputs > 0
        return inputs * self._positive

    def backward(self, delta: Floats) -> Floats:
        return delta * self._positive
