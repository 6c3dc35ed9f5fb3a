"""The fast policy: its gradient, what it learns, its files, its rollouts, its player."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from dlgo import GameState, get_game, kernels
from dlgo.api import GameSpec
from dlgo.errors import DataError, DlgoError, SpecError
from dlgo.rng import make_rng
from engines.conformance import check_engine
from engines.fast_policy.policy import FORMAT, FastPolicy, offsets_of
from engines.fast_policy.rollout import draw_action
from engines.fast_policy.training import backward, forward, measure, new_work, train
from engines.learning.data import GameBuilder
from engines.learning.data.checked_arrays import write_arrays
from engines.learning.data.dataset import Dataset
from engines.registry import build_engine
from engines.search.evaluators import value_of
from engines.search.search import new_scratch
from tests.conftest import one_line_error, random_game
from tests.learning.data.games import ShardWriter


def planted(game: GameSpec, seed: int = 1, scale: float = 1.0) -> FastPolicy:
    """A policy with random weights."""
    weights = FastPolicy.uniform(game).weights
    drawn = np.random.default_rng(seed).normal(0, scale, len(weights))
    return FastPolicy(game, drawn.astype(np.float32))


def write_games(folder: Path, policy: FastPolicy, games: int, seed: int = 1) -> Dataset:
    """Games of random moves in which the policy's drawn choice is the label of every ply."""
    generator, rng = np.random.default_rng(seed), make_rng(seed)
    evaluator = policy.rollout()
    game, actions = policy.game, np.empty(policy.game.num_actions, np.int64)
    with ShardWriter(folder, game, {"cpu_seconds": 2.0}) as writer:
        for _ in range(games):
            state, builder = GameState.new_game(game), GameBuilder(game)
            while not state.is_over() and len(builder) < 80:
                chosen = int(draw_action(evaluator, state.kernel_state, actions, rng))
                legal = state.legal_actions()
                action = int(legal[generator.integers(len(legal))])
                builder.add(action, chosen=chosen)
                state = state.apply_move(game.move_of(action))
            writer.add(builder.finish(0))
    return Dataset.open(folder)


# Learning ------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["go:size=5", "connect4", "tictactoe"])
def test_the_gradient_is_the_slope_of_the_loss(spec: str) -> None:
    game = get_game(spec)
    state = random_game(game, seed=4)[5]
    weights = planted(game).weights.astype(np.float64)
    offsets, work = offsets_of(game.feature_slots)[:-1], new_work(game)
    chosen = 1

    def loss(changed: np.ndarray) -> float:
        forward(state.kernel_state, changed, offsets, work)
        return -math.log(work.chances[chosen])

    n = forward(state.kernel_state, weights, offsets, work)
    touched = set(work.touched[: backward(n, chosen, offsets, work)].tolist())
    gradient = work.gradient.copy()
    assert set(np.flatnonzero(gradient).tolist()) <= touched
    assert np.abs(gradient).max() > 0.01
    step = 1e-6
    for feature in sorted(touched):
        up, down = weights.copy(), weights.copy()
        up[feature] += step
        down[feature] -= step
        assert gradient[feature] == pytest.approx((loss(up) - loss(down)) / (2 * step), abs=1e-7)


@pytest.mark.parametrize("spec", ["go:size=5", "connect4"])
def test_a_planted_policy_is_learned(spec: str, tmp_path: Path) -> None:
    """Its chances are known, so is the least cross-entropy that anything can reach."""
    truth = planted(get_game(spec))
    data, held_out = write_games(tmp_path, truth, 600).split(0.2)
    uniform = measure(FastPolicy.uniform(data.game), data.games())
    assert uniform.accuracy == pytest.approx(uniform.uniform_accuracy)
    assert uniform.cross_entropy == pytest.approx(uniform.uniform_cross_entropy)
    assert uniform.positions == data.n_positions
    learned = measure(train(data, epochs=12), held_out.games())
    best = measure(truth, held_out.games())
    gap = best.uniform_cross_entropy - best.cross_entropy
    assert gap > 0.3
    assert learned.cross_entropy - best.cross_entropy < 0.2 * gap
    assert learned.accuracy > best.accuracy - 0.06


def test_games_that_teach_nothing_or_break_the_rules_are_refused(tmp_path: Path) -> None:
    game = get_game("connect4")
    for folder, actions in (("none", ()), ("illegal", (3,) * 7)):
        builder = GameBuilder(game)
        for action in actions:
            builder.add(action)
        with ShardWriter(tmp_path / folder, game, {}) as writer:
            writer.add(builder.finish(0))
    with one_line_error(DataError, "no position to learn from"):
        train(Dataset.open(tmp_path / "none"))
    with one_line_error(DataError, "breaks the rules of connect4"):
        train(Dataset.open(tmp_path / "illegal"))


# Files ---------------------------------------------------------------------------------------


def test_a_policy_survives_its_file(tmp_path: Path) -> None:
    game = get_game("go:size=5")
    data, held_out = write_games(tmp_path / "games", planted(game), 10).split(0.2)
    policy = train(data, held_out, epochs=1)
    path = policy.save(tmp_path / "policy.npz")
    again = FastPolicy.load(path)
    assert again.game == game
    assert np.array_equal(again.weights, policy.weights)
    assert again.network_id == policy.network_id
    assert (again.training, again.accuracy) == (policy.training, policy.accuracy)
    assert again.accuracy["held_out"]["positions"] == held_out.n_positions
    assert again.training_cpu_seconds >= data.cpu_seconds
    # The komi changes no feature.
    assert FastPolicy.load(path, get_game("go:size=5,komi=0.5")).game.komi == 0.5


def test_files_that_are_no_policy_for_the_game_are_refused(tmp_path: Path) -> None:
    game = get_game("connect4")
    path = planted(game).save(tmp_path / "policy.npz")
    content = path.read_bytes()
    header = {"format": FORMAT, "game": "connect4", "features_version": 1, "slots": [["a", 2]],
              "training": {}, "accuracy": {}, "provenance": {}}
    (tmp_path / "cut.npz").write_bytes(content[: len(content) // 2])
    (tmp_path / "text.npz").write_text("weights")
    middle = len(content) // 3
    (tmp_path / "altered.npz").write_bytes(
        content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
    )
    weights = {"weights": np.zeros(2, np.float32)}
    write_arrays(tmp_path / "slots.npz", header, weights)
    write_arrays(tmp_path / "foreign.npz", {**header, "format": "dlgo games 1"}, weights)
    slots = [[name, size] for name, size in game.feature_slots]
    write_arrays(tmp_path / "short.npz", {**header, "slots": slots}, weights)
    infinite = {"weights": np.full_like(planted(game).weights, np.inf)}
    write_arrays(tmp_path / "infinite.npz", {**header, "slots": slots}, infinite)
    np.savez(tmp_path / "pickled.npz", weights=np.array([{}], object), allow_pickle=True)
    for name, part in (
        ("cut", "it is cut off"), ("text", "text.npz is not a fast policy"),
        ("altered", "altered.npz is a damaged fast policy"), ("slots", "other features"),
        ("foreign", "its format is 'dlgo games 1'"), ("short", "weights, not (2,)"),
        ("infinite", "not finite"), ("pickled", "it has no array"), ("absent", "No such file"),
    ):
        with one_line_error(DlgoError, part):
            FastPolicy.load(tmp_path / f"{name}.npz", game)
    with one_line_error(DataError, "it plays connect4, not go:size=9; train one for go:size=9"):
        FastPolicy.load(path, get_game("go9"))


# Rollouts ------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["go:size=5", "connect4", "draughts", "tictactoe"])
def test_rollouts_end_with_a_result_and_repeat_themselves(spec: str) -> None:
    game = get_game(spec)
    evaluator, scratch = planted(game).rollout(), new_scratch(game.num_actions)
    start = game.new_kernel_state()
    ends = []
    for seed in (*range(20), *range(20)):
        work = game.scratch_state(start, room=evaluator.most_plies + 1)
        kernels.copy_into(work, start)
        scratch.played[:] = kernels.NOBODY
        value = value_of(evaluator, work, 0, scratch, make_rng(seed))
        assert value in (-1.0, 0.0, 1.0)
        assert kernels.terminal(work)
        assert value == kernels.result(work)
        assert set(scratch.played.tolist()) <= {kernels.NOBODY, 0, 1}
        assert (scratch.played != kernels.NOBODY).any()
        ends.append((value, scratch.played.tolist()))
    assert ends[:20] == ends[20:]
    assert any(ends[0] != end for end in ends)


def test_moves_are_drawn_as_the_policy_says() -> None:
    """A chi-square test: passed by chance in all but one of 100,000 seeds."""
    game = get_game("go:size=3,komi=0")
    state = random_game(game, seed=1, passes=False)[2]
    policy = planted(game, seed=3, scale=0.5)
    actions, chances = policy.policy(state)
    plays = actions != game.pass_action
    with pytest.raises(ValueError, match="must be above 0"):
        policy.rollout(0.0)
    cold, rng = policy.rollout(1e-9), make_rng(5)
    best = actions[plays][np.argmax(chances[plays])]
    room = np.empty(game.num_actions, np.int64)
    assert {int(draw_action(cold, state.kernel_state, room, rng)) for _ in range(50)} == {best}
    for temperature in (1.0, 0.5, 4.0):
        expected = chances[plays] ** (1 / temperature)
        expected /= expected.sum()
        evaluator, rng = policy.rollout(temperature), make_rng(5)
        room, n = np.empty(game.num_actions, np.int64), 20_000
        drawn = Counter(
            int(draw_action(evaluator, state.kernel_state, room, rng)) for _ in range(n)
        )
        assert set(drawn) <= set(actions[plays].tolist())
        counts = np.array([drawn[action] for action in actions[plays].tolist()])
        assert n * expected.min() > 5
        distance = ((counts - n * expected) ** 2 / (n * expected)).sum()
        assert len(counts) == 7
        assert distance < 33.0  # 6 degrees of freedom: p = 1e-5


# Players -------------------------------------------------------------------------------------


def test_the_player_chooses_the_best_or_draws(tmp_path: Path) -> None:
    game = get_game("connect4")
    policy = planted(game)
    path = policy.save(tmp_path / "policy.npz")
    best = build_engine(f"fast_policy:{path}", game)
    assert best.network_id == policy.network_id
    state = random_game(game, seed=1)[4]
    actions, chances = policy.policy(state)
    decision = best.select_move(state)
    assert decision.move == game.move_of(actions[np.argmax(chances)])
    assert sum(decision.policy.values()) == pytest.approx(1)
    sample = build_engine(f"fast_policy:policy={path},choose=sample", game, seed=1)
    assert len({sample.select_move(state).move for _ in range(60)}) > 2


def test_the_player_passes_last(tmp_path: Path) -> None:
    game = get_game("go:size=4")
    weights = planted(game).weights
    weights[-2:] = 1e4
    player = build_engine(f"fast_policy:{FastPolicy(game, weights).save(tmp_path / 'p.npz')}", game)
    decision = player.select_move(GameState.new_game(game))
    assert decision.move.is_play
    assert sum(decision.policy.values()) == pytest.approx(1)


def test_a_player_without_a_policy_is_refused(tmp_path: Path) -> None:
    game = get_game("connect4")
    with one_line_error(SpecError, "needs policy=FILE"):
        build_engine("fast_policy", game)
    for spec in ("mcts:rollout=policy", "mcts:policy=p.npz", "mcts:rollout=heavy,policy=p.npz"):
        with one_line_error(SpecError, "or neither"):
            build_engine(spec, game)
    with one_line_error(DataError, "No such file"):
        build_engine(f"mcts:rollout=policy,policy={tmp_path / 'none.npz'}", game)


def test_the_players_keep_every_rule(tmp_path: Path) -> None:
    small, four = get_game("go:size=5"), get_game("connect4")
    paths = {game: planted(game).save(tmp_path / f"{game.slug}.npz") for game in (small, four)}
    for engine, game in (
        ("fast_policy:choose=sample", small), ("mcts:sims=20,rollout=policy,rule=rave", four),
    ):
        assert check_engine(f"{engine},policy={paths[game]}", [game]) == [game]
    state = four.start().play(*"41414")
    engine = build_engine(f"mcts:sims=200,rollout=policy,threads=2,policy={paths[four]}", four, 1)
    assert engine.network_id == FastPolicy.load(paths[four]).network_id
    assert four.move_text(engine.select_move(state).move) == "4"  # where four would stand
    engine.close()
