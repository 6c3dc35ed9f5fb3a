"""Orders of a field that do not assume one strength an entrant: Nash averaging and alpha-Rank.

Both read a matrix: what the row's entrant gains against the column's.

Nash averaging (Balduzzi et al., "Re-evaluating evaluation", NeurIPS 2018) lets two people choose
entrants for a match against each other. The equilibrium of this zero-sum game is a mixture of
entrants that no entrant beats on average; of several the one of largest entropy is taken, which is
unique. An entrant is worth what it gains against this mixture: 0 inside of it, less outside.
A copy of an entrant shares the weight of the original and changes nothing else.

alpha-Rank (Omidshafiei et al., Scientific Reports 9 (2019) 9937) lets a population of copies of one
entrant be invaded by a single other one, again and again. An entrant is worth the share of time
for which the population consists of it.

The tests hold both against OpenSpiel's `nash_averaging` and `alpharank`.
"""

from __future__ import annotations

import numpy as np

from dlgo.errors import DlgoError
from reports.davidson import Floats

_LEAST_WEIGHT = 1e-6  # smaller weights in a mixture count as none


def nash_averaging(gains: Floats) -> tuple[Floats, Floats]:
    """The maximum-entropy Nash equilibrium of an antisymmetric matrix, and what each entrant gains
    against it, `gains @ weights`: at most 0.

    Raises DlgoError for another matrix.
    """
    gains = np.asarray(gains, float)
    if gains.ndim != 2 or not np.isfinite(gains).all() or not np.allclose(gains, -gains.T):
        raise DlgoError("nash averaging: the matrix of gains is not finite and antisymmetric")
    weights = _max_entropy(-gains)
    return weights, gains @ weights


def agents_against_tasks(scores: Floats) -> tuple[Floats, Floats, Floats]:
    """Nash averaging of agents (rows) that solve tasks (columns): one person chooses an agent, the
    other one a task that is hard for it.

    Each task's scores are first scaled to 0 (the worst) to 1 (the best); a task on which all score
    the same stays 0.

    Returns:
        The weights of the agents, those of the tasks, and each agent's score on the mixture of
        tasks.
    """
    from scipy.optimize import linprog

    scores = np.asarray(scores, float)
    spread = np.ptp(scores, axis=0)
    scaled = (scores - scores.min(axis=0)) / np.where(spread > 0, spread, 1)
    agents, tasks = scaled.shape
    # The largest v with scaled.T @ weights >= v.
    best = linprog(
        np.r_[np.zeros(agents), -1], A_ub=np.c_[-scaled.T, np.ones(tasks)], b_ub=np.zeros(tasks),
        A_eq=[np.r_[np.ones(agents), 0]], b_eq=[1], bounds=[(0, None)] * agents + [(None, None)],
    )
    value = -best.fun
    weights, mixture = _max_entropy(scaled.T - value), _max_entropy(value - scaled)
    return weights, mixture, scaled @ mixture


def alpha_rank(gains: Floats, epsilon: float = 0.01) -> Floats:
    """Share of time that alpha-Rank's population spends with each entrant.

    An entrant takes over those that it beats, whatever the margin: alpha, which says how strongly
    gains decide who is copied, is infinite (Rowland et al., NeurIPS 2019).

    Args:
        gains: what the row gains against the column.
        epsilon: how often the weaker of two takes over nevertheless.
    """
    lead = np.asarray(gains, float) - np.asarray(gains, float).T
    takes_over = np.where(lead > 0, 1 - epsilon, epsilon)
    takes_over[np.isclose(lead, 0, atol=1e-14)] = 0.5
    # From each column to each row; in the long run as much flows into an entrant as out of it.
    flow = takes_over - np.diag(takes_over.sum(axis=0))
    equations = np.vstack([flow, np.ones(len(flow))])
    shares: Floats = np.linalg.lstsq(equations, np.eye(len(equations))[-1], rcond=None)[0]
    return shares


def _max_entropy(gains: Floats) -> Floats:
    """The distribution x of largest entropy among those with `gains @ x` >= 0; there must be one.

    A linear programme finds a solution that is positive, and loose in its conditions, wherever
    some solution is. If there are others, that of largest entropy is the softmax of
    `prices @ gains` (a price for each condition, 0 or more where it is loose), for the prices with
    the least log-sum-exp: Lagrange's dual, which is convex and smooth.
    """
    from scipy.optimize import linprog, minimize
    from scipy.special import logsumexp, softmax

    conditions, size = gains.shape
    gains = gains / (np.abs(gains).max() or 1.0)
    # Not normalised: x may grow until all that can be positive reaches 1. Variables: x, min(x, 1),
    # min(gains @ x, 1).
    identity = np.eye(size)
    solution = linprog(
        np.r_[np.zeros(size), -np.ones(size + conditions)],
        A_ub=np.block([
            [-identity, identity, np.zeros((size, conditions))],
            [-gains, np.zeros((conditions, size)), np.eye(conditions)],
        ]),
        b_ub=np.zeros(size + conditions),
        bounds=[(0, 1 / _LEAST_WEIGHT)] * size + [(0, 1)] * (size + conditions),
    ).x
    positive, loose = solution[size : 2 * size] > 0.5, solution[2 * size :] > 0.5
    reduced, weights = gains[:, positive], np.zeros(size)
    equations = np.vstack([reduced[~loose], np.ones(reduced.shape[1])])
    x, _, rank, _ = np.linalg.lstsq(equations, np.eye(len(equations))[-1], rcond=1e-9)
    if rank < len(x):
        prices = minimize(
            lambda prices: (logsumexp(prices @ reduced), reduced @ softmax(prices @ reduced)),
            np.zeros(conditions), jac=True, method="L-BFGS-B",
            bounds=[(0 if is_loose else None, None) for is_loose in loose],
            options={"ftol": 0, "gtol": 1e-11, "maxiter": 10_000, "maxfun": 20_000},
        ).x
        x = softmax(prices @ reduced)
    weights[positive] = np.clip(x, 0, None)
    weights /= weights.sum()
    return weights
