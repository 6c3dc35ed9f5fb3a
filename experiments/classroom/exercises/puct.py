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
            visits is this value minus `reduction`, and may be below -1.

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

from experiments.classroom.checks import agrees, one_replaced

_random = random.Random(6)


def _any_position(moves: int = 4):
    """Arguments of `choose`."""
    visits = [_random.randrange(6) for _ in range(moves)]
    totals = [count * _random.uniform(-1, 1) for count in visits]
    priors = [_random.random() for _ in range(moves)]
    return (totals, visits, [prior / sum(priors) for prior in priors], _random.uniform(-1, 1),
            _random.choice((0.0, _random.random(), _random.random())), _random.uniform(0.2, 4))


def _close_position(moves: int):
    """Two moves have nearly the same score, the largest; each small fault in it may count."""
    while True:
        totals, visits, priors, value, reduction, c = _any_position(moves)
        scores = [puct_score(total / count if count else value - reduction, prior, count,
                             sum(visits) + 1, c)
                  for total, count, prior in zip(totals, visits, priors, strict=True)]
        *_, second, first = sorted(range(moves), key=scores.__getitem__)
        change = scores[first] - scores[second] + _random.choice((1e-4, -1e-4))
        totals[second] += visits[second] * change
        value += 0 if visits[second] else change
        if (visits[first] or visits[second]) and (
                abs(totals[second]) <= visits[second] and abs(value) <= 1):
            return totals, visits, priors, value, reduction, c


def _equal_position(moves: int):
    """Several moves have the same total, visits and prior, and so the largest score."""
    while True:
        totals, visits, priors, *others = _any_position(moves)
        best = sorted(_random.sample(range(moves), _random.randrange(2, min(moves, 4) + 1)))
        for part in (totals, visits, priors):
            for number in best[1:]:
                part[number] = part[best[0]]
        priors = [prior / sum(priors) for prior in priors]
        if choose(totals, visits, priors, *others) == best[0]:
            return totals, visits, priors, *others


def _any_score():
    """Arguments of `puct_score`."""
    parent_visits = _random.choice((1, 2, 10, 1000))
    return (_random.uniform(-1, 1), _random.random(), _random.randrange(parent_visits),
            parent_visits, _random.uniform(0.2, 4))


SIZES = (2, 2, 3, 3, 4, 5, 9, 82)
CHECKS = [
    agrees("The score of one move", puct_score,
           [(0.5, 0.2, 3, 16, 1.5), (-0.5, 0.9, 0, 100, 1.0), (0.1, 0.0, 5, 9, 2.0),
            (-1.0, 0.01, 12_345, 1_000_000, 2.5), (0.3, 0.7, 2, 7, 0.5), (0.9, 0.95, 0, 50, 4.0),
            *(_any_score() for _ in range(20)),
            *one_replaced((0.5, 0.2, 3, 16, 1.5), (-0.3, 0.6, 5, 40, 0.7))],
           "See the formula.", points=2),
    agrees("With equal priors, the move with the best mean is followed", choose,
           [([1.0, 3.0, -4.0], [4, 4, 4], [1 / 3] * 3, 0.0, 0.0, 0.1),
            ([5.0, 2.0, 2.5], [10, 3, 4], [1 / 3] * 3, 0.0, 0.0, 0.01),
            ([2.0, 2.004], [4, 4], [0.5] * 2, 0.0, 0.0, 1.0),
            ([2.0, 2.00008], [4, 4], [0.5] * 2, 0.0, 0.0, 1.0),
            ([-5.0, -2.0], [10, 3], [0.5] * 2, 0.0, 0.0, 0.01),
            ([0.0, 1.0], [4, 4], [0.5] * 2, 0.8, 0.0, 0.01)],
           "Compare means, not sums. The player who chooses wants a large mean.", points=2),
    agrees("With a large c, moves with a large prior and few visits are followed", choose,
           [([2.0, 1.0], [4, 4], [0.1, 0.9], 0.3, 0.0, 5.0),
            ([9.0, 0.9], [10, 1], [0.5, 0.5], 0.9, 0.0, 5.0)],
           "What is the effect of c?"),
    agrees("The first of several equal moves is followed", choose,
           [([0.0] * 3, [0] * 3, [1 / 3] * 3, 0.5, 0.2, 1.0),
            ([1.0, 2.0, 2.0, 2.0], [4] * 4, [0.25] * 4, 0.0, 0.0, 1.0),
            # Moves with and without visits have a score of 0.5.
            ([0.75, 0.0, 0.0], [3, 0, 0], [0.5, 0.25, 0.25], 0.25, 0.25, 1.0),
            ([0.0, 0.75, 0.0], [0, 3, 0], [0.25, 0.5, 0.25], 0.25, 0.25, 1.0),
            *(_equal_position(moves) for moves in SIZES for _ in range(4))],
           "If several scores are equal, the first of them counts."),
    agrees("The q of a move without visits is parent_value minus reduction", choose,
           [([value * 4 - 0.4, 0.0], [4, 0], [0.5, 0.5], value, less, 0.01)
            for value in (0.8, -0.8, 0.0) for less in (0.0, 0.2, 1.0)]
           # All scores are below -1.
           + [([0.0, 0.0], [0, 0], [0.1, 0.9], -0.9, 0.5, 0.1),
              ([-1.0, 0.0], [1, 0], [0.5, 0.5], -0.9, 0.6, 0.1)]
           # A move without a prior has a score, too.
           + [([-1.0, 0.0], [1, 0], [1.0, 0.0], 0.0, 0.0, 0.1)],
           "It is not 0. Do not divide by 0 visits.", points=2),
    agrees("The visits of the position are the sum of its moves' visits plus 1", choose,
           # The second move is followed if the square root is above 1.87, or above 2.12.
           [([2.1, 0.0], [3, 0], [0.2, 0.8], -0.7, 0.0, 1.0),
            ([2.37, 0.0], [3, 0], [0.2, 0.8], -0.7985, 0.0, 1.0),
            ([0.0, 0.0], [0, 0], [0.1, 0.9], 0.0, 0.0, 1.0)],
           "How many visits has the position?"),
    agrees("Any position", choose,
           [*map(_any_position, (1, *SIZES)),
            *(_close_position(moves) for moves in SIZES for _ in range(6)),
            *one_replaced(([1.7, 1.3, 0.0], [4, 5, 0], [0.4, 0.4, 0.2], -0.1, 0.5, 2.6),
                          ([-2.0, 1.0, 0.0], [5, 2, 0], [0.1, 0.4, 0.5], 0.9, 0.1, 2.8))],
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
    "one of equal ones, by chance": (
        "scores.index(max(scores))",
        "__import__('random').choice([n for n, s in enumerate(scores) if s == max(scores)])"),
    "nearly equal": ("scores.index(max(scores))",
                     "min(n for n, s in enumerate(scores) if s > max(scores) - 3e-5)"),
    "the reduction grows with the priors of visited moves": (
        "else parent_value - reduction",
        "else parent_value - reduction * math.sqrt(sum(p for p, n in zip(priors, visits) if n))"),
    "the mean of visited moves": (
        "else parent_value - reduction",
        "else sum(totals) / max(sum(visits), 1) - reduction"),
    "a move without a prior is impossible": ("max(scores)", (
        "max(score for score, prior in zip(scores, priors) if prior)")),
    "no score is below -1": ("scores = []", "scores = [-1.0]"),
    "no q is below -1": ("else parent_value - reduction",
                         "else max(-1.0, parent_value - reduction)"),
    "visits are remembered": (
        "    parent_visits = sum(visits) + 1",
        "    parent_visits = globals().setdefault(len(visits), sum(visits) + 1)"),
    "four moves": ("zip(totals, visits, priors, strict=True)",
                   "list(zip(totals, visits, priors))[:4]"),
    "visits are changed": ("    parent_visits = sum(visits) + 1",
                           "    visits.append(1)\n    parent_visits = sum(visits)\n"
                           "    totals, priors = [*totals, -9.0], [*priors, 0.0]"),
}
EQUIVALENT = {
    "strict=False": "The lists have the same length.",
    **dict.fromkeys(("prior * c", "puct_score(q, c, count, parent_visits, prior)",
                     "puct_score: prior and c are swapped"), "The score is a product of both."),
}
### END HIDDEN TESTS
