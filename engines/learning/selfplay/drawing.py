"""Draws moves from a policy in the first plies of a game, at a temperature.

Without it, all games of a player against itself would be alike. Early moves are drawn in proportion
to `share ** (1 / temperature)`; later moves are the best ones. Temperature 1 draws by the shares,
below 1 prefers the largest, 0 always plays the best.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dlgo.rng import uniform


class Sampling(NamedTuple):
    """In which plies moves are drawn, and at which temperature."""

    plies: int  # moves are drawn while fewer plies than this have been played
    temperature: float = 1.0  # of the draw; 0: the best move is played

    def applies(self, ply: int) -> bool:
        """Whether a move is drawn after `ply` plies."""
        return ply < self.plies and self.temperature > 0


def draw(shares: np.ndarray, temperature: float, rng: np.ndarray) -> int:
    """Draw an index in proportion to `shares ** (1 / temperature)`.

    Args:
        shares: float[n], not negative, at least one above 0; they need not sum to 1. An index
            with a share of 0 is never drawn.
        temperature: above 0.
        rng: generator state, advanced by one number.
    """
    candidates = np.flatnonzero(shares)
    # Relative to the largest share, so that a low temperature does not round all of them to 0.
    weights = (shares[candidates] / shares.max()) ** (1 / temperature)
    sums = np.cumsum(weights)
    return int(candidates[np.searchsorted(sums, uniform(rng) * sums[-1], side="right")])
