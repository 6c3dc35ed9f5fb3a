"""A dense layer and its gradient (chapter 5).

A layer gets a batch x, float array [batch, inputs], and gives y = x @ w + b, [batch, outputs].
Backwards, it gets the gradient of the loss by each output, [batch, outputs], and gives those by its
inputs, its weights and its biases. The loss is a sum over the batch.
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
from experiments.classroom.checks import HandIn, check, require

_rng = np.random.default_rng(5)
X, W, B, G = (_rng.normal(size=shape) for shape in ((4, 3), (3, 2), (2,), (4, 2)))


@check("Outputs are x @ w + b, for every row of the batch", points=2)
def outputs(hand_in: HandIn) -> None:
    for x in (X, X[:1]):
        hand_in.expect("forward", x, W, B, near=forward(x, W, B), hint="See the formula.",
                       shown=f"x {list(x.shape)}, w [3, 2], b [2]")


def _part(hand_in: HandIn, number: int, name: str, x: np.ndarray, gradient: np.ndarray) -> None:
    answer = hand_in.call("backward", x, W, gradient)
    require(isinstance(answer, list | tuple) and len(answer) == 3, "Three arrays are wanted.")
    wanted, given = backward(x, W, gradient)[number], np.asarray(answer[number], dtype=float)
    require(given.shape == wanted.shape, f"The gradient by {name} has the shape "
            f"{list(given.shape)}; that of {name} is {list(wanted.shape)}.")
    require(np.allclose(given, wanted), f"The gradient by {name} is wrong. Change one number of "
            f"{name} by 0.000001: how much does the loss change?")


@check("The gradient by the inputs", points=2)
def by_inputs(hand_in: HandIn) -> None:
    _part(hand_in, 0, "x", X, G)


@check("The gradient by the weights is summed over the batch", points=2)
def by_weights(hand_in: HandIn) -> None:
    _part(hand_in, 1, "w", X, G)
    _part(hand_in, 1, "w", X[:1], G[:1])


@check("The gradient by the biases is summed over the batch", points=2)
def by_biases(hand_in: HandIn) -> None:
    _part(hand_in, 2, "b", X, G)


@check("The sigmoid's slope is largest in the middle", points=2)
def sigmoid(hand_in: HandIn) -> None:
    y = 1 / (1 + np.exp(-X))
    hand_in.expect("sigmoid_backward", y, X + 1, near=sigmoid_backward(y, X + 1),
                   shown="y, gradient", hint="Which slope has the curve at y = 0.5, and at 0.99?")


PLANTED = {
    "no biases": ("return x @ w + b", "return x @ w"),
    "the mean of the batch": ("x.T @ gradient,", "x.T @ gradient / len(x),"),
    "biases are not summed": ("gradient.sum(axis=0)", "gradient[0]"),
    "biases summed over outputs": ("gradient.sum(axis=0)", "gradient.sum(axis=1)"),
    "weights not turned": ("gradient @ w.T", "gradient @ w.reshape(2, 3)"),
    "the slope of the input": ("gradient * y * (1 - y)", "gradient * y"),
}
### END HIDDEN TESTS
