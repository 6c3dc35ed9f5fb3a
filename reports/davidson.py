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

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dlgo.errors import DlgoError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Up to so many parameters the information is a dense matrix. Beyond it, it is a sparse one as long
# as few pairs met (entries for each parameter): factorising then costs time in proportion to the
# pairs, while a field in which many met fills the factors up and is faster as a dense matrix.
_DENSE, _SPARSE_ENTRIES = 200, 8


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
        entrants: how many there are; their strengths are the first parameters.
        first, second: (rows,) who moved first and second, by number.
        moved: (rows,) 1 where moving first counts, 0 in a game on neutral ground.
        wins, draws, losses: (rows,) how often, as the first mover sees it. Need not be whole.
        with_first_move: whether ln gamma is estimated; it follows the strengths.
        with_draws: whether ln nu is estimated; it is the last parameter. Without it there must
            be no draws.
    """

    entrants: int
    first: Ints
    second: Ints
    moved: Floats
    wins: Floats
    draws: Floats
    losses: Floats
    with_first_move: bool
    with_draws: bool

    @property
    def size(self) -> int:
        """Number of parameters."""
        return self.entrants + self.with_first_move + self.with_draws

    def plus(
        self, first: Ints, second: Ints, moved: Floats, wins: Floats, draws: Floats, losses: Floats
    ) -> Observations:
        """These and further rows."""
        rows = {"first": first, "second": second, "moved": moved, "wins": wins, "draws": draws,
                "losses": losses}
        return replace(self, **{
            name: np.concatenate([getattr(self, name), row]) for name, row in rows.items()
        })

    def split(self, parameters: Floats) -> tuple[Floats, float]:
        """The differences d of all rows, and ln nu."""
        difference = parameters[self.first] - parameters[self.second]
        if self.with_first_move:
            difference = difference + parameters[self.entrants] * self.moved
        return difference, float(parameters[-1]) if self.with_draws else -np.inf

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

    def derivatives(self, parameters: Floats) -> tuple[Floats, Any]:
        """Gradient of the log-likelihood, and the information (minus its Hessian).

        The information is an array, or a sparse matrix where there are many parameters.
        """
        difference, log_nu = self.split(parameters)
        win, draw, loss = outcome_probabilities(difference, log_nu)
        games = self.wins + self.draws + self.losses
        expected = win + draw / 2
        surplus = self.wins + self.draws / 2 - games * expected
        # The variance of the score, written as a sum so that nothing cancels near 0 and 1.
        score_variance = win * (1 - expected) ** 2 + draw * (0.5 - expected) ** 2
        score_variance += loss * expected**2
        by_difference = games * score_variance
        gradient = self._along(surplus)
        # Rows, columns and values, which add up where they name a place twice.
        first, second = self.first, self.second
        places = [
            (first, first, by_difference), (second, second, by_difference),
            (first, second, -by_difference), (second, first, -by_difference),
        ]
        if self.with_first_move:
            places += _cross(self.entrants, self._along(by_difference * self.moved))
        if self.with_draws:
            gradient[-1] = self.draws.sum() - games @ draw
            column = self._along(games * draw * (0.5 - expected))
            column[-1] = games @ (draw * (1 - draw))
            places += _cross(self.size - 1, column)
        rows, columns, values = (np.concatenate(part) for part in zip(*places, strict=True))
        if self.size <= _DENSE:
            flat = np.bincount(rows * self.size + columns, values, minlength=self.size**2)
            return gradient, flat.reshape(self.size, self.size)
        from scipy.sparse import coo_matrix

        information = coo_matrix((values, (rows, columns)), (self.size, self.size)).tocsc()
        sparse = information.nnz <= _SPARSE_ENTRIES * self.size
        return gradient, information if sparse else information.toarray()

    def design(self) -> Any:
        """(rows, strengths and ln gamma) sparse; times the parameters it gives the differences."""
        from scipy.sparse import csr_matrix

        row, ones = np.arange(len(self.first)), np.ones(len(self.first))
        places = [(row, self.first, ones), (row, self.second, -ones)]
        if self.with_first_move:
            places.append((row, np.full_like(row, self.entrants), self.moved))
        rows, columns, values = (np.concatenate(part) for part in zip(*places, strict=True))
        return csr_matrix(
            (values, (rows, columns)), (len(row), self.entrants + self.with_first_move)
        )

    def _along(self, values: Floats) -> Floats:
        """(parameters,) how a sum over rows grows that has these derivatives by the d of a row."""
        column = np.zeros(self.size)
        column[: self.entrants] = np.bincount(self.first, values, minlength=self.entrants)
        column[: self.entrants] -= np.bincount(self.second, values, minlength=self.entrants)
        if self.with_first_move:
            column[self.entrants] = self.moved @ values
        return column


def _cross(place: int, column: Floats) -> list[tuple[Ints, Ints, Floats]]:
    """A column of a symmetric matrix, and the row like it: rows, columns and values."""
    others = np.delete(np.arange(len(column)), place)
    here = np.full_like(others, place)
    corner = np.array([place])
    return [
        (others, here, column[others]), (here, others, column[others]),
        (corner, corner, column[corner]),
    ]


def maximise(observations: Observations, fixed: Ints) -> Floats:
    """The parameters of largest likelihood, by Newton's method with step halving.

    Args:
        observations: data for which a maximum exists (see `growing_direction`).
        fixed: one entrant of each group, whose strength stays 0: adding a constant to all
            strengths of a group changes no probability.

    Raises:
        DlgoError: if it does not converge, which the data should not allow.
    """
    parameters = np.zeros(observations.size)
    free = np.delete(np.arange(observations.size), fixed)
    value = observations.log_likelihood(parameters)
    for _ in range(200):
        gradient, information = observations.derivatives(parameters)
        step = np.zeros(observations.size)
        step[free] = _solve(information[np.ix_(free, free)], gradient[free])
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
    """Inverse of the observed information, where the strengths of `fixed` are known to be 0."""
    _, information = observations.derivatives(parameters)
    free = np.delete(np.arange(observations.size), fixed)
    covariance = np.zeros((observations.size, observations.size))
    covariance[np.ix_(free, free)] = _solve(information[np.ix_(free, free)], np.eye(len(free)))
    return covariance


def _solve(matrix: Any, right: Floats) -> Floats:
    """x with matrix @ x = right, for an array or a sparse matrix."""
    if isinstance(matrix, np.ndarray):
        return np.linalg.solve(matrix, right)
    from scipy.sparse.linalg import splu

    # Symmetric and positive definite: pivots on the diagonal, as few new entries as may be.
    factors = splu(matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0,
                   options={"SymmetricMode": True})
    return factors.solve(right)


def growing_direction(observations: Observations) -> Floats | None:
    """A direction in which the likelihood grows for ever, or None if a maximum exists.

    The likelihood has no maximum exactly if some direction makes no observed result less
    likely, compared with any other result of the same game, and at least one more likely
    (Albert & Anderson, Biometrika 71 (1984) 1-10). That is a linear programme. It finds the
    entrant that won every game, and also what no drawing of arrows between entrants shows:
    that whoever moved first won, or that every game was drawn.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_matrix, hstack, vstack

    design = observations.design()

    def rows(counts: Floats, by_difference: float, by_log_nu: float) -> Any:
        """Growth of ln(P(result) / P(another)) in the rows that had this result."""
        part = by_difference * design[counts > 0]
        if not observations.with_draws:
            return part
        return hstack([part, np.full((part.shape[0], 1), by_log_nu)])

    wins, draws, losses = observations.wins, observations.draws, observations.losses
    gains = [rows(wins, 1.0, 0.0), rows(losses, -1.0, 0.0)]
    if observations.with_draws:
        gains += [rows(wins, 0.5, -1.0), rows(losses, -0.5, -1.0)]
        gains += [rows(draws, 0.5, 1.0), rows(draws, -0.5, 1.0)]
    growth = vstack(gains).tocsr()
    if observations.size <= _DENSE:
        growth = csr_matrix(np.unique(growth.toarray(), axis=0))
    answer = linprog(
        -np.asarray(growth.sum(axis=0)).ravel(), A_ub=-growth, b_ub=np.zeros(growth.shape[0]),
        bounds=(-1, 1),
    )
    return answer.x if -answer.fun > 1e-6 else None
