"""Plays of Othello, beside a search along the lines of the board."""

from __future__ import annotations

import numpy as np
import pytest

from dlgo import get_game
from dlgo.encoders import get_encoder
from tests.conftest import random_game

LINES = [(rise, run) for rise in (-1, 0, 1) for run in (-1, 0, 1) if rise or run]


def plays(own: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The empty cells from which a line of the other's discs ends at an own one."""
    found = np.zeros_like(own)
    for row, col in np.argwhere(own + other == 0):
        for rise, run in LINES:
            for steps in range(1, len(own)):
                cell = row + steps * rise, col + steps * run
                if min(cell) < 0 or max(cell) >= len(own) or not (own + other)[cell]:
                    break
                if own[cell]:
                    found[row, col] |= steps > 1
                    break
    return found


@pytest.mark.parametrize("size", [4, 6, 8])
def test_plays_of_both_players(size: int) -> None:
    game = get_game(f"othello:size={size}")
    encoder, plain = get_encoder("plays", game), get_encoder("planes", game)
    passes = 0
    for seed in range(10):
        for state in random_game(game, seed, 2 * size**2):
            planes = encoder.encode(state)
            assert (planes[..., :3] == plain.encode(state)).all()
            own, other = planes[..., 0].astype(int), planes[..., 1].astype(int)
            assert (planes[..., 3] == plays(own, other)).all()
            assert (planes[..., 4] == plays(other, own)).all()
            passes += not planes[..., 3].any() and planes[..., 4].any()
    assert passes > 0
