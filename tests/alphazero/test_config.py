"""Settings of a run of AlphaZero: presets, what is typed, and what is refused."""

from __future__ import annotations

import math

import pytest

from dlgo import SpecError
from engines.alphazero.config import AlphaZeroConfig, make_config
from tests.conftest import one_line_error


@pytest.mark.parametrize("game", ["tictactoe", "connect4", "draughts", "go5", "go9"])
def test_every_preset_can_be_searched_with_gumbel(game: str) -> None:
    assert make_config(game, search="gumbel").selfplay.search == "gumbel"


def test_settings_are_typed_as_they_are_printed() -> None:
    found = AlphaZeroConfig.parse(
        ["batch_size=512", "symmetries=no", "c_puct=1.2", "optimizer=sgd:lr=0.1"])
    assert found == {
        "batch_size": 512, "symmetries": False, "c_puct": 1.2, "optimizer": "sgd:lr=0.1"}
    assert make_config("connect4", visits_exponent=1.0).selfplay.rule().visits_exponent == 1
    plan = make_config("tictactoe", **found)
    assert (plan.batch_size, plan.symmetries, plan.selfplay.c_puct) == (512, False, 1.2)
    for text, part in (("batch_siz=1", "did you mean batch_size"), ("c_puct=high", "a number"),
                       ("resign_below=2", "out of range"),
                       ("symmetries=maybe", "yes or no"), ("games=1.5", "whole number"),
                       ("selfplay=1", "no setting")):
        with pytest.raises(SpecError, match=part):
            AlphaZeroConfig.parse([text])


@pytest.mark.parametrize("given, part", [
    ({"games": 0}, "games=0"), ({"game": "chess"}, "chess"), ({"runtime": "tpu"}, "tpu"),
    ({"network": "resnet:blocks=x"}, "blocks"), ({"sims": 1}, "sims=1"),
    ({"search": "best"}, "search='best'"), ({"resign_below": 2.0}, "resign_below=2"),
    ({"search_value_weight": 2.0}, "search_value_weight=2"), ({"precision": "float8"}, "float8"),
    ({"gating_threshold": 1.5}, "gating_threshold=1.5"), ({"gating_games": 7}, "gating_games=7"),
    ({"gating_games": 0}, "gating_games=0"), ({"ahead": True, "cpu_minutes": 1.0}, "ahead=yes"),
    ({"gating_threshold": 0.55, "sample_plies": 0}, "sample_plies"),
    ({"ownership": 1.0}, "ownership=1 needs the final ownership"),
    ({"score": 1.0}, "score=1 needs the final margin"),
    ({"game": "go:size=3", "score": math.nan}, "out of range"),
])
def test_mistakes_show_before_anything_is_played(given: dict, part: str) -> None:
    with one_line_error(SpecError, part):
        make_config(**{"game": "tictactoe"} | given)
