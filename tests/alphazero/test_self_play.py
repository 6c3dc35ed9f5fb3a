"""Facts about self-play: searches in lockstep are searches, games obey the rules and the seed."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np
import pytest

from dlgo import GameState, get_game, kernels
from dlgo.rng import gamma, make_rng
from engines.alphazero.config import SelfPlaySettings
from engines.alphazero.self_play import SelfPlay
from engines.base import Budget
from engines.learning.data.records import FULL_SEARCH, LABELLED, NO_RESULT, GameData
from engines.learning.selfplay import lockstep
from engines.search import tree as ts
from engines.search.batched_search import BatchedSearch
from engines.search.leaf_evaluator import LeafEvaluator, UniformEvaluator
from engines.search.rules import PUCT, draw_noise
from engines.search.searcher import Searcher

GAMES = ["tictactoe", "connect4", "go:size=5", "draughts"]
RULE = PUCT(0.9, 0.1)


class Opinionated(LeafEvaluator):
    """Opinions that depend on nothing but the position: what a network is, made of its key."""

    def __init__(self, game) -> None:
        self._n = game.num_actions

    def evaluate(self, leaves, n):
        policies = np.empty((n, self._n), np.float32)
        values = np.empty(n, np.float32)
        for i in range(n):
            rng = np.random.default_rng(abs(int(kernels.key(kernels.row(leaves, i)))))
            policies[i] = rng.random(self._n) ** 4
            values[i] = 0.6 * rng.random() - 0.3
        return policies, values


def state_after(game, seed: int, plies: int) -> GameState:
    state = GameState.new_game(game)
    rng = np.random.default_rng(seed)
    for _ in range(plies):
        moves = state.legal_moves()
        following = state.apply_move(moves[rng.integers(len(moves))])
        if following.is_over():
            break
        state = following
    return state


def begin(
    search: BatchedSearch, states: Sequence[GameState], seed: int, simulations: Sequence[int],
    noise: float = 0.0, concentration: float = 10.0,
) -> BatchedSearch:
    """Start a search of each of these positions."""
    for i, (state, sims) in enumerate(zip(states, simulations, strict=True)):
        kernels.copy_into(kernels.row(search.roots, i), state.kernel_state)
        search.seed(i, seed + i)
        search.set_root(i)
        search.start(i, sims, noise, concentration)
    return search


def finish(search: BatchedSearch) -> BatchedSearch:
    while (search.remaining > 0).any():
        search.step()
    return search


@pytest.mark.parametrize("name", GAMES)
def test_a_search_grows_the_trees_that_single_searches_grow(name: str) -> None:
    game = get_game(name)
    states = [state_after(game, seed, plies=2 * seed) for seed in range(5)]
    search = BatchedSearch(game, len(states), 20_000, RULE, Opinionated(game), room=50)
    finish(begin(search, states, 100, range(40, 90, 10)))  # not in step with each other
    for i, state in enumerate(states):
        alone = Searcher(game, 20_000, False, RULE, Opinionated(game), batch=1)
        alone.new_game(100 + i)
        alone.set_root(state)
        alone.simulate(Budget(sims=40 + 10 * i))
        for field in ("action", "visits", "value_sum", "proven", "prior"):
            n = int(alone.tree.info[ts.N_NODES])
            assert int(search.tree(i).info[ts.N_NODES]) == n
            mine, theirs = (getattr(tree, field)[:n] for tree in (search.tree(i), alone.tree))
            assert np.array_equal(mine, theirs), field


def play(name: str, n: int, **changes) -> tuple[list[GameData], SelfPlay]:
    game = get_game(name)
    settings = dataclasses.replace(
        SelfPlaySettings(sims=12, fast_sims=4, games_at_once=7, random_share=0.5), **changes
    )
    selfplay = SelfPlay(game, Opinionated(game), settings, seed=3)
    games = dict(selfplay.play(range(n)))
    assert sorted(games) == list(range(n))
    return [games[i] for i in range(n)], selfplay


def same(one: GameData, other: GameData) -> bool:
    return all(
        np.array_equal(getattr(one, f.name), getattr(other, f.name))
        for f in dataclasses.fields(GameData)
    )


@pytest.mark.parametrize(("name", "search"), [
    *((name, "puct") for name in GAMES), ("connect4", "gumbel"), ("draughts", "gumbel"),
])
def test_games_obey_the_rules_and_do_not_depend_on_their_neighbours(name: str, search: str) -> None:
    games, selfplay = play(name, 9, search=search)
    again, _ = play(name, 9, games_at_once=2, search=search)
    assert all(map(same, games, again))
    game = get_game(name)
    for one in games:
        state = GameState.new_game(game)
        for action in one.actions.tolist():
            state = state.apply_move(game.move_of(action))  # raises if it is illegal
        assert state.is_over() and one.result == state.result()
    stats = selfplay.stats
    assert stats["won"] + stats["drawn"] + stats["lost"] == stats["games"] == 9
    assert len({one.actions.tobytes() for one in games}) > 1


def test_a_game_that_is_too_long_has_no_result(monkeypatch) -> None:
    monkeypatch.setattr(lockstep, "longest_game", lambda game: 5)
    games, selfplay = play("connect4", 6, random_share=0.0)
    assert {(len(one.actions), one.result) for one in games} == {(5, NO_RESULT)}
    assert selfplay.stats["drawn"] == selfplay.stats["games"] == 6


def test_only_full_searches_are_to_be_learned() -> None:
    games, selfplay = play("connect4", 30, full_share=0.3, random_share=0.0)
    full = sum(int((one.flags & FULL_SEARCH > 0).sum()) for one in games)
    plies = sum(len(one.actions) for one in games)
    assert full == selfplay.stats["full"]
    assert 0.2 < full / plies < 0.4


def test_where_there_is_one_move_nothing_is_searched() -> None:
    games, selfplay = play("draughts", 10, full_share=1.0, random_share=0.0)
    only = found = 0
    for one in games:
        state = GameState.new_game(get_game("draughts"))
        for action, flags in zip(one.actions.tolist(), one.flags.tolist(), strict=True):
            single = len(state.legal_moves()) == 1
            assert bool(flags & FULL_SEARCH) is not single
            only += single
            found += not single
            state = state.apply_move(state.game.move_of(action))
    assert only > 20 and found == selfplay.stats["full"]


@pytest.mark.parametrize("more", [{}, {"search": "gumbel"}])
def test_nobody_passes_early_while_there_is_another_sensible_move(more) -> None:
    game = get_game("go:size=5")

    def passes(games: list[GameData]) -> list[int]:
        """The plies of passes that there was an alternative to."""
        plies = []
        for one in games:
            state = game.new_kernel_state()
            for ply, action in enumerate(one.actions.tolist()):
                sensible = kernels.search_actions(state, np.empty(game.num_actions, np.int64))
                if action == game.pass_action and sensible > 1:
                    plies.append(ply)
                kernels.play(state, action)
        return plies

    late, _ = play("go:size=5", 20, first_pass=0.8, **more)
    assert min(passes(late)) >= 20
    usual, _ = play("go:size=5", 20, **more)
    assert min(passes(usual)) < 20


class Moody(Opinionated):
    """Strong opinions about nothing: players despair where there is no reason to."""

    def evaluate(self, leaves, n):
        policies, values = super().evaluate(leaves, n)
        return policies, 3 * values


def resigning_games(**more) -> tuple[list[GameData], SelfPlay]:
    game = get_game("connect4")
    settings = SelfPlaySettings(sims=4, fast_sims=4, games_at_once=20, resign_below=0.4, **more)
    selfplay = SelfPlay(game, Moody(game), settings, seed=1)
    return [one for _, one in selfplay.play(range(200))], selfplay


def last_state(one: GameData) -> GameState:
    state = GameState.new_game(get_game("connect4"))
    for action in one.actions.tolist():
        state = state.apply_move(state.game.move_of(action))
    return state


def test_who_resigns_loses_and_some_games_are_played_on() -> None:
    games, selfplay = resigning_games(no_resign_fraction=0.5)
    given_up = 0
    for one in games:
        state = last_state(one)
        if not state.is_over():
            given_up += 1
            assert one.result == (-1 if state.next_player.index == 0 else 1)
    assert given_up == selfplay.stats["resigned"] > 0
    assert selfplay.stats["checked"] > selfplay.stats["wrong"] > 0


def test_resigned_games_may_be_finished_for_their_true_results() -> None:
    """What is played after a resignation is not learned, and says who would have won."""
    games, selfplay = resigning_games(no_resign_fraction=0.0, finish_sims=2)
    stats = selfplay.stats
    finished = wrong = 0
    for one in games:
        state = last_state(one)
        assert state.is_over() and one.result == kernels.result(state.kernel_state)
        first_unlearned = int(np.flatnonzero(one.flags & LABELLED)[-1]) + 1
        if first_unlearned < len(one.actions):
            finished += 1
            wrong += one.result != (1 if first_unlearned % 2 else -1)
    assert 0 < finished == stats["resigned"] == stats["checked"] < len(games)
    assert 0 < wrong == stats["wrong"] < finished
    assert stats["plies"] == sum(one.n_positions for one in games)


def test_the_policy_of_a_proven_win_holds_winning_moves_only() -> None:
    game = get_game("tictactoe")
    state = GameState.new_game(game)
    for text in ("A1", "A3", "B1", "B3"):  # black wins at C1
        state = state.apply_move(game.parse_move(state, text))
    search = BatchedSearch(game, 1, 10_000, RULE, UniformEvaluator(game), room=9)
    finish(begin(search, [state], 1, [50], noise=0.25))
    policy = np.empty(game.num_actions)
    ts.root_policy(search.tree(0), policy)
    assert policy[game.action_of(game.parse_move(state, "C1"))] == 1
    assert policy.sum() == 1
    assert ts.root_value(search.tree(0)) == 1


@pytest.mark.parametrize("shape", [0.05, 0.3, 1.0, 4.5])
def test_gamma_draws_have_their_distribution(shape: float) -> None:
    stats = pytest.importorskip("scipy.stats")
    rng = make_rng(11)
    draws = np.array([gamma(rng, shape) for _ in range(4000)])
    assert stats.kstest(draws, stats.gamma(shape).cdf).pvalue > 1e-3


def test_noise_is_drawn_for_sensible_moves_and_sums_to_one() -> None:
    game = get_game("go:size=5")
    state = state_after(game, 1, 12)
    actions, noise = np.empty(game.num_actions, np.int64), np.empty(game.num_actions)
    sensible = set(actions[: kernels.search_actions(state.kernel_state, actions)].tolist())
    rng, total = make_rng(5), np.zeros(game.num_actions)
    for _ in range(300):
        draw_noise(state.kernel_state, actions, 10.0, rng, noise)
        assert math.isclose(noise.sum(), 1.0)
        assert set(np.flatnonzero(noise).tolist()) <= sensible
        total += noise
    # Each of n has a mean of 1/n.
    for action in sensible:
        assert total[action] / 300 == pytest.approx(1 / len(sensible), rel=0.3)
