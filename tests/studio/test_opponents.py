"""Engines that pages offer: what they are called, and levels of measured strength."""

from __future__ import annotations

import tomllib

import pytest

from dlgo import get_game
from engines.registry import EngineSpec
from experiments.studio.levels import levels
from experiments.studio.opponents import level_of, name_of, presets
from tests.command import ROOT

PLANS = ROOT / "experiments" / "plans"


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "connectn", "go", "draughts"])
def test_levels_are_the_plan_s_engines_each_stronger_than_the_one_below(name: str) -> None:
    game = get_game(name)
    rows = levels()[str(game)]
    plan = tomllib.loads((PLANS / f"levels_{name}.toml").read_text())
    assert [row.level for row in rows] == list(range(1, len(rows) + 1))
    assert plan["games"] == [name]
    planned = [EngineSpec.parse(text).text for text in plan["engines"]]
    assert [row.engine for row in rows] == [text for text in planned if level_of(text, str(game))]
    assert (rows[0].engine, rows[0].elo) == ("random", 0)
    for below, row in zip(rows, rows[1:], strict=False):
        assert 0 < row.step_low <= row.elo - below.elo and row.low <= row.elo <= row.high
        EngineSpec.parse(row.engine).build(game, 0).close()


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
