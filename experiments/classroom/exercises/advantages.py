"""Advantages (chapter 12).

A critic predicts the return of a position. The advantage of a move is the return that followed it
minus the critic's prediction. The actor learns from advantages, the critic from returns.
"""

from __future__ import annotations


def returns(rewards: list[float], discount: float) -> list[float]:
    """The return of each move: its reward plus discount times the return of the next move.

    >>> returns([0.0, 0.0, 1.0], 1.0)
    [1.0, 1.0, 1.0]
    >>> returns([0.0, 0.0, 1.0], 0.5)
    [0.25, 0.5, 1.0]
    >>> returns([2.0, 0.0, -1.0], 1.0)
    [1.0, -1.0, -1.0]
    """
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

    >>> advantages([0.0, 1.0], [0.5, 0.5], 1.0)
    [0.5, 0.5]
    >>> advantages([0.0, 1.0], [0.5, 0.5], 0.5)
    [0.0, 0.5]
    >>> advantages([-1.0], [0.25], 1.0)
    [-1.25]
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

    >>> game_advantages([1, -1], [0.5, 0.25], 1)
    [0.5, -1.25]
    >>> game_advantages([1, 1], [0.5, 0.25], -1)
    [-1.5, -1.25]
    >>> game_advantages([1, -1], [0.5, 0.25], 0)
    [-0.5, -0.25]
    """
    ### BEGIN SOLUTION
    return [player * winner - value for player, value in zip(players, values, strict=True)]
    ### END SOLUTION


### BEGIN HIDDEN TESTS
from experiments.classroom.checks import agrees

REWARDS, VALUES = [0.0, 1.0, 0.0, -2.0], [0.3, 0.5, -0.5, 0.1]
LONG = [float((5 * n) % 7 - 3) for n in range(150)]
GUESSES = [((11 * n) % 19 - 9) / 10 for n in range(150)]
CHECKS = [
    agrees("Without discount, a return is the sum of the remaining rewards", returns,
           [(rewards, 1.0) for rewards in (REWARDS, [0.0, 0.0, 1.0], [1.0], [100.0, -300.5], LONG)],
           "The return includes the reward of the move itself.", points=2),
    agrees("The discount grows with the distance from the move", returns,
           [*((REWARDS, discount) for discount in (0.9, 0.5, 0.0)), (LONG, 0.99), ([2.0], 0.5)],
           "Start at the end.", points=3),
    agrees("Advantages are returns minus values", advantages,
           [*((REWARDS, VALUES, discount) for discount in (1.0, 0.9, 0.0)),
            (LONG, GUESSES, 0.95), ([1.0], [0.25], 0.9)],
           "If the result is better than expected, the advantage is positive.", points=2),
    agrees("In a game of two, the result has the sign of the player who moved", game_advantages,
           [*((players, VALUES, winner)
              for winner in (1, -1, 0) for players in ([1, -1, 1, -1], [1, 1, -1, 1])),
            *(([-1, -1, 1] * 50, GUESSES, winner) for winner in (1, -1, 0)), ([-1], [0.5], 1)],
           "Whose value is it? Who won?", points=3),
]
PLANTED = {
    "the own reward is left out": ("sums.append(following)", "sums.append(following - reward)"),
    "from the wrong end": ("in reversed(rewards)", "in rewards"),
    "discounted by the move's number": ("reward + discount * following",
                                        "reward * discount + following"),
    "the discount is ignored": ("reward + discount * following", "reward + following"),
    "the discount is ignored later": ("zip(returns(rewards, discount), values",
                                      "zip(returns(rewards, 1.0), values"),
    "the last reward only": ("following = reward + discount * following",
                             "following = reward if len(sums) < 1 else discount * following"),
    "at most 100 moves": ("in reversed(rewards)", "in reversed([0.0] * 50 + rewards[-100:])"),
    "limited returns": ("reward + discount * following",
                        "max(-10.0, min(10.0, reward + discount * following))"),
    "rounded": ("return sums[::-1]", "return [round(number, 3) for number in sums[::-1]]"),
    "the wrong sign": ("followed - value", "value - followed"),
    "the first player's view": ("player * winner - value", "winner - value"),
    "the value is turned": ("player * winner - value", "player * (winner - value)"),
    "a draw is a loss": ("player * winner - value", "player * (winner or -1) - value"),
    "not above 1": ("player * winner - value", "max(-1.0, min(1.0, player * winner - value))"),
    "turns alternate": ("for player, value in zip(players, values, strict=True)]",
                        "for player, value in zip([1, -1] * len(values), values)]"),
    "rewards are changed": ("    return sums[::-1]", "    rewards[:] = sums[::-1]\n"
                                                     "    return sums[::-1]"),
}
EQUIVALENT = {"strict=False": "Both lists have the same length."}
### END HIDDEN TESTS
