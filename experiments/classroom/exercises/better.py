"""Is A better than B? (chapter 8).

12 wins in 20 games look good. But if A and B are equally strong, A wins 12 or more of 20 games one
time in four. Ignore draws here.
"""

from __future__ import annotations

import math


def chance_of_luck(wins: int, losses: int) -> float:
    """The probability that an EQUAL player wins at least `wins` of wins + losses games.

    There can be 2,000 games. Python's integers have no limit; floats and NumPy's integers have one.

    >>> chance_of_luck(1, 0)
    0.5
    >>> chance_of_luck(2, 1)
    0.5
    >>> chance_of_luck(12, 8)
    0.2517
    """
    ### BEGIN SOLUTION
    games = wins + losses
    return sum(math.comb(games, n) for n in range(wins, games + 1)) / 2**games
    ### END SOLUTION


def is_better(wins: int, losses: int, level: float) -> bool:
    """Whether luck is less likely than `level`, such as 0.05.

    >>> is_better(12, 8, 0.05)
    False
    >>> is_better(15, 5, 0.05)
    True
    >>> is_better(1, 0, 0.5)
    False
    """
    ### BEGIN SOLUTION
    return chance_of_luck(wins, losses) < level
    ### END SOLUTION


def wins_needed(games: int, level: float) -> int | None:
    """The smallest number of wins in `games` games that shows A to be better; None without one.

    >>> wins_needed(20, 0.05)
    15
    >>> wins_needed(5, 0.05)
    5
    >>> wins_needed(4, 0.05)
    None
    """
    ### BEGIN SOLUTION
    for wins in range(games + 1):
        if is_better(wins, games - wins, level):
            return wins
    return None
    ### END SOLUTION


### BEGIN HIDDEN TESTS
import random

from experiments.classroom.checks import agrees

_random = random.Random(20)
CHECKS = [
    agrees("The chance of luck includes this result and better ones", chance_of_luck,
           [(12, 8), (1, 0), (0, 1), (5, 0), (60, 40), (3, 3), (0, 0), (2, 9), (40, 31),
            (1050, 950), (0, 30), (2000, 0), (0, 300), (530, 471),
            *((_random.randrange(most), _random.randrange(most))
              for most in (4, 4, 9, 9, 30, 30, 200, 200))],
           "In one game, 1 win has a probability of 1/2; 0 or more wins are certain.", points=4),
    agrees("A small chance of luck means better", is_better,
           [(12, 8, 0.05), (15, 5, 0.05), (60, 40, 0.05), (60, 40, 0.01), (5, 0, 0.05),
            (4, 0, 0.05), (1, 0, 0.5), (3, 0, 0.125), (12, 8, 0.3), (30, 10, 0.001),
            (15, 5, 0.0207), (15, 5, 0.02069), (0, 5, 0.05), (0, 5, 0.9), (8, 12, 0.9),
            (20, 0, 1e-6), (20, 0, 9e-7), (2, 1, 0.5), (2, 2, 0.6875), (1060, 940, 0.01),
            (540, 480, 0.04), (540, 480, 0.03)],
           "The chance of luck must be below the level.", points=3),
    agrees("The number of wins that is needed", wins_needed,
           [*((games, level) for games in (0, 4, 5, 6, 7, 8, 9, 10, 11, 20, 33, 100)
              for level in (0.05, 0.01)),
            (1, 0.6), (2, 0.25), (3, 0.25), (40, 0.3), (3, 0.5), (10, 0.0009), (20, 0.9), (5, 0.8),
            (150, 0.001), (200, 0.2)],
           "A few games may not be enough, even if A wins all.", points=3),
]
PLANTED = {
    "better results only": ("range(wins, games + 1)", "range(wins + 1, games + 1)"),
    "one off at the end": ("range(wins, games + 1)", "range(wins, games)"),
    "worse results": ("range(wins, games + 1)", "range(wins + 1)"),
    "this result only": ("range(wins, games + 1)", "[wins]"),
    "integers overflow": ("math.comb(games, n) for n in range(wins, games + 1)",
                          "math.comb(games, n) % 2**63 for n in range(wins, games + 1)"),
    "floats overflow": ("/ 2**games", "* 0.5**games"),
    "rounded": ("return chance_of_luck(wins, losses) < level",
                "return round(chance_of_luck(wins, losses), 2) < level"),
    "the level is not convincing": ("(wins, losses) < level", "(wins, losses) <= level"),
    "the wrong way": ("(wins, losses) < level", "(wins, losses) > level"),
    "one level": ("chance_of_luck(wins, losses) < level", "chance_of_luck(wins, losses) < 0.05"),
    "an approximation for many games": (
        "    return sum(", "    if games > 1000:\n        return 0.5 * math.erfc("
        "(wins - 0.5 - games / 2) / math.sqrt(games / 2))\n    return sum("),
    "at most 1,000 games": (
        "    return sum(", "    if games > 1000:\n        return 0.5\n    return sum("),
    "the chance has four digits": ("return chance_of_luck(wins, losses) < level",
                                   "return round(chance_of_luck(wins, losses), 4) < level"),
    "more than half": ("range(games + 1):", "range(games // 2 + 1, games + 1):"),
    "levels from 0.001": ("< level", "< max(level, 0.001)"),
    "all wins are not tried": ("range(games + 1):", "range(games):"),
    "up to 50": ("range(games + 1):", "range(min(games, 50) + 1):"),
}
EQUIVALENT = {"range(wins, games + 2)": "math.comb is 0 for more wins than games."}
### END HIDDEN TESTS
