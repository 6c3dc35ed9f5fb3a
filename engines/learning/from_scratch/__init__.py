"""A neural network in NumPy alone, to be read (chapter 5 of the book).

    layers.py    what a layer computes, forward and backward
    losses.py    how wrong a prediction is, and in which direction
    network.py   layers in a row, trained by stochastic gradient descent
    check.py     the gradients compared with differences of the loss

For work there is Keras (`engines/learning/networks`).
"""

from engines.learning.from_scratch.layers import Dense, Layer, ReLU, Sigmoid
from engines.learning.from_scratch.losses import CrossEntropy, Loss, MeanSquaredError
from engines.learning.from_scratch.network import Network, one_hot

__all__ = [
    "CrossEntropy", "Dense", "Layer", "Loss", "MeanSquaredError", "Network", "ReLU", "Sigmoid",
    "one_hot",
]
