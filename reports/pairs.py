"""Is one number an entrant enough? What each pair scored, beside what the ratings expect.

The ratings are one model inside a larger one, in which every pair of entrants has log-odds of its
own (with the same value of the first move and of draws). Three questions follow:

*Residuals.* The observed minus the expected score of a pair, with its standard error after the fit:
a pair that alone links two parts of the field sets the distance, and never disagrees with it.

*A test.* The chi-square of the larger model's score test: the sum of (observed - expected)^2 /
variance over pairs, in points, as of Pearson. It notices small deviations everywhere, the largest
|z| a large one somewhere. p is the share of results drawn from the ratings in which one of the two
is as surprising as here (the parametric bootstrap, with one Newton step in place of a new fit). So
counts may be small; and no variance counts as less than a quarter, or one upset would be all.

*A cyclic part.* The log-odds of the pairs (the ratings', and one Newton step from there) are split
into differences of ratings and a rest that goes round in circles (HodgeRank: Jiang et al., Math.
Programming 127 (2011) 203-244; Balduzzi et al., ICML 2019). Pairs count by their information. So
each part's square is noncentral chi-square, and what it has beyond its mean by chance is more than
noise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from reports.davidson import Floats, Ints, outcome_probabilities
from reports.rating_table import ELO, Estimate, RatingTable

MOST_ENTRANTS = 100  # beyond, the test takes minutes
_MOST_DRAWS, _LEAST_DRAWS = 2000, 1000  # of the bootstrap; fewer, the more rows there are
_LEAST = 0.25  # variance of a pair's points, half a point squared: an upset is no more than that
_PRIOR = 0.25  # information: the log-odds of a pair are within 2, or 347 Elo, of the ratings'
_NAN = float("nan")


class Residual(NamedTuple):
    """What two entrants scored against each other, and what their ratings expect. NaN where this
    pair alone sets the difference of the ratings: `error`, the standard error of score - expected,
    and z, their ratio (without the virtual games of the ratings, where there are some)."""

    entrant: str
    opponent: str
    games: int
    score: float
    expected: float
    error: float
    z: float


class Cycle(NamedTuple):
    """Three entrants of whom each beats the next, and the last the first."""

    names: tuple[str, ...]
    points: tuple[float, ...]  # against the next
    games: tuple[int, ...]
    p: float  # that chance makes so firm a cycle, anywhere in the field; at most 1
    candidates: int  # number of such orders of three that all met each other

    @property
    def alike(self) -> float:
        """How many cycles in which everyone wins all games chance makes, if all are equal."""
        return math.ldexp(self.candidates, -sum(self.games))

    def steps_text(self) -> str:
        """Who beats whom."""
        return "; ".join(
            f"{name} beats {opponent} {points:g}/{games}" for name, opponent, points, games in zip(
                self.names, self.names[1:] + self.names[:1], self.points, self.games, strict=True))


class Fit(NamedTuple):
    """The test of the ratings against pairs with log-odds of their own."""

    surplus: Floats  # (pairs,) points of the higher entrant more than expected
    cyclic: Floats  # (pairs,) the same after one Newton step, which no ratings explain
    weight: Floats  # (pairs,) information on the log-odds, at least `_LEAST`
    error: Floats  # (pairs,) of the surplus; NaN where the pair alone sets the difference
    chi_square: float
    by_chance: float  # mean of chi-square over the draws
    freedom: int  # degrees; with 0 there is nothing to test
    largest: float  # |z|
    p: float


@dataclass(frozen=True)
class Pairs:
    """The pairs that met, rated by `table`, whose order numbers the entrants. Matrices are
    (entrants, entrants), from the view of the row."""

    table: RatingTable
    counts: Floats  # (entrants, entrants, 3) wins, draws and losses of the row as first mover

    @classmethod
    def of(cls, table: RatingTable) -> Pairs:
        """From the games behind `table`, without those of an entrant against itself."""
        observations, size = table.played, len(table.ratings)
        counts = np.zeros((size, size, 3))
        np.add.at(counts, (observations.first, observations.second),
                  np.column_stack([observations.wins, observations.draws, observations.losses]))
        counts[range(size), range(size)] = 0
        return cls(table, counts)

    @cached_property
    def games(self) -> Ints:
        """How often they met."""
        by_mover = self.counts.sum(axis=2)
        games: Ints = (by_mover + by_mover.T).astype(int)
        return games

    @cached_property
    def points(self) -> Floats:
        """What the row took."""
        return self.counts @ [1.0, 0.5, 0.0] + (self.counts @ [0.0, 0.5, 1.0]).T

    @cached_property
    def met(self) -> tuple[Ints, Ints]:
        """(pairs,) the higher entrants of the pairs that met, and the others."""
        higher, lower = np.nonzero(np.triu(self.games))
        return higher, lower

    @cached_property
    def rated(self) -> Floats:
        """Log-odds of the model, as the ratings have them."""
        strengths = np.array([rating.model for rating in self.table.ratings]) / ELO
        log_odds: Floats = strengths[:, None] - strengths[None, :]
        return log_odds

    @property
    def scale(self) -> float:
        """From log-odds of the model to those of the expected score (`ratings.py`)."""
        return 2 / (2 + (self.table.draw.value if self.table.draw else 0.0))

    def _chances(self, odds: Floats) -> tuple[Floats, Floats, Floats]:
        """Of the row as first mover, where `odds` are those of the pairs: (entrants, entrants, 3)
        results; mean and variance of the score."""
        move = self.table.first_move
        log_gamma = move.value / ELO / self.scale if move else 0.0
        log_nu = math.log(self.table.draw.value) if self.table.draw else -math.inf
        chances = np.stack(outcome_probabilities(odds + log_gamma, log_nu), axis=2)
        mean = chances @ [1.0, 0.5, 0.0]
        return chances, mean, chances @ [1.0, 0.25, 0.0] - mean**2

    @cached_property
    def fit(self) -> Fit:
        """The test of the ratings."""
        return _test(self)

    @cached_property
    def own(self) -> tuple[Floats, Floats]:
        """Each pair's own log-odds, and the information on them. A normal prior around the ratings'
        keeps them finite; pairs that never met have the ratings'."""
        n_games, points = self.counts.sum(axis=2), self.counts @ [1.0, 0.5, 0.0]
        odds = self.rated
        for _ in range(60):  # Newton's method, in short steps: the surplus falls as odds rise
            _, mean, spread = self._chances(odds)
            information, surplus = n_games * spread, points - n_games * mean
            information = information + information.T + _PRIOR
            surplus = surplus - surplus.T - _PRIOR * (odds - self.rated)
            odds = odds + np.clip(surplus / information, -0.7, 0.7)
        return odds, information

    def residuals(self) -> list[Residual]:
        """One a pair, the largest |z| first."""
        names, fit = [rating.entrant for rating in self.table.ratings], self.fit
        games, points = self.games[self.met], self.points[self.met]
        columns = (*self.met, games, points / games, (points - fit.surplus) / games,
                   fit.error / games, fit.cyclic / fit.error)
        rows = [Residual(names[i], names[j], *values) for i, j, *values in
                zip(*(column.tolist() for column in columns), strict=True)]
        return sorted(rows, key=lambda row: (math.isnan(row.z), -abs(row.z)))

    def cyclic(self) -> tuple[Estimate, Estimate]:
        """What is more than noise of the cyclic part: its share of the squared log-odds, and its
        size in Elo, the root of the mean square over pairs."""
        fit, size, pairs = self.fit, len(self.table.ratings), self.met
        weights, odds = np.zeros((size, size)), self.rated.copy()
        weights[pairs] = weights.T[pairs] = fit.weight
        odds[pairs] += fit.cyclic / fit.weight
        odds.T[pairs] = -odds[pairs]
        ratings, residual = hodge(odds, weights)
        differences = ratings[:, None] - ratings[None, :]
        rated = _beyond_noise(float((weights * differences**2).sum()) / 2,
                              len(fit.weight) - fit.freedom)
        round_ = _beyond_noise(float((weights * residual**2).sum()) / 2, fit.by_chance)
        share = Estimate(*(
            part / (part + against) if part + against else 0.0 for part, against in (
                (round_.value, rated.value), (round_.low95, rated.high95),
                (round_.high95, rated.low95))
        ))
        elo = Estimate(*(
            ELO * self.scale * math.sqrt(part / fit.weight.sum())
            for part in (round_.value, round_.low95, round_.high95)
        ))
        return share, elo

    def cycle(self) -> Cycle | None:
        """The strongest cycle of three: of those in which each scored more than half against the
        next, the one whose sum of log-odds, 0 if one number is enough, is the most standard errors
        from 0."""
        from scipy.special import ndtr

        odds, information = self.own
        beats = np.where(2 * self.points > self.games, odds, 0.0)
        variance = np.where(self.games > 0, 1 / information, np.inf)
        i, j, k = np.ogrid[[slice(len(odds))] * 3]  # i beats j beats k beats i; i is the smallest
        links, once = (beats[i, j], beats[j, k], beats[k, i]), (i < j) & (i < k)
        spread = variance[i, j] + variance[j, k] + variance[k, i]
        firm = once & (links[0] > 0) & (links[1] > 0) & (links[2] > 0)
        z = np.where(firm, sum(links) / np.sqrt(spread), 0.0)
        if not firm.any():
            return None
        members = tuple(map(int, np.unravel_index(z.argmax(), z.shape)))
        candidates = int((np.isfinite(spread) & once).sum())
        steps = [*zip(members, members[1:] + members[:1], strict=True)]
        return Cycle(
            tuple(self.table.ratings[place].entrant for place in members),
            tuple(float(self.points[step]) for step in steps),
            tuple(int(self.games[step]) for step in steps),
            min(1.0, candidates * float(ndtr(-z.max()))), candidates,
        )


def hodge(log_odds: Floats, weights: Floats | None = None) -> tuple[Floats, Floats]:
    """Ratings whose differences come closest to a matrix of log-odds, and the cyclic rest.

    Args:
        log_odds: (entrants, entrants), antisymmetric.
        weights: how much each pair counts, symmetric; 0 for pairs that never met.
    """
    weights = np.ones_like(log_odds) if weights is None else weights
    laplacian = np.diag(weights.sum(axis=1)) - weights
    ratings = np.linalg.pinv(laplacian, hermitian=True) @ (weights * log_odds).sum(axis=1)
    return ratings, log_odds - (ratings[:, None] - ratings[None, :])


def _test(pairs: Pairs, seed: int = 1) -> Fit:
    """The score test, by the formulas at the top of this file."""
    from scipy.sparse import csr_matrix
    from scipy.stats import rankdata

    (first_entrant, second_entrant), size = pairs.met, len(pairs.table.ratings)
    met = len(first_entrant)
    if not met:
        nothing = np.zeros(0)
        return Fit(nothing, nothing, nothing, nothing, 0.0, 0.0, 0, 0.0, _NAN)
    # A row for each pair and first mover.
    first, second = np.nonzero(pairs.counts.sum(axis=2))
    counts, chances, mean, spread = (
        part[first, second] for part in (pairs.counts, *pairs._chances(pairs.rated)))
    n_games, p_draw = counts.sum(axis=1), chances[:, 1]
    number = np.zeros((size, size), int)
    number[pairs.met] = number.T[pairs.met] = range(met)
    row_pair, sign = number[first, second], np.where(first < second, 1.0, -1.0)
    to_pairs = csr_matrix((sign, (range(len(first)), row_pair)), (len(first), met))
    terms = [pairs.table.first_move is not None, pairs.table.draw is not None]
    # Information of the larger model: a diagonal for the pairs, bordered by ln gamma and ln nu.
    by_row = n_games[:, None] * np.column_stack([spread, p_draw * (0.5 - mean)])
    diagonal, border = np.bincount(row_pair, by_row[:, 0]), (to_pairs.T @ by_row)[:, terms]
    (moves, mixed), draws = by_row.sum(axis=0), n_games @ (p_draw * (1 - p_draw))
    corner = np.array([[moves, mixed], [mixed, draws]])[np.ix_(terms, terms)]
    # That of the ratings: `steps` makes differences of strengths.
    steps = np.zeros((met, size))
    steps[np.arange(met), first_entrant], steps[np.arange(met), second_entrant] = 1, -1
    joint = np.hstack([diagonal[:, None] * steps, border])
    below = np.hstack([border.T @ steps, corner])
    rated, rated_rank = _inverse(np.vstack([steps.T @ joint, below]))
    freedom = met + _inverse(corner - border.T @ (border / diagonal[:, None]))[1] - rated_rank
    variance = diagonal - ((joint @ rated) * joint).sum(axis=1)
    variance = np.where(variance > 1e-6 * diagonal, np.maximum(variance, _LEAST), _NAN)
    weight, error = np.maximum(diagonal, _LEAST), np.sqrt(variance)

    def unexplained(counts: Floats | Ints) -> tuple[Floats, Floats]:
        """(draws, pairs) surplus of results (draws, rows, 3), before and after a Newton step of the
        ratings."""
        points = counts @ [1.0, 0.5, 0.0] - n_games * mean
        surplus = points @ to_pairs
        extra = np.stack([points.sum(axis=1), (counts[..., 1] - n_games * p_draw).sum(axis=1)], 1)
        return surplus, surplus - np.hstack([surplus @ steps, extra[:, terms]]) @ rated @ joint.T

    def surprise(cyclic: Floats) -> Floats:
        """(draws, 2) chi-square and largest |z|."""
        return np.stack([(cyclic**2 / weight).sum(axis=1),
                         np.nanmax(np.abs(cyclic / error), axis=1)], 1)

    [surplus], cyclic = unexplained(counts[None])
    if not freedom:
        return Fit(surplus, cyclic[0], weight, error, 0.0, 0.0, 0, 0.0, _NAN)
    generator = np.random.default_rng(seed)
    replicates = min(_MOST_DRAWS, max(_LEAST_DRAWS, 2_000_000 // len(first)))
    values = np.round(np.vstack([surprise(cyclic), *[
        surprise(unexplained(generator.multinomial(
            n_games.astype(int), chances, size=(100, len(first))))[1])
        for _ in range(0, replicates, 100)
    ]]), 9)
    # How many have a value as large, for each of the two; the smaller number is the surprise.
    ranks = len(values) - np.array([rankdata(column, "min") for column in values.T]) + 1
    surprises = ranks.min(axis=0)
    return Fit(surplus, cyclic[0], weight, error, float(values[0, 0]), float(values[1:, 0].mean()),
               freedom, float(values[0, 1]), float((surprises <= surprises[0]).mean()))


def _inverse(matrix: Floats) -> tuple[Floats, int]:
    """The pseudo-inverse of a symmetric matrix, and its rank."""
    values, vectors = np.linalg.eigh(matrix)
    nonzero = values > 1e-9 * max(values.max(initial=0.0), 1e-300)
    vectors = vectors[:, nonzero]
    return vectors / values[nonzero] @ vectors.T, int(nonzero.sum())


def _beyond_noise(statistic: float, freedom: float) -> Estimate:
    """The noncentrality of a chi-square variable, and its 95% interval."""
    from scipy.special import chndtrinc, ndtri

    if not freedom:
        return Estimate(0.0, 0.0, 0.0)
    statistic = max(statistic, freedom)  # agreement closer than chance is no proof of more

    def with_below(share: float) -> float:
        """The noncentrality whose distribution has this share below the statistic."""
        if statistic <= 5000:
            return round(float(chndtrinc(statistic, freedom, share)), 9)  # 0, not 1e-315
        z = float(ndtri(share))  # nearly normal, with the variance 2 freedom + 4 noncentrality
        root = math.sqrt(4 * z**2 + 4 * statistic - 2 * freedom)
        return max(0.0, statistic - freedom + 2 * z**2 - z * root)

    return Estimate(statistic - freedom, with_below(0.975), with_below(0.025))
