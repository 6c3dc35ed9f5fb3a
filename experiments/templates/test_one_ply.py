"""Tests of one_ply.py: run `python -m pytest test_one_ply.py`."""

from pathlib import Path

from dlgo import GameState, get_game
from engines.conformance import check_engine
from engines.registry import build_engine

BOT = str(Path(__file__).with_name("one_ply.py"))


def test_it_keeps_to_the_rules_of_engines():
    """Legal moves, the same game from the same seed, positions are not changed, and more."""
    assert len(check_engine(BOT, games=["tictactoe", "connect4", "draughts"])) == 3


def test_it_wins_at_once():
    state = GameState.new_game(get_game("connect4"))
    for column in "121212":
        state = state.apply_move(column)
    assert state.game.move_text(build_engine(BOT, state.game).select_move(state).move) == "1"
