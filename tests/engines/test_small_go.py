"""Tree search on boards of Go that are solved: openings and values.

Best play by area without komi: 2x2 Black +1, 3x3 Black +9 from the centre (any other opening
loses at least 6 points of that), 5x5 Black +25 from the centre (van der Werf 2003; the runner-up
is worth 3). Komi next to these numbers turns them into wins, draws and losses.
"""

from __future__ import annotations

import pytest

from dlgo import GameState, get_game
from engines.registry import build_engine
from tests.conftest import RUN_ALL

SEEDS = 3 if RUN_ALL else 1
HEAVY = "mcts:sims=20000,rollout=heavy"


@pytest.mark.parametrize("spec", ["mcts:sims=20000", HEAVY])
def test_two_by_two_is_proven_to_be_worth_one_point(spec: str) -> None:
    for komi, value in ((0.5, 1), (1.5, -1)):
        game = get_game(f"go:size=2,komi={komi}")
        for seed in range(SEEDS):
            decision = build_engine(spec, game, seed).select_move(GameState.new_game(game))
            assert decision.proven == value
            if value == 1:
                assert decision.move.is_play
    game = get_game("go:size=2,komi=1")
    decision = build_engine(spec, game).select_move(GameState.new_game(game))
    assert abs(decision.value) < 0.1  # a draw


@pytest.mark.parametrize("spec", ["mcts:sims=20000", HEAVY, HEAVY + ",rule=rave"])
def test_three_by_three_opens_in_the_centre_for_all_nine_points(spec: str) -> None:
    values = []
    for komi in (8.5, 9, 9.5):
        game = get_game(f"go:size=3,komi={komi}")
        for seed in range(SEEDS):
            decision = build_engine(spec, game, seed).select_move(GameState.new_game(game))
            values.append(decision.value)
            if komi <= 9:  # at 9.5 every move loses
                assert game.move_text(decision.move) == "B2"
    assert min(values[:SEEDS]) > 0.3
    assert all(-0.5 < value < 0.1 for value in values[SEEDS : 2 * SEEDS])
    assert max(values[2 * SEEDS :]) < -0.9


@pytest.mark.parametrize("rule", ["uct", "rave"])
def test_five_by_five_opens_in_the_centre(rule: str) -> None:
    """With komi 7.5 the centre wins and everything else loses."""
    game = get_game("go:size=5,komi=7.5")
    for seed in range(2 * SEEDS if RUN_ALL else 2):
        engine = build_engine(f"{HEAVY},rule={rule}", game, seed)
        decision = engine.select_move(GameState.new_game(game))
        assert game.move_text(decision.move) == "C3"
