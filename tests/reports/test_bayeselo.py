"""Beside BayesElo: its formulas, written down independently, rate 8,000 games of chess strength.

BayesElo (R. Coulom) models draws as Rao and Kupper (1967) do, not as Davidson. With
f(x) = 1 / (1 + 10^(-x/400)), White wins with chance f(D + eloAdvantage - eloDraw) and loses with
chance f(-D - eloAdvantage - eloDraw). Its list is multiplied by 4x / (1 + x)^2 with
x = 10^(-eloDraw/400), the slope of the expected score at equality. Two virtual draws of each
player, shared out among the opponents, are its prior.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import minimize

from reports.ratings import fit_ratings


def chance(elo: np.ndarray) -> np.ndarray:
    return 1 / (1 + 10 ** (-elo / 400))


def outcomes(difference: np.ndarray, draw: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Chances of win, draw and loss for a difference that includes the advantage of White."""
    win, loss = chance(difference - draw), chance(-difference - draw)
    return win, 1 - win - loss, loss


def bayeselo(first: np.ndarray, second: np.ndarray, result: np.ndarray, players: int) -> np.ndarray:
    """The list that `mm 1 1` and `ratings` print, its mean being 0."""
    met = {pair for one, other in zip(first, second, strict=True)
           for pair in ((one, other), (other, one))}
    opponents = {i: [other for one, other in met if one == i] for i in range(players)}
    # Half of a pair's virtual draws comes from either player.
    prior = [(i, j, 1 / len(opponents[i])) for i in range(players) for j in opponents[i]]
    ahead, behind, weight = (np.array(column) for column in zip(*prior, strict=True))

    def minus_log_posterior(x: np.ndarray) -> float:
        ratings, advantage, draw = x[:players], x[players], x[players + 1]
        win, drawn, loss = outcomes(ratings[first] - ratings[second] + advantage, draw)
        likely = np.where(result == 1, win, np.where(result == 0.5, drawn, loss))
        virtual = outcomes(ratings[ahead] - ratings[behind], draw)[1]
        held = 1e-6 * ratings.sum() ** 2  # a shift of all ratings changes nothing
        return float(held - np.log(likely).sum() - 0.5 * weight @ np.log(virtual))

    start = np.zeros(players + 2)
    start[players:] = 32.8, 97.3
    best = minimize(
        minus_log_posterior, start, method="L-BFGS-B",
        options={"maxfun": 1_000_000, "maxiter": 10_000, "ftol": 1e-14, "gtol": 1e-7},
    ).x
    x = 10 ** (-best[-1] / 400)
    ratings = best[:players] * 4 * x / (1 + x) ** 2
    return ratings - ratings.mean()


@pytest.mark.parametrize("model", ["Rao-Kupper", "Davidson"])
def test_the_order_and_the_distances_are_bayeselo_s(model):
    """Twelve players over 250 points, 8,052 games, about 40% drawn, White ahead by 33 points."""
    rng = np.random.default_rng(51)
    truth = np.linspace(125, -125, 12)
    pairs = [pair for pair in itertools.permutations(range(12), 2) for _ in range(61)]
    first, second = np.array(pairs).T
    difference = truth[first] - truth[second] + 33
    if model == "Davidson":
        half = difference * math.log(10) / 800
        weights = np.array([np.exp(half), np.full_like(half, 1.4), np.exp(-half)])
        chances = (weights / weights.sum(axis=0)).T
    else:
        chances = np.array(outcomes(difference, 155.0)).T
    result = np.array([rng.choice([1.0, 0.5, 0.0], p=row) for row in chances])
    assert 0.3 < np.mean(result == 0.5) < 0.45

    theirs = bayeselo(first, second, result, 12)
    names = [f"p{i:02}" for i in range(12)]
    table = fit_ratings([names[i] for i in first], [names[i] for i in second], result.tolist())
    ours = np.array([table[name].value for name in names])
    mine, other = (row[:, None] - row[None, :] for row in (ours, theirs))
    clear = np.abs(other) > 2
    assert (np.sign(mine) == np.sign(other))[clear].all()
    worst = np.abs(mine - other).max()
    print(f"{model}: {len(result)} games, distances differ by at most {worst:.1f} Elo")
    assert worst < 5
    # Without the scale they would be far apart.
    model_scale = np.array([table[name].model for name in names])
    assert np.abs(model_scale - theirs).max() > 30
