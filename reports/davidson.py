"""The model behind the ratings: win, draw or loss from a difference in strength.

This file has the mathematics alone: probabilities, likelihood with its derivatives, Newton's
method, and a test whether a maximum exists at all. `ratings.py` decides what goes in and what
the numbers mean.

Entrant i has the strength pi_i > 0. When i moves first against j,

    P(i wins)  is proportional to  gamma * pi_i
    P(j wins)  is proportional to  pi_j
    P(draw)    is proportional to  nu * sqrt(gamma * pi_i * pi_j)

which is Bradley & Terry (1952) with Davidson's draws (1970) and the order effect of Davidson
& Beaver (1977). gamma > 1 says that the first move is worth something; nu is the weight of
draws: two equals draw a share nu / (2 + nu) of their games once the first move is made up
for. (A draw term without gamma describes the same set of models with another nu.)

In logarithms everything is linear. With d = ln gamma + ln pi_i - ln pi_j and n = ln nu,

    P(win) : P(draw) : P(loss)  =  exp(d/2) : exp(n) : exp(-d/2).

The log-likelihood is concave in (ln pi, ln gamma, ln nu), so a maximum is the maximum. With
s the score of the first mover (1, 1/2, 0), its derivatives are what a student would hope for:
by d it is "score minus expected score", by n "draws minus expected draws", and the second
derivatives are minus the variances and covariance of the two.

References: Davidson, JASA 65 (1970) 317-328; Davidson & Beaver, Biometrics 33 (1977) 693-702.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dlgo.errors import DlgoError

Floats = NDArray[np.float64]


def outcome_probabilities(difference: Floats, log_nu: float) -> tuple[Floats, Floats, Floats]:
    """Probabilities of win, draw and loss for the first mover.

    Args:
        difference: d = ln gamma + ln pi_first - ln pi_second, any shape.
        log_nu: ln nu; -inf for a game without draws.
    """
    half = np.asarray(difference, float) / 2
    top = np.maximum(np.abs(half), log_nu)  # the largest exponent becomes 0: no overflow
    win, draw, loss = np.exp(half - top), np.exp(log_nu - top), np.exp(-half - top)
    total = win + draw + loss
    return win / total, draw / total, loss / total


@dataclass(frozen=True)
class Observations:
    """What was played, one row for each distinct pairing.

    Attributes:
        design: (rows, strengths). A row times the strengths is the difference d: +1 for who
            moved first, -1 for who moved second, +1 for ln gamma in the last column.
        wins, draws, losses: (rows,) how often, as the first mover sees it. Need not be whole.
        with_draws: whether nu is estimated; without it there must be no draws.
    """

    design: Floats
    wins: Floats
    draws: Floats
    losses: Floats
    with_draws: bool

    @property
    def size(self) -> int:
        """Number of parameters: the strengths, and ln nu last if draws are modelled."""
        return self.design.shape[1] + self.with_draws

    def split(self, parameters: Floats) -> tuple[Floats, float]:
        """The differences d of all rows, and ln nu."""
        if self.with_draws:
            return self.design @ parameters[:-1], float(parameters[-1])
        return self.design @ parameters, -np.inf

    def log_likelihood(self, parameters: Floats) -> float:
        """Sum over games of ln P(what happened)."""
        difference, log_nu = self.split(parameters)
        top = np.maximum(np.abs(difference / 2), log_nu)
        log_total = top + np.log(
            np.exp(difference / 2 - top) + np.exp(log_nu - top) + np.exp(-difference / 2 - top)
        )
        games = self.wins + self.draws + self.losses
        value = (self.wins - self.losses) @ (difference / 2) - games @ log_total
        return float(value + (self.draws.sum() * log_nu if self.with_draws else 0.0))

    def derivatives(self, parameters: Floats) -> tuple[Floats, Floats]:
        """Gradient of the log-likelihood, and the information (minus its Hessian)."""
        difference, log_nu = self.split(parameters)
        win, draw, loss = outcome_probabilities(difference, log_nu)
        games = self.wins + self.draws + self.losses
        expected = win + draw / 2
        surplus = self.wins + self.draws / 2 - games * expected
        # The variance of the score, written as a sum so that nothing cancels near 0 and 1.
        score_variance = win * (1 - expected) ** 2 + draw * (0.5 - expected) ** 2
        score_variance += loss * expected**2
        gradient = self.design.T @ surplus
        information = self.design.T @ ((games * score_variance)[:, None] * self.design)
        if not self.with_draws:
            return gradient, information
        covariance = self.design.T @ (games * draw * (0.5 - expected))
        draw_variance = games @ (draw * (1 - draw))
        return (
            np.append(gradient, self.draws.sum() - games @ draw),
            np.block([[information, covariance[:, None]], [covariance[None, :], draw_variance]]),
        )


def maximise(observations: Observations, free: Floats) -> Floats:
    """The parameters of largest likelihood, by Newton's method with step halving.

    Args:
        observations: data for which a maximum exists (see `growing_direction`).
        free: (parameters, k) orthonormal columns: shifts that change no probability, such as
            adding a constant to all strengths. The answer has no component along them.

    Raises:
        DlgoError: if it does not converge, which the data should not allow.
    """
    parameters = np.zeros(observations.size)
    value = observations.log_likelihood(parameters)
    for _ in range(200):
        gradient, information = observations.derivatives(parameters)
        step = np.linalg.solve(information + free @ free.T, gradient)
        promise = float(gradient @ step)  # twice what a quadratic would gain
        scale = max(1.0, abs(value))
        if promise < 1e-16 * scale:
            return parameters + step
        # Close to the top the gain drowns in rounding; there full steps are right.
        least, size = -1e-12 * scale, 1.0
        while (gain := observations.log_likelihood(parameters + size * step) - value) < (
            least + 1e-4 * size * promise
        ):
            size /= 2
        parameters, value = parameters + size * step, value + gain
    raise DlgoError(
        "ratings: Newton's method did not converge; please report this with the ledger"
    )


def covariance_matrix(observations: Observations, parameters: Floats, free: Floats) -> Floats:
    """Inverse of the observed information across the directions `free`.

    The information I vanishes along the columns Z of `free` and nowhere else, hence
    inv(I + ZZ') - ZZ' is its pseudo-inverse, with no threshold to choose.
    """
    _, information = observations.derivatives(parameters)
    null = free @ free.T
    return np.linalg.inv(information + null) - null


def growing_direction(observations: Observations) -> Floats | None:
    """A direction in which the likelihood grows for ever, or None if a maximum exists.

    The likelihood has no maximum exactly if some direction makes no observed result less
    likely, compared with any other result of the same game, and at least one more likely
    (Albert & Anderson, Biometrika 71 (1984) 1-10). That is a small linear programme. It
    finds the entrant that won every game, and also what no drawing of arrows between
    entrants shows: that whoever moved first won, or that every game was drawn.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_matrix

    def rows(counts: Floats, by_difference: float, by_log_nu: float) -> Floats:
        """Growth of ln(P(result) / P(another)) in the rows that had this result."""
        part = by_difference * observations.design[counts > 0]
        if not observations.with_draws:
            return part
        return np.column_stack([part, np.full(len(part), by_log_nu)])

    wins, draws, losses = observations.wins, observations.draws, observations.losses
    gains = [rows(wins, 1.0, 0.0), rows(losses, -1.0, 0.0)]
    if observations.with_draws:
        gains += [rows(wins, 0.5, -1.0), rows(losses, -0.5, -1.0)]
        gains += [rows(draws, 0.5, 1.0), rows(draws, -0.5, 1.0)]
    growth = np.unique(np.vstack(gains), axis=0)
    answer = linprog(
        -growth.sum(axis=0), A_ub=csr_matrix(-growth), b_ub=np.zeros(len(growth)), bounds=(-1, 1)
    )
    return answer.x if -answer.fun > 1e-6 else None
