"""The losses of policies: gradients against differences, bounds, what the mask keeps out."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("keras")
from engines.actor_critic.textbook import ActorCriticLoss  # noqa: E402
from engines.learning.reinforcement import losses  # noqa: E402
from engines.policy_gradient.textbook import BoundedLoss, PolicyGradientLoss  # noqa: E402
from engines.ppo.textbook import ClippedLoss  # noqa: E402

N, ACTIONS = 6, 5
RNG = np.random.default_rng(2)
LOGITS = RNG.normal(size=(N, ACTIONS))
LEGAL = np.ones((N, ACTIONS), bool)
LEGAL[::2, 4] = False
PLAYED = np.array([0, 1, 2, 3, 0, 4])
ADVANTAGES = np.array([1.0, -1.0, 0.5, -2.0, 1.0, -0.3])
WEIGHTS = np.array([1, 1, 1, 1, 1, 0.0])


def policy(logits: np.ndarray) -> np.ndarray:
    shares = np.exp(logits) * LEGAL
    return shares / shares.sum(axis=1, keepdims=True)


def told(probabilities: np.ndarray) -> np.ndarray:
    return losses.packed(PLAYED, ADVANTAGES, probabilities, WEIGHTS, LEGAL)


def of_action(shares: np.ndarray) -> np.ndarray:
    return shares[np.arange(N), PLAYED]


def gradient(loss, probabilities: np.ndarray, logits: np.ndarray) -> np.ndarray:
    tf = pytest.importorskip("tensorflow")
    variable = tf.Variable(logits.astype(np.float32))
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(loss(tf.constant(told(probabilities)), variable))
    return np.asarray(tape.gradient(total, variable))


@pytest.mark.parametrize("kind", ["reinforce", "bounded", "clipped"])
@pytest.mark.parametrize("temperature", [1.0, 1.5])
def test_losses_and_their_gradients_are_those_of_the_textbook(
    kind: str, temperature: float
) -> None:
    logits = LOGITS / temperature
    # Ratios that are clipped in all four ways, and two that are not.
    played = of_action(policy(logits)) * np.array([0.5, 0.5, 1.4, 1.4, 1.0, 1.0])
    played = np.minimum(played, 1)
    actor = {"reinforce": PolicyGradientLoss(LEGAL), "bounded": BoundedLoss(LEGAL, played),
             "clipped": ClippedLoss(LEGAL, played, 0.2)}[kind]
    textbook = ActorCriticLoss(actor, LEGAL, entropy=0.3, value_weight=0.0)
    labels = np.zeros((N, ACTIONS + 1))
    labels[np.arange(N), PLAYED] = ADVANTAGES
    outputs = np.column_stack([logits, np.zeros(N)])
    loss = losses.policy_loss(kind, clip=0.2, entropy=0.3, temperature=temperature)
    rows = losses.packed(PLAYED, ADVANTAGES, played, np.ones(N), LEGAL)
    given = np.asarray(loss(rows, LOGITS.astype(np.float32)))
    assert given.mean() == pytest.approx(textbook.value(outputs, labels), rel=1e-5)
    slopes = gradient(loss, played, LOGITS)
    wanted = N * textbook.delta(outputs, labels)[:, :-1] / temperature
    np.testing.assert_allclose(slopes[:5], wanted[:5], atol=1e-5)
    assert (slopes[5] == 0).all(), "a row of weight 0 is padding"


def test_the_error_of_an_action_value_and_its_gradient_are_those_of_the_formula() -> None:
    errors = WEIGHTS * (of_action(LOGITS) - ADVANTAGES)
    given = np.asarray(losses.action_value_loss(told(np.ones(N)), LOGITS.astype(np.float32)))
    np.testing.assert_allclose(given, errors * (of_action(LOGITS) - ADVANTAGES), rtol=1e-5)
    slopes = np.zeros_like(LOGITS)
    slopes[np.arange(N), PLAYED] = 2 * errors
    np.testing.assert_allclose(
        gradient(losses.action_value_loss, np.ones(N), LOGITS), slopes, atol=1e-5)


def test_the_loss_of_a_lost_move_is_bounded_and_the_books_is_not() -> None:
    """Learning on and on from the same decisions: the book's logits run away."""
    played = of_action(policy(LOGITS))
    lowest, largest = {}, {}
    for kind in ("reinforce", "bounded"):
        loss, logits = losses.policy_loss(kind), LOGITS.copy()
        for _ in range(40):
            logits -= 8.0 * gradient(loss, played, logits)
        lowest[kind] = float(np.asarray(loss(told(played), logits.astype(np.float32))).min())
        lost = (ADVANTAGES < 0) & (WEIGHTS > 0)
        largest[kind] = np.abs(logits[lost]).max()
    assert lowest["reinforce"] < -100 < -1e-3 < lowest["bounded"]
    assert largest["reinforce"] > 50 > 15 > largest["bounded"]


def test_entropy_and_the_distance_moved_are_measured() -> None:
    even = np.zeros_like(LOGITS)
    shares = told(of_action(policy(even)))
    nats = np.asarray(losses.entropy_metric()(shares, even.astype(np.float32)))
    np.testing.assert_allclose(nats, WEIGHTS * np.log(LEGAL.sum(axis=1)), rtol=1e-5)
    np.testing.assert_allclose(losses.moved_metric()(shares, even.astype(np.float32)), 0, atol=1e-6)
    moved = np.asarray(losses.moved_metric()(shares, LOGITS.astype(np.float32)))
    assert (moved[:5] > 0).all() and moved[5] == 0
