"""Beside BayesElo: a list that it has published, and its formulas, written down independently.

BayesElo (R. Coulom) models draws as Rao and Kupper (1967) do, not as Davidson. With
f(x) = 1 / (1 + 10^(-x/400)), White wins with chance f(D + eloAdvantage - eloDraw) and loses with
chance f(-D - eloAdvantage - eloDraw). Its list is multiplied by 4x / (1 + x)^2 with
x = 10^(-eloDraw/400), the slope of the expected score at equality. Two virtual draws of each
player, shared out among the opponents, are its prior.

`computer_chess.csv` counts the 7,999 games between computer programs of the fixture
`computer_chess.short.json` of poprank (https://github.com/poprl/poprank), whose test names the
list that BayesElo made of them with its defaults, rounded to whole points.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

from reports.ratings import fit_ratings

GAMES = Path(__file__).parent / "computer_chess.csv"
PUBLISHED = {
    "Hiarcs 11.1": 215, "Hiarcs 11": 201, "Shredder 10": 200, "Loop for Chess960": 186,
    "Hiarcs X54": 179, "Spike 1.2 Turin": 155, "Fruit 2.2.1": 152, "Naum 2.1": 108,
    "Glaurung 1.2.1": 71, "Pharaon 3.5.1": -29, "Ufim 8.02": -78, "Movei 00.8.383": -94,
    "Movei 00.8.366": -136, "Hermann 1.9": -216, "Hermann 1.7": -283, "Aice 0.99.2": -303,
    "Ayito 0.2.994": -328,
}
# eloAdvantage and eloDraw, where they are not fitted.
DEFAULTS = 32.8, 97.3


def chance(elo: np.ndarray) -> np.ndarray:
    return 1 / (1 + 10 ** (-elo / 400))


def outcomes(difference: np.ndarray, draw: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Chances of win, draw and loss for a difference that includes the advantage of White."""
    win, loss = chance(difference - draw), chance(-difference - draw)
    return win, 1 - win - loss, loss


def bayeselo(
    first: np.ndarray, second: np.ndarray, result: np.ndarray, players: int, fitted: bool = True
) -> np.ndarray:
    """The list that `mm 1 1`, or `mm` alone, and `ratings` print; its mean is 0.

    Args:
        fitted: whether the advantage and the draws are fitted, as `mm 1 1` does.
    """
    met = {pair for one, other in zip(first, second, strict=True)
           for pair in ((one, other), (other, one))}
    opponents = {i: [other for one, other in met if one == i] for i in range(players)}
    # Half of a pair's virtual draws comes from either player.
    prior = [(i, j, 2 / len(opponents[i])) for i in range(players) for j in opponents[i]]
    ahead, behind, weight = (np.array(column) for column in zip(*prior, strict=True))

    def minus_log_posterior(x: np.ndarray) -> float:
        ratings, (advantage, draw) = x[:players], x[players:] if fitted else DEFAULTS
        win, drawn, loss = outcomes(ratings[first] - ratings[second] + advantage, draw)
        likely = np.where(result == 1, win, np.where(result == 0.5, drawn, loss))
        virtual = outcomes(ratings[ahead] - ratings[behind], draw)[1]
        held = 1e-6 * ratings.sum() ** 2  # a shift of all ratings changes nothing
        return float(held - np.log(likely).sum() - 0.5 * weight @ np.log(virtual))

    start = np.zeros(players + 2)
    start[players:] = DEFAULTS
    best = minimize(
        minus_log_posterior, start, method="L-BFGS-B",
        options={"maxfun": 1_000_000, "maxiter": 10_000, "ftol": 1e-14, "gtol": 1e-7},
    ).x
    x = 10 ** (-best[-1] / 400)
    ratings = best[:players] * 4 * x / (1 + x) ** 2
    return ratings - ratings.mean()


@pytest.mark.slow
def test_a_published_list_comes_out_in_its_order_and_nearly_at_its_distances():
    first, second, result = [], [], []
    with GAMES.open(newline="") as file:
        for row in csv.DictReader(file):
            for name, points in (("wins", 1.0), ("draws", 0.5), ("losses", 0.0)):
                first += [row["white"]] * int(row[name])
                second += [row["black"]] * int(row[name])
                result += [points] * int(row[name])
    assert len(result) == 7999
    published = np.array(list(PUBLISHED.values()), float)
    published -= published.mean()

    # The formulas with BayesElo's defaults give its list to the last digit: the games are those.
    number = {name: i for i, name in enumerate(PUBLISHED)}
    indices = [np.array([number[name] for name in side]) for side in (first, second)]
    theirs = bayeselo(*indices, np.array(result), len(PUBLISHED), fitted=False)
    assert np.abs(theirs - published).max() <= 0.6
    # With its two parameters fitted, BayesElo itself is further than 5 Elo from that list.
    fitted = bayeselo(*indices, np.array(result), len(PUBLISHED))
    own = np.abs(np.subtract.outer(fitted, fitted) - np.subtract.outer(published, published)).max()
    print(f"BayesElo's own distances, fitted, differ from the list by at most {own:.1f}")
    assert 5 < own < 8

    table = fit_ratings(first, second, result)
    assert [rating.entrant for rating in table.ratings] == list(PUBLISHED)
    ours = np.array([table[name].value for name in PUBLISHED])
    ours -= ours.mean()
    upper = np.triu_indices(len(ours), 1)
    here, there = ((row[:, None] - row[None, :])[upper] for row in (ours, published))
    apart, near = np.abs(here - there), np.abs(there) <= 100
    print(f"{len(result)} games: {near.sum()} distances up to 100 Elo differ by at most "
          f"{apart[near].max():.1f}, {(apart <= 5).mean():.0%} of all by at most 5, the worst of "
          f"{np.abs(there).max():.0f} by {apart.max():.1f}")
    assert apart[near].max() < 5
    assert (apart <= 5).mean() > 0.7 and apart.max() < 11
