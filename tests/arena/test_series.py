"""Intervals of the shares that a series of games gives."""

from __future__ import annotations

import pytest
from scipy.stats import binomtest

from experiments.arena.series import share_margin


@pytest.mark.parametrize("games", [6, 12, 125])
def test_who_won_none_or_all_may_still_win_as_many_as_wilson_says(games: int) -> None:
    high = binomtest(0, games).proportion_ci(method="wilson").high
    assert share_margin(0.0, games) == share_margin(1.0, games) == pytest.approx(high, abs=1e-4)


def test_in_the_middle_it_is_the_normal_approximation() -> None:
    assert share_margin(0.5, 100) == pytest.approx(0.098)
