"""Engines that pages offer: what they are called, and levels of measured strength."""

from __future__ import annotations

import pytest

from dlgo import get_game
from engines.registry import EngineSpec
from experiments.studio.opponents import adviser, has_board, name_of, presets, strongest


def test_engines_have_names() -> None:
    assert name_of("mcts:sims=1000", "go:size=13") == "MCTS, medium"
    assert name_of("mcts:sims=777") == "MCTS"
    assert name_of("random", "connect4") == "Random moves, level 1"
    assert name_of("human") == "human"
    assert name_of("my_bot.py:Greedy:depth=3") == "Greedy"
    assert name_of("/somewhere/my_bot.py") == "my_bot"
    assert name_of("gtp:gnugo --mode gtp,name=GNU Go") == "GNU Go"
    assert name_of("gtp:gnugo --mode gtp") == "GTP program"
    for preset in presets():
        assert EngineSpec.parse(preset["spec"]).text == preset["spec"]


@pytest.mark.parametrize(("game", "engine", "searching"), [
    ("connect4", "solver", "alphazero:sims=400"), ("tictactoe", "alphabeta:depth=9", ""),
    ("draughts", "mcts:sims=20000", ""), ("go:size=9", "alphazero:sims=400", ""),
    ("go:size=9,komi=6.5", "alphazero:sims=400", ""), ("go:size=5", "alphazero:sims=400", ""),
    ("go:size=19", "mcts:sims=20000", ""), ("go:size=13", "mcts:sims=20000", ""),
    ("othello:size=6", "alphazero:sims=400", ""), ("hex", "mcts:sims=20000,rule=rave", ""),
])
def test_the_strongest_engine_has_been_measured_or_has_a_network_for_the_board(
    game: str, engine: str, searching: str
) -> None:
    assert strongest(game) == engine
    assert strongest(game, searches=True) == (searching or engine)
    assert strongest(game, ["mcts:sims=20000", "random"]) == "mcts:sims=20000"
    assert get_game(game) and EngineSpec.parse(engine)


@pytest.mark.parametrize(("game", "opponents", "engine"), [
    ("go:size=9", ("human", "mcts:sims=1000"), "alphazero:sims=400"),
    ("go:size=9", ("alphazero:sims=800", "human"), "alphazero:sims=800"),
    ("go:size=19", ("human", "mcts:sims=50000"), "mcts:sims=50000"),
    ("go:size=19", ("human", "mcts:sims=10"), "mcts:sims=20000"),
    ("go:size=19", ("gtp:gnugo --mode gtp", "human"), "gtp:gnugo --mode gtp"),
])
def test_a_hint_is_never_from_a_weaker_engine_than_the_opponent(
    game: str, opponents: tuple[str, ...], engine: str
) -> None:
    assert adviser(game, opponents) == engine


def test_engines_with_a_network_are_listed_for_its_boards_only() -> None:
    boards = {preset["spec"]: preset["games"] for preset in presets()}
    for game, has_one in (("go:size=9", True), ("go:size=9,komi=6.5", True), ("go:size=19", False),
                          ("go:size=13", False), ("hex", False), ("othello", True)):
        assert has_board(boards["alphazero:sims=400"], game) == has_one
        assert has_board(boards["mcts:sims=1000"], game)
