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


def test_the_check_finds_the_delta_of_the_wrong_side() -> None:
    """Appendix B prints the gradient of the weights with the delta that leaves the layer."""

    class Printed(Dense):
        def backward(self, delta):
            leaving = delta @ self.weights.T
            self.gradients = (self._inputs.T @ leaving, leaving.sum(axis=0))
            return leaving

    rng = np.random.default_rng(3)
    network = Network([Printed(4, 4, rng), Sigmoid(), Printed(4, 4, rng), Sigmoid()])
    inputs, labels = rng.standard_normal((6, 4)), one_hot(rng.integers(4, size=6), 4)
    assert gradient_error(network, inputs, labels, rng) > 0.1


def test_gradients_of_keras_are_the_same() -> None:
    """An independent implementation: TensorFlow's own differentiation of the same function."""
    tf = pytest.importorskip("tensorflow")
    rng = np.random.default_rng(4)
    network = small(nn.CrossEntropy(), Sigmoid)
    network.layers.pop()
    inputs, labels = rng.standard_normal((6, 5)), one_hot(rng.integers(3, size=6), 3)
    network.backward(network.loss.delta(network.forward(inputs), labels))
    first, _, second = network.layers
    variables = [tf.Variable(p) for layer in (first, second) for p in layer.parameters]
    with tf.GradientTape() as tape:
        hidden = tf.sigmoid(tf.constant(inputs) @ variables[0] + variables[1])
        logits = hidden @ variables[2] + variables[3]
        loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels, logits))
    expected = tape.gradient(loss, variables)
    for mine, theirs in zip(first.gradients + second.gradients, expected, strict=True):
        np.testing.assert_allclose(mine, theirs.numpy(), rtol=1e-9, atol=1e-12)


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
