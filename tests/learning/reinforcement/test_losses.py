"""The losses of policies: gradients against differences, bounds, what the mask keeps out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

keras = pytest.importorskip("keras")
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


def policy(logits: np.ndarray, temperature: float = 1.0) -> np.ndarray:
    shares = np.exp(logits / temperature) * LEGAL
    return shares / shares.sum(axis=1, keepdims=True)


def told(probabilities: np.ndarray) -> np.ndarray:
    return losses.packed(PLAYED, ADVANTAGES, probabilities, WEIGHTS, LEGAL)


def of_action(shares: np.ndarray) -> np.ndarray:
    return shares[np.arange(N), PLAYED]


def expected(logits, probabilities, kind, clip, entropy, temperature) -> np.ndarray:
    """The losses in plain NumPy."""
    shares = policy(logits, temperature)
    pi = of_action(shares)
    ratio = pi / probabilities
    lost = {
        "reinforce": -ADVANTAGES * np.log(pi),
        "bounded": np.where(ADVANTAGES >= 0, -ADVANTAGES * np.log(pi), -ADVANTAGES * ratio),
        "clipped": -np.minimum(
            ratio * ADVANTAGES, np.clip(ratio, 1 - clip, 1 + clip) * ADVANTAGES),
    }[kind]
    logs = np.log(np.where(LEGAL, shares, 1))
    return WEIGHTS * (lost + entropy * (shares * logs).sum(axis=1))


def slopes(function: Callable[[np.ndarray], float], at: np.ndarray) -> np.ndarray:
    """Derivatives by differences."""
    out = np.zeros_like(at)
    for place in np.ndindex(*at.shape):
        step = np.zeros_like(at)
        step[place] = 1e-5
        out[place] = (function(at + step) - function(at - step)) / 2e-5
    return out


def gradient(loss, probabilities: np.ndarray, logits: np.ndarray) -> np.ndarray:
    tf = pytest.importorskip("tensorflow")
    variable = tf.Variable(logits.astype(np.float32))
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(loss(tf.constant(told(probabilities)), variable))
    return np.asarray(tape.gradient(total, variable))


@pytest.mark.parametrize("kind", ["reinforce", "bounded", "clipped"])
def test_losses_and_their_gradients_are_those_of_the_formula(kind: str) -> None:
    near = of_action(policy(LOGITS + 0.1 * RNG.normal(size=LOGITS.shape), 1.5))
    far = near * np.array([0.5, 0.5, 1.4, 1.4, 1.0, 1.0])  # clipped in all four ways
    settings = (kind, 0.2, 0.3, 1.5)
    for probabilities in (near, np.minimum(far, 1)):
        loss = losses.policy_loss(kind, clip=0.2, entropy=0.3, temperature=1.5)
        given = np.asarray(loss(told(probabilities), LOGITS.astype(np.float32)))
        np.testing.assert_allclose(given, expected(LOGITS, probabilities, *settings), rtol=1e-4,
                                   atol=1e-6)
        numeric = slopes(lambda at, p=probabilities: expected(at, p, *settings).sum(), LOGITS)
        np.testing.assert_allclose(
            gradient(loss, probabilities, LOGITS), numeric, rtol=1e-3, atol=2e-4)
        assert (numeric[~LEGAL] == 0).all() and (numeric[5] == 0).all()


@pytest.mark.parametrize("kind", ["reinforce", "bounded", "clipped"])
def test_losses_are_those_of_the_textbook(kind: str) -> None:
    played = of_action(policy(LOGITS)) * np.array([0.5, 0.5, 1.4, 1.1, 1.0, 1.0])
    actor = {"reinforce": PolicyGradientLoss(LEGAL), "bounded": BoundedLoss(LEGAL, played),
             "clipped": ClippedLoss(LEGAL, played, 0.2)}[kind]
    textbook = ActorCriticLoss(actor, LEGAL, entropy=0.3, value_weight=0.0)
    labels = np.zeros((N, ACTIONS + 1))
    labels[np.arange(N), PLAYED] = ADVANTAGES
    outputs = np.column_stack([LOGITS, np.zeros(N)])
    loss = losses.policy_loss(kind, clip=0.2, entropy=0.3)
    rows = losses.packed(PLAYED, ADVANTAGES, played, np.ones(N), LEGAL)
    given = np.asarray(loss(rows, LOGITS.astype(np.float32)))
    assert given.mean() == pytest.approx(textbook.value(outputs, labels), rel=1e-5)
    np.testing.assert_allclose(
        gradient(loss, played, LOGITS)[:5], N * textbook.delta(outputs, labels)[:5, :-1], atol=1e-5)


def test_the_error_of_an_action_value_and_its_gradient_are_those_of_the_formula() -> None:
    def squares(values: np.ndarray) -> np.ndarray:
        return WEIGHTS * (of_action(values) - ADVANTAGES) ** 2

    given = np.asarray(losses.action_value_loss(told(np.ones(N)), LOGITS.astype(np.float32)))
    np.testing.assert_allclose(given, squares(LOGITS), rtol=1e-5)
    numeric = slopes(lambda at: squares(at).sum(), LOGITS)
    np.testing.assert_allclose(
        gradient(losses.action_value_loss, np.ones(N), LOGITS), numeric, rtol=1e-3, atol=1e-4)
    assert (numeric[5] == 0).all(), "a row of weight 0 is padding"


def test_all_losses_have_one_gradient_where_the_policy_is_still_the_one_that_played() -> None:
    now = of_action(policy(LOGITS))
    reinforce, bounded, clipped = (
        gradient(losses.policy_loss(kind), now, LOGITS)
        for kind in ("reinforce", "bounded", "clipped")
    )
    np.testing.assert_allclose(reinforce, bounded, atol=1e-5)
    np.testing.assert_allclose(reinforce, clipped, atol=1e-5)


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
