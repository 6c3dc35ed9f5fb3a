"""Only legal moves (chapter 9).

A network gives every move a probability, illegal ones as well. Before a move is drawn, illegal
moves get 0, and the others are scaled so that they sum to 1 again.
"""

from __future__ import annotations

import numpy as np


def mask(policy: np.ndarray, legal: np.ndarray) -> np.ndarray:
    """The policy of the legal moves, with a sum of 1.

    If all legal moves have probability 0, all legal moves become equally likely.

    Args:
        policy: float [moves], not negative.
        legal: bool [moves], at least one of them True.

    >>> mask(np.array([0.5, 0.3, 0.2]), np.array([False, True, True]))
    [0.0, 0.6, 0.4]
    >>> mask(np.array([0.5, 0.3, 0.2]), np.array([True, False, False]))
    [1.0, 0.0, 0.0]
    >>> mask(np.array([1.0, 0.0, 0.0]), np.array([False, True, True]))
    [0.0, 0.5, 0.5]
    """
    ### BEGIN SOLUTION
    kept = np.where(legal, policy, 0.0)
    if kept.sum() == 0:
        kept = legal.astype(float)
    return kept / kept.sum()
    ### END SOLUTION


def mask_logits(logits: np.ndarray, legal: np.ndarray) -> np.ndarray:
    """The same from logits, which can be from -1,000 to 1,000: the softmax of the legal moves.

    >>> mask_logits(np.array([0.0, 0.0, 5.0]), np.array([True, True, False]))
    [0.5, 0.5, 0.0]
    >>> mask_logits(np.array([1.0, 0.0, 0.0]), np.array([True, True, False]))
    [0.7311, 0.2689, 0.0]
    >>> mask_logits(np.array([1000.0, 999.0, 0.0]), np.array([True, True, True]))
    [0.7311, 0.2689, 0.0]
    """
    ### BEGIN SOLUTION
    kept = np.where(legal, logits, -np.inf)
    shares = np.exp(kept - kept.max())
    return shares / shares.sum()
    ### END SOLUTION


### BEGIN HIDDEN TESTS
from experiments.classroom.checks import agrees

POLICY = np.array([0.5, 0.2, 0.2, 0.1])
LEGAL = np.array([False, True, True, False])
TINY, LEAST = (np.array([1 - sum, 0.6 * sum, 0.4 * sum, 0.0]) for sum in (1e-6, 1e-12))
_rng = np.random.default_rng(9)
LARGE, LARGE_LEGAL = _rng.dirichlet([0.3] * 362), _rng.random(362) < 0.4


def _legal(moves: int) -> np.ndarray:
    """Legal and illegal moves, at least one of each."""
    legal = _rng.random(moves) < 0.6
    legal[_rng.permutation(moves)[:2]] = True, False
    return legal


def _policy(support: np.ndarray) -> np.ndarray:
    """Probabilities; all but those of `support` are 0."""
    policy = np.where(support, _rng.random(len(support)), 0.0)
    return policy / policy.sum()


def _logits(moves: int, low: int, high: int) -> np.ndarray:
    """Logits that 32 bits hold exactly."""
    return _rng.integers(16 * low, 16 * high, size=moves, endpoint=True) / 16


SIZES = (2, 2, 3, 3, 4, 5, 9, 82, 1000)
CHECKS = [
    agrees("Illegal moves get 0, legal ones sum to 1", mask,
           [*((POLICY, legal)
              for legal in (LEGAL, np.array([True] * 4), np.array([False, False, False, True]))),
            (LARGE, LARGE_LEGAL), (np.array([1.0]), np.array([True])),
            (TINY, LEGAL), (LEAST, LEGAL),
            (np.array([0.25, 0.0, 0.75, 0.0]), np.array([True, True, True, False])),
            *((_policy(np.full(moves, True)), _legal(moves)) for moves in SIZES),
            # Every other legal move has the probability 0.
            *((_policy(np.arange(moves) % 2 == 0), np.arange(moves) <= moves / 2)
              for moves in SIZES)],
           "Which moves are legal? What is their sum?", points=3),
    agrees("If legal moves have probability 0, all are equally likely", mask,
           [(np.array([1.0, 0.0, 0.0, 0.0]), legal)
            for legal in (LEGAL, np.array([False, True, True, True]),
                          np.array([False, False, False, True]))]
           + [(_policy(~legal), legal) for legal in map(_legal, SIZES)],
           "Do not divide by 0.", points=2),
    agrees("Logits: legal moves only", mask_logits,
           [*((given, legal)
              for given in (np.array([5.0, 1.0, 0.0, -1.0]), np.array([5.0, -3.0, -4.0, 9.0]))
              for legal in (LEGAL, np.array([True, False, True, True]))),
            (_logits(362, -9, 9), LARGE_LEGAL), (np.array([-2.0]), np.array([True])),
            *((_logits(moves, -9, 9), _legal(moves)) for moves in SIZES)],
           "A logit of 0 is not a probability of 0.", points=2),
    agrees("Logits: large ones do not overflow", mask_logits,
           [(np.array([1000.0, 990.0, 989.0, 0.0]), LEGAL),
            (np.array([1000.0, -1000.0, -999.0, 0.0]), LEGAL),
            (np.array([0.0, 1000.0, 999.5, 1000.0]), LEGAL),
            (np.array([-1000.0, 1000.0]), np.array([True, False])),
            (np.array([-1000.0, -999.0, -1000.0]), np.array([True] * 3)),
            *((_logits(moves, *bounds), _legal(moves)) for moves in SIZES
              for bounds in ((-1000, 1000), (-1000, -990), (990, 1000)))],
           "exp(1000) is too large; only differences of logits matter.", points=3),
]
PLANTED = {
    "not scaled": ("    return kept / kept.sum()", "    return kept"),
    "the inverted mask": ("kept = np.where(legal, policy, 0.0)",
                          "kept = np.where(legal, 0.0, policy)"),
    "nothing to divide by": ("    if kept.sum() == 0:\n        kept = legal.astype(float)\n", ""),
    "almost 0": ("if kept.sum() == 0:", "if kept.sum() < 1e-5:"),
    "a little more than the sum": ("return kept / kept.sum()", "return kept / (kept.sum() + 1e-8)"),
    "all moves are alike": ("kept = legal.astype(float)", "kept = np.ones(len(legal))"),
    "logits of 0": ("np.where(legal, logits, -np.inf)", "np.where(legal, logits, 0.0)"),
    "illegal ones are not small enough": ("np.where(legal, logits, -np.inf)",
                                          "np.where(legal, logits, -1000.0)"),
    "the largest of all": ("kept - kept.max()", "kept - logits.max()"),
    "not below 0": ("kept - kept.max()", "kept - max(kept.max(), 0.0)"),
    "limited logits": ("np.where(legal, logits, -np.inf)",
                       "np.where(legal, np.clip(logits, -20, 20), -np.inf)"),
    "none has 0": ("return kept / kept.sum()",
                   "kept = np.where(legal, np.maximum(kept, 1e-3 * kept.max()), 0.0)\n"
                   "    return kept / kept.sum()"),
    "at most 362 moves": ("kept = np.where(legal, logits, -np.inf)",
                          "legal = legal & (np.arange(len(legal)) < 362)\n"
                          "    kept = np.where(legal, logits, -np.inf)"),
    "the policy is changed": ("    kept = np.where(legal, policy, 0.0)",
                              "    policy[~legal] = 0.0\n    kept = policy.copy()"),
    "the logits are changed": ("    kept = np.where(legal, logits, -np.inf)",
                               "    logits[~legal] = -np.inf\n    kept = logits"),
}
EQUIVALENT = {"kept.sum() <= 0": "Probabilities are not negative."}
### END HIDDEN TESTS
