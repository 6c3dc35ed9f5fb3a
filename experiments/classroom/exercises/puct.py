"""PUCT: a search with the priors of a network (chapter 13).

The search follows the move with the largest score:

    q + c * prior * root(visits of the position) / (1 + visits of the move)

q is the mean value of the move, as the player who CHOOSES sees it, from -1 to 1.
"""

from __future__ import annotations

import math


def puct_score(q: float, prior: float, visits: int, parent_visits: int, c: float) -> float:
    """The score of one move."""
    ### BEGIN SOLUTION
    return q + c * prior * math.sqrt(parent_visits) / (1 + visits)
    ### END SOLUTION


def choose(
    totals: list[float], visits: list[int], priors: list[float], parent_value: float,
    reduction: float, c: float,
) -> int:
    """The number of the move with the largest score, the first one if several are equal.

    Args:
        totals: sums of each move's values, as the player who chooses sees them.
        visits: of each move; those of the position are their sum plus 1.
        parent_value: the position's own mean value, for the same player. The q of a move without
            visits is this value minus `reduction`.
    """
    ### BEGIN SOLUTION
    parent_visits = sum(visits) + 1
    scores = []
    for total, count, prior in zip(totals, visits, priors, strict=True):
        q = total / count if count else parent_value - reduction
        scores.append(puct_score(q, prior, count, parent_visits, c))
    return scores.index(max(scores))
    ### END SOLUTION


### BEGIN HIDDEN TESTS
import random

from experiments.classroom.checks import agrees

_random = random.Random(6)


def _any_position():
    visits = [_random.randrange(6) for _ in range(4)]
    totals = [count * _random.uniform(-1, 1) for count in visits]
    priors = [_random.random() for _ in range(4)]
    return totals, visits, priors, _random.uniform(-1, 1), 0.25, 1.2


CHECKS = [
    agrees("The score of one move", puct_score,
           [(0.5, 0.2, 3, 16, 1.5), (-0.5, 0.9, 0, 100, 1.0), (0.1, 0.0, 5, 9, 2.0)],
           "See the formula.", points=3),
    agrees("With equal priors, the move with the best mean is followed", choose,
           [([1.0, 3.0, -4.0], [4, 4, 4], [1 / 3] * 3, 0.0, 0.0, 0.1),
            ([5.0, 2.0, 2.5], [10, 3, 4], [1 / 3] * 3, 0.0, 0.0, 0.01)],
           "Compare means, not sums. The player who chooses wants a large mean.", points=2),
    agrees("With a large c, moves with a large prior and few visits are followed", choose,
           [([2.0, 1.0], [4, 4], [0.1, 0.9], 0.3, 0.0, 5.0),
            ([9.0, 0.9], [10, 1], [0.5, 0.5], 0.9, 0.0, 5.0)],
           "What is the effect of c?"),
    agrees("The q of a move without visits is parent_value minus reduction", choose,
           [([value * 4 - 0.4, 0.0], [4, 0], [0.5, 0.5], value, less, 0.01)
            for value in (0.8, -0.8, 0.0) for less in (0.0, 0.2, 1.0)],
           "It is not 0. Do not divide by 0 visits.", points=2),
    agrees("Any position", choose, [_any_position() for _ in range(20)],
           "Compute the four scores by hand.", points=2),
]
PLANTED = {
    "no root": ("math.sqrt(parent_visits)", "parent_visits"),
    "without 1": ("/ (1 + visits)", "/ (visits or 1)"),
    "no prior": ("c * prior * math", "c * math"),
    "sums, not means": ("total / count if count", "total if count"),
    "unvisited is 0": ("else parent_value - reduction", "else 0.0"),
    "more instead of less": ("parent_value - reduction", "parent_value + reduction"),
    "the smallest": ("scores.index(max(scores))", "scores.index(min(scores))"),
}
### END HIDDEN TESTS
