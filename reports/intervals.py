"""95% intervals: of proportions, of shares of points, of means, and of simulated values.

Those of ratings come from the covariance of their fit: see rating_table.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

Z95 = 1.959963984540054  # the normal distribution has 95% of its mass within +- this


def proportion_interval(
    hits: int, count: int, method: Literal["wilson", "exact"] = "wilson"
) -> tuple[float, float]:
    """The interval of a proportion, of Wilson (1927) or, exact, of Clopper and Pearson (1934); NaN
    for none of none."""
    from scipy.stats import binomtest

    if not count:
        return math.nan, math.nan
    interval = binomtest(int(hits), int(count)).proportion_ci(method=method)
    return float(interval.low), float(interval.high)


def skill_interval(
    mistakes: float, total: float, squares: float, z: float = Z95
) -> tuple[float, float, float]:
    """How often a player chooses well instead of at random: P, and the ends of its interval.

    In each position a random player errs with a known chance, and the player with 1 - P times that.
    `total` is the sum of the chances, `squares` that of their squares. The interval has all P that
    expect the mistakes to be within `z` of their standard deviations. If all chances are equal, it
    is Wilson's. The usual one, value +- z errors, is too short where mistakes are few, and ends at
    P = 1 if there are none. NaN where no move could be a mistake.
    """
    if not total:
        return math.nan, math.nan, math.nan
    # With r = 1 - P, solve (mistakes - r * total)**2 = z**2 * (r * total - r**2 * squares).
    scale = total**2 + z**2 * squares
    middle = total * (mistakes + z**2 / 2) / scale
    width = math.sqrt(max(middle**2 - mistakes**2 / scale, 0.0))
    return 1 - mistakes / total, 1 - middle - width, 1 - middle + width


def share_margin(share: float, games: int) -> float:
    """Half the interval of a share of points (0 to 1), in which draws count half, by the normal
    approximation; for all or no points, where that would be 0, what Wilson's leaves open."""
    return max(Z95 * math.sqrt(share * (1 - share) / games), Z95**2 / (games + Z95**2))


def mean_margin(values: Sequence[float]) -> float:
    """Half the interval of the mean of independent values, at least two (Student's t)."""
    from scipy.stats import sem, t

    return float(t.ppf(0.975, len(values) - 1) * sem(values))


def quantile_interval(values: ArrayLike, axis: int | None = None) -> tuple[Any, Any]:
    """The bounds of the middle 95% of simulated values, along an axis."""
    low, high = np.quantile(np.asarray(values, np.float64), [0.025, 0.975], axis=axis)
    return low, high
