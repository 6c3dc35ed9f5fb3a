"""GNU Go as an engine: by our rules, from our positions, on boards that it knows."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlgo import GameState, get_game
from dlgo.gtp import GtpError
from engines.registry import build_engine
from tests.gtp.programs import GNUGO, GNUGO_OPTIONS, needs_gnugo


@needs_gnugo
def test_gnu_go_plays_itself_by_our_rules(tmp_path: Path) -> None:
    """Every move is legal here, the same seed gives the same game, and both costs are there."""
    game = get_game("go:size=7,komi=9")
    engine = build_engine(f"gtp:{GNUGO} {GNUGO_OPTIONS} --level 1 --seed {{seed}}", game)

    def play(seed: int) -> GameState:
        engine.new_game(seed)
        state = GameState.new_game(game)
        while not state.is_over():
            decision = engine.select_move(state)
            assert decision.cost.cpu_seconds > 0
            state = state.apply_move(decision.move)
        return state

    first = play(1)
    assert len(first.moves()) > 15
    assert play(1).moves() == first.moves()
    assert any(play(seed).moves() != first.moves() for seed in (2, 3, 4))
    engine.close()


@needs_gnugo
def test_gnu_go_takes_over_a_position_with_handicap() -> None:
    game = get_game("go:size=9,handicap=4,komi=0.5")
    engine = build_engine(f"gtp:{GNUGO} {GNUGO_OPTIONS} --level 1", game)
    state = GameState.new_game(game)
    for _ in range(4):
        assert state.is_valid_move(move := engine.select_move(state).move)
        state = state.apply_move(move)
    engine.close()


@needs_gnugo
def test_gnu_go_refuses_a_board_that_is_too_large() -> None:
    with pytest.raises(GtpError, match="refused 'boardsize 25': unacceptable size"):
        build_engine(f"gtp:{GNUGO} --mode gtp", get_game("go:size=25"))
