"""AlphaGo's search: as the textbook's, from the parts of a bundle, refused in one line."""

from __future__ import annotations

import numpy as np
import pytest

from dlgo import GameState, get_game
from engines.alphago.bundle import find_bundle, shipped_bundles
from engines.registry import build_engine
from tests.conftest import random_game

GAME = get_game("tictactoe")
NAME = "tictactoe-alphago"


def states(seeds: int) -> list[GameState]:
    return [state for seed in range(seeds) for state in random_game(GAME, seed, 9)[:-1]]


@pytest.mark.parametrize("prior", ["supervised", "reinforced"])
def test_without_rollouts_it_searches_as_the_textbook_does(prior: str) -> None:
    spec = f"sims=30,lambda=0,prior={prior},reuse=no"
    ours = build_engine(f"alphago:{spec}", GAME)
    textbook = build_engine(f"textbook-alphago:{spec.removesuffix(',reuse=no')}", GAME)
    compared = 0
    for state in states(4):
        one, other = ours.select_move(state), textbook.select_move(state)
        assert one.move == other.move and one.proven == other.proven
        if one.proven is None:
            assert one.policy == pytest.approx(other.policy, abs=1e-9)
            compared += 1
    assert compared > 8


@pytest.mark.parametrize("mixing", [0.5, 1.0])
def test_rollouts_move_the_value_as_the_textbook_says(mixing: float) -> None:
    """Other random games, so only the means agree: of the first leaf."""
    state = GameState.new_game(GAME).apply_move(GAME.move_of(0))
    ours = build_engine(f"alphago:sims=2,lambda={mixing},reuse=no", GAME)
    textbook = build_engine(f"textbook-alphago:sims=2,lambda={mixing}", GAME)
    means = []
    for engine in (ours, textbook):
        values = []
        for seed in range(400):
            engine.new_game(seed)
            values.append(engine.select_move(state).value)
        means.append(np.mean(values))
        assert np.std(values) > 0.3 * mixing
    assert means[0] == pytest.approx(means[1], abs=0.2 * mixing)


def test_answers_that_are_remembered_change_no_search_and_their_rollouts_are_played_anew() -> None:
    game = get_game("connect4")
    with_cache, without = (
        build_engine(f"alphago:sims=150,cache={cache}", game, 1) for cache in (20_000, 0))
    state = GameState.new_game(game)
    asked = of = 0
    for _ in range(4):
        one, other = with_cache.select_move(state), without.select_move(state)
        assert (one.policy, one.values) == (other.policy, other.values)
        asked, of = asked + one.cost.evaluations, of + other.cost.evaluations
        state = state.apply_move(one.move)
    assert asked < of


def test_what_it_costs_and_plays_with_is_told() -> None:
    engine = build_engine("alphago:sims=8", GAME)
    bundle = find_bundle(None, GAME)
    assert engine.training_cpu_seconds == bundle.cpu_seconds > 5
    assert engine.network_id.count("sha256:") == 2
    only_rollouts = build_engine("alphago:sims=8,lambda=1", GAME)
    assert only_rollouts.network_id.count("sha256:") == 1
    assert NAME in shipped_bundles()


def test_the_runtime_told_is_that_of_its_networks() -> None:
    assert build_engine("alphago", "connect4").runtime == "onnx"
    assert build_engine("alphago:runtime=int8", "connect4").runtime == "int8"
