"""Elo from games (chapter 8).

The difference of two ratings gives the expected score: SCALE points more mean odds of 10 to 1.
(Elo's own scale is 400.) A draw is half a point for each player.
"""

from __future__ import annotations

import math

SCALE: float  # rating points that mean odds of 10 to 1
K: float  # rating points for a point more than expected


def expected_score(rating: float, opponent: float) -> float:
    """The score that a player with `rating` can expect in a game: 1 / (1 + 10 ** (-d / SCALE)).

    d is the player's rating minus the opponent's.

    >>> expected_score(1500, 1500)
    0.5
    >>> expected_score(1700, 1500)
    >>> expected_score(1000, 1400)
    """
    ### BEGIN SOLUTION
    return 1 / (1 + 10 ** (-(rating - opponent) / SCALE))
    ### END SOLUTION


def difference(wins: int, draws: int, losses: int) -> float:
    """The rating difference of the two players of a match (positive: the first is stronger).

    The match has at least one game. Infinity if the first player won all games, minus infinity if
    they lost all.

    >>> difference(10, 0, 10)
    0.0
    >>> difference(3, 2, 1)
    >>> difference(5, 0, 0) == math.inf
    True
    """
    ### BEGIN SOLUTION
    score = (wins + draws / 2) / (wins + draws + losses)
    if score in (0.0, 1.0):
        return math.inf if score else -math.inf
    return SCALE * math.log10(score / (1 - score))
    ### END SOLUTION


def updated(rating: float, opponents: list[float], scores: list[float]) -> float:
    """The rating after some games: it changes by K for each point more than expected.

    Use the rating before the first game for all games.

    >>> updated(1500, [1500], [1.0])
    >>> updated(1500, [1700], [0.0])
    >>> updated(1500, [1500, 1900], [0.5, 0.5])
    """
    ### BEGIN SOLUTION
    more = sum(
        score - expected_score(rating, opponent)
        for opponent, score in zip(opponents, scores, strict=True)
    )
    return rating + K * more
    ### END SOLUTION


### BEGIN HIDDEN TESTS
import random

from experiments.classroom.checks import agrees, one_replaced
from experiments.classroom.variants import decimal


def variant(rng: random.Random):
    return {"SCALE": rng.randrange(250, 651), "K": decimal(rng, 10, 40, 2)}


_random = random.Random(8)


def _rating() -> float:
    return round(_random.uniform(0, 3000), 1)


def _games(count: int):
    """A rating, opponents and scores."""
    return (_rating(), [_rating() for _ in range(count)],
            [_random.choice((0.0, 0.5, 1.0)) for _ in range(count)])


def _match(most: int):
    """Wins, draws and losses that are not all wins and not all losses."""
    return _random.randrange(most), 1 + _random.randrange(most), _random.randrange(most)


_MANY = [1400.0 + 7 * n for n in range(60)], [(0.0, 0.5, 1.0)[n * n % 3] for n in range(60)]
CHECKS = [
    agrees("The expected score", expected_score,
           [(1500, 1500), (1900, 1500), (1500, 1900), (1600, 1555.5), (2800, 1000), (900, 1500),
            (0, 3000), (1500.25, 1500), *((_rating(), _rating()) for _ in range(20))],
           "The stronger player expects more than half a point.", points=3),
    agrees("The difference from the result of a match", difference,
           [(10, 0, 1), (1, 0, 10), (5, 0, 5), (60, 0, 40), (999, 0, 1), (1, 0, 100_000),
            (100_000, 0, 1),
            *((_random.randrange(1, most), 0, _random.randrange(1, most))
              for most in (4, 4, 30, 30, 5000))],
           "difference is the inverse of expected_score.", points=2),
    agrees("Draws are half a point", difference,
           [(1, 10, 0), (0, 7, 0), (3, 4, 2), (0, 1, 3), (9, 1, 0), (0, 1, 0), (1, 1, 0),
            (40, 51, 9), (3, 2001, 0),
            *(_match(most) for most in (2, 3, 4, 5, 9, 30, 30, 500, 5000))],
           "A draw gives half a point to each player.", points=2),
    agrees("A match without losses has no finite difference", difference,
           [(3, 0, 0), (0, 0, 4), (1, 0, 0), (0, 0, 1), (5000, 0, 0), (0, 0, 5000)],
           "See the task."),
    agrees("Ratings change by the unexpected part of the score", updated,
           [(1500, [1500], [1.0]), (1500, [1700, 1400], [0.5, 0.0]),
            (1500, [2600, 600], [1.0, 0.0]), (1800, *_MANY),
            *map(_games, (1, 1, 1, 2, 2, 3, 5, 20, 300)), (12.3456, [1.0], [0.5]),
            *one_replaced((1500, [1700.0, 1400.0], [0.5, 0.0]),
                          (1600, [1900.0, 1300.0], [1.0, 1.0]))],
           "Use the score minus the expected score.", points=2),
]
PLANTED = {
    "the wrong sign": ("(-(rating - opponent) / SCALE)", "((rating - opponent) / SCALE)"),
    "natural logarithms": ("math.log10", "math.log"),
    "draws are lost": ("(wins + draws / 2)", "wins"),
    "draws are won": ("(wins + draws / 2)", "(wins + draws)"),
    "draws are rounded": ("draws / 2", "draws // 2"),
    "no infinity": ("return math.inf if score else -math.inf", "return 400.0 if score else -400.0"),
    "infinity without losses": ("if score in (0.0, 1.0):", "if not wins or not losses:"),
    "expected minus score": ("score - expected_score(rating, opponent)",
                             "expected_score(rating, opponent) - score"),
    "not above 400": ("(-(rating - opponent) / SCALE)",
                      "(-max(min(rating - opponent, 400), -400) / SCALE)"),
    "another scale": ("(-(rating - opponent) / SCALE)", "(-(rating - opponent) / 200)"),
    "not above 800": ("return SCALE * math.log10(score / (1 - score))",
                      "return max(min(SCALE * math.log10(score / (1 - score)), 800), -800)"),
    "whole ratings": ("(-(rating - opponent) / SCALE)", "(-round(rating - opponent) / SCALE)"),
    "rounded": ("return rating + K * more", "return round(rating + K * more)"),
    "the rating after each game": (
        "    return rating + K * more",
        "    for opponent, score in zip(opponents, scores, strict=True):\n"
        "        rating += K * (score - expected_score(rating, opponent))\n    return rating"),
    "the last games": ("zip(opponents, scores, strict=True)", "zip(opponents[-50:], scores[-50:])"),
    "the mean of the opponents": (
        "score - expected_score(rating, opponent)\n",
        "score - expected_score(rating, sum(opponents) / len(opponents))\n"),
    "at most 100 games": ("zip(opponents, scores, strict=True)", "zip(opponents[:100], scores)"),
    "lists are changed": ("    return rating + K * more",
                          "    opponents.clear()\n    return rating + K * more"),
}
EQUIVALENT = {
    "strict=False": "Both lists have the same length.",
    "math.inf if wins else": "Who won all games has won.",
    **{f"updated: {games} {change}": "It is a difference of two sums."
       for games in ("opponents", "scores") for change in ("is reversed", "are sorted")},
    **dict.fromkeys(("expected_score: opponent has three", "updated: opponents have three"),
                    "A thousandth of a rating point is less than answers may differ."),
}
### END HIDDEN TESTS
