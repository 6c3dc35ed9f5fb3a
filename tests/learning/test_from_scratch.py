"""Facts about the network of chapter 5: gradients, what it can learn, what it cannot."""

from __future__ import annotations

import numpy as np
import pytest

from engines.learning import from_scratch as nn
from engines.learning.from_scratch import Dense, Network, ReLU, Sigmoid, one_hot
from engines.learning.from_scratch.check import gradient_error

XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], float)
XOR_CLASSES = np.array([0, 1, 1, 0])


def small(loss: nn.Loss, activation: type[nn.Layer], seed: int = 1) -> Network:
    rng = np.random.default_rng(seed)
    return Network([Dense(5, 7, rng), activation(), Dense(7, 3, rng), Sigmoid()], loss)


@pytest.mark.parametrize("loss", [nn.MeanSquaredError(), nn.CrossEntropy()])
@pytest.mark.parametrize("activation", [Sigmoid, ReLU])
def test_backpropagation_agrees_with_finite_differences(loss, activation) -> None:
    rng = np.random.default_rng(2)
    inputs, labels = rng.standard_normal((6, 5)), one_hot(rng.integers(3, size=6), 3)
    assert gradient_error(small(loss, activation), inputs, labels, rng) < 1e-6


def test_exclusive_or_needs_a_hidden_layer() -> None:
    """No single layer computes it (Minsky and Papert, 1969); with one between, it is learned."""
    rng = np.random.default_rng(5)
    alone = Network([Dense(2, 2, rng)], nn.CrossEntropy())
    with_hidden = Network([Dense(2, 8, rng), ReLU(), Dense(8, 2, rng)], nn.CrossEntropy())
    for network in (alone, with_hidden):
        for _ in network.train(XOR, one_hot(XOR_CLASSES, 2), epochs=500, batch=4, rate=0.5,
                               rng=rng):
            pass
    assert alone.accuracy(XOR, XOR_CLASSES) < 1
    assert with_hidden.accuracy(XOR, XOR_CLASSES) == 1


def test_large_numbers_do_not_overflow() -> None:
    with np.errstate(all="raise", under="ignore"):
        assert Sigmoid().forward(np.array([[-1e4, 1e4]])).tolist() == [[0.0, 1.0]]
        loss = nn.CrossEntropy().value(np.array([[1e4, -1e4]]), np.array([[0.0, 1.0]]))
    assert loss == pytest.approx(2e4)


def test_digits_are_read_better_than_19_times_of_20() -> None:
    pytest.importorskip("sklearn", reason="the digits come with scikit-learn")
    from sklearn.datasets import load_digits

    rng = np.random.default_rng(1)
    images, digits = load_digits(return_X_y=True)
    order = rng.permutation(len(images))
    images, digits = images[order] / 16, digits[order]
    network = Network([Dense(64, 32, rng), Sigmoid(), Dense(32, 16, rng), Sigmoid(),
                       Dense(16, 10, rng), Sigmoid()], nn.MeanSquaredError())
    list(network.train(images[359:], one_hot(digits[359:], 10), epochs=20, batch=10, rate=3.0,
                       rng=rng))
    assert network.accuracy(images[:359], digits[:359]) > 0.95
