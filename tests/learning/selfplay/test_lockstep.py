"""Facts about lockstep games: drawing, resigning, length."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from dlgo import get_game, kernels
from dlgo.rng import make_rng
from dlgo.vector import longest_game
from engines.learning.data.records import NO_RESULT
from engines.learning.selfplay.drawing import Sampling, draw
from engines.learning.selfplay.lockstep import RESIGN, GameSlot, LockstepGames
from engines.resignation import Resignation
from engines.treesearch.leaf_evaluator import LeafEvaluator
from tests.alphazero.test_selfplay import GAMES, Opinionated


@pytest.mark.parametrize("temperature, expected", [
    (1.0, [0.5, 0.3, 0.2]), (0.5, [25 / 38, 9 / 38, 4 / 38]), (0.001, [1.0, 0.0, 0.0]),
])
def test_moves_are_drawn_by_their_shares_and_the_temperature(temperature, expected) -> None:
    rng, shares = make_rng(1), np.array([5.0, 0.0, 3.0, 2.0])
    counts = Counter(draw(shares, temperature, rng) for _ in range(8000))
    assert counts[1] == 0
    for index, share in zip((0, 2, 3), expected, strict=True):
        assert counts[index] / 8000 == pytest.approx(share, abs=0.02)


def test_moves_are_drawn_in_the_first_plies_only() -> None:
    assert [Sampling(2, 1.0).applies(ply) for ply in range(4)] == [True, True, False, False]
    assert not Sampling(2, 0.0).applies(0)


def test_a_player_resigns_after_hopeless_estimates_in_a_row() -> None:
    watch = Resignation(below=0.1, patience=3)  # a share of 0.1 is a value of -0.8
    values = [-0.9, -0.9, -0.7, -0.9, -0.9, -0.81, -0.9]
    assert [watch.update(value) for value in values] == [False] * 5 + [True] * 2
    watch.reset()
    assert not watch.update(-1.0)
    never = Resignation(below=0.0, patience=1)
    assert not never.possible and not never.update(-1.0)


class Glances:
    """Thinks about each position in one evaluation: the least that lockstep games need."""

    def __init__(self, game, n: int, evaluator: LeafEvaluator, most: int) -> None:
        self.roots = kernels.make_batch(game.scratch_state(game.new_kernel_state(), most), n)
        self.remaining = np.zeros(n, np.int64)
        self.policies = np.zeros((n, game.num_actions))
        self._evaluator, self._actions = evaluator, np.empty(game.num_actions, np.int64)

    def __len__(self) -> int:
        return len(self.remaining)

    def step(self) -> None:
        rows = np.flatnonzero(self.remaining)
        for i in rows:
            state = kernels.row(self.roots, i)
            sensible = self._actions[: kernels.search_actions(state, self._actions)]
            policies, _ = self._evaluator.evaluate(kernels.rows(self.roots, i, i + 1), 1)
            self.policies[i] = 0.0
            self.policies[i, sensible] = policies[0, sensible]
        self.remaining[rows] = 0


class Favourites(LockstepGames[GameSlot]):
    """Games of a policy's favourite moves; resigns after `resign_at` plies."""

    def __init__(self, game, evaluator: LeafEvaluator, n: int, most: int, resign_at: int = 1000):
        self._policy, self._game = Glances(game, n, evaluator, most), game
        self._resign_at = resign_at
        self.lines: dict[int, list[int]] = {}
        super().__init__([self._policy], most)

    def start_game(self, i, number):
        kernels.copy_into(kernels.row(self._policy.roots, i), self._game.new_kernel_state())
        self.lines[number] = []
        return GameSlot(number=number)

    def start_turn(self, i, slot, played):
        self._policy.remaining[i] = 1

    def choose(self, i, slot):
        if slot.plies >= self._resign_at:
            return RESIGN
        # The game's number decides which of the favourites is played first.
        order = np.argsort(-self._policy.policies[i], kind="stable")
        action = int(order[slot.number % 3 if slot.plies == 0 else 0])
        self.lines[slot.number].append(action)
        return action

    def finish(self, slot, result):
        return result


@pytest.mark.parametrize("name", GAMES)
def test_games_in_lockstep_are_games_played_alone(name: str) -> None:
    game = get_game(name)
    most = longest_game(game)
    together, alone = (Favourites(game, Opinionated(game), n, most) for n in (5, 1))
    assert dict(together.play(range(9))) == dict(alone.play(range(9)))
    assert together.lines == alone.lines
    for line in together.lines.values():
        start = game.new_kernel_state()
        state = game.scratch_state(start, most)
        kernels.copy_into(state, start)
        for action in line:
            assert not kernels.terminal(state)
            kernels.play(state, action)


def test_who_resigns_loses_and_a_game_that_is_too_long_has_no_result() -> None:
    game = get_game("connect4")
    for plies, result in ((2, -1), (3, 1)):  # player 0, and player 1, is to move
        games = Favourites(game, Opinionated(game), 2, 42, resign_at=plies)
        assert set(dict(games.play(range(4))).values()) == {result}
    assert set(dict(Favourites(game, Opinionated(game), 2, 5).play(range(4))).values()) == {
        NO_RESULT
    }
