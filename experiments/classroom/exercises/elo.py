"""Elo from games (chapter 8).

The difference of two ratings gives the expected score: 400 points more mean odds of 10 to 1. A draw
is half a point for each player.
"""

from __future__ import annotations

import math


def expected_score(rating: float, opponent: float) -> float:
    """The score that a player with `rating` can expect in a game: 1 / (1 + 10 ** (-d / 400))."""
    ### BEGIN SOLUTION
    return 1 / (1 + 10 ** (-(rating - opponent) / 400))
    ### END SOLUTION


def difference(wins: int, draws: int, losses: int) -> float:
    """The rating difference of the two players of a match (positive: the first is stronger).

    Infinity if they won all games, minus infinity if they lost all.
    """
    ### BEGIN SOLUTION
    score = (wins + draws / 2) / (wins + draws + losses)
    if score in (0.0, 1.0):
        return math.inf if score else -math.inf
    return 400 * math.log10(score / (1 - score))
    ### END SOLUTION


def updated(rating: float, opponents: list[float], scores: list[float], k: float) -> float:
    """The rating after some games: it changes by k for each point more than expected.

    Use the rating before the first game for all games.
    """
    ### BEGIN SOLUTION
    more = sum(
        score - expected_score(rating, opponent)
        for opponent, score in zip(opponents, scores, strict=True)
    )
    return rating + k * more
    ### END SOLUTION


### BEGIN HIDDEN TESTS
from experiments.classroom.checks import agrees

CHECKS = [
    agrees("The expected score", expected_score,
           [(1500, 1500), (1900, 1500), (1500, 1900), (1600, 1555.5)],
           "The stronger player expects more than half a point.", points=3),
    agrees("The difference from the result of a match", difference,
           [(10, 0, 1), (1, 0, 10), (5, 0, 5), (60, 0, 40)],
           "difference is the inverse of expected_score.", points=2),
    agrees("Draws are half a point", difference, [(1, 10, 0), (0, 7, 0), (3, 4, 2)],
           "A draw gives half a point to each player.", points=2),
    agrees("A match without losses has no finite difference", difference,
           [(3, 0, 0), (0, 0, 4)], "See the task."),
    agrees("Ratings change by the unexpected part of the score", updated,
           [(1500, [1500], [1.0], 20.0), (1500, [1700, 1400], [0.5, 0.0], 32.0),
            (1500, [], [], 20.0)],
           "Use the score minus the expected score.", points=2),
]
PLANTED = {
    "the wrong sign": ("(-(rating - opponent) / 400)", "((rating - opponent) / 400)"),
    "natural logarithms": ("math.log10", "math.log"),
    "draws are lost": ("(wins + draws / 2)", "wins"),
    "draws are won": ("(wins + draws / 2)", "(wins + draws)"),
    "no infinity": ("return math.inf if score else -math.inf", "return 400.0 if score else -400.0"),
    "expected minus score": ("score - expected_score(rating, opponent)",
                             "expected_score(rating, opponent) - score"),
}
### END HIDDEN TESTS
