"""PUCT: a search with the priors of a network (chapter 13).

The search follows the move with the largest score:

    q + c * prior * sqrt(visits of the position) / (1 + visits of the move)

q is the mean value of the move, as the player who CHOOSES sees it, from -1 to 1.
"""

from __future__ import annotations

import math


def puct_score(q: float, prior: float, visits: int, parent_visits: int, c: float) -> float:
    """The score of one move.

    >>> puct_score(0.5, 0.2, 3, 16, 1.0)
    0.7
    >>> puct_score(0.5, 0.2, 0, 16, 1.0)
    1.3
    >>> puct_score(-0.5, 0.2, 3, 16, 2.0)
    -0.1
    """
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

    >>> choose([1.0, 3.0], [4, 4], [0.5, 0.5], 0.0, 0.0, 1.0)
    1
    >>> choose([0.0, 0.0], [0, 0], [0.5, 0.5], 0.0, 0.0, 1.0)
    0
    >>> choose([0.5, 0.0], [1, 0], [0.9, 0.1], 0.5, 0.2, 1.0)
    0
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


def _any_position(moves: int = 4):
    visits = [_random.randrange(6) for _ in range(moves)]
    totals = [count * _random.uniform(-1, 1) for count in visits]
    priors = [_random.random() for _ in range(moves)]
    return totals, visits, priors, _random.uniform(-1, 1), _random.choice((0.0, 0.25, 0.5)), 1.2


CHECKS = [
    agrees("The score of one move", puct_score,
           [(0.5, 0.2, 3, 16, 1.5), (-0.5, 0.9, 0, 100, 1.0), (0.1, 0.0, 5, 9, 2.0),
            (-1.0, 0.01, 12_345, 1_000_000, 2.5), (0.3, 0.7, 2, 7, 0.5), (0.9, 0.95, 0, 50, 4.0)],
           "See the formula.", points=2),
    agrees("With equal priors, the move with the best mean is followed", choose,
           [([1.0, 3.0, -4.0], [4, 4, 4], [1 / 3] * 3, 0.0, 0.0, 0.1),
            ([5.0, 2.0, 2.5], [10, 3, 4], [1 / 3] * 3, 0.0, 0.0, 0.01),
            ([2.0, 2.004], [4, 4], [0.5] * 2, 0.0, 0.0, 1.0),
            ([-5.0, -2.0], [10, 3], [0.5] * 2, 0.0, 0.0, 0.01),
            ([0.0, 1.0], [4, 4], [0.5] * 2, 0.8, 0.0, 0.01)],
           "Compare means, not sums. The player who chooses wants a large mean.", points=2),
    agrees("With a large c, moves with a large prior and few visits are followed", choose,
           [([2.0, 1.0], [4, 4], [0.1, 0.9], 0.3, 0.0, 5.0),
            ([9.0, 0.9], [10, 1], [0.5, 0.5], 0.9, 0.0, 5.0)],
           "What is the effect of c?"),
    agrees("The first of several equal moves is followed", choose,
           [([0.0] * 3, [0] * 3, [1 / 3] * 3, 0.5, 0.2, 1.0),
            ([1.0, 2.0, 2.0, 2.0], [4] * 4, [0.25] * 4, 0.0, 0.0, 1.0)],
           "If several scores are equal, the first of them counts."),
    agrees("The q of a move without visits is parent_value minus reduction", choose,
           [([value * 4 - 0.4, 0.0], [4, 0], [0.5, 0.5], value, less, 0.01)
            for value in (0.8, -0.8, 0.0) for less in (0.0, 0.2, 1.0)],
           "It is not 0. Do not divide by 0 visits.", points=2),
    agrees("The visits of the position are the sum of its moves' visits plus 1", choose,
           # The second move is followed if the square root is above 1.87, or above 2.12.
           [([2.1, 0.0], [3, 0], [0.2, 0.8], -0.7, 0.0, 1.0),
            ([2.37, 0.0], [3, 0], [0.2, 0.8], -0.7985, 0.0, 1.0),
            ([0.0, 0.0], [0, 0], [0.1, 0.9], 0.0, 0.0, 1.0)],
           "How many visits has the position?"),
    agrees("Any position", choose,
           [*(_any_position() for _ in range(20)), _any_position(82), _any_position(1)],
           "Compute the scores by hand."),
]
PLANTED = {
    "no square root": ("math.sqrt(parent_visits)", "parent_visits"),
    "without 1": ("/ (1 + visits)", "/ (visits or 1)"),
    "no prior": ("c * prior * math", "c * math"),
    "c is ignored": ("scores.append(puct_score(q, prior, count, parent_visits, c))",
                     "scores.append(puct_score(q, prior, count, parent_visits, 1.0))"),
    "not above 1": ("return q + c * prior", "return q + min(1.0, c) * prior"),
    "the prior is limited": ("return q + c * prior", "return q + c * min(prior, 0.9)"),
    "sums, not means": ("total / count if count", "total if count"),
    "unvisited is 0": ("else parent_value - reduction", "else 0.0"),
    "more instead of less": ("parent_value - reduction", "parent_value + reduction"),
    "one reduction": ("parent_value - reduction", "parent_value - 0.25"),
    "no value is no visit": ("total / count if count else", "total / count if total else"),
    "the smallest": ("scores.index(max(scores))", "scores.index(min(scores))"),
    "the last of equal ones": ("scores.index(max(scores))",
                               "max(range(len(scores)), key=lambda n: (scores[n], n))"),
    "rounded scores": ("return q + c * prior * math.sqrt(parent_visits) / (1 + visits)",
                       "return round(q + c * prior * math.sqrt(parent_visits) / (1 + visits), 2)"),
    "the position's own visit": ("sum(visits) + 1", "sum(visits)"),
    "visits of the moves only": ("sum(visits) + 1", "max(sum(visits), 1)"),
    "four moves": ("zip(totals, visits, priors, strict=True)",
                   "list(zip(totals, visits, priors))[:4]"),
    "visits are changed": ("    parent_visits = sum(visits) + 1",
                           "    visits.append(1)\n    parent_visits = sum(visits)\n"
                           "    totals, priors = [*totals, -9.0], [*priors, 0.0]"),
}
EQUIVALENT = {"strict=False": "The lists have the same length."}
### END HIDDEN TESTS
