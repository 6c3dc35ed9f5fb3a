"""A series of games: the intervals of its shares, and what its games depend on."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest
from scipy.stats import binomtest

from experiments.arena.series import play_series
from reports.intervals import share_margin
from tests.command import ROOT

MODELS = ROOT / "engines/models"


@pytest.mark.parametrize("games", [6, 12, 125])
def test_who_won_none_or_all_may_still_win_as_many_as_wilson_says(games: int) -> None:
    high = binomtest(0, games).proportion_ci(method="wilson").high
    assert share_margin(0.0, games) == share_margin(1.0, games) == pytest.approx(high, abs=1e-4)


def test_the_folder_of_a_network_does_not_change_the_games(tmp_path: Path) -> None:
    shares = []
    for folder in ("here", "there/and/further"):
        copytree(MODELS / "tictactoe-supervised", tmp_path / folder / "net")
        spec = f"supervised:model={tmp_path / folder / 'net'}"
        shares.append([play_series("tictactoe", spec, "mcts:sims=8", 12, seed).points
                       for seed in range(3)])
    assert shares[0] == shares[1]
