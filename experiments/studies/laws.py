"""Laws of strength and cost: fits to rated players, their intervals, and verdicts on claims.

Strength is a power law of a cost where Elo is a straight line in its logarithm: with the strength
10 ** (Elo / 400) of Bradley and Terry, a slope of 352 Elo per decade is the exponent 0.88.

Intervals (95%) come from a bootstrap over games and seeds at once. Ratings are drawn from the
normal distribution that their fit gives, counts of mistakes from the binomial one. Of a network's
n seeds, n - 1 are drawn with replacement; n would make the interval of so few too narrow by the
factor sqrt(1 - 1/n) (Rao and Wu 1988). Seeds differ by the luck of their games, too. This luck
counts twice, so intervals are too wide, by at most the factor sqrt(1 + n / (n - 1)).

Players are rows of a table: size, weights, seed, level (1 is the first checkpoint), cpu_seconds
and multiply_adds of the training, sims of a move, mistakes in solved positions, and rating.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from engines.learning.settings import Settings, setting
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


def checkpoints(players: pd.DataFrame, *columns: str) -> np.ndarray:
    """Means of the seeds: float[columns, sims, sizes, levels]."""
    axes = ["sims", "size", "level"]
    rows = players.sort_values(axes)[[*columns]].to_numpy(float)
    seeds = rows.reshape(*(players[axis].nunique() for axis in axes), -1, len(columns))
    return np.moveaxis(seeds.mean(axis=3), -1, 0)


def at_costs(players: pd.DataFrame, cost: str, costs: np.ndarray) -> np.ndarray:
    """The rating of each size and number of simulations when its training has cost as much:
    float[costs, sims, sizes].

    Between two checkpoints, the rating is a straight line in the logarithm; a finished training
    stays as good as it is. Before the first checkpoint it is -inf.
    """
    spent, ratings = checkpoints(players, cost, "rating")
    levels = spent.shape[-1]
    curves = [np.interp(np.log(costs), x, y, left=-np.inf) for x, y in zip(
        np.log(spent).reshape(-1, levels), ratings.reshape(-1, levels), strict=True)]
    return np.transpose(curves).reshape(len(costs), *spent.shape[:2])


def envelope(players: pd.DataFrame, cost: str, common: bool = True) -> pd.DataFrame:
    """The best networks by what their training has cost, for each number of simulations: sims,
    cost, rating and weights.

    `common`: from where all sizes have a checkpoint to where the first of them is finished; else
    from the first checkpoint of all to the last.
    """
    (spent, weights), sims = checkpoints(players, cost, "weights")[:, 0], players["sims"].unique()
    first, final = spent[:, 0], spent[:, -1]
    low, high = (first.max(), final.min()) if common else (first.min(), final.max())
    costs = np.geomspace(low, high, _GRID if low < high else 0)
    ratings = at_costs(players, cost, costs)
    return pd.DataFrame({
        cost: np.repeat(costs, len(sims)), "sims": np.tile(np.sort(sims), len(costs)),
        "rating": ratings.max(axis=2).ravel(),
        "weights": weights[ratings.argmax(axis=2), 0].ravel(),
    })


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


def late(players: pd.DataFrame) -> float:
    """mean moment of frequent positions in their games, from 0 to 1"""
    return float(last(players)["late"].mean())


def lead(players: pd.DataFrame, family: str, other: str, seconds: int) -> float:
    """Elo ahead after equal training"""
    ratings = of_families(players)["rating"]
    one, two = (ratings.get((name, seconds), ratings.get((name, 0), math.nan))
                for name in (family, other))
    return float(one - two)


def less_training(players: pd.DataFrame, family: str, other: str, seconds: int) -> float:
    """times less training for equal strength"""
    table = of_families(players[players["seconds"] <= seconds])
    budgets, same = ([spent for name, spent in table.index if name == wanted]
                     for wanted in (family, other))
    if budgets != same or budgets[-1:] != [seconds] or len(budgets) < 2:
        return math.nan
    best = table.assign(rating=table.groupby("family")["rating"].cummax())
    curves = [best.loc[name].drop_duplicates("rating") for name in (family, other)]
    level = min(curve["rating"].max() for curve in curves)
    own, others = (np.interp(level, curve["rating"], np.log(curve["cpu_seconds"]))
                   for curve in curves)
    return float(np.exp(others - own))


def of_families(players: pd.DataFrame) -> pd.DataFrame:
    """The means of the seeds of each family and training; see `families.py`."""
    return players.groupby(["family", "seconds"])[["cpu_seconds", "rating"]].mean()


# Those that compare two families.
OF_FAMILIES = {law.__name__: law for law in (lead, less_training)}
LAWS: dict[str, Callable[..., float]] = {law.__name__: law for law in (
    elo_by_weights, mistakes_by_weights, elo_by_training, elo_by_work, weights_by_work,
    elo_by_search, exchange, late,
)} | OF_FAMILIES


def purchases(tables: Sequence[pd.DataFrame], budgets: Sequence[float]) -> pd.DataFrame:
    """The best size for each budget, in CPU seconds of training, and number of simulations; `ahead`
    is its lead over the next best size in Elo, with the interval. Only budgets for which all sizes
    have a checkpoint, and not beyond the longest training.

    Args:
        tables: a table of players and its replicates.
    """
    first = tables[0].groupby(["size", "seed"])["cpu_seconds"].min().max()
    costs = np.array([one for one in budgets if first <= one <= tables[0]["cpu_seconds"].max()])
    sims, sizes = (np.unique(tables[0][name]) for name in ("sims", "size"))
    ratings = np.array([at_costs(table, "cpu_seconds", costs) for table in tables])
    places = ratings[:1].argsort(axis=-1)[..., -2:]  # the second best size, and the best
    second, best = np.moveaxis(np.take_along_axis(ratings, places, -1), -1, 0).reshape(
        2, len(tables), -1)
    low, high = np.quantile((best - second)[1:], [0.025, 0.975], axis=0)
    return pd.DataFrame({
        "cpu_seconds": np.repeat(costs, len(sims)), "sims": np.tile(sims, len(costs)),
        "size": sizes[places[..., 1].ravel()], "rating": best[0], "ahead": (best - second)[0],
        "low95": low, "high95": high})


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
    players: pd.DataFrame, covariance: np.ndarray, draws: int = DRAWS, seed: int = 1,
    by: str = "size",
) -> Iterator[pd.DataFrame]:
    """Tables that other games and other seeds might have given; `by` is the column that says what
    was trained with several seeds."""
    rng = np.random.default_rng(seed)
    size, axes = np.linalg.eigh(covariance)
    spread = axes * np.sqrt(np.clip(size, 0.0, None))  # rounding may leave a size below zero
    players = players.reset_index(drop=True)
    counts = players[["mistakes", "positions"]].fillna(0).astype(int)
    shares = counts["mistakes"] / counts["positions"].clip(lower=1)
    networks = [
        [part.index.to_numpy() for _, part in of.groupby("seed")]
        for _, of in players.groupby(by, sort=False)
    ]
    for _ in range(draws):
        ratings = players["rating"] + spread @ rng.standard_normal(len(spread))
        drawn = players.assign(rating=ratings, mistakes=rng.binomial(counts["positions"], shares))
        chosen = [
            seeds[k] for seeds in networks
            for k in (rng.integers(len(seeds), size=len(seeds) - 1) if len(seeds) > 1 else (0,))
        ]
        yield drawn.loc[np.concatenate(chosen)]


@dataclass(frozen=True)
class Claim(Settings):
    """What a paper says, or we expect, in numbers; written down before the runs."""

    text: str = setting(None, "the claim in words")
    law: str = setting(None, "law that measures it", choices=tuple(LAWS))
    part: str = setting(None, "part of the plan")
    against: str = setting("", "part whose number is subtracted")
    low: float = setting(-math.inf, "least number for which the claim holds")
    high: float = setting(math.inf, "largest number for which the claim holds")
    source: str = setting("", "paper")
    family: str = setting("", "family of players, where the law compares two of them")
    other: str = setting("", "the other one")
    seconds: int = setting(0, "CPU seconds of their training")

    def verdict(self, number: Estimate) -> str:
        """Whether the claim holds, as far as the interval tells."""
        if math.isnan(number.value) or math.isnan(number.low95):
            return "not measured"
        if self.low == -math.inf and self.high == math.inf:
            return "exploratory"
        if self.low <= number.low95 and number.high95 <= self.high:
            return "holds"
        if number.high95 < self.low or self.high < number.low95:
            return "contradicted"
        # The interval shrinks with the square root of the number of seeds and games, and must not
        # reach a bound any more.
        more = max(
            ((number.low95 if bound < number.value else number.high95) - number.value) ** 2
            / max((bound - number.value) ** 2, 1e-9)
            for bound in (self.low, self.high) if number.low95 <= bound <= number.high95)
        many = f"about {more:.1f}" if more < 100 else "more than 100"
        return f"undecided; {many} times the budget may decide"


def estimate(claim: Claim, tables: dict[str, Sequence[pd.DataFrame]]) -> Estimate:
    """The number of a claim, with its interval; `tables` has of each part the table of players
    and its replicates."""
    compared = (claim.family, claim.other, claim.seconds) if claim.law in OF_FAMILIES else ()

    def numbers_of(part: str) -> np.ndarray:
        return np.array([LAWS[claim.law](table, *compared) for table in tables[part]])

    numbers = numbers_of(claim.part)
    if claim.against:
        others = numbers_of(claim.against)
        others[1:] = np.roll(others[1:], 1)  # draws of equal number come from equal random numbers
        numbers -= others
    drawn = numbers[1:][~np.isnan(numbers[1:])]
    if len(drawn) < len(numbers) / 2:
        return Estimate(float(numbers[0]), math.nan, math.nan)
    low, high = np.quantile(drawn, [0.025, 0.975])
    return Estimate(float(numbers[0]), float(low), float(high))
