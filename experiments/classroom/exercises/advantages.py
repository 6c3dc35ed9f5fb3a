"""Advantages (chapter 12).

A critic predicts the return of a position. The advantage of a move is how much better it went than
the critic expected. The actor learns from advantages, the critic from returns.
"""

from __future__ import annotations

GAMMA: float  # discount of a reward that comes one move later
LAMBDA: float  # weight of a surprise that comes one move later: 0 trusts the critic, 1 the rewards


def returns(rewards: list[float]) -> list[float]:
    """The return of each move: its reward plus GAMMA times the return of the next move.

    >>> returns([0.0, 0.0, 1.0])
    >>> returns([2.0, 0.0, -1.0])
    >>> returns([-0.5])
    """
    ### BEGIN SOLUTION
    sums, following = [], 0.0
    for reward in reversed(rewards):
        following = reward + GAMMA * following
        sums.append(following)
    return sums[::-1]
    ### END SOLUTION


def advantages(rewards: list[float], values: list[float]) -> list[float]:
    """Generalised advantage estimates: of each move, the sum of its surprise and later ones.

    The surprise of a move is its reward plus GAMMA times the value of the next position, minus the
    value of the position before the move. After the last move, the game is over. The surprise of a
    move n moves later counts (GAMMA * LAMBDA) ** n times.

    Args:
        values: the critic's, of the position before each move.

    >>> advantages([1.0], [0.25])
    >>> advantages([0.0, 1.0], [0.5, 0.5])
    >>> advantages([0.0, 0.0, -1.0], [0.0, 0.5, 0.0])
    """
    ### BEGIN SOLUTION
    sums, following, next_value = [], 0.0, 0.0
    for reward, value in zip(reversed(rewards), reversed(values), strict=True):
        following = reward + GAMMA * next_value - value + GAMMA * LAMBDA * following
        next_value = value
        sums.append(following)
    return sums[::-1]
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
import random

from experiments.classroom.checks import agrees
from experiments.classroom.variants import decimal


def variant(rng: random.Random):
    return {"GAMMA": decimal(rng, 0.8, 0.99, 3), "LAMBDA": decimal(rng, 0.5, 0.97, 3)}


REWARDS, VALUES = [0.0, 1.0, 0.0, -2.0], [0.3, 0.5, -0.5, 0.1]
LONG = [float((5 * n) % 7 - 3) for n in range(150)]
GUESSES = [((11 * n) % 19 - 9) / 10 for n in range(150)]
_random = random.Random(12)


def _values(count: int) -> list[float]:
    return [round(_random.uniform(-1, 1), 5) for _ in range(count)]


# The last moves of a game need not have a reward.
GAMES = [(_values(moves - 1) + [end], _values(moves))
         for moves in (1, 2, 2, 3, 3, 4, 5, 9, 30, 300) for end in (0.0, 1.0)]
PLAYERS = [[_random.choice((1, -1)) for _ in values] for _, values in GAMES]
CHECKS = [
    agrees("A return includes the reward of its move", returns,
           [([1.0],), ([100.0, -300.5],), ([-1.0, 0.0],)],
           "The return includes the reward of the move itself."),
    agrees("The discount grows with the distance from the move", returns,
           [(REWARDS,), (LONG,), ([0.0, 0.0, 2.0],), ([3.0, 0.0, 0.0],),
            *((rewards,) for rewards, _ in GAMES)],
           "Start at the end.", points=2),
    agrees("The surprise of the last move is its reward minus the value", advantages,
           [([1.0], [0.3]), ([-2.5], [0.0]), ([0.0], [-0.75]), ([1.5], [1.5])],
           "The game is over after the last move, so no value follows."),
    agrees("A surprise compares the next value with the value before", advantages,
           [(rewards, values) for rewards in ([0.0, 1.0], [0.5, -1.0])
            for values in ([0.25, 0.5], [-0.5, 0.0], [0.0, 1.0])],
           "If the result is better than expected, the advantage is positive.", points=2),
    agrees("Later surprises count less and less", advantages,
           [(REWARDS, VALUES), (LONG, GUESSES), (LONG, [0.0] * 150), *GAMES],
           "Start at the end. How often does the surprise two moves later count?", points=2),
    agrees("In a game of two, the result has the sign of the player who moved", game_advantages,
           [*((players, VALUES, winner)
              for winner in (1, -1, 0) for players in ([1, -1, 1, -1], [1, 1, -1, 1])),
            *(([-1, -1, 1] * 50, GUESSES, winner) for winner in (1, -1, 0)), ([-1], [0.5], 1),
            *((players, values, winner) for players, (_, values) in zip(PLAYERS, GAMES, strict=True)
              for winner in (1, -1, 0))],
           "Whose value is it? Who won?", points=2),
]
PLANTED = {
    "the own reward is left out": (
        "reward + GAMMA * following\n        sums.append(following)",
        "reward + GAMMA * following\n        sums.append(following - reward)"),
    "from the wrong end": ("for reward in reversed(rewards)", "for reward in rewards"),
    "discounted by the move's number": ("following = reward + GAMMA * following",
                                        "following = reward * GAMMA + following"),
    "the discount is ignored": ("following = reward + GAMMA * following",
                                "following = reward + following"),
    "the last reward only": ("following = reward + GAMMA * following",
                             "following = reward if len(sums) < 1 else GAMMA * following"),
    "at most 100 moves": ("for reward in reversed(rewards)",
                          "for reward in reversed([0.0] * 50 + rewards[-100:])"),
    "limited returns": ("following = reward + GAMMA * following",
                        "following = max(-10.0, min(10.0, reward + GAMMA * following))"),
    "the wrong sign": ("GAMMA * next_value - value", "value - GAMMA * next_value"),
    "the next value is not discounted": ("reward + GAMMA * next_value", "reward + next_value"),
    "later surprises are not discounted": ("GAMMA * LAMBDA * following", "LAMBDA * following"),
    "lambda is ignored": ("GAMMA * LAMBDA * following", "GAMMA * following"),
    "lambda is 0": (" + GAMMA * LAMBDA * following", ""),
    "the value after the end": ("following, next_value = [], 0.0, 0.0",
                                "following, next_value = [], 0.0, values[-1]"),
    "a reward ends the game": (
        "reward + GAMMA * next_value - value + GAMMA * LAMBDA * following",
        "reward - value + (not reward) * GAMMA * (next_value + LAMBDA * following)"),
    "at most 200 moves": ("[player * winner - value for player, value in "
                          "zip(players, values, strict=True)]",
                          "[player * winner - value for player, value in "
                          "[*zip(players, values)][:200]]"),
    "the player of the first move": ("player * winner - value", "players[0] * winner - value"),
    "no next value": ("        next_value = value\n", ""),
    "the first player's view": ("player * winner - value", "winner - value"),
    "the value is turned": ("player * winner - value", "player * (winner - value)"),
    "a draw is a loss": ("player * winner - value", "player * (winner or -1) - value"),
    "not above 1": ("player * winner - value", "max(-1.0, min(1.0, player * winner - value))"),
    "turns alternate": ("for player, value in zip(players, values, strict=True)]",
                        "for player, value in zip([1, -1] * len(values), values)]"),
    "rewards are changed": ("    sums, following = [], 0.0\n",
                            "    sums, following = [], 0.0\n    rewards[0] += 0.5\n"),
}
EQUIVALENT = {
    "strict=False": "Both lists have the same length.",
    "winner * player": "It is the same product.",
}
### END HIDDEN TESTS
