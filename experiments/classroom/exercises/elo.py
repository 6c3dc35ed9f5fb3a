"""Elo from games (chapter 8).

A difference of ratings says what score to expect: 400 points more mean odds of 10 to 1. A draw is
half a point to each side.
"""

from __future__ import annotations

import math


def expected_score(rating: float, opponent: float) -> float:
    """The score that a player with `rating` can expect in a game: 1 / (1 + 10 ** (-d / 400))."""
    ### BEGIN SOLUTION
    return 1 / (1 + 10 ** (-(rating - opponent) / 400))
    ### END SOLUTION


def difference(wins: int, draws: int, losses: int) -> float:
    """By how many points the first player is stronger, from the games of a match.

    Infinity if they won all games, minus infinity if they lost all.
    """
    ### BEGIN SOLUTION
    score = (wins + draws / 2) / (wins + draws + losses)
    if score in (0.0, 1.0):
        return math.inf if score else -math.inf
    return 400 * math.log10(score / (1 - score))
    ### END SOLUTION


def updated(rating: float, opponents: list[float], scores: list[float], k: float) -> float:
    """The rating after some games: k points for each point more than expected.

    All games count by the rating before the first of them.
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
    agrees("What to expect", expected_score,
           [(1500, 1500), (1900, 1500), (1500, 1900), (1600, 1555.5)],
           "The stronger player expects more than a half.", points=3),
    agrees("The difference, from a match", difference,
           [(10, 0, 1), (1, 0, 10), (5, 0, 5), (60, 0, 40)], "It undoes expected_score.", points=2),
    agrees("Draws are half a point", difference, [(1, 10, 0), (0, 7, 0), (3, 4, 2)],
           "To each side.", points=2),
    agrees("A match without losses has no finite difference", difference,
           [(3, 0, 0), (0, 0, 4)], "See the task."),
    agrees("Ratings move by what was not expected", updated,
           [(1500, [1500], [1.0], 20.0), (1500, [1700, 1400], [0.5, 0.0], 32.0),
            (1500, [], [], 20.0)],
           "Score minus expectation.", points=2),
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
