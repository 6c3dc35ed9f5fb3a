"""An engine in another process says as much as at home, stops when told to, and is not trusted."""

from __future__ import annotations

import json
import time

import pytest

from dlgo import GameState, Move, get_game
from engines.base import Budget, Decision
from engines.isolation.decisions import decode, encode
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
        assert time.monotonic() - began < 10 and first.cost.simulations > 0
        second = engine.analyse(state, Budget(wall=0.2))
        assert sum(second.visits.values()) > sum(first.visits.values())
    finally:
        engine.close()


def test_a_decision_travels_whole() -> None:
    game = get_game("tictactoe")
    moves = [game.move_of(action) for action in range(3)]
    decision = Decision(
        moves[0], value=0.5, policy={moves[0]: 0.75, moves[1]: 0.25}, pv=tuple(moves),
        values={moves[0]: 0.5}, proven=1, plies_to_end=3, depth=4, visits={moves[2]: 7},
        priors={moves[2]: 0.1},
    )
    again = decode(json.loads(json.dumps(encode(decision, game))), game)
    assert Decision(decision.move, value=0.5, **again) == decision
    resigned = encode(Decision(Move.resign(), pv=(moves[0], Move.resign())), game)
    assert resigned["pv"] == [0]


@pytest.mark.parametrize(("field", "nonsense"), [
    ("policy", [[99, 0.5]]), ("policy", [[0, "x"]]), ("policy", [[0, float("nan")]]),
    ("policy", 7), ("visits", [[True, 1]]), ("pv", [-1]), ("pv", "abc"), ("proven", 5),
    ("depth", "deep"), ("values", [[0]]),
])
def test_nonsense_is_not_believed(field: str, nonsense: object) -> None:
    game = get_game("tictactoe")
    fields = encode(Decision(game.move_of(0)), game) | {field: nonsense}
    with pytest.raises((ValueError, TypeError, KeyError)):
        decode(fields, game)
