"""REINFORCE (chapter 10).

A policy is a softmax of logits. After a game, the winner's moves become more likely and the loser's
moves less likely: add the gradient of the log-probability of each chosen move, times +1 or -1, to
the logits.
"""

from __future__ import annotations

import numpy as np


def log_gradient(logits: np.ndarray, action: int) -> np.ndarray:
    """The gradient of log(softmax(logits)[action]) with respect to each logit.

    Logits can be from -1,000 to 1,000.

    >>> log_gradient(np.array([0.0, 0.0]), 0)
    [0.5, -0.5]
    >>> log_gradient(np.array([0.0, 0.0, 0.0, 0.0]), 2)
    [-0.25, -0.25, 0.75, -0.25]
    >>> log_gradient(np.array([1.0, 0.0]), 1)
    [-0.7311, 0.7311]
    """
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

    >>> weights([1, -1, 1], 1)
    [1, -1, 1]
    >>> weights([1, -1, -1], -1)
    [-1, 1, 1]
    >>> weights([1, -1], 0)
    [0, 0]
    """
    ### BEGIN SOLUTION
    return [player * winner for player in players]
    ### END SOLUTION


def step(
    logits: np.ndarray, actions: list[int], players: list[int], winner: int, rate: float
) -> np.ndarray:
    """The logits after one game in which the same logits were used at every move.

    Add the learning rate times the mean over the moves of weight times gradient.

    >>> step(np.array([0.0, 0.0]), [0], [1], 1, 0.1)
    [0.05, -0.05]
    >>> step(np.array([0.0, 0.0]), [0], [1], -1, 0.1)
    [-0.05, 0.05]
    >>> step(np.array([0.0, 0.0]), [0, 0, 0], [1, -1, 1], 1, 0.3)
    [0.05, -0.05]
    """
    ### BEGIN SOLUTION
    terms = [
        weight * log_gradient(logits, action)
        for weight, action in zip(weights(players, winner), actions, strict=True)
    ]
    return logits + rate * np.mean(terms, axis=0)
    ### END SOLUTION


### BEGIN HIDDEN TESTS
from experiments.classroom.checks import agrees, one_replaced

LOGITS = np.array([0.5, -1.0, 2.0])
_rng = np.random.default_rng(10)
MANY = _rng.normal(size=82)
LONG = [int(action) for action in _rng.integers(82, size=60)], [1, -1, -1] * 20


def _game(actions: int, moves: int):
    """Logits, actions and players of a game."""
    return (_rng.normal(size=actions), _rng.integers(actions, size=moves).tolist(),
            _rng.choice((1, -1), size=moves).tolist())


SIZES = (2, 1), (2, 4), (3, 3), (3, 3), (4, 2), (5, 9), (9, 5), (200, 120)
GAMES = [_game(*sizes) for sizes in SIZES]
CHECKS = [
    agrees("The gradient of the log-probability", log_gradient,
           [*((logits, action) for logits in (LOGITS, np.zeros(4), np.array([800.0, 799.0]),
                                              np.array([-900.0, -899.0, -1000.0]))
              for action in range(len(logits))), (MANY, 80), (np.array([3.0]), 0),
            *((logits, actions[0]) for logits, actions, _ in GAMES)],
           "Its sum is 0. Change one logit by 0.000001 and compare.", points=3),
    agrees("The weight is +1 for the winner's moves, -1 for the loser's, 0 after a draw", weights,
           [(players, winner) for winner in (1, -1, 0)
            for players in ([1, -1, 1], [1, 1, -1, -1, 1], [1], [-1], [-1, 1] * 30, [-1] * 3,
                            *(players for _, _, players in GAMES))],
           "Who made the move? Who won?", points=3),
    agrees("A step makes the winner's moves more likely", step,
           [*((LOGITS, [0, 1], [1, -1], winner, 0.1) for winner in (1, -1, 0)),
            (LOGITS, [2], [-1], 1, 3.0),
            *((np.array([-900.0, -899.0, 900.0]), [1, 2], [1, -1], winner, 1.0)
              for winner in (1, -1, 0)),
            *((*game, winner, 0.2) for game in GAMES for winner in (1, -1, 0))],
           "Add weight times gradient.", points=2),
    agrees("A step is the mean over moves, times the rate", step,
           [*((LOGITS, [0, 1, 2, 2], [1, -1, 1, 1], 1, rate) for rate in (0.0, 0.5, 1.0)),
            (MANY, *LONG, -1, 2.0), (LOGITS, [1, 1, 1, 1], [1, 1, -1, 1], -1, 0.3),
            *((*game, winner, float(_rng.uniform(0.01, 4)))
              for game in GAMES for winner in (1, -1)),
            *one_replaced((LOGITS, [0, 1, 0], [1, -1, 1], 1, 0.5),
                          (MANY[:3], [2, 2, 1], [-1, -1, 1], -1, 2.0))],
           "Is it a sum or a mean?", points=2),
]
PLANTED = {
    "downhill": ("return logits + rate", "return logits - rate"),
    "a sum": ("np.mean(terms, axis=0)", "np.sum(terms, axis=0)"),
    "the loser's moves": ("player * winner for", "-player * winner for"),
    "turns alternate": ("[player * winner for player in players]",
                        "[winner * (-1) ** i for i in range(len(players))]"),
    "a draw is a loss": ("player * winner for", "player * (winner or -1) for"),
    "only the chosen logit": ("gradient = -shares / shares.sum()", "gradient = 0 * shares"),
    "only other logits": ("gradient[action] += 1", "pass"),
    "overflow": ("np.exp(logits - logits.max())", "np.exp(logits)"),
    "not below 0": ("np.exp(logits - logits.max())", "np.exp(logits - max(logits.max(), 0.0))"),
    "the gradient is clipped": ("weight * log_gradient(logits, action)",
                                "weight * np.clip(log_gradient(logits, action), -0.5, 0.5)"),
    "the rate is ignored": ("return logits + rate *", "return logits + 0.1 * (rate > 0) *"),
    "the last moves": ("zip(weights(players, winner), actions, strict=True)",
                       "zip(weights(players, winner)[-50:], actions[-50:])"),
    "logits after each move": (
        "    return logits + rate * np.mean(terms, axis=0)",
        "    for weight, action in zip(weights(players, winner), actions, strict=True):\n"
        "        logits = logits + rate / len(terms) * weight * log_gradient(logits, action)\n"
        "    return logits"),
    "each action once": (
        "    return logits + rate * np.mean(terms, axis=0)",
        "    last = dict(zip(actions, terms))\n"
        "    return logits + rate * np.sum(list(last.values()), axis=0) / len(terms)"),
    "the mean of the winner's and the loser's moves": (
        "np.mean(terms, axis=0)",
        "sum(np.mean([term for term, player in zip(terms, players) if player == one], axis=0)\n"
        "                           for one in set(players)) / len(set(players))"),
    "large logits": ("    terms = [\n", "    logits = np.clip(logits, -50, 50)\n    terms = [\n"),
    "the logits are changed": ("    return logits + rate * np.mean(terms, axis=0)",
                               "    logits += rate * np.mean(terms, axis=0)\n    return logits"),
}
EQUIVALENT = {
    "strict=False": "Both lists have the same length.",
    "winner * player": "It is the same product.",
    **dict.fromkeys(("weights(players, rate)", "step: winner and rate are swapped"),
                    "The step is a product of both."),
}
### END HIDDEN TESTS
