"""Tests of a difference: numbers from books, direct maximisation, and how often they err.

`--run-all` simulates more matches.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from dlgo.errors import DlgoError
from reports.differences import (
    Counts,
    binomial_test,
    counts_of_games,
    counts_of_pairs,
    elo_of_score,
    score_of_elo,
)
from reports.power import expected_sprt_games, games_needed, probabilities, smallest_difference
from reports.sprt import BUDGET, GOES_ON, H0, H1, Sprt, SprtBounds
from tests.conftest import RUN_ALL

# Scores and Elo


def test_75_percent_are_191_elo():
    assert elo_of_score(0.75) == pytest.approx(190.8485, abs=1e-4)
    assert elo_of_score(0.25) == pytest.approx(-190.8485, abs=1e-4)
    assert score_of_elo(190.8485) == pytest.approx(0.75, abs=1e-6)
    assert elo_of_score(0.5) == 0
    assert elo_of_score(1.0) == math.inf and elo_of_score(0.0) == -math.inf


@pytest.mark.parametrize("numbers", [(1, 2), (1, 2, -1), (0, 0, 0, 0), ()])
def test_impossible_counts_are_refused(numbers):
    with pytest.raises(DlgoError, match="counts"):
        Counts(tuple(numbers))


# The book's example, chapter 10: 53 wins in 100 games


def test_53_of_100_is_no_evidence():
    assert binomial_test(53, 47) == pytest.approx((0.617, 0.309), abs=5e-4)


def test_the_binomial_test_adds_up_the_tail():
    wins, losses = 14, 6
    tail = sum(math.comb(20, k) for k in range(wins, 21)) / 2**20
    assert binomial_test(wins, losses) == pytest.approx((2 * tail, tail))
    assert binomial_test(0, 0) == (1, 1)


# Intervals of a score


def test_interval_of_a_score_by_hand():
    # Only wins and losses: the likelihood ratio test of a share, 2 n KL(k/n, s) = 3.84.
    span = Counts((30, 0, 70)).score_interval()
    for end in (span.low95, span.high95):
        divergence = 0.7 * math.log(0.7 / end) + 0.3 * math.log(0.3 / (1 - end))
        assert 2 * 100 * divergence == pytest.approx(3.8415, abs=0.01)


def test_100_to_0_has_an_interval():
    span = Counts((0, 0, 100)).score_interval()
    assert span.value == span.high95 == 1
    assert span.low95 == pytest.approx(math.exp(-3.8415 / 200), abs=2e-4)
    assert Counts((100, 0, 0)).score_interval().high95 == pytest.approx(1 - span.low95)
    assert Counts((0, 0, 100)).superiority() == pytest.approx(1, abs=1e-12)


def test_intervals_of_scores_cover_the_truth():
    """Pairs whose two games lean the same way, so that games are not independent.

    A pair's opening favours one entrant or the other: game by game the spread looks smaller
    than it is, pair by pair it is right. 60 pairs each; standard error of the coverage 1.1%.
    """
    rng = np.random.default_rng(31)
    matches, true = 600 if RUN_ALL else 200, 0.55
    hits = {3: 0, 5: 0}
    for _ in range(matches):
        chance = np.clip(true + rng.choice([-0.4, 0.4], size=60), 0, 1)
        wins = rng.random((2, 60)) < chance
        games = counts_of_games(wins.astype(float).ravel().tolist())
        pairs = counts_of_pairs(wins.sum(axis=0).astype(float).tolist())
        for counts in (games, pairs):
            span = counts.score_interval()
            hits[len(counts.numbers)] += span.low95 <= true <= span.high95
    print(f"{matches} matches, covered by games {hits[3]}, by pairs {hits[5]}")
    assert 0.91 <= hits[5] / matches <= 0.985
    assert hits[3] / matches < 0.92  # why pairs are counted


def test_superiority_of_games_is_the_usual_formula():
    z = (60 - 40) / math.sqrt(60 + 40)
    assert Counts((40, 25, 60)).superiority() == pytest.approx(
        0.5 * math.erfc(-z / math.sqrt(2)), abs=1e-12
    )
    assert Counts((0, 10, 0)).superiority() == 0.5


# The sequential test


@pytest.mark.parametrize("numbers", [(40, 60, 50), (0, 5, 12), (9, 0, 12), (0, 0, 12)])
def test_llr_of_games_is_that_of_a_search_over_the_draws(numbers):
    # With the mean given, the share of draws t is free: win s - t/2, loss 1 - s - t/2.
    losses, draws, wins = (max(number, 1e-3) for number in numbers)

    def best(score: float) -> float:
        t = np.linspace(0, 2 * min(score, 1 - score), 2_000_003)[1:-1]
        return float((
            wins * np.log(score - t / 2) + draws * np.log(t) + losses * np.log(1 - score - t / 2)
        ).max())

    direct = best(score_of_elo(30)) - best(score_of_elo(-5))
    assert SprtBounds(-5, 30).llr(Counts(numbers)) == pytest.approx(direct, abs=1e-2)


@pytest.mark.parametrize(("elo0", "elo1", "pairs", "llr"), [
    (-0.5, 1.5, (795, 5276, 10352, 5500, 813), 2.96),
    (0.25, 1.75, (156, 2090, 6658, 2298, 170), 2.94),
    (-0.5, 1.5, (122, 1166, 3627, 1313, 128), 2.96),
    (0.25, 1.75, (13, 665, 4582, 769, 23), 2.96),
    (-1.5, 0.5, (1002, 7346, 14283, 7320, 1065), 2.95),
    (-1.5, 0.5, (82, 1171, 3818, 1249, 96), 2.93),
])
def test_llr_is_that_of_published_tests(elo0, elo1, pairs, llr):
    """As Stockfish's testers published them with commits 58746d9, dc5af66 and 10ead8a of 2020."""
    assert SprtBounds(elo0, elo1).llr(Counts(pairs)) == pytest.approx(llr, abs=0.0051)


# Normalized Elo


@pytest.mark.parametrize(("elo0", "elo1", "pairs", "llr"), [
    (-1.75, 0.25, (134, 5897, 13530, 6129, 118), 2.93),
    (0, 2, (20, 1334, 3810, 1569, 35), 2.95),
    (0.5, 2.5, (39, 11353, 31686, 11822, 33), 2.96),
    (-1.75, 0.25, (1721, 77704, 208246, 77189, 1732), 3.19),
])
def test_normalized_llr_is_that_of_published_tests(elo0, elo1, pairs, llr):
    """As Stockfish's testers published them with commits d077f9a, c85637b and 218c74e of 2026."""
    bounds = SprtBounds(elo0, elo1, elo_model="normalized")
    assert bounds.llr(Counts(pairs)) == pytest.approx(llr, abs=0.0051)


def test_draws_change_normalized_elo_as_they_change_the_certainty():
    """Two points more than half in 100 games are worth more where 96 were drawn."""
    assert Counts((48, 0, 52)).normalized_elo().value == pytest.approx(13.9, abs=0.1)
    assert Counts((0, 96, 4)).normalized_elo().value == pytest.approx(70.9, abs=0.1)
    for numbers in ((48, 0, 52), (0, 96, 4), (3, 11, 30, 14, 5)):
        counts = Counts(numbers)
        span = counts.normalized_elo()
        assert span.low95 < span.value < span.high95
        assert 2 * counts.normalized_loss(span.low95) == pytest.approx(3.8415, abs=1e-3)
    won = Counts((0, 0, 100)).normalized_elo()
    assert (won.value, won.low95, won.high95) == (math.inf, 500, math.inf)


@pytest.mark.parametrize(("elo", "wrong"), [(0, H1), (60, H0)])
def test_sprt_errs_no_more_often_than_it_says(elo, wrong):
    """alpha = beta = 0.05. 60 tests (1000 in full): at most 5% wrong, and some slack for luck."""
    rng = np.random.default_rng(41)
    bounds, tests = SprtBounds(0, 60), 200 if RUN_ALL else 60
    results = []
    for _ in range(tests):
        points = rng.choice([0, 0.5, 1], size=(3000, 2), p=probabilities(elo, 0.3)).sum(axis=1)
        test = Sprt(bounds)
        test.add(*points)
        results.append(test)
    assert all(result.state in (H0, H1) for result in results)
    share = sum(result.state == wrong for result in results) / tests
    mean = np.mean([2 * result.counts.total for result in results])
    print(f"{tests} tests at {elo} Elo: {share:.1%} wrong, {mean:.0f} games on average")
    assert share <= 0.1
    # Wald forgets the overshoot and that the variance is estimated: within a fifth.
    assert mean == pytest.approx(expected_sprt_games(bounds, elo, 0.3), rel=0.2)


def ended(points: list[float], bounds: SprtBounds, **options) -> Sprt:
    test = Sprt(bounds, **options)
    test.add(*points)
    return test


def test_sprt_says_why_it_stopped():
    bounds = SprtBounds(0, 100)
    won = ended([2.0] * 60 + [0.0] * 3, bounds)
    assert won.state == H1 and won.unused > 0
    assert f"H1 accepted after {won.counts.total} pairs" in won.reason
    assert "reached the upper bound 2.94" in won.reason
    assert f"({won.unused} more pairs were played)" in won.reason
    lost = ended([0.0] * 60, bounds)
    assert lost.state == H0 and "H0 accepted" in lost.reason
    cut = ended([1.0, 1.0, 2.0], bounds, budget=2)
    assert cut.state == BUDGET and cut.unused == 1
    assert "(1 more pair was played)" in cut.reason
    assert "the budget of pairs was reached after 2 pairs" in cut.reason
    young = ended([1.0, 0.5, 0.0], bounds, pairs=False)
    assert young.state == GOES_ON and "no decision yet after 3 games" in young.reason


@pytest.mark.parametrize(("arguments", "part"), [
    ({"elo0": 10, "elo1": 10}, "elo0=10 must be less"), ({"alpha": 0}, "alpha=0"),
    ({"beta": 0.5}, "beta=0.5"), ({"elo1": math.nan}, "elo1=nan"),
    ({"elo1": 501, "elo_model": "normalized"}, "501"), ({"elo_model": "x"}, "elo_model=x is not"),
])
def test_sprt_refuses_what_makes_no_sense(arguments, part):
    with pytest.raises(DlgoError, match=part):
        SprtBounds(**arguments)


# Power


def test_power_is_that_of_the_exact_test():
    """The games asked for give the exact sign test the power asked for.

    The test may not use up alpha; what is left is given to the last count below the critical
    one, by lot, so that both tests have the same alpha.
    """
    from scipy.stats import binom

    for elo in (50, 100):
        games = games_needed(elo, power=0.8, alpha=0.05, sides=2)
        p = score_of_elo(elo)
        critical = int(binom.isf(0.025, games, 0.5)) + 1
        lot = (0.025 - binom.sf(critical - 1, games, 0.5)) / binom.pmf(critical - 1, games, 0.5)
        power = binom.sf(critical - 1, games, p) + lot * binom.pmf(critical - 1, games, p)
        assert power == pytest.approx(0.8, abs=0.01)


def test_smallest_difference_is_the_inverse():
    for elo in (10.0, 60.0):
        games = games_needed(elo, draws=0.2)
        assert smallest_difference(games, draws=0.2) == pytest.approx(elo, rel=0.01)
    assert smallest_difference(1) == math.inf


def test_normalized_differences_take_the_games_of_the_logistic_ones_that_they_are():
    for elo, draws in ((5, 0.0), (5, 0.9), (20, 0.6)):
        likely = Counts(tuple(round(1e9 * chance) for chance in probabilities(elo, draws)))
        same = likely.normalized_elo().value
        games = games_needed(same, normalized=True)
        assert games == pytest.approx(games_needed(elo, draws=draws), rel=0.01)
        assert smallest_difference(games, normalized=True) == pytest.approx(same, rel=0.01)
        for true in (0, 1):
            logistic = expected_sprt_games(SprtBounds(0, elo), true * elo, draws)
            bounds = SprtBounds(0, same, elo_model="normalized")
            assert expected_sprt_games(bounds, true * same, draws) == pytest.approx(
                logistic, rel=0.02)


@pytest.mark.parametrize(("arguments", "part"), [
    ({"elo": 0}, "elo=0"), ({"elo": 501, "normalized": True}, "500"),
    ({"elo": 20, "power": 0.05}, "above alpha"),
])
def test_power_refuses_what_makes_no_sense(arguments, part):
    with pytest.raises(DlgoError, match=part):
        games_needed(**arguments)
