"""Noise and temperature in self-play (chapter 14).

AlphaZero must also try moves that its network would never play. At the root it mixes noise into the
priors. It draws early moves in proportion to their visits to the power of 1 / temperature.
"""

from __future__ import annotations

import numpy as np


def mix(priors: np.ndarray, noise: np.ndarray, legal: np.ndarray, share: float) -> np.ndarray:
    """Priors with a share of noise: 0 gives the priors, 1 the noise.

    Args:
        priors, noise: float [moves], each with a sum of 1; the priors of illegal moves are 0, their
            noise may not be.
        legal: bool [moves].

    Returns:
        Legal moves sum to 1, illegal ones are 0. (Noise is scaled among legal moves first.)

    >>> mix(np.array([0.8, 0.2]), np.array([0.5, 0.5]), np.array([True, True]), 0.0)
    [0.8, 0.2]
    >>> mix(np.array([0.8, 0.2]), np.array([0.5, 0.5]), np.array([True, True]), 0.5)
    [0.65, 0.35]
    >>> mix(np.array([1.0, 0.0]), np.array([0.1, 0.9]), np.array([True, False]), 0.5)
    [1.0, 0.0]
    """
    ### BEGIN SOLUTION
    noise = np.where(legal, noise, 0.0)
    return (1 - share) * priors + share * noise / noise.sum()
    ### END SOLUTION


def tempered(visits: np.ndarray, temperature: float) -> np.ndarray:
    """Probabilities in proportion to visits to the power of 1 / temperature, with a sum of 1.

    At temperature 0 only the most visited moves are drawn, all equally likely. Visits may be
    1,000,000, and the temperature as small as 0.01.

    >>> tempered(np.array([3, 1]), 1.0)
    [0.75, 0.25]
    >>> tempered(np.array([3, 1]), 0.5)
    [0.9, 0.1]
    >>> tempered(np.array([3, 3, 1]), 0.0)
    [0.5, 0.5, 0.0]
    """
    ### BEGIN SOLUTION
    if temperature == 0:
        best = (visits == visits.max()).astype(float)
        return best / best.sum()
    shares = (visits / visits.max()) ** (1 / temperature)
    return shares / shares.sum()
    ### END SOLUTION


### BEGIN HIDDEN TESTS
import random

from experiments.classroom.checks import agrees, one_replaced

PRIORS, NOISE = np.array([0.7, 0.3, 0.0, 0.0]), np.array([0.1, 0.5, 0.4, 0.0])
_rng = np.random.default_rng(14)
LEGAL = _rng.random(82) < 0.5
LARGE = np.where(LEGAL, _rng.dirichlet([0.3] * 82), 0.0)
_random = random.Random(14)


def _mix(moves: int):
    """Arguments of `mix`; some legal moves have a prior of 0, some a noise of 0."""
    legal = _rng.random(moves) < 0.6
    legal[_rng.integers(moves)] = True
    priors, noise = (_rng.random(moves) * (_rng.random(moves) < 0.8) for _ in range(2))
    best = np.flatnonzero(legal)[0]
    priors[best] = noise[best] = 0.5
    priors = np.where(legal, priors, 0.0)
    return priors / priors.sum(), noise / noise.sum(), legal, round(_random.random(), 5)


def _visits(moves: int, most: int) -> np.ndarray:
    visits = _rng.integers(most, size=moves)
    visits[_rng.integers(moves)] += 1
    return visits


SIZES = (2, 2, 3, 3, 4, 5, 9, 82, 362)
LARGE, LARGE_NOISE = LARGE / LARGE.sum(), _rng.dirichlet([0.1] * 82)
CHECKS = [
    agrees("The share of noise", mix,
           [*((PRIORS, NOISE, np.array([True] * 4), share) for share in (0.0, 0.25, 0.75, 1.0)),
            (np.array([1.0]), np.array([1.0]), np.array([True]), 0.25)],
           "0 gives the priors, 1 the noise.", points=3),
    agrees("Illegal moves get no noise", mix,
           [*((PRIORS, NOISE, np.array([True, True, False, legal]), share)
              for share in (0.25, 1.0) for legal in (True, False)),
            (LARGE, LARGE_NOISE, LEGAL, 0.25),
            (PRIORS, np.array([1e-6, 3e-6, 0.4, 0.599996]), np.array([True, True, False, False]),
             0.5),
            *map(_mix, SIZES),
            *one_replaced((PRIORS, NOISE, np.array([True] * 4), 0.25),
                          (PRIORS[::-1], NOISE[::-1], np.array([True] * 4), 0.6))],
           "The legal moves must still sum to 1.", points=2),
    agrees("Probabilities from visits and temperature", tempered,
           [*((np.array([10, 5, 1, 0]), temperature) for temperature in (1.0, 0.5, 2.0, 0.1, 10.0)),
            (np.array([7]), 1.0), (_rng.integers(0, 50, size=82), 0.8),
            *((_visits(moves, 50), round(_random.uniform(0.1, 3), 4)) for moves in SIZES)],
           "A small temperature makes the largest probability larger.", points=2),
    agrees("Temperature 0 plays the most visited", tempered,
           [(np.array(visits), 0.0)
            for visits in ([3, 9, 1], [4, 4, 0], [7], [0, 2, 1, 2, 2], [999_999, 1_000_000],
                             [5] * 4, [1, 1], *(_visits(moves, 3) for moves in SIZES))],
           "Moves with equal visits are equally likely."),
    agrees("Large numbers do not overflow", tempered,
           [(np.array([1_000_000, other]), temperature)
            for other in (999_000, 999_999, 10) for temperature in (0.01, 0.03)]
           + [(_visits(moves, 1_000_000), temperature)
              for moves in SIZES for temperature in (0.01, 1.0)],
           "1,000,000 to the power of 100 is too large; only ratios matter.", points=2),
]
PLANTED = {
    "shares mixed up": ("(1 - share) * priors + share * noise",
                        "share * priors + (1 - share) * noise"),
    "one share": ("(1 - share) * priors + share * noise",
                  "(1 - min(share, 0.5)) * priors + min(share, 0.5) * noise"),
    "the share is added": ("(1 - share) * priors", "priors"),
    "illegal moves get noise": ("np.where(legal, noise, 0.0)", "noise + 0.0"),
    "noise is not scaled": ("share * noise / noise.sum()", "share * noise"),
    "a little more than the sum": ("noise / noise.sum()", "noise / (noise.sum() + 1e-8)"),
    "the noise is changed": ("    noise = np.where(legal, noise, 0.0)", "    noise[~legal] = 0.0"),
    "the priors are changed": ("    return (1 - share) * priors + share * noise / noise.sum()",
                               "    priors *= 1 - share\n"
                               "    return priors + share * noise / noise.sum()"),
    "to the power of the temperature": ("** (1 / temperature)", "** temperature"),
    "the temperature is ignored": ("** (1 / temperature)", "** 1.0"),
    "small temperatures are 0": ("if temperature == 0:", "if temperature < 0.05:"),
    "no temperature is small": ("** (1 / temperature)", "** (1 / max(temperature, 0.02))"),
    "overflow": ("(visits / visits.max()) **", "visits.astype(float) **"),
    "integers overflow": ("(visits / visits.max()) **", "visits.astype(np.int16) **"),
    "one of the best": ("best = (visits == visits.max()).astype(float)",
                        "best = (np.arange(len(visits)) == visits.argmax()).astype(float)"),
    "at most two of the best": ("return best / best.sum()",
                                "return best * (best.cumsum() <= 2) / min(best.sum(), 2)"),
    "no prior is 0": ("(1 - share) * priors", "(1 - share) * np.maximum(priors, 1e-3 * legal)"),
    "at most 100 moves": ("noise / noise.sum()", "noise / noise[:100].sum()"),
    "about the best": ("visits == visits.max()", "visits >= 0.99 * visits.max()"),
}
EQUIVALENT = {
    "temperature <= 0": "The temperature is not negative.",
    "visits >= visits.max()": "No move has more visits than the most.",
}
### END HIDDEN TESTS
