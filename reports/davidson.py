"""The model behind the ratings: win, draw or loss from a difference in strength.

Entrant i has the strength pi_i > 0. When i moves first against j,

    P(i wins)  is proportional to  gamma * pi_i
    P(j wins)  is proportional to  pi_j
    P(draw)    is proportional to  nu * sqrt(gamma * pi_i * pi_j)

which is Bradley & Terry (1952) with Davidson's draws (JASA 65 (1970) 317-328) and the order effect
of Davidson & Beaver (Biometrics 33 (1977) 693-702). gamma > 1 says that the first move is worth
something; nu is the weight of draws: two equals draw a share nu / (2 + nu) of their games once the
first move is made up for.

In logarithms everything is linear. With d = ln gamma + ln pi_i - ln pi_j and n = ln nu,

    P(win) : P(draw) : P(loss)  =  exp(d/2) : exp(n) : exp(-d/2).

The log-likelihood is concave in (ln pi, ln gamma, ln nu), so a maximum is the maximum. With s the
score of the first mover (1, 1/2, 0), its derivatives are what a student would hope for: by d it is
"score minus expected score", by n "draws minus expected draws", and the second derivatives are
minus the variances and covariance of the two.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dlgo.errors import DlgoError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def outcome_probabilities(difference: Floats, log_nu: float) -> tuple[Floats, Floats, Floats]:
    """Probabilities of win, draw and loss for the first mover. `difference`, of any shape, is
    ln gamma + ln pi_first - ln pi_second; `log_nu` is -inf for a game without draws."""
    half = np.asarray(difference, float) / 2
    top = np.maximum(np.abs(half), log_nu)  # the largest exponent becomes 0: no overflow
    win, draw, loss = np.exp(half - top), np.exp(log_nu - top), np.exp(-half - top)
    total = win + draw + loss
    return win / total, draw / total, loss / total


def score_moments(win: Floats, draw: Floats, loss: Floats) -> tuple[Floats, Floats]:
    """Mean and variance of the score. The variance, written as a sum so that nothing cancels near 0
    and 1, is also the information of a game about the difference."""
    expected = win + draw / 2
    return expected, (
        win * (1 - expected) ** 2 + draw * (0.5 - expected) ** 2 + loss * expected**2)


@dataclass(frozen=True)
class Observations:
    """The results, one row for each distinct pairing."""

    entrants: int  # their strengths are the first parameters
    first: Ints  # (rows,) who moved first, by number
    second: Ints
    moved: Floats  # (rows,) 1 where moving first counts, 0 in a game on neutral ground
    wins: Floats  # (rows,) how often, as the first mover sees it; need not be whole
    draws: Floats
    losses: Floats
    with_first_move: bool  # whether ln gamma is estimated; it follows the strengths
    with_draws: bool  # whether ln nu, the last parameter, is; without it nobody drew

    @property
    def size(self) -> int:
        """Number of parameters."""
        return self.entrants + self.with_first_move + self.with_draws

    @cached_property
    def design(self) -> Any:
        """(rows, strengths and ln gamma) sparse; times the parameters it gives the differences."""
        from scipy.sparse import csr_matrix

        row, unit = np.arange(len(self.first)), np.ones(len(self.first))
        places = [(row, self.first, unit), (row, self.second, -unit)]
        if self.with_first_move:
            places.append((row, np.full_like(row, self.entrants), self.moved))
        rows, columns, values = (np.concatenate(part) for part in zip(*places, strict=True))
        shape = len(row), self.entrants + self.with_first_move
        return csr_matrix((values, (rows, columns)), shape)

    def plus(
        self, first: Ints, second: Ints, moved: Floats, wins: Floats, draws: Floats, losses: Floats
    ) -> Observations:
        """These and further rows."""
        return replace(
            self,
            first=np.concatenate([self.first, first]),
            second=np.concatenate([self.second, second]),
            moved=np.concatenate([self.moved, moved]),
            wins=np.concatenate([self.wins, wins]),
            draws=np.concatenate([self.draws, draws]),
            losses=np.concatenate([self.losses, losses]),
        )

    def _split(self, parameters: Floats) -> tuple[Floats, float]:
        """The differences d of all rows, and ln nu."""
        log_nu = float(parameters[-1]) if self.with_draws else -np.inf
        return self.design @ parameters[: self.design.shape[1]], log_nu

    def log_likelihood(self, parameters: Floats) -> float:
        """Sum over games of ln P(what happened)."""
        difference, log_nu = self._split(parameters)
        top = np.maximum(np.abs(difference / 2), log_nu)
        log_total = top + np.log(
            np.exp(difference / 2 - top) + np.exp(log_nu - top) + np.exp(-difference / 2 - top)
        )
        games = self.wins + self.draws + self.losses
        value = (self.wins - self.losses) @ (difference / 2) - games @ log_total
        return float(value + (self.draws.sum() * log_nu if self.with_draws else 0.0))

    def derivatives(self, parameters: Floats) -> tuple[Floats, Floats]:
        """Gradient of the log-likelihood, and the information (minus its Hessian)."""
        win, draw, loss = outcome_probabilities(*self._split(parameters))
        games = self.wins + self.draws + self.losses
        expected, variance = score_moments(win, draw, loss)
        surplus = self.wins + self.draws / 2 - games * expected
        linear = self.design.shape[1]
        gradient, information = np.zeros(self.size), np.zeros((self.size, self.size))
        gradient[:linear] = self.design.T @ surplus
        weighted = self.design.multiply((games * variance)[:, None])
        information[:linear, :linear] = (self.design.T @ weighted).toarray()
        if self.with_draws:
            gradient[-1] = self.draws.sum() - games @ draw
            information[:linear, -1] = self.design.T @ (games * draw * (0.5 - expected))
            information[-1, :linear] = information[:linear, -1]
            information[-1, -1] = games @ (draw * (1 - draw))
        return gradient, information


def maximise(observations: Observations, fixed: Ints, start: Floats | None = None) -> Floats:
    """The parameters of largest likelihood, by Newton's method with step halving, for data with a
    maximum (see `is_unbounded`).

    Args:
        fixed: parameters that keep the value of the start; at least one entrant of each group, as
            adding a constant to all strengths of a group changes no probability.
        start: by default all 0.
    """
    parameters = np.zeros(observations.size) if start is None else start
    free = np.delete(np.arange(observations.size), fixed)
    value = observations.log_likelihood(parameters)
    for _ in range(200):
        gradient, information = observations.derivatives(parameters)
        step = np.zeros(observations.size)
        step[free] = np.linalg.solve(information[np.ix_(free, free)], gradient[free])
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


def covariance_matrix(observations: Observations, parameters: Floats, fixed: Ints) -> Floats:
    """Inverse of the observed information, where the parameters `fixed` are known."""
    _, information = observations.derivatives(parameters)
    free = np.delete(np.arange(observations.size), fixed)
    covariance = np.zeros_like(information)
    covariance[np.ix_(free, free)] = np.linalg.inv(information[np.ix_(free, free)])
    return covariance


def is_unbounded(observations: Observations) -> bool:
    """Whether the likelihood grows for ever in some direction, and so has no maximum.

    That is so exactly if some direction makes no observed result less likely, compared with any
    other result of the same game, and at least one more likely (Albert & Anderson, Biometrika 71
    (1984) 1-10). That is a linear programme. It finds the entrant that won every game, and also
    cases that a graph of the entrants does not show: all games won by the first mover, or all games
    drawn.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_matrix, hstack, vstack

    def growth(counts: Floats, by_difference: float, by_log_nu: float) -> Any:
        """Of ln(P(result) / P(another)) in the rows that had this result."""
        part = by_difference * observations.design[counts > 0]
        column = csr_matrix(np.full((part.shape[0], 1), by_log_nu))
        return hstack([part, column]) if observations.with_draws else part

    wins, draws, losses = observations.wins, observations.draws, observations.losses
    gains = [growth(wins, 1.0, 0.0), growth(losses, -1.0, 0.0)]
    if observations.with_draws:
        gains += [growth(wins, 0.5, -1.0), growth(losses, -0.5, -1.0),
                  growth(draws, 0.5, 1.0), growth(draws, -0.5, 1.0)]
    rows = vstack(gains).tocsr()
    answer = linprog(-np.asarray(rows.sum(axis=0)).ravel(), A_ub=-rows,
                     b_ub=np.zeros(rows.shape[0]), bounds=(-1, 1))
    return bool(-answer.fun > 1e-6)
