"""How moves are drawn from a policy, and when a player resigns."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from dlgo.rng import make_rng
from engines.learning.selfplay.drawing import Sampling, draw
from engines.termination import Resignation


@pytest.mark.parametrize("temperature, expected", [
    (1.0, [0.5, 0.3, 0.2]), (0.5, [25 / 38, 9 / 38, 4 / 38]), (0.001, [1.0, 0.0, 0.0]),
])
def test_moves_are_drawn_by_their_shares_and_the_temperature(temperature, expected) -> None:
    rng, shares = make_rng(1), np.array([5.0, 0.0, 3.0, 2.0])
    counts = Counter(draw(shares, temperature, rng) for _ in range(8000))
    assert counts[1] == 0
    for index, share in zip((0, 2, 3), expected, strict=True):
        assert counts[index] / 8000 == pytest.approx(share, abs=0.02)


def test_moves_are_drawn_in_the_first_plies_only() -> None:
    assert [Sampling(2, 1.0).applies(ply) for ply in range(4)] == [True, True, False, False]
    assert not Sampling(2, 0.0).applies(0)


def test_a_player_resigns_after_hopeless_estimates_in_a_row() -> None:
    watch = Resignation(below=0.1, patience=3)  # a share of 0.1 is a value of -0.8
    values = [-0.9, -0.9, -0.7, -0.9, -0.9, -0.81, -0.9]
    assert [watch.update(value) for value in values] == [False] * 5 + [True] * 2
    watch.reset()
    assert not watch.update(-1.0)
    never = Resignation(below=0.0, patience=1)
    assert not never.possible and not never.update(-1.0)
