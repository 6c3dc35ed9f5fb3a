"""An engine in another process says as much as at home, and stops when it is told to."""

from __future__ import annotations

import time

from dlgo import GameState, get_game
from engines.base import Budget
from engines.isolation.engine import IsolatedEngine
from engines.registry import build_engine


def after(game: str, *moves: str) -> GameState:
    state = GameState.new_game(get_game(game))
    for move in moves:
        state = state.apply_move(move)
    return state


def test_another_process_says_what_the_engine_says_at_home() -> None:
    state = after("connect4", *"4142")
    near = build_engine("puct:sims=200", state.game, 3).analyse(state)
    engine = IsolatedEngine("puct:sims=200", state.game, 60)
    try:
        engine.new_game(3)
        far = engine.analyse(state)
    finally:
        engine.close()
    for field in ("move", "value", "policy", "values", "visits", "priors", "pv", "proven"):
        assert getattr(far, field) == getattr(near, field), field
    assert far.cost.simulations == near.cost.simulations


def test_a_search_ends_when_it_is_told_to_and_goes_on_with_its_tree() -> None:
    state = after("go:size=9")
    engine = IsolatedEngine("mcts:wall=60", state.game, 90)
    try:
        engine.warm_up()
        engine.new_game(1)
        began = time.monotonic()
        first = engine.analyse(state, None, lambda: time.monotonic() > began + 0.5)
        assert time.monotonic() - began < 50 and first.cost.simulations > 0
        second = engine.analyse(state, Budget(wall=0.2))
        assert sum(second.visits.values()) > sum(first.visits.values())
    finally:
        engine.close()
