"""Advantages (chapter 12).

A critic predicts the return of a position. The advantage of a move is the return that followed it
minus the critic's prediction. The actor learns from advantages, the critic from returns.
"""

from __future__ import annotations


def returns(rewards: list[float], discount: float) -> list[float]:
    """The return of each move: its reward plus discount times the return of the next move."""
    ### BEGIN SOLUTION
    sums, following = [], 0.0
    for reward in reversed(rewards):
        following = reward + discount * following
        sums.append(following)
    return sums[::-1]
    ### END SOLUTION


def advantages(rewards: list[float], values: list[float], discount: float) -> list[float]:
    """How much better each move went than the critic expected.

    Args:
        values: the critic's, of the position before each move.
    """
    ### BEGIN SOLUTION
    pairs = zip(returns(rewards, discount), values, strict=True)
    return [followed - value for followed, value in pairs]
    ### END SOLUTION


def game_advantages(players: list[int], values: list[float], winner: int) -> list[float]:
    """The same for a game of two players: no rewards, no discount, one result.

    Args:
        players: who made each move, 1 or -1; they need not take turns.
        values: the critic's, as the player to move at each position sees it.
        winner: 1, -1, or 0 for a draw.
    """
    ### BEGIN SOLUTION
    return [player * winner - value for player, value in zip(players, values, strict=True)]
    ### END SOLUTION


### BEGIN HIDDEN TESTS
from experiments.classroom.checks import agrees

REWARDS, VALUES = [0.0, 1.0, 0.0, -2.0], [0.3, 0.5, -0.5, 0.1]
CHECKS = [
    agrees("Without discount, a return is the sum of the remaining rewards", returns,
           [(rewards, 1.0) for rewards in (REWARDS, [0.0, 0.0, 1.0], [1.0])],
           "The return includes the reward of the move itself.", points=2),
    agrees("The discount grows with the distance from the move", returns,
           [(REWARDS, discount) for discount in (0.9, 0.5, 0.0)], "Start at the end.", points=3),
    agrees("Advantages are returns minus values", advantages,
           [(REWARDS, VALUES, discount) for discount in (1.0, 0.9)],
           "If the result is better than expected, the advantage is positive.", points=2),
    agrees("In a game of two, the result has the sign of the player who moved", game_advantages,
           [(players, VALUES, winner)
            for winner in (1, -1, 0) for players in ([1, -1, 1, -1], [1, 1, -1, 1])],
           "Whose value is it? Who won?", points=3),
]
PLANTED = {
    "the own reward is left out": ("sums.append(following)", "sums.append(following - reward)"),
    "from the wrong end": ("in reversed(rewards)", "in rewards"),
    "discounted by the move's number": ("reward + discount * following",
                                        "reward * discount + following"),
    "the wrong sign": ("followed - value", "value - followed"),
    "the first player's view": ("player * winner - value", "winner - value"),
    "turns alternate": ("for player, value in zip(players, values, strict=True)]",
                        "for player, value in zip([1, -1] * len(values), values)]"),
}
### END HIDDEN TESTS
