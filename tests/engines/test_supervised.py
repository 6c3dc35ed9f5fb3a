"""The supervised engine: the book's choice among candidates, legal moves only, one evaluation."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from dlgo import GameState, Move, get_game, kernels
from dlgo.errors import ModelError
from dlgo.rng import make_rng
from engines.learning.selfplay.drawing import draw
from engines.registry import EngineSpec, build_engine
from engines.supervised.engine import clipped
from tests.conftest import one_line_error
from tests.learning.networks.models import write_model

GAMES = ("tictactoe", "connect4", "connectn:cols=5,rows=4,n=3,pie=yes", "go:size=5", "draughts")


@pytest.mark.parametrize("game_name", GAMES)
@pytest.mark.parametrize("choose", ["best", "sample,temperature=2"])
def test_it_plays_every_game_legally_and_repeats_it(
    tmp_path: Path, game_name: str, choose: str
) -> None:
    game = get_game(game_name)
    folder = write_model(tmp_path / "m", game_name)
    engine = build_engine(f"supervised:model={folder},choose={choose}", game)

    def played(seed: int) -> list[Move]:
        engine.new_game(seed)
        state = GameState.new_game(game)
        while not state.is_over() and len(state.moves()) < 60:
            decision = engine.select_move(state)
            sensible = np.empty(game.num_actions, np.int64)
            n = kernels.search_actions(state.kernel_state, sensible)
            assert {game.action_of(move) for move in decision.policy} == set(sensible[:n])
            assert sum(decision.policy.values()) == pytest.approx(1)
            assert -1 <= decision.value <= 1
            assert decision.cost.evaluations == 1
            if choose == "best":
                assert decision.move == max(decision.policy, key=decision.policy.get)
            state = state.apply_move(decision.move)  # raises if it is illegal
        return state.moves()

    first = played(1)
    others = [played(seed) for seed in (2, 3, 4)]
    assert played(1) == first
    assert all(other == first for other in others) == (choose == "best")


def test_drawing_follows_the_cubed_policy() -> None:
    """Listing 8.3: 0.5, 0.3 and 0.2 become 125 : 27 : 8."""
    weights = clipped(np.array([0.5, 0.3, 0.2]), 1 / 3)
    np.testing.assert_allclose(weights, np.array([125, 27, 8]) / 160, rtol=1e-9)
    rng = make_rng(1)
    counts = Counter(draw(weights, 1.0, rng) for _ in range(20_000))
    for i, weight in enumerate(weights):
        assert counts[i] / 20_000 == pytest.approx(weight, abs=4 * 0.5 / 20_000**0.5)


def test_an_eye_is_not_filled_though_the_network_wants_to(tmp_path: Path) -> None:
    """Black holds the corner with an eye at A1: the network's favourite, and never played."""
    game = get_game("go:size=5")
    state = game.start().play("A2", "E5", "B1", "E4", "B2", "D5")
    eye = game.action_of(game.parse_move(state, "A1"))
    bias = np.zeros(game.num_actions)
    bias[eye] = 50.0
    folder = write_model(tmp_path / "m", "go:size=5", bias=bias)
    for choose in ("best", "sample"):
        engine = build_engine(f"supervised:model={folder},choose={choose}", game, seed=1)
        for _ in range(10):
            decision = engine.select_move(state)
            assert game.action_of(decision.move) != eye
            assert decision.policy[Move.pass_turn()] == pytest.approx(1 / len(decision.policy))


def test_passing_when_the_policy_says_so_or_as_the_last_resort(tmp_path: Path) -> None:
    game = get_game("go:size=5")
    bias = np.zeros(game.num_actions)
    bias[game.pass_action] = 9.0
    folder = write_model(tmp_path / "m", "go:size=5", bias=bias)
    start = GameState.new_game(game)
    assert build_engine(f"supervised:{folder}", game).select_move(start).move.is_pass
    engine = build_engine(f"supervised:{folder},passes=last,choose=sample", game, seed=2)
    state, plies = start, 0
    while not state.is_over() and plies < 200:
        move = engine.select_move(state).move
        others = np.empty(game.num_actions, np.int64)
        n = kernels.search_actions(state.kernel_state, others)
        assert move.is_pass == (n == 1)
        state, plies = state.apply_move(move), plies + 1
    assert state.is_over()


def test_models_that_do_not_fit_are_refused_in_one_line(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "m", "go:size=5")
    for text, game, error, part in (
        ("supervised", "connectn:rows=9", ModelError, "no supervised model comes with"),
        ("supervised:model=nobody", "go:size=5", ModelError, "unknown model 'nobody'"),
        (f"supervised:{folder}", "go:size=9", ModelError, "cannot play go:size=9"),
        (f"supervised:{folder}", "connect4", ModelError, "trained on go:size=5"),
        (f"supervised:{tmp_path}", "go:size=5", ModelError, "has no card.json"),
    ):
        with one_line_error(error, part):
            build_engine(text, get_game(game))
    assert str(EngineSpec.parse("supervised:some/model")) == "supervised:model=some/model"
