"""The Q update (chapter 11).

Q(position, move) is the expected result for the player who makes the move. After a move, the
value moves towards a target: the reward plus the value of the next position for THAT player. If
the opponent is to move there, a good value for them is a bad value for us.
"""

from __future__ import annotations

GAMMA: float  # discount: factor for a value one move later
ALPHA: float  # learning rate
EPSILON: float  # probability of a random move


def target(reward: float, next_values: list[float], same_player: bool) -> float:
    """The target of Q.

    Args:
        reward: to the player who moved; always 0 before the end of a game.
        next_values: Q of the moves at the next position, as the player to move THERE sees them;
            an empty list if the game is over.
        same_player: whether the player who moved is to move again.

    >>> target(1.0, [], False)
    1.0
    >>> target(0.0, [0.5, -0.2], False)
    >>> target(0.0, [0.5, -0.2], True)
    """
    ### BEGIN SOLUTION
    if not next_values:
        return reward
    best = max(next_values)
    return reward + GAMMA * (best if same_player else -best)
    ### END SOLUTION


def update(q: float, wanted: float) -> float:
    """Q, moved towards the target by the learning rate: a rate of 1 would take the target.

    >>> update(0.5, 1.0)
    >>> update(0.5, -1.0)
    >>> update(0.5, 0.5)
    0.5
    """
    ### BEGIN SOLUTION
    return q + ALPHA * (wanted - q)
    ### END SOLUTION


def policy(values: list[float]) -> list[float]:
    """The probabilities of the moves of an epsilon-greedy player.

    With probability EPSILON, any move, all equally likely; otherwise one of the best moves, these
    equally likely.

    >>> policy([0.1])
    [1.0]
    >>> policy([0.1, 0.9])
    >>> policy([0.5, 0.5, 0.1])
    """
    ### BEGIN SOLUTION
    best = [value == max(values) for value in values]
    return [EPSILON / len(values) + (1 - EPSILON) * is_best / sum(best) for is_best in best]
    ### END SOLUTION


### BEGIN HIDDEN TESTS
import random

from experiments.classroom.checks import agrees
from experiments.classroom.variants import decimal


def variant(rng: random.Random):
    return {"GAMMA": decimal(rng, 0.7, 0.98, 3), "ALPHA": decimal(rng, 0.05, 0.5, 3),
            "EPSILON": decimal(rng, 0.05, 0.4, 3)}


_random = random.Random(11)


def _moves(count: int, digits: int = 5) -> list[float]:
    """Q of some moves; with one digit, many are equal."""
    return [round(_random.uniform(-1, 1), digits) for _ in range(count)]


MANY = [((7 * n) % 83 - 60) / 100 for n in range(82)]
NEXT = [[0.5, -0.2], [-0.5, -0.2], [0.1], [-0.1], [0.0], [0.0, 0.0, -1.0], [1.0, 2.5],
        [-0.9, -0.3, -0.6], MANY, *map(_moves, (2, 2, 3, 3, 4, 5, 9, 30, 200)),
        sorted(_moves(150))]
CHECKS = [
    agrees("At the end of a game, the target is the reward", target,
           [(reward, [], same) for reward in (1.0, -1.0, 0.0, 0.5) for same in (False, True)],
           "There is no next move."),
    agrees("The opponent's best move is our worst", target,
           [(0.0, values, False) for values in NEXT],
           "The opponent chooses, and the values are theirs.", points=3),
    agrees("If we move again, our best move counts", target,
           [(0.0, values, True) for values in NEXT],
           "The next values are ours.", points=2),
    agrees("Q moves towards the target by the rate", update,
           [(0.2, 1.0), (0.2, -1.0), (0.7, 0.3), (0.7, 0.7), (-0.7, -0.7), (-3.0, 40.0), (5.0, 9.0),
            (0.0, 0.001), (0.0, 0.0), (1.0, -1.0), *(tuple(_moves(2)) for _ in range(10))],
           "A rate of 0 would change nothing; a rate of 1 would give the target.", points=2),
    agrees("Epsilon-greedy probabilities sum to 1, and the best moves share", policy,
           [(values,) for values in ([0.1, 0.9, 0.3], [1.0, 0.0], [-0.5, -0.2, -0.2, -0.2], [0.0],
                                     [-1.0, -1.0], [1.0, 1.0], [1.0, 1.0, 0.2], [0.3] * 5,
                                     [0.5, 0.499], [0.1, 0.09998], [-1e-6, 0.0], MANY,
                                     *(_moves(count, 1) for count in (2, 3, 4, 6, 9, 30, 30, 200)))
            ],
           "A random draw can also give the best move.", points=2),
]
PLANTED = {
    "the opponent helps us": ("(best if same_player else -best)", "best"),
    "turns always change": ("(best if same_player else -best)", "-best"),
    "the opponent's worst": ("best = max(next_values)", "best = min(next_values)"),
    "the first value": ("best = max(next_values)", "best = next_values[0]"),
    "not below 0": ("best = max(next_values)", "best = max(0.0, *next_values)"),
    "not above 1": ("best = max(next_values)", "best = min(1.0, max(next_values))"),
    "no discount": ("reward + GAMMA *", "reward + 1.0 *"),
    "no discount for the opponent": ("GAMMA * (best if same_player else -best)",
                                     "(GAMMA * best if same_player else -best)"),
    "1 is certain": ("best = [value == max(values) for value in values]",
                     "best = [value == max(values) for value in values]\n"
                     "    if max(values) == 1:\n        best = [0] * len(values)\n"
                     "        best[values.index(1)] = 1"),
    "away from the target": ("(wanted - q)", "(q - wanted)"),
    "rounded": ("return q + ALPHA * (wanted - q)", "return round(q + ALPHA * (wanted - q), 4)"),
    "a limited step": ("ALPHA * (wanted - q)", "ALPHA * max(-1.0, min(1.0, wanted - q))"),
    "the first of the best": ("is_best / sum(best)", "is_best"),
    "all to the first of the best": (
        "best = [value == max(values) for value in values]",
        "best = [number == values.index(max(values)) for number in range(len(values))]"),
    "nearly the best": ("value == max(values)", "value > max(values) - 0.01"),
    "very nearly the best": ("value == max(values)", "value > max(values) - 5e-6"),
    "at most two of the best": ("is_best / sum(best)", "is_best / min(sum(best), 2)"),
    "turns are remembered": (
        "    best = max(next_values)\n",
        "    best = globals().setdefault(('best', len(next_values)), max(next_values))\n"),
    "never the best by chance": ("EPSILON / len(values)", "EPSILON * (not is_best) / len(values)"),
    "values are changed": ("    best = max(next_values)",
                           "    next_values.sort()\n    best = next_values[-1]"),
}
EQUIVALENT = {
    "value >= max(values)": "No value is larger than the largest.",
    "EPSILON / len(best)": "There is a mark for each value.",
    **dict.fromkeys(("target: next_values is reversed", "target: next_values are sorted",
                     "target: equal next_values count once"),
                    "The order of the moves does not change the best value."),
}
### END HIDDEN TESTS
