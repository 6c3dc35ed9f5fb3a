"""Tests of rows.py: run `python -m pytest test_rows.py`."""

from pathlib import Path

from dlgo import GameState, Player, get_game
from dlgo.conformance import check_game
from engines.registry import build_engine

GAME = get_game(str(Path(__file__).with_name("rows.py")))


def test_it_keeps_to_the_rules_of_games():
    """Searches rely on these rules; `dlgo check rows.py` explains failures."""
    check_game(GAME)


def test_a_player_who_fills_a_line_plays_again():
    state = GameState.new_game(GAME)
    for cell in ("A1", "B1", "C1"):
        state = state.apply_move(cell)
    assert state.next_player is Player.black


def test_every_family_of_engines_plays_it():
    for spec in ("random", "alphabeta:depth=2", "mcts:sims=20", "puct:sims=20"):
        state = GameState.new_game(GAME)
        engine = build_engine(spec, GAME)
        while not state.is_over():
            state = state.apply_move(engine.select_move(state).move)
