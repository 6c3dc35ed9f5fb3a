"""REINFORCE (chapter 10).

A policy is a softmax of logits. After a game, the winner's moves become more likely and the loser's
moves less likely: add the gradient of the log-probability of each chosen move, times +1 or -1, to
the logits.
"""

from __future__ import annotations

import numpy as np


def log_gradient(logits: np.ndarray, action: int) -> np.ndarray:
    """The gradient of log(softmax(logits)[action]) by each logit."""
    ### BEGIN SOLUTION
    shares = np.exp(logits - logits.max())
    gradient = -shares / shares.sum()
    gradient[action] += 1
    return gradient
    ### END SOLUTION


def weights(players: list[int], winner: int) -> list[int]:
    """The weight of each move of a game.

    Args:
        players: who made each move, 1 or -1; they need not take turns.
        winner: 1, -1, or 0 for a draw.

    Returns:
        For each move, +1 if its player won, -1 if they lost, 0 after a draw.
    """
    ### BEGIN SOLUTION
    return [player * winner for player in players]
    ### END SOLUTION


def step(
    logits: np.ndarray, actions: list[int], players: list[int], winner: int, rate: float
) -> np.ndarray:
    """The logits after one game in which the same logits were used at every move.

    Add the learning rate times the mean over the moves of weight times gradient. The given logits
    do not change.
    """
    ### BEGIN SOLUTION
    terms = [
        weight * log_gradient(logits, action)
        for weight, action in zip(weights(players, winner), actions, strict=True)
    ]
    return logits + rate * np.mean(terms, axis=0)
    ### END SOLUTION


### BEGIN HIDDEN TESTS
from experiments.classroom.checks import agrees

LOGITS = np.array([0.5, -1.0, 2.0])
CHECKS = [
    agrees("The gradient of the log-probability", log_gradient,
           [(logits, action) for logits in (LOGITS, np.zeros(4), np.array([800.0, 799.0]))
            for action in range(2)],
           "Its sum is 0. Change one logit by 0.000001 and compare.", points=3),
    agrees("The weight is +1 for the winner's moves, -1 for the loser's, 0 after a draw", weights,
           [(players, winner) for winner in (1, -1, 0)
            for players in ([1, -1, 1], [1, 1, -1, -1, 1])],
           "Who made the move? Who won?", points=3),
    agrees("A step makes the winner's moves more likely", step,
           [(LOGITS, [0, 1], [1, -1], winner, 0.1) for winner in (1, -1)],
           "Add weight times gradient.", points=2),
    agrees("A step is the mean over moves, times the rate", step,
           [(LOGITS, [0, 1, 2, 2], [1, -1, 1, 1], 1, rate) for rate in (0.0, 0.5)],
           "Is it a sum or a mean?", points=2),
]
PLANTED = {
    "downhill": ("return logits + rate", "return logits - rate"),
    "a sum": ("np.mean(terms, axis=0)", "np.sum(terms, axis=0)"),
    "the loser's moves": ("player * winner for", "-player * winner for"),
    "turns alternate": ("[player * winner for player in players]",
                        "[winner * (-1) ** i for i in range(len(players))]"),
    "only the chosen logit": ("gradient = -shares / shares.sum()", "gradient = 0 * shares"),
    "overflow": ("np.exp(logits - logits.max())", "np.exp(logits)"),
}
### END HIDDEN TESTS
