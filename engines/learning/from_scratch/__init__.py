"""A neural network in NumPy, written to be read (chapter 5 of the book).

    layers.py    layers, forward and backward
    losses.py    the error of predictions, and its derivative
    network.py   a sequence of layers, trained by stochastic gradient descent
    check.py     gradients compared with finite differences

The engines' networks use Keras (`engines/learning/networks`).
"""

from engines.learning.from_scratch.layers import Dense, Layer, ReLU, Sigmoid
from engines.learning.from_scratch.losses import CrossEntropy, Loss, MeanSquaredError
from engines.learning.from_scratch.network import Network, one_hot

__all__ = [
    "CrossEntropy", "Dense", "Layer", "Loss", "MeanSquaredError", "Network", "ReLU", "Sigmoid",
    "one_hot",
]
