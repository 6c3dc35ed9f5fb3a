"""The Q update (chapter 11).

Q(position, move) is the expected result for the player who makes the move. After a move, the value
is corrected towards a target: the reward, plus what the next position is worth to THAT player. If
the opponent is to move there, what is good for them is bad for us.
"""

from __future__ import annotations


def target(
    reward: float, next_values: list[float], same_player: bool, discount: float
) -> float:
    """What Q should have been.

    Args:
        reward: to the player who moved; not 0 only at the end of a game.
        next_values: Q of the moves at the next position, as the player to move THERE sees them;
            none if the game is over.
        same_player: whether the player who moved is to move again.
        discount: what a value one move later is worth.
    """
    ### BEGIN SOLUTION
    if not next_values:
        return reward
    best = max(next_values)
    return reward + discount * (best if same_player else -best)
    ### END SOLUTION


def update(q: float, wanted: float, rate: float) -> float:
    """Q, moved towards the target by the learning rate: 0 leaves it, 1 takes the target."""
    ### BEGIN SOLUTION
    return q + rate * (wanted - q)
    ### END SOLUTION


def policy(values: list[float], epsilon: float) -> list[float]:
    """The chances of an epsilon-greedy player.

    With epsilon they draw any move, all alike; otherwise one of the best, those alike.
    """
    ### BEGIN SOLUTION
    best = [value == max(values) for value in values]
    return [epsilon / len(values) + (1 - epsilon) * is_best / sum(best) for is_best in best]
    ### END SOLUTION


### BEGIN HIDDEN TESTS
from experiments.classroom.checks import agrees

CHECKS = [
    agrees("At the end, the reward is all", target,
           [(reward, [], False, 0.9) for reward in (1.0, -1.0, 0.5)], "There is no next move."),
    agrees("The opponent's best move is our worst", target,
           [(0.0, values, False, 1.0) for values in ([0.5, -0.2], [-0.5, -0.2], [0.1])],
           "They choose, and it is their value.", points=3),
    agrees("If we move again, our best move counts", target,
           [(0.1, values, True, 0.9) for values in ([0.5, -0.2], [-0.5, -0.2])],
           "The next value is ours.", points=2),
    agrees("Q moves towards the target by the rate", update,
           [(0.2, 1.0, 0.1), (0.2, -1.0, 0.5), (0.7, 0.3, 1.0), (0.7, 0.3, 0.0)],
           "0 leaves it, 1 takes it all.", points=2),
    agrees("Epsilon-greedy chances sum to 1, and the best share", policy,
           [([0.1, 0.9, 0.3], 0.3), ([0.5, 0.5, 0.1], 0.1), ([1.0, 0.0], 0.0), ([1.0, 0.0], 1.0)],
           "A random draw may find the best move, too.", points=2),
]
PLANTED = {
    "the opponent helps us": ("(best if same_player else -best)", "best"),
    "turns always change": ("(best if same_player else -best)", "-best"),
    "the opponent's worst": ("best = max(next_values)", "best = min(next_values)"),
    "no discount": ("reward + discount *", "reward + 1.0 *"),
    "away from the target": ("(wanted - q)", "(q - wanted)"),
    "the first of the best": ("is_best / sum(best)", "is_best"),
    "never the best by chance": ("epsilon / len(values)", "epsilon * (not is_best) / len(values)"),
}
### END HIDDEN TESTS
