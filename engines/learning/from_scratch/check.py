"""A test for backward passes: compare gradients with finite differences.

A derivative is the change of the loss when one parameter changes a little. To compute it like that
takes two forward passes for each parameter. This is too slow for training, but it does not use the
backward pass, so it finds nearly every mistake there.
"""

from __future__ import annotations

import numpy as np

from engines.learning.from_scratch.layers import Floats
from engines.learning.from_scratch.network import Network

# Half the distance of the two points. If it is too large, the curve is not straight between them;
# if it is too small, rounding errors dominate the difference of two nearly equal losses.
_STEP = 1e-5


def gradient_error(
    network: Network, inputs: Floats, labels: Floats, rng: np.random.Generator, most: int = 200
) -> float:
    """The largest relative difference between backpropagation and finite differences.

    Below 1e-5 the gradients are right; a wrong sign or a wrong factor gives about 1. `rng` chooses
    at most `most` parameters of each array to check.
    """
    network.backward(network.loss.delta(network.forward(inputs), labels))
    # The loop below runs forward passes only, so the gradients stay.
    worst = 0.0
    for layer in network.layers:
        for parameter, gradient in zip(layer.parameters, layer.gradients, strict=True):
            flat, gradients = parameter.reshape(-1), gradient.reshape(-1)
            for i in rng.permutation(len(flat))[:most]:
                slope = _slope(network, flat, i, inputs, labels)
                size = max(abs(slope), abs(gradients[i]), 1e-6)
                worst = max(worst, abs(slope - gradients[i]) / size)
    return worst


def _slope(network: Network, flat: Floats, i: int, inputs: Floats, labels: Floats) -> float:
    original = flat[i]
    losses = []
    for value in (original + _STEP, original - _STEP):
        flat[i] = value
        losses.append(network.loss.value(network.forward(inputs), labels))
    flat[i] = original
    return (losses[0] - losses[1]) / (2 * _STEP)
