"""A dense layer and its gradient (chapter 5).

The forward pass gets a batch x, float array [batch, inputs], and returns y = x @ w + b, float array
[batch, outputs]. The backward pass gets the gradient of the loss with respect to y, and returns the
gradients of the loss with respect to x, w and b. The loss is a sum over the batch.
"""

from __future__ import annotations

import numpy as np


def forward(x: np.ndarray, w: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The outputs. w: [inputs, outputs]. b: [outputs].

    >>> forward(np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]), np.array([0.5]))
    [[11.5]]
    >>> forward(np.array([[1.0, 2.0]]), np.array([[1.0, 0.0], [0.0, -1.0]]), np.array([0.0, 0.0]))
    [[1.0, -2.0]]
    >>> forward(np.array([[1.0], [2.0]]), np.array([[10.0, 0.0]]), np.array([0.0, 7.0]))
    [[10.0, 7.0], [20.0, 7.0]]
    """
    ### BEGIN SOLUTION
    return x @ w + b
    ### END SOLUTION


def backward(
    x: np.ndarray, w: np.ndarray, gradient: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The gradients with respect to x, w and b, in the shapes of x, w and b.

    Args:
        gradient: with respect to the outputs, [batch, outputs].

    >>> backward(np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]), np.array([[1.0]]))
    ([[3.0, 4.0]], [[1.0], [2.0]], [1.0])
    >>> backward(np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]), np.array([[-2.0]]))
    ([[-6.0, -8.0]], [[-2.0], [-4.0]], [-2.0])
    >>> backward(np.array([[1.0], [2.0]]), np.array([[10.0, 0.0]]), np.array([[1.0, 0], [0, 3.0]]))
    ([[10.0], [0.0]], [[1.0, 6.0]], [1.0, 3.0])
    """
    ### BEGIN SOLUTION
    return gradient @ w.T, x.T @ gradient, gradient.sum(axis=0)
    ### END SOLUTION


def sigmoid_backward(y: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    """The gradient with respect to the inputs x of a sigmoid, given its OUTPUTS y.

    Args:
        y: 1 / (1 + exp(-x)), from 0 to 1, [batch, outputs].
        gradient: with respect to y, [batch, outputs].

    >>> sigmoid_backward(np.array([[0.5]]), np.array([[1.0]]))
    [[0.25]]
    >>> sigmoid_backward(np.array([[0.9, 0.1]]), np.array([[2.0, -1.0]]))
    [[0.18, -0.09]]
    >>> sigmoid_backward(np.array([[0.5], [1.0]]), np.array([[4.0], [4.0]]))
    [[1.0], [0.0]]
    """
    ### BEGIN SOLUTION
    return gradient * y * (1 - y)
    ### END SOLUTION


### BEGIN HIDDEN TESTS
from experiments.classroom.checks import agrees, one_replaced

_rng = np.random.default_rng(5)


def _layer(*sizes):
    """x, w, b and gradient for a batch, inputs and outputs."""
    batch, inputs, outputs = sizes
    shapes = (batch, inputs), (inputs, outputs), (outputs,), (batch, outputs)
    return [_rng.normal(size=shape) for shape in shapes]


# The first layer is small enough to compute by hand.
SMALL = ([[1, 2], [0, 3], [-1, 0]], [[2, -1], [1, 0]], [10, 20], [[1, 0], [-2, 1], [0, 3]])
LAYERS = [[np.array(numbers, np.float64) for numbers in SMALL], *(_layer(*sizes) for sizes in (
    (4, 3, 2), (4, 3, 2), (1, 3, 2), (7, 4, 4), (5, 2, 6), (2, 1, 1),
    # The batch is as large as the inputs, or the outputs, or both; a layer is large.
    (1, 1, 1), (3, 3, 2), (3, 2, 3), (2, 2, 2), (4, 4, 4), (4, 4, 4), (32, 20, 10)))]
# Large numbers.
LAYERS.append([1000 * part for part in _layer(3, 4, 5)])
X, _, _, GRADIENT = LAYERS[4]
Y = 1 / (1 + np.exp(-X))
_SLOPE = "Change one number by 0.000001: how much does the loss change? Check the shapes."
_BACKWARD = [(x, w, gradient) for x, w, _, gradient in LAYERS]
_BACKWARD += one_replaced(_BACKWARD[1], _BACKWARD[2])
CHECKS = [
    agrees("Outputs are x @ w + b, for every row of the batch", forward,
           [*((x, w, b) for x, w, b, _ in LAYERS), *one_replaced(LAYERS[1][:3], LAYERS[2][:3])],
           "See the formula.", points=2),
    *(agrees(f"The gradient with respect to the {title}", backward, _BACKWARD, _SLOPE, 2, part=part)
      for part, title in enumerate(("inputs", "weights is summed over the batch",
                                    "biases is summed over the batch"))),
    agrees("The sigmoid's slope is largest in the middle", sigmoid_backward,
           [(np.array([[0.5, 0.9, 0.2]]), np.array([[1.0, -2.0, 3.0]])),
            (np.array([[0.0, 1.0]]), np.array([[3.0, 2.0]])), (Y, GRADIENT), (Y[:1], GRADIENT[:1]),
            *((1 / (1 + np.exp(-3 * gradient[::-1])), gradient)
              for _, _, _, gradient in LAYERS[:-1]), *one_replaced((Y, GRADIENT), (Y**2, X))],
           "What is the slope of the curve at y = 0.5 and at y = 0.99?", points=2),
]
PLANTED = {
    "no biases": ("return x @ w + b", "return x @ w"),
    "the mean of the batch": ("x.T @ gradient,", "x.T @ gradient / len(x),"),
    "biases are not summed": ("gradient.sum(axis=0)", "gradient[0]"),
    "biases summed over outputs": ("gradient.sum(axis=0)", "gradient.sum(axis=1)"),
    "biases of some rows": ("gradient.sum(axis=0)", "gradient[:5].sum(axis=0)"),
    "weights not turned": ("gradient @ w.T", "gradient @ w.reshape(w.T.shape)"),
    "weights of square layers": ("gradient @ w.T", "gradient @ (w if w.shape == (4, 4) else w.T)"),
    "the slope of the input": ("gradient * y * (1 - y)", "gradient * y"),
    "no slope at the ends": ("return gradient * y * (1 - y)",
                             "x = np.log(y / (1 - y))\n"
                             "    return gradient * np.exp(-x) / (1 + np.exp(-x)) ** 2"),
    "rounded": ("return x @ w + b", "return np.round(x @ w + b, 3)"),
    "not below 0": ("return x @ w + b", "return np.maximum(x @ w + b, 0)"),
    "biases for rows": ("return x @ w + b",
                        "return x @ w + (b[:, None] if len(b) == len(x) > 1 else b)"),
    "square batches": ("x.T @ gradient,",
                       "(x if x.shape == gradient.shape == w.shape else x.T) @ gradient,"),
    "square gradients": ("gradient.sum(axis=0)",
                         "gradient.sum(axis=int(gradient.shape == (4, 4)))"),
    "at most 30 rows": ("gradient.sum(axis=0)", "gradient[:30].sum(axis=0)"),
    "a cache of shapes": ("return x @ w + b",
                          "return globals().setdefault(x.shape + w.shape, x @ w + b)"),
    "a clipped gradient": ("gradient @ w.T", "np.clip(gradient, -1, 1) @ w.T"),
    "the input is changed": ("return x @ w + b", "x[0] = 2 * x[0]\n    return x @ w / 2 + b"),
    "the gradient is changed": ("return gradient * y * (1 - y)",
                                "gradient *= y * (1 - y)\n    return gradient"),
}
### END HIDDEN TESTS
