"""Laws of strength: a law that is put into games comes out again, with an honest interval."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from experiments.studies import laws, measured
from experiments.studies.ladder import Player, meetings
from experiments.studies.plans import Claim
from reports.rating_table import Estimate

WEIGHTS = (500, 2_000, 8_000, 32_000)


def players_of(elo: str, seeds: int = 3, spread: float = 30.0) -> pd.DataFrame:
    """Players whose true rating is an expression of weights, cpu_seconds and sims."""
    rng = np.random.default_rng(1)
    rows = [
        {"size": size, "weights": weights, "seed": seed, "level": level, "sims": sims,
         "cpu_seconds": 4.0**level, "multiply_adds": 4.0**level * weights,
         "positions": 600, "mistakes": 60_000 // weights}
        for size, weights in enumerate(WEIGHTS) for seed in range(seeds) for level in (1, 2, 3)
        for sims in (8, 64, 512)
    ]
    table = pd.DataFrame(rows)
    luck = {key: rng.normal(0, spread) for key in table.groupby(["size", "seed"]).groups}
    own = [luck[key] for key in zip(table["size"], table["seed"], strict=True)]
    logs = {name: np.log10(table[name]) for name in ("weights", "sims", "cpu_seconds")}
    return table.assign(rating=eval(elo, {"np": np}, logs) + own)  # noqa: S307 (an expression of this file)


def games_of(players: pd.DataFrame, count: int) -> pd.DataFrame:
    """Games between players of the same checkpoint and simulations, or the same network."""
    rng = np.random.default_rng(2)
    keys = [Player(*row) for row in players[["size", "seed", "level", "sims"]].itertuples(
        index=False, name=None)]
    rows = np.array([pair for pair in meetings(keys) for _ in range(count)])
    rows[::2] = rows[::2, ::-1]
    ahead, behind = (players["rating"].to_numpy()[rows[:, k]] for k in (0, 1))
    won = rng.random(len(rows)) < 1 / (1 + 10 ** ((behind - ahead) / 400))
    return pd.DataFrame({"first": rows[:, 0], "second": rows[:, 1], "result": won.astype(float)})


@pytest.mark.slow
def test_laws_that_made_the_games_come_out_of_them() -> None:
    truth = players_of("300 * weights + 150 * sims")
    rated, covariance = measured.rate(truth.drop(columns="rating"), games_of(truth, 16))
    part = {"x": [rated, *measured.replicates(rated, covariance, 200)]}
    truths = {"elo_by_weights": 300, "elo_by_search": 150, "mistakes_by_weights": -1}
    for law, value in truths.items():
        number = Claim("", law, "x").measure(part)
        assert number.low95 < value < number.high95, law
        assert number.high95 - number.low95 < 200, law


def test_the_best_size_at_each_cost_makes_the_laws_of_training() -> None:
    truth = players_of("240 * cpu_seconds + 200 * sims", spread=0)
    assert laws.elo_by_training(truth) == pytest.approx(240)
    assert laws.exchange(truth) == pytest.approx(1.2)
    level = players_of("np.minimum(240 * cpu_seconds, 289)", spread=0)
    assert laws.elo_by_training(level) == pytest.approx(240, rel=0.1), "a plateau"
    # Each size ends at its own level of strength, so larger ones are best for longer trainings.
    limited = players_of("np.minimum(300 * cpu_seconds + 100, 250 * weights - 450)", spread=0)
    _, _, weights = laws.envelope(limited, "multiply_adds", common=False)
    assert (np.diff(weights) >= 0).all() and all(len({*row}) >= 3 for row in weights)
    assert laws.weights_by_work(limited) > 0.3
    assert laws.elo_by_work(limited) > 0
    two = limited[limited["size"] < 2]  # their trainings have cost 2,000 to 32,000 and 4 times more
    for common, ends in ((True, (8_000, 32_000)), (False, (2_000, 128_000))):
        costs, _, _ = laws.envelope(two, "multiply_adds", common)
        assert (costs.min(), costs.max()) == pytest.approx(ends)
    large = players_of("100 * weights", spread=0)
    _, _, larger = laws.envelope(large, "multiply_adds", common=False)
    assert (larger[:, 0] == WEIGHTS[0]).all(), "no large network is that cheap"
    assert math.isnan(laws.exchange(truth[truth["level"] == 1])), "one cost, no slope"


@pytest.mark.slow
def test_intervals_hold_the_luck_of_seeds_and_of_games() -> None:
    flat = players_of("300 * weights")
    def width(table: pd.DataFrame, error: float) -> float:
        covariance = np.eye(len(table)) * error**2
        part = {"x": [table, *measured.replicates(table, covariance, 200)]}
        number = Claim("", "elo_by_weights", "x").measure(part)
        return number.high95 - number.low95

    seeds, games, both = (
        width(flat, 0), width(players_of("300 * weights", spread=0), 40), width(flat, 40))
    assert min(seeds, games) > 20 and both > max(seeds, games)
    assert width(players_of("300 * weights", seeds=1), 0) == pytest.approx(0)


@pytest.mark.slow
@pytest.mark.parametrize(("spread", "error"), [(30, 0), (0, 40)])
def test_the_luck_of_two_parts_is_independent(spread: float, error: float) -> None:
    """The difference of two numbers has a wider interval than either."""
    players = players_of("300 * weights", spread=spread)
    covariance = np.eye(len(players)) * error**2
    one = [players, *measured.replicates(players, covariance)]
    other = [table.assign(rating=table["rating"] / 2) for table in one]
    alone, both = (Claim("", "elo_by_weights", "x", against).measure({"x": one, "y": other})
                   for against in ("", "y"))
    assert both.value == pytest.approx(alone.value / 2)
    ratio = (both.high95 - both.low95) / (alone.high95 - alone.low95)
    assert ratio == pytest.approx(1.25**0.5, rel=0.15)


@pytest.mark.parametrize(("interval", "low", "high", "verdict"), [
    ((310, 290, 330), 250, 350, "holds"),
    ((310, 290, 330), 400, math.inf, "contradicted"),
    ((-0.2, -0.3, -0.1), -math.inf, 0, "holds"),
    ((40, -60, 140), 0, math.inf, "undecided; about 6.2 times the budget may decide"),
    ((40, -10, 240), 0, math.inf, "undecided; about 1.6 times the budget may decide"),
    ((40, 10, 240), 0, 70, "undecided; about 44.4 times the budget may decide"),
    ((310, 240, 400), 250, 350, "undecided; about 5.1 times the budget may decide"),
    ((0.1, -60, 60), 0, math.inf, "undecided; more than 100 times the budget may decide"),
    ((0, -60, 60), 0, math.inf, "undecided; more than 100 times the budget may decide"),
    ((40, math.nan, math.nan), 0, math.inf, "not measured"),
])
def test_a_verdict_needs_the_whole_interval_on_one_side(
    interval: tuple[float, float, float], low: float, high: float, verdict: str
) -> None:
    assert Claim("", "exchange", "x", low=low, high=high).verdict(Estimate(*interval)) == verdict


def test_no_mistake_counts_as_half_a_one() -> None:
    """It has no logarithm; of many positions it says more than of few."""
    players = pd.DataFrame({"positions": [600, 600, 60], "mistakes": [6, 0, 0]})
    assert laws.error(players).tolist() == [6 / 600, 1 / 1200, 1 / 120]


def test_a_budget_buys_the_best_size_and_says_whether_it_is_sure() -> None:
    """With trainings of 4 to 64 CPU seconds, and four times the weights worth 181 Elo."""
    def bought(spread: float, *budgets: float) -> pd.DataFrame:
        players = players_of("300 * weights + 100 * cpu_seconds + 50 * sims", spread=spread)
        covariance = 100.0 * np.eye(len(players))
        return laws.purchases([players, *measured.replicates(players, covariance, 100)], budgets)

    sure = bought(0, 3, 4, 32, 65)
    assert sure["cpu_seconds"].tolist() == [4] * 3 + [32] * 3, "within the trainings"
    assert sure["sims"].tolist() == [8, 64, 512] * 2 and set(sure["size"]) == {3}
    assert np.allclose(sure["ahead"], 300 * math.log10(4)) and (sure["low95"] > 100).all()
    for _, one in sure.groupby("sims"):
        assert one["rating"].diff().iloc[1] == pytest.approx(100 * math.log10(8))
    luck = bought(300, 16)
    assert (luck["high95"] - luck["low95"] > sure["high95"].max() - sure["low95"].min()).all()
    players = players_of("200 * (cpu_seconds - 1) * weights", spread=0)
    cheap, dear = (laws.purchases([players] * 2, [cost])["size"].iloc[0] for cost in (5, 60))
    assert (cheap, dear) == (0, 3)
