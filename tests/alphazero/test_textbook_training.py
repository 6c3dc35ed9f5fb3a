"""The textbook's training learns, and its targets are those of the compiled trainer."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from dlgo import GameState, get_game, kernels
from engines.alphazero.config import SelfPlaySettings
from engines.alphazero.self_play import SelfPlay
from engines.alphazero.textbook_training import AlphaZeroLoss, TextbookAlphaZero, policy_target
from engines.base import Budget
from engines.learning.data import BatchOptions, batches
from engines.learning.from_scratch import Dense, Network
from engines.learning.from_scratch.check import gradient_error
from engines.learning.networks.leaf_evaluator import softmax
from engines.search.batched_search import BatchedSearch
from engines.search.leaf_evaluator import LeafEvaluator
from experiments.measures.tictactoe import every_line
from tests.learning.data.games import dataset

TICTACTOE, CONNECT3 = get_game("tictactoe"), get_game("connectn:cols=4,rows=4,n=3")


class Asked(LeafEvaluator):
    """The network of a textbook learner in the compiled search."""

    def __init__(self, learner: TextbookAlphaZero) -> None:
        self._learner = learner

    def evaluate(self, leaves, n):
        states = [GameState(self._learner.game, kernels.row(leaves, i)) for i in range(n)]
        planes = np.array([self._learner._encoder.encode(state) for state in states])
        answers = self._learner.network.evaluate(planes)
        return softmax(answers["policy"]).astype(np.float32), answers["value"][:, 0].astype("f4")


class Following(TextbookAlphaZero):
    """Searches, and plays the moves that it is told; among equals, anybody may choose."""

    line: Iterator[int]

    def select_move(self, state, budget=None):
        action = next(self.line)
        decision = super().select_move(state, budget)
        target = policy_target(self.root, self.game)
        assert target[action] > 0.999 * target.max() or self.root.proven is not None
        return dataclasses.replace(decision, move=self.game.move_of(action))


@pytest.mark.parametrize("game", [TICTACTOE, CONNECT3], ids=str)
def test_targets_are_those_of_the_compiled_trainer_game_by_game(
    game, tmp_path: Path, monkeypatch
) -> None:
    """From random openings, without noise and drawn moves; each search begins with a new tree."""
    monkeypatch.setattr(BatchedSearch, "advance", lambda self, i, played: self.set_root(i))
    learner, sims = Following(game, sims=24, seed=3), 24
    settings = SelfPlaySettings(
        sims=sims, fast_sims=sims, full_share=1.0, sample_plies=0, dirichlet_epsilon=0.0,
        random_share=1.0, random_plies=5, games_at_once=5)
    played = dict(SelfPlay(game, Asked(learner), settings, seed=1).play(range(12)))
    games = [played[number] for number in range(12)]
    data = dataset(tmp_path, game, games)
    options = BatchOptions(10_000, shuffle=False, targets="policy")
    (batch,) = batches(data, learner._encoder, options)
    row, proven = 0, 0
    for one in games:
        state, learner.line = GameState.new_game(game), iter(one.actions.tolist())
        for _ in range(len(one.actions) - one.n_positions):
            state = state.apply_move(game.move_of(next(learner.line)))
        for example in learner.self_play(state, explore=False):
            assert np.array_equal(batch.planes[row], example.planes)
            # Shares are stored in steps of 1/255 of the largest.
            np.testing.assert_allclose(batch.policies[row], example.policy, atol=0.004)
            assert batch.values[row] == example.value
            proven += len(set(example.policy)) == 2
            row += 1
    assert row == len(batch) and 0 < proven < row
    assert len({one.actions.tobytes() for one in games}) > 6


def test_a_gradient_is_that_of_the_loss() -> None:
    rng = np.random.default_rng(1)
    network = Network([Dense(4, 6, rng)], AlphaZeroLoss())
    labels = np.column_stack([rng.dirichlet(np.ones(5), 8), rng.uniform(-1, 1, 8)])
    assert gradient_error(network, rng.normal(size=(8, 4)), labels, rng) < 1e-5


def lost_lines(learner: TextbookAlphaZero) -> int:
    """Lines of play that the network loses with two simulations a move."""
    learner.budget = Budget(sims=2)
    return sum(every_line(learner, player).lost for player in (0, 1))


@pytest.mark.train
def test_it_learns_tic_tac_toe() -> None:
    learner = TextbookAlphaZero(TICTACTOE, seed=1)
    before = lost_lines(learner)
    learner.budget = Budget(sims=32)
    losses = list(learner.learn(iterations=25))
    assert losses[-1] < losses[0] - 0.5
    assert lost_lines(learner) < 0.1 * before
