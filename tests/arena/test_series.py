"""A series of games: the intervals of its shares, and what its games depend on."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest
from scipy.stats import binomtest

from experiments.arena.series import Series, play_series
from reports.intervals import share_margin
from tests.command import ROOT

MODELS = ROOT / "engines/models"


@pytest.mark.parametrize("games", [6, 12, 125])
def test_who_won_none_or_all_may_still_win_as_many_as_wilson_says(games: int) -> None:
    high = binomtest(0, games).proportion_ci(method="wilson").high
    assert share_margin(0.0, games) == share_margin(1.0, games) == pytest.approx(high, abs=1e-4)


def test_in_the_middle_it_is_the_normal_approximation() -> None:
    assert share_margin(0.5, 100) == pytest.approx(0.098, abs=1e-5)


def test_the_folder_of_a_network_does_not_change_the_games(tmp_path: Path) -> None:
    shares = []
    for folder in ("here", "there/and/further"):
        copytree(MODELS / "tictactoe-supervised", tmp_path / folder / "net")
        spec = f"supervised:model={tmp_path / folder / 'net'}"
        shares.append([play_series("tictactoe", spec, "mcts:sims=8", 12, seed).points
                       for seed in range(3)])
    assert shares[0] == shares[1]


def test_a_series_prints_its_score_with_an_interval_and_its_cost() -> None:
    series = Series("mcts:sims=10", "random", games=20, points=18, cpu_ms=(0.071, 0.006))
    assert str(series) == ("mcts:sims=10 against random: 90.0% (73.9% to 100.0%) of 20 games; "
                           "0.07 and 0.01 CPU ms a move")
