"""REINFORCE as the textbook has it: the right gradient, and better than chance within seconds."""

from __future__ import annotations

import numpy as np

from dlgo import get_game
from engines.learning.from_scratch import Dense, Network
from engines.learning.from_scratch.check import gradient_error
from engines.policy_gradient.textbook import PolicyGradientLoss, TextbookReinforce


def test_its_gradient_is_that_of_the_loss() -> None:
    rng = np.random.default_rng(1)
    legal = rng.random((8, 5)) < 0.7
    legal[:, 0] = True
    actions = [int(rng.choice(np.flatnonzero(row))) for row in legal]
    labels = np.zeros((8, 5))
    labels[np.arange(8), actions] = rng.choice([-1.0, 0.0, 0.5, 1.0], 8)
    network = Network([Dense(4, 5, rng)], PolicyGradientLoss(legal))
    assert gradient_error(network, rng.normal(size=(8, 4)), labels, rng) < 1e-5


def test_it_learns_tic_tac_toe_from_its_own_games() -> None:
    learner = TextbookReinforce(get_game("tictactoe"), seed=2)
    list(learner.learn(batches=40))
    assert learner.score(300) > 0.6, "random play scores a half, give or take 0.06"
