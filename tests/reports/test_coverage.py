"""Do 95% intervals hold the truth in 95% of tournaments? Simulations with known strengths.

`--run-all` simulates 400 tournaments instead of 48, and draws 300 replicates instead of 150.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from reports.bootstrap import bootstrap_ratings
from reports.rating_table import ELO
from reports.ratings import fit_ratings
from tests.conftest import RUN_ALL
from tests.reports.simulation import simulate

TOURNAMENTS = 100 if RUN_ALL else 48


@pytest.mark.slow
def test_intervals_of_10_to_30_entrants_cover_the_truth(record_property):
    """Fields of 10 to 30 entrants, spread over 800 points, with draws and a first-move term.

    48 tournaments have some 950 ratings; those of one tournament depend on each other a little. The
    standard error of the coverage is about 0.8%, so that 93% to 97% are 2.5 of them. Standard
    errors too small by a tenth would cover 92.2%. Differences are taken between entrants that
    were paired beforehand: the leads between neighbours in the table are chosen by the results.
    """
    rng = np.random.default_rng(11)
    hits, ahead, moves, draws = [], [], [], []
    for number in range(TOURNAMENTS):
        size = 10 + number * 20 // (TOURNAMENTS - 1)
        truth = {f"e{i}": elo for i, elo in enumerate(rng.uniform(-400, 400, size))}
        gamma, nu = float(rng.uniform(1, 2)), float(rng.uniform(0.2, 1.5))
        table = fit_ratings(*simulate(truth, 2 if size < 20 else 1, gamma, nu, rng))
        scale = 2 / (2 + nu)  # to that of the expected score
        truth = {name: scale * elo for name, elo in truth.items()}
        zero = np.mean([truth[name] for name in table.zero])
        hits += [
            rating.low95 <= truth[rating.entrant] - zero <= rating.high95
            for rating in table.ratings
        ]
        for i in range(0, size - 1, 2):
            entrant, opponent = f"e{i}", f"e{i + 1}"
            lead = table.difference(entrant, opponent)
            ahead.append(lead.low95 <= truth[entrant] - truth[opponent] <= lead.high95)
        move = table.first_move
        moves.append(move.low95 <= scale * ELO * np.log(gamma) <= move.high95)
        draws.append(table.draw.low95 <= nu <= table.draw.high95)
    shares = {name: float(np.mean(covered)) for name, covered in (
        ("ratings", hits), ("differences", ahead), ("first move", moves), ("draws", draws)
    )}
    record_property("coverage", shares)
    print(f"{TOURNAMENTS} tournaments, {len(hits)} ratings:", shares)
    assert 0.93 <= shares["ratings"] <= 0.97
    assert 0.92 <= shares["differences"] <= 0.98  # half as many: standard error 1.0%
    # One of each in a tournament: three standard errors.
    slack = 3 * (0.95 * 0.05 / TOURNAMENTS) ** 0.5
    for name in ("first move", "draws"):
        assert shares[name] >= 0.95 - slack


@pytest.mark.slow
def test_the_bootstrap_agrees_where_games_are_independent():
    """Then both kinds of interval are right, so their lengths agree to some per cent."""
    rng = np.random.default_rng(12)
    truth = {"a": 250.0, "b": 100.0, "c": 0.0, "d": -100.0, "e": -250.0}
    first, second, result = simulate(truth, 16, 1.3, 0.5, rng)
    table = fit_ratings(first, second, result)
    games = pd.DataFrame({"first": first, "second": second, "result": result})
    games["pair"] = range(len(games))
    replicates = 150
    check = bootstrap_ratings(games, table, replicates, seed=1)
    assert (check.replicates, check.pairs, check.incomplete) == (replicates, 320, 0)
    for rating, resampled in zip(table.ratings, check.ratings, strict=True):
        length = (resampled.high95 - resampled.low95) / (rating.high95 - rating.low95)
        assert 0.85 < length < 1.2  # 300 replicates know a percentile to 6%, 150 to 9%
        assert resampled.value == rating.value
        assert resampled.low95 < rating.value < resampled.high95


def test_the_bootstrap_sees_what_the_likelihood_cannot():
    """Openings that decide the game: each pair is one win for each side, always.

    The score of every match is then 1:1 in every pair, with no luck at all. The likelihood
    takes the games for coin tosses; the bootstrap over pairs finds that nothing varies.
    """
    rows = [
        (first, second, float(pair % 2), pair)
        for pair in range(20) for first, second in (("a", "b"), ("b", "a"))
    ]
    games = pd.DataFrame(rows, columns=["first", "second", "result", "pair"])
    table = fit_ratings(list(games["first"]), list(games["second"]), list(games["result"]))
    check = bootstrap_ratings(games, table, 100)
    assert table["a"].high95 - table["a"].low95 > 100
    assert check.ratings[0].high95 - check.ratings[0].low95 < 1e-6
    # But whether the first mover wins does vary, from pair to pair: 20 tosses, not 40.
    model = table.first_move.high95 - table.first_move.low95
    assert check.first_move.high95 - check.first_move.low95 > 1.1 * model
