"""Noise and temperature in self-play (chapter 14).

AlphaZero must also try moves that its network would never play. At the root it mixes noise into the
priors. It draws early moves in proportion to their visits to the power of 1 / temperature.
"""

from __future__ import annotations

import numpy as np


def mix(priors: np.ndarray, noise: np.ndarray, legal: np.ndarray, share: float) -> np.ndarray:
    """Priors with a share of noise: 0 gives the priors, 1 the noise.

    Args:
        priors, noise: float [moves]; the priors of illegal moves are 0, their noise may not be.
        legal: bool [moves].

    Returns:
        Legal moves sum to 1, illegal ones are 0. (Noise is scaled among legal moves first.)
    """
    ### BEGIN SOLUTION
    noise = np.where(legal, noise, 0.0)
    return (1 - share) * priors + share * noise / noise.sum()
    ### END SOLUTION


def tempered(visits: np.ndarray, temperature: float) -> np.ndarray:
    """Probabilities in proportion to visits to the power of 1 / temperature, with a sum of 1.

    At temperature 0 only the most visited moves are drawn, all equally likely. Visits may be
    1,000,000, and the temperature as small as 0.01.
    """
    ### BEGIN SOLUTION
    if temperature == 0:
        best = (visits == visits.max()).astype(float)
        return best / best.sum()
    shares = (visits / visits.max()) ** (1 / temperature)
    return shares / shares.sum()
    ### END SOLUTION


### BEGIN HIDDEN TESTS
from experiments.classroom.checks import agrees

PRIORS, NOISE = np.array([0.7, 0.3, 0.0, 0.0]), np.array([0.1, 0.5, 0.4, 0.0])
CHECKS = [
    agrees("The share of noise", mix,
           [(PRIORS, NOISE, np.array([True] * 4), share) for share in (0.0, 0.25, 1.0)],
           "0 gives the priors, 1 the noise.", points=3),
    agrees("Illegal moves get no noise", mix,
           [(PRIORS, NOISE, np.array([True, True, False, True]), share) for share in (0.25, 1.0)],
           "The legal moves must still sum to 1.", points=2),
    agrees("Probabilities from visits and temperature", tempered,
           [(np.array([10, 5, 1, 0]), temperature) for temperature in (1.0, 0.5, 2.0)],
           "A small temperature makes the largest probability larger.", points=2),
    agrees("Temperature 0 plays the most visited", tempered,
           [(np.array(visits), 0.0) for visits in ([3, 9, 1], [4, 4, 0], [7])],
           "Moves with equal visits are equally likely."),
    agrees("Large numbers do not overflow", tempered,
           [(np.array([1_000_000, other]), 0.01) for other in (999_000, 10)],
           "1,000,000 to the power of 100 is too large; only ratios matter.", points=2),
]
PLANTED = {
    "shares mixed up": ("(1 - share) * priors + share * noise",
                        "share * priors + (1 - share) * noise"),
    "illegal moves get noise": ("np.where(legal, noise, 0.0)", "noise + 0.0"),
    "noise is not scaled": ("share * noise / noise.sum()", "share * noise"),
    "to the power of the temperature": ("** (1 / temperature)", "** temperature"),
    "overflow": ("(visits / visits.max()) **", "visits.astype(float) **"),
    "one of the best": ("best = (visits == visits.max()).astype(float)",
                        "best = (np.arange(len(visits)) == visits.argmax()).astype(float)"),
}
### END HIDDEN TESTS
