"""Laws of strength and cost: fits to rated players, their intervals, and verdicts on claims.

Strength is a power law of a cost where Elo is a straight line in its logarithm: with the strength
10 ** (Elo / 400) of Bradley and Terry, a slope of 352 Elo per decade is the exponent 0.88.

Intervals (95%) come from a bootstrap over games and seeds at once. Ratings are drawn from the
normal distribution that their fit gives, counts of mistakes from the binomial one. Of a network's
n seeds, n - 1 are drawn with replacement; n would make the interval of so few too narrow by the
factor sqrt(1 - 1/n) (Rao and Wu 1988).

Players are rows of a table: size, weights, seed, level (1 is the first checkpoint), cpu_seconds
and multiply_adds of the training, sims of a move, mistakes in solved positions, and rating.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from reports.rating_table import Estimate
from reports.ratings import fit_ratings

DRAWS = 400
# Points of an envelope for each number of simulations; the least number of them that rise.
_GRID, _RISING = 20, 6


def slope(costs: pd.Series, values: pd.Series) -> float:
    """By how much values rise per decade of a cost (least squares); NaN without two costs."""
    if costs.nunique() < 2:
        return math.nan
    return float(np.polyfit(np.log10(costs), values, 1)[0])


def usual(players: pd.DataFrame) -> pd.DataFrame:
    """The players with the usual number of simulations, the middle one of those in the table."""
    sims = sorted(players["sims"].unique())
    return players[players["sims"] == sims[len(sims) // 2]]


def last(players: pd.DataFrame) -> pd.DataFrame:
    """The players with the whole training."""
    return players[players["level"] == players["level"].max()]


def error(players: pd.DataFrame) -> pd.Series:
    """The share of mistakes; half a mistake where there is none, which has no logarithm."""
    return players["mistakes"].clip(lower=0.5) / players["positions"]


def envelope(players: pd.DataFrame, cost: str, common: bool = True) -> pd.DataFrame:
    """The best networks by what their training has cost, for each number of simulations: columns
    of the cost, sims, rating and weights.

    Between two checkpoints, the mean rating of a size is a straight line in the logarithm; a
    finished training stays as good as it is. `common`: from where all sizes have a checkpoint to
    where the first of them is finished; else from the first checkpoint of all to the last.
    """
    means = players.groupby(["sims", "size", "level"], as_index=False)[
        ["weights", "rating", cost]].mean()
    spent = means.groupby("size")[cost]
    first, final = spent.min(), spent.max()
    low, high = (first.max(), final.min()) if common else (first.min(), final.max())
    if not low < high:
        return means.iloc[:0]
    grid, tables = np.geomspace(low, high, _GRID), []
    for sims, part in means.groupby("sims"):
        curves = [curve for _, curve in part.groupby("size")]
        ratings = np.array([
            np.interp(np.log(grid), np.log(curve[cost]), curve["rating"], left=-np.inf)
            for curve in curves])
        best = ratings.argmax(axis=0)
        tables.append(pd.DataFrame({
            cost: grid, "sims": sims, "rating": ratings.max(axis=0),
            "weights": [curves[k]["weights"].iloc[0] for k in best],
        }))
    return pd.concat(tables, ignore_index=True)


def plane(players: pd.DataFrame) -> tuple[float, float, float]:
    """a, b and c of Elo = a + b log10(CPU seconds of training) + c log10(simulations), for the best
    networks."""
    best = envelope(players, "cpu_seconds")
    if best["sims"].nunique() < 2:
        return math.nan, math.nan, math.nan
    columns = np.stack([np.ones(len(best)), *np.log10(best[["cpu_seconds", "sims"]].T.to_numpy())])
    a, b, c = np.linalg.lstsq(columns.T, best["rating"], rcond=None)[0]
    return float(a), float(b), float(c)


def rise(players: pd.DataFrame, cost: str, common: bool) -> float:
    """The slope of the envelope, a line that rises and then stays level, as where play is perfect
    (the change point of Jones 2021); mean over simulations, NaN without an envelope."""
    slopes = []
    for _, best in envelope(players, cost, common).groupby("sims"):
        logs = np.log10(best[cost].to_numpy())
        inputs = np.minimum(logs, logs[_RISING - 1:, None])  # a row for each end of the rise
        inputs -= inputs.mean(axis=1, keepdims=True)
        values = (best["rating"] - best["rating"].mean()).to_numpy()
        lines = inputs @ values / (inputs**2).sum(axis=1)
        errors = ((values - lines[:, None] * inputs) ** 2).sum(axis=1)
        slopes.append(lines[errors.argmin()])
    return float(np.mean(slopes)) if slopes else math.nan


def elo_by_weights(players: pd.DataFrame) -> float:
    """Elo per decade of weights, after the whole training"""
    final = last(usual(players))
    return slope(final["weights"], final["rating"])


def mistakes_by_weights(players: pd.DataFrame) -> float:
    """decades of mistakes per decade of weights, after the whole training"""
    final = last(usual(players))
    return slope(final["weights"], np.log10(error(final)))


def elo_by_training(players: pd.DataFrame) -> float:
    """Elo per decade of CPU seconds of training, the best size for each"""
    return rise(players, "cpu_seconds", common=True)


def elo_by_work(players: pd.DataFrame) -> float:
    """Elo per decade of multiply-adds of training, the best size for each"""
    return rise(players, "multiply_adds", common=False)


def weights_by_work(players: pd.DataFrame) -> float:
    """decades of weights of the best size per decade of multiply-adds"""
    best = envelope(usual(players), "multiply_adds", common=False)
    return slope(best["multiply_adds"], np.log10(best["weights"]))


def elo_by_search(players: pd.DataFrame) -> float:
    """Elo per decade of simulations, after the whole training"""
    final = last(players)
    own = final.groupby(["size", "seed"])["rating"].transform("mean")
    return slope(final["sims"], final["rating"] - own)


def exchange(players: pd.DataFrame) -> float:
    """decades of simulations that make up for a decade of training"""
    _, training, search = plane(players)
    return training / search


def zipf(players: pd.DataFrame) -> float:
    """exponent of the frequency of positions by rank, in self-play"""
    return float(last(players)["zipf"].mean())


def late(players: pd.DataFrame) -> float:
    """mean moment of frequent positions in their games, from 0 to 1"""
    return float(last(players)["late"].mean())


LAWS: dict[str, Callable[[pd.DataFrame], float]] = {law.__name__: law for law in (
    elo_by_weights, mistakes_by_weights, elo_by_training, elo_by_work, weights_by_work,
    elo_by_search, exchange, zipf, late,
)}


def rate(players: pd.DataFrame, games: pd.DataFrame) -> tuple[pd.DataFrame, np.ndarray]:
    """The players with a column `rating`, and the covariance of these. Without games both are 0.

    Args:
        games: columns first and second, row numbers of players, and result.
    """
    if games.empty:
        return players.assign(rating=0.0), np.zeros((len(players), len(players)))
    table = fit_ratings(*(games[name].astype(str) for name in ("first", "second")),
                        games["result"])
    places = [table.index[str(row)] for row in range(len(players))]
    return (players.assign(rating=[table.ratings[place].value for place in places]),
            table.covariance[np.ix_(places, places)])


def replicates(
    players: pd.DataFrame, covariance: np.ndarray, draws: int = DRAWS, seed: int = 1
) -> Iterator[pd.DataFrame]:
    """Tables that other games and other seeds might have given."""
    rng = np.random.default_rng(seed)
    size, axes = np.linalg.eigh(covariance)
    spread = axes * np.sqrt(np.clip(size, 0.0, None))  # rounding may leave a size below zero
    players = players.reset_index(drop=True)
    positions = players["positions"] if "positions" in players else 0 * players["sims"]
    asked = positions > 0
    shares = players["mistakes"] / positions if asked.any() else positions
    networks = [
        [part.index.to_numpy() for _, part in of.groupby("seed")]
        for _, of in players.groupby("size", sort=False)
    ]
    for _ in range(draws):
        drawn = players.assign(rating=players["rating"] + spread @ rng.standard_normal(len(spread)))
        drawn.loc[asked, "mistakes"] = rng.binomial(positions[asked], shares[asked])
        chosen = [
            seeds[k] for seeds in networks
            for k in (rng.integers(len(seeds), size=len(seeds) - 1) if len(seeds) > 1 else (0,))
        ]
        yield drawn.loc[np.concatenate(chosen)]


@dataclass(frozen=True)
class Claim:
    """What a paper says, or we expect, in numbers; written down before the runs.

    Attributes:
        law: of `LAWS`. part: of the plan. against: a part whose number is subtracted.
        low, high: the claim holds where the number lies between them.
    """

    text: str
    law: str
    part: str
    against: str = ""
    low: float = -math.inf
    high: float = math.inf
    source: str = ""

    def verdict(self, number: Estimate) -> str:
        """Whether the claim holds, as far as the interval tells."""
        if math.isnan(number.value) or math.isnan(number.low95):
            return "not measured"
        if self.low <= number.low95 and number.high95 <= self.high:
            return "holds"
        if number.high95 < self.low or self.high < number.low95:
            return "contradicted"
        distance = min(abs(number.value - bound) for bound in (self.low, self.high))
        # The interval shrinks with the square root of the number of seeds and games.
        more = ((number.high95 - number.low95) / 2 / max(distance, 1e-9)) ** 2
        return f"undecided; about {max(more, 1):.1f} times the budget may decide" if more < 100 \
            else "undecided"


def estimate(claim: Claim, tables: dict[str, Sequence[pd.DataFrame]]) -> Estimate:
    """The number of a claim, with its interval; `tables` has of each part the table of players
    and its replicates."""
    numbers = np.array([LAWS[claim.law](table) for table in tables[claim.part]])
    if claim.against:
        numbers = numbers - [LAWS[claim.law](table) for table in tables[claim.against]]
    drawn = numbers[1:][~np.isnan(numbers[1:])]
    if len(drawn) < len(numbers) / 2:
        return Estimate(float(numbers[0]), math.nan, math.nan)
    low, high = np.quantile(drawn, [0.025, 0.975])
    return Estimate(float(numbers[0]), float(low), float(high))
