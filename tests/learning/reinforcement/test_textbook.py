"""The learners as the textbook has them: right gradients, right returns, better than chance.

They are oracles of the fast learners: `test_losses.py` compares the losses.
"""

from __future__ import annotations

import numpy as np
import pytest

from dlgo import Player, get_game
from engines.actor_critic.textbook import ActorCriticLoss, TextbookActorCritic
from engines.learning.data.experience import Experience
from engines.learning.data.records import LABELLED, PLAYER_1
from engines.learning.from_scratch import Dense, Network
from engines.learning.from_scratch.check import gradient_error
from engines.learning.selfplay.policy_games import RANDOM
from engines.learning.selfplay.schedule import Schedule, points
from engines.policy_gradient.textbook import (
    BoundedLoss,
    Decision,
    PolicyGradientLoss,
    TextbookReinforce,
)
from engines.ppo.textbook import ClippedLoss, TextbookPPO
from engines.q_learning.textbook import Tanh, TextbookQ
from experiments.chapters.practice import losing_mistakes, play, side, train_batch
from tests.conftest import RUN_ALL

GAME = get_game("tictactoe")
LEARNERS = (TextbookReinforce, TextbookActorCritic, TextbookPPO, TextbookQ)


@pytest.mark.parametrize("kind", ["reinforce", "bounded", "actor-critic", "clipped"])
def test_a_gradient_is_that_of_the_loss(kind: str) -> None:
    rng = np.random.default_rng(1)
    legal = rng.random((8, 5)) < 0.7
    legal[:, 0] = True
    actions = [int(rng.choice(np.flatnonzero(row))) for row in legal]
    labels = np.zeros((8, 5))
    labels[np.arange(8), actions] = rng.choice([-1.0, 0.0, 0.5, 1.0], 8)
    outputs, loss = 5, PolicyGradientLoss(legal)
    if kind == "bounded":
        loss = BoundedLoss(legal, rng.uniform(0.05, 0.6, 8))
    if kind == "clipped":
        loss = ClippedLoss(legal, rng.uniform(0.05, 0.6, 8), 0.2)
    if kind == "actor-critic":
        outputs, loss = 6, ActorCriticLoss(loss, legal, entropy=0.3, value_weight=0.5)
        labels = np.column_stack([labels, rng.uniform(-1, 1, 8)])
    network = Network([Dense(4, outputs, rng)], loss)
    assert gradient_error(network, rng.normal(size=(8, 4)), labels, rng) < 1e-5


def test_tanh_sends_errors_back() -> None:
    rng = np.random.default_rng(1)
    network = Network([Dense(4, 3, rng), Tanh(), Dense(3, 2, rng)])
    assert gradient_error(network, rng.normal(size=(8, 4)), rng.normal(size=(8, 2)), rng) < 1e-5


@pytest.mark.parametrize("gae_lambda", [1.0, 0.7, 0.0])
def test_returns_are_those_of_the_fast_learners(gae_lambda: float) -> None:
    """Also where a player moves several times in a row."""
    rng = np.random.default_rng(3)
    movers = [0, 0, 1, 0, 1, 1, 1, 0]
    values = rng.uniform(-1, 1, len(movers)) if gae_lambda < 1 else np.zeros(len(movers))
    played = Experience(
        GAME, np.array([8]), np.array([-1], np.int8), np.zeros(8, np.int32),
        np.array([LABELLED | PLAYER_1 * mover for mover in movers], np.uint8), "",
        np.ones(8, np.float32), values.astype(np.float32), np.zeros(8, np.float32))
    learner = TextbookReinforce(GAME, discount=0.9)
    if gae_lambda < 1:
        learner = TextbookPPO(GAME, discount=0.9, gae_lambda=gae_lambda)
        learner.values = lambda planes: values
    decisions = [
        Decision(np.zeros(1), np.ones(1, bool), 0, (Player.black, Player.white)[mover], 1.0)
        for mover in movers]
    given = learner.credit(decisions, lambda player: -1 if player is Player.black else 1)
    np.testing.assert_allclose(
        given, played.with_returns(0.9, gae_lambda).returns, rtol=1e-5, atol=1e-6)


def test_q_is_asked_of_each_move_by_itself_and_played_epsilon_greedily() -> None:
    learner = TextbookQ(GAME, seed=5)
    decisions, _ = learner.play()
    planes, legal = decisions[3].planes, decisions[3].legal
    values = learner.scores(planes[None])[0]
    alone = learner.network.forward(np.append(planes, np.eye(9)[4])[None])
    assert alone[0, 0] == pytest.approx(values[4]) and (np.abs(values) < 1).all()
    learner.epsilon = 0.3
    policy = learner.policy_of(values, legal)
    best = np.where(legal, values, -9).argmax()
    assert policy[best] == pytest.approx(0.7 + 0.3 / legal.sum()) and policy[~legal].sum() == 0
    assert policy.sum() == pytest.approx(1)
    assert list(learner.learn(batches=3, games=1, first=0.8, last=0.2)) == [1, 2, 3]
    assert learner.epsilon == pytest.approx(0.2)


def against_random(learner: TextbookReinforce) -> float:
    """The share of points of a learner's best moves in 400 games against random play."""
    schedule = Schedule.match(400, seed=0)
    played = play([side(learner, learns=False), RANDOM], schedule, learner.game)
    return float(points(played, schedule).mean())


@pytest.mark.train
@pytest.mark.parametrize(("kind", "batches", "games"), [
    (TextbookReinforce, 20, 256), (TextbookActorCritic, 40, 64), (TextbookPPO, 16, 64),
    (TextbookQ, 10, 256),
])
def test_they_learn_tic_tac_toe_from_their_own_games(
    kind: type[TextbookReinforce], batches: int, games: int
) -> None:
    """Random play scores a half, give or take 0.05."""
    learner = kind(GAME, seed=1, discount=0.8 if kind is TextbookReinforce else 1.0)
    batches *= 20 if RUN_ALL else 1
    for batch in range(batches):
        if isinstance(learner, TextbookQ):
            learner.epsilon = 0.5 - 0.4 * batch / batches
        train_batch(learner, games, batch)
    assert against_random(learner) > 0.6
    if RUN_ALL and kind is not TextbookReinforce:
        assert against_random(learner) > 0.85
        assert losing_mistakes(learner).mean() < 0.15, "without learning it is about 30%"


@pytest.mark.parametrize("kind", LEARNERS)
def test_they_learn_where_a_player_moves_twice_in_a_row(kind: type[TextbookReinforce]) -> None:
    learner = kind(get_game("draughts"), hidden=8, seed=1)
    before = [parameter.copy() for layer in learner.network.layers
              for parameter in layer.parameters]
    assert list(learner.learn(batches=1, games=1)) == [1]
    after = [parameter for layer in learner.network.layers for parameter in layer.parameters]
    assert all(np.isfinite(parameter).all() for parameter in after)
    assert not all(np.array_equal(*pair) for pair in zip(before, after, strict=True))
