"""RAVE: statistics of moves played at any time (chapter 4).

A move that was good later in a simulation may also be good now. RAVE (rapid action value
estimation) uses this: each child has its usual visits and wins, and a second count. The second
count has the simulations in which the player to move at this position played the child's move at
any time from here on, if the opponent did not play at that point first.
"""

from __future__ import annotations

import math

K: float  # visits at which both counts have equal weight
UNKNOWN: float  # the value of a child without visits in either count


def amaf_moves(moves: list[tuple[int, str]], start: int) -> set[str]:
    """The points whose second count a simulation raises, at the position before move `start`.

    Args:
        moves: all moves of the simulation, in order: (player, point), player 1 or -1.
        start: the index of the move that was chosen at this position, by the player who chose it.

    Returns:
        The points at which that player played, from `start` on, except those where the OTHER
        player played earlier (from `start` on).

    >>> moves = [(1, "A"), (-1, "B"), (1, "C"), (-1, "A"), (1, "B")]
    >>> amaf_moves(moves, 0)
    {'A', 'C'}
    >>> amaf_moves(moves, 2)
    {'B', 'C'}
    >>> amaf_moves(moves, 3)
    {'A'}
    """
    ### BEGIN SOLUTION
    chooser = moves[start][0]
    first: dict[str, int] = {}
    for player, point in moves[start:]:
        first.setdefault(point, player)
    return {point for point, player in first.items() if player == chooser}
    ### END SOLUTION


def rave_value(wins: float, visits: int, rave_wins: float, rave_visits: int) -> float:
    """The share of wins by both counts: (1 - b) * wins/visits + b * rave_wins/rave_visits.

    b is the square root of K / (3 * visits + K) (Gelly and Silver 2007): with more visits, the
    second count matters less. If one count is zero, use only the other; if both are zero, return
    UNKNOWN.

    >>> rave_value(1, 4, 3, 4)
    >>> rave_value(0, 0, 3, 4)
    0.75
    >>> rave_value(0, 0, 0, 0)
    """
    ### BEGIN SOLUTION
    if visits == 0 and rave_visits == 0:
        return UNKNOWN
    if rave_visits == 0:
        return wins / visits
    if visits == 0:
        return rave_wins / rave_visits
    b = math.sqrt(K / (3 * visits + K))
    return (1 - b) * wins / visits + b * rave_wins / rave_visits
    ### END SOLUTION


### BEGIN HIDDEN TESTS
import random

from experiments.classroom.checks import agrees
from experiments.classroom.variants import decimal


def variant(rng: random.Random):
    return {"K": decimal(rng, 20, 900, 1), "UNKNOWN": decimal(rng, 0.2, 0.8, 3)}


_random = random.Random(10)
LONG, OTHER = ([(_random.choice((1, -1)), _random.choice("ABCDEFGHJKLMN")) for _ in range(60)]
               for _ in range(2))
GAME = [(1, "A1"), (-1, "B1"), (1, "C1"), (-1, "A1"), (1, "B1"), (-1, "D1"), (1, "E1"), (1, "D1")]
CHECKS = [
    agrees("The player's moves count, from the chosen move on", amaf_moves,
           [(GAME[:3] + GAME[6:7], start) for start in (3, 2, 0)],
           "Whose moves count, and from which move on?", points=2),
    agrees("The other player's moves do not count", amaf_moves,
           [(GAME, start) for start in (1, 3, 5)],
           "Count the moves of the player who moved at `start`.", points=2),
    agrees("A point counts for the player who plays there first", amaf_moves,
           [*((GAME, start) for start in (0, 2, 4)), *((LONG, start) for start in range(60)),
            *((OTHER, start) for start in range(0, 60, 5))],
           "After a capture, a point can be played again.", points=2),
    agrees("With more visits, the second count matters less", rave_value,
           [*((wins, visits, *counts)
              for wins, visits in ((3, 4), (30, 40), (300, 400), (10**6, 4 * 10**6), (0.5, 1))
              for counts in ((10, 40), (250.5, 1000))), (0, 4, 40, 40), (3, 4, 0, 40)],
           "See the formula.", points=2),
    agrees("A count of zero is ignored", rave_value,
           [(0, 0, 3, 4), (0, 0, 0, 4), (0, 0, 0, 0), (3, 4, 0, 0), (0, 4, 0, 0)],
           "Do not divide by 0.", points=2),
]
PLANTED = {
    "both players' moves": ("if player == chooser}", "}"),
    "the other player's moves": ("if player == chooser}", "if player != chooser}"),
    "the whole game": ("in moves[start:]:", "in moves:"),
    "one move late": ("in moves[start:]:", "in moves[start + 1:]:"),
    "the last one has it": ("first.setdefault(point, player)", "first[point] = player"),
    "b and 1 - b exchanged": ("(1 - b) * wins / visits + b * rave_wins",
                      "b * wins / visits + (1 - b) * rave_wins"),
    "no square root": ("math.sqrt(K / (3 * visits + K))", "K / (3 * visits + K)"),
    "the second count's visits": ("(3 * visits + K))", "(3 * rave_visits + K))"),
    "one visit each": ("(3 * visits + K))", "(visits + K))"),
    "k is ignored": ("math.sqrt(K / (3 * visits + K))", "math.sqrt(100 / (3 * visits + 100))"),
    "whole wins": ("(1 - b) * wins / visits", "(1 - b) * (wins // 1) / visits"),
    "the chosen move only": ("if player == chooser}", "if point == moves[start][1]}"),
    "a limit of moves": ("in moves[start:]:", "in moves[start : start + 20]:"),
    "no wins are no visits": ("if rave_visits == 0:", "if rave_wins == 0 and visits:"),
    "the first player begins": ("chooser = moves[start][0]",
                                "chooser = 1 if start % 2 == 0 else -1"),
    "the second player keeps all": ("if player == chooser}", "if player == chooser}"
                                    " | {point for player, point in moves[start:]"
                                    " if player == chooser == -1}"),
    "points of the whole game": ("if player == chooser}", "if player == chooser"
                                 " and (-chooser, point) not in moves[:start]}"),
    "no share is unknown": ("        return wins / visits\n    if",
                            "        return wins / visits or UNKNOWN\n    if"),
    "the letter of a point": ("first.setdefault(point, player)",
                              "first.setdefault(point[0], player)"),
    "moves are used up": ("in moves[start:]:", "in [moves.pop(start) for _ in moves[start:]]:"),
}
EQUIVALENT = {"visits <= 0": "Visits are never negative."}
### END HIDDEN TESTS
