"""Is one entrant better than another? Scores, intervals and tests for a single match.

A match is a list of *counts*: how often each score was seen. With independent games the scores
are 0, 1/2 and 1 (loss, draw, win: trinomial). With game pairs, which share an opening with
colours swapped, they are 0, 1/4, 1/2, 3/4 and 1 of the two games' points (pentanomial). The two
games of a pair depend on each other, two pairs do not. So the spread between pairs says how well
the score is known.

Elo here is the *logistic* one, made from the score alone: a score s is worth
-400 log10(1/s - 1) points, so 75% are 190.8. It counts a draw as half a win. The scale of
`ratings.py` agrees with it near equality.

Constrained likelihood: the interval of a score and the sequential test both ask how likely the
counts are if the true score were s. The most favourable distribution p with mean s is
p_i = f_i / (1 + x (a_i - s)), f_i the observed shares of the scores a_i, with x chosen so that
the mean is s (Owen, Empirical Likelihood, 2001, section 2.9; Van den Bergh, "The generalized
SPRT", 2020, for matches).

*Normalized* Elo measures the mean of a game's score in its standard deviations,
800 / ln 10 * (mean - 1/2) / sd, where the variance of a game is twice that of a pair's mean score.
Near equality and without draws it is the logistic Elo. It says how many games a difference
needs, whatever the share of draws (Van den Bergh, "Normalized Elo", 2020).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dlgo.errors import DlgoError
from reports.davidson import Floats
from reports.rating_table import Estimate

TRINOMIAL = (0.0, 0.5, 1.0)
PENTANOMIAL = (0.0, 0.25, 0.5, 0.75, 1.0)

# A score never seen counts as seen this often, as in the tests of Stockfish's developers: it
# keeps every mean between 0 and 1 possible and is too little to change anything else.
_UNSEEN = 1e-3
_CHI2_95 = 3.841458820694124  # a chi-squared variable with one degree of freedom, 95%
NORMALIZED = 800 / math.log(10)  # normalized Elo of one standard deviation
MOST_NORMALIZED = 500.0  # beyond it, a game's score has next to no spread


@dataclass(frozen=True)
class Counts:
    """How often each score was seen, worst first. Raises DlgoError for another number of counts, or
    a negative one."""

    numbers: tuple[int, ...]  # 3 for games (loss, draw, win), 5 for game pairs (0 to 2 points)

    def __post_init__(self) -> None:
        if len(self.numbers) not in (3, 5) or min(self.numbers) < 0:
            text = ", ".join(map(str, self.numbers))
            raise DlgoError(f"counts {text}: give 3 (games) or 5 (pairs) of them, none below 0")

    @property
    def scores(self) -> Floats:
        """The score that each count belongs to, between 0 and 1."""
        return np.array(TRINOMIAL if len(self.numbers) == 3 else PENTANOMIAL)

    @property
    def total(self) -> int:
        """Number of games, or of pairs."""
        return sum(self.numbers)

    def score_interval(self) -> Estimate:
        """The score and its 95% interval from the likelihood ratio; NaN where nothing was played.

        The interval holds every score s that is not significantly less likely than the best:
        2 (L(best) - L(s)) <= 3.84. It stays inside 0 to 1, and has a width even where all games
        were won: after 100 wins in 100 games it begins at exp(-3.84/200) = 98.1%.
        """
        from scipy.optimize import brentq

        if not self.total:
            return Estimate(math.nan, 0.0, 1.0)
        score, best = float(self.scores @ self.numbers) / self.total, self.scores @ self._shares()

        def excess(score: float) -> float:
            return 2 * self.log_likelihood_loss(score) - _CHI2_95

        edge = 1e-9
        low = brentq(excess, edge, best) if excess(edge) > 0 else 0.0
        high = brentq(excess, best, 1 - edge) if excess(1 - edge) > 0 else 1.0
        # Observed scores have their full weight: unseen scores must not push the score out of
        # its interval.
        return Estimate(score, min(low, score), max(high, score))

    def superiority(self) -> float:
        """Likelihood of superiority: the chance that the true score is above one half.

        Normal approximation with the spread around one half, so it is finite for any record. For
        games it is the usual Phi((wins - losses) / sqrt(wins + losses)).
        """
        from scipy.special import ndtr

        away = self.scores - 0.5
        spread = math.sqrt(float(away**2 @ self.numbers))
        return float(ndtr(float(away @ self.numbers) / spread)) if spread else 0.5

    def log_likelihood_loss(self, score: float) -> float:
        """How much log-likelihood it costs to assume that the true score is `score`."""
        shares, away = self._shares().tolist(), (self.scores - score).tolist()
        tilt = _tilt(shares, away)
        loss = sum(p * math.log1p(tilt * a) for p, a in zip(shares, away, strict=True))
        return float(self.total * loss)

    def normalized_elo(self) -> Estimate:
        """Normalized Elo and its 95% interval, as for the score; infinite where it is beyond
        `MOST_NORMALIZED`, NaN where nothing was played."""
        from scipy.optimize import brentq

        if not self.total:
            return Estimate(math.nan, -math.inf, math.inf)
        top, value = MOST_NORMALIZED, self._elo_of_shares(np.array(self.numbers) / self.total)
        best = min(max(self._elo_of_shares(self._shares()), -top), top)

        def excess(elo: float) -> float:
            return 2 * self.normalized_loss(elo) - _CHI2_95

        # Of an interval beyond the range, the near end is that of the range.
        inside, ends = excess(best) <= 0, []
        for end in (-top, top):
            if end == best:
                ends.append(math.copysign(math.inf, end))
            elif not inside:
                ends.append(best)
            else:
                ends.append(brentq(excess, *sorted((best, end)), xtol=1e-6) if excess(end) > 0
                            else math.copysign(math.inf, end))
        return Estimate(value if abs(value) < top else math.copysign(math.inf, value), *ends)

    def normalized_loss(self, elo: float) -> float:
        """How much log-likelihood it costs to assume that the true normalized Elo is `elo`, at most
        `MOST_NORMALIZED`.

        With mean m and deviation d of the distribution sought, the condition m - 1/2 - t d = 0 has
        the gradient b_i = a_i - 1/2 - t d (1 + ((a_i - m) / d)^2) / 2, so p_i = f_i / (1 + x b_i);
        m and d follow from p, and again.
        """
        from scipy.optimize import brentq

        shares, scores = self._shares(), self.scores
        t = elo / NORMALIZED * math.sqrt(2 if len(scores) == 5 else 1)

        def tilted(slope: float) -> Floats:
            weights: Floats = np.exp(slope * (scores - 0.5))
            weights /= weights.sum()
            return weights

        # Begin at a distribution that fulfils the condition.
        likely = tilted(brentq(lambda x: self._elo_of_shares(tilted(x)) - elo, -60, 60))
        for _ in range(100):
            mean, spread = _moments(scores, likely)
            away = scores - 0.5 - t * spread * (1 + ((scores - mean) / spread) ** 2) / 2
            tilt = _tilt(shares.tolist(), away.tolist())
            old, likely = likely, shares / (1 + tilt * away)
            if np.abs(likely - old).max() < 1e-10:
                break
        return self.total * float(shares @ np.log1p(tilt * away))

    def _elo_of_shares(self, shares: Floats) -> float:
        mean, spread = _moments(self.scores, shares)
        away = mean - 0.5
        if spread < 1e-12:
            return math.copysign(math.inf, away) if away else 0.0
        return NORMALIZED * away / spread / math.sqrt(2 if len(shares) == 5 else 1)

    def _shares(self) -> Floats:
        numbers: Floats = np.maximum(np.array(self.numbers, float), _UNSEEN)
        numbers /= numbers.sum()
        return numbers


def _tilt(shares: Sequence[float], away: Sequence[float]) -> float:
    """x with sum of shares * away / (1 + x * away) = 0: the mean of the tilted shares is right.
    `shares` of scores add up to 1; some of `away`, each score minus the wanted mean, are positive
    and some negative."""
    from scipy.optimize import brentq

    # All 1 + x * away must stay positive. At these ends one of them is 0, the sum infinite.
    lowest, highest = -1 / max(away), -1 / min(away)
    margin = 1e-12 * (highest - lowest)
    return float(brentq(
        lambda x: sum(p * a / (1 + x * a) for p, a in zip(shares, away, strict=True)),
        lowest + margin, highest - margin, xtol=1e-14, rtol=1e-13,
    ))


def _moments(scores: Floats, shares: Floats) -> tuple[float, float]:
    """Mean and standard deviation."""
    mean = float(scores @ shares)
    return mean, math.sqrt(float((scores - mean) ** 2 @ shares))


def elo_of_score(score: float) -> float:
    """Logistic Elo difference that a score between 0 and 1 is worth; infinite at the ends."""
    if score <= 0 or score >= 1:
        return math.copysign(math.inf, score - 0.5)
    return -400 * math.log10(1 / score - 1)


def score_of_elo(elo: float) -> float:
    """The expected score at an Elo difference: 0.75 for 190.8."""
    return 1 / (1 + 10 ** (-elo / 400))


def binomial_test(wins: int, losses: int) -> tuple[float, float]:
    """The exact sign test of "both are equally strong": two-sided and one-sided p-values.

    53 wins and 47 losses give p = 0.617 two-sided (different?), 0.309 one-sided (better?). Draws
    say nothing here and are left out.
    """
    from scipy.stats import binomtest

    if wins + losses == 0:
        return 1.0, 1.0
    return (float(binomtest(wins, wins + losses).pvalue),
            float(binomtest(wins, wins + losses, alternative="greater").pvalue))


def counts_of_games(scores: Sequence[float]) -> Counts:
    """Losses, draws and wins among scores of 0, 1/2 and 1."""
    return Counts(tuple(int(sum(score == value for score in scores)) for value in TRINOMIAL))


def counts_of_pairs(points: Sequence[float]) -> Counts:
    """How often a pair of games brought 0, 1/2, 1, 3/2 and 2 points."""
    return Counts(tuple(
        int(sum(point == 2 * value for point in points)) for value in PENTANOMIAL
    ))
