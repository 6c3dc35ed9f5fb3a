"""Simulated tournaments with known strengths, for the tests of the ratings."""

from __future__ import annotations

import itertools
import math

import numpy as np

Played = tuple[list[str], list[str], list[float]]


def simulate(
    strengths: dict[str, float], rounds: int, gamma: float, nu: float, rng: np.random.Generator
) -> Played:
    """A double round robin played `rounds` times; strengths in Elo."""
    first, second, result = [], [], []
    for mover, opponent in itertools.permutations(strengths, 2):
        ahead = gamma * 10 ** (strengths[mover] / 400)
        behind = 10 ** (strengths[opponent] / 400)
        weights = np.array([ahead, nu * math.sqrt(ahead * behind), behind])
        first += [mover] * rounds
        second += [opponent] * rounds
        result += rng.choice([1.0, 0.5, 0.0], size=rounds, p=weights / weights.sum()).tolist()
    return first, second, result
