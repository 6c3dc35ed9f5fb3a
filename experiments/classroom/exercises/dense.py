"""A dense layer and its gradient (chapter 5).

Forward, a layer gets a batch x, float array [batch, inputs], and returns y = x @ w + b,
[batch, outputs]. Backward, it gets the gradient of the loss by its outputs, [batch, outputs], and
returns the gradients by its inputs, weights and biases. The loss is a sum over the batch.
"""

from __future__ import annotations

import numpy as np


def forward(x: np.ndarray, w: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The outputs. w: [inputs, outputs]. b: [outputs]."""
    ### BEGIN SOLUTION
    return x @ w + b
    ### END SOLUTION


def backward(
    x: np.ndarray, w: np.ndarray, gradient: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The gradients by x, by w and by b, in the shapes of x, w and b.

    Args:
        gradient: by the outputs, [batch, outputs].
    """
    ### BEGIN SOLUTION
    return gradient @ w.T, x.T @ gradient, gradient.sum(axis=0)
    ### END SOLUTION


def sigmoid_backward(y: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    """The gradient by the inputs of a sigmoid, given its OUTPUTS y = 1 / (1 + exp(-x))."""
    ### BEGIN SOLUTION
    return gradient * y * (1 - y)
    ### END SOLUTION


### BEGIN HIDDEN TESTS
from experiments.classroom.checks import agrees

_rng = np.random.default_rng(5)
X, W, B, G = (_rng.normal(size=shape) for shape in ((4, 3), (3, 2), (2,), (4, 2)))
_SLOPE = "Change one number by 0.000001: how much does the loss change? Check the shapes."
CHECKS = [
    agrees("Outputs are x @ w + b, for every row of the batch", forward, [(X, W, B), (X[:1], W, B)],
           "See the formula.", points=2, shown="x, w [3, 2], b [2]"),
    agrees("The gradient by the inputs", backward, [(X, W, G)], _SLOPE, 2, "x, w, gradient", 0),
    agrees("The gradient by the weights is summed over the batch", backward,
           [(X, W, G), (X[:1], W, G[:1])], _SLOPE, 2, "x, w, gradient", 1),
    agrees("The gradient by the biases is summed over the batch", backward, [(X, W, G)], _SLOPE, 2,
           "x, w, gradient", 2),
    agrees("The sigmoid's slope is largest in the middle", sigmoid_backward,
           [(1 / (1 + np.exp(-X)), X + 1)],
           "What is the slope of the curve at y = 0.5 and at y = 0.99?", points=2,
           shown="y, gradient"),
]
PLANTED = {
    "no biases": ("return x @ w + b", "return x @ w"),
    "the mean of the batch": ("x.T @ gradient,", "x.T @ gradient / len(x),"),
    "biases are not summed": ("gradient.sum(axis=0)", "gradient[0]"),
    "biases summed over outputs": ("gradient.sum(axis=0)", "gradient.sum(axis=1)"),
    "weights not turned": ("gradient @ w.T", "gradient @ w.reshape(2, 3)"),
    "the slope of the input": ("gradient * y * (1 - y)", "gradient * y"),
}
### END HIDDEN TESTS
