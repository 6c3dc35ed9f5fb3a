"""Laws of strength and cost: fits to players that are rated (`measured.py`).

Strength is a power law of a cost where Elo is a straight line in its logarithm: with the strength
10 ** (Elo / 400) of Bradley and Terry, a slope of 352 Elo per decade is the exponent 0.88.

Players are rows of a table: size, weights, seed, level (1 is the first checkpoint), cpu_seconds
and multiply_adds of the training, sims of a move, mistakes in solved positions, and rating.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from experiments.studies.measured import Rated
from reports.bootstrap import percentiles

# Points of an envelope for each number of simulations; the least number of them that rise.
_GRID, _RISING = 20, 6
Numbers = Sequence[float] | np.ndarray


def slope(costs: Numbers, values: Numbers) -> float:
    """By how much values rise per decade of a cost (least squares); NaN without two costs."""
    if len({*costs}) < 2:
        return math.nan
    return float(np.polyfit(np.log10(costs), values, 1)[0])


def usual(players: pd.DataFrame) -> pd.DataFrame:
    """The players with the usual number of simulations, the middle one of those in the table."""
    sims = sorted(players["sims"].unique())
    return players[players["sims"] == sims[len(sims) // 2]]


def last(players: pd.DataFrame) -> pd.DataFrame:
    """The players with the whole training."""
    return players[players["level"] == players["level"].max()]


def training(players: pd.DataFrame) -> float:
    """CPU seconds of all trainings; where rows are means of seeds, the table has their number."""
    final = last(usual(players))
    return float((final["cpu_seconds"] * final.get("seeds", 1)).sum())


def error(players: pd.DataFrame) -> pd.Series:
    """The share of mistakes; half a mistake where there is none, which has no logarithm."""
    return players["mistakes"].clip(lower=0.5) / players["positions"]


def checkpoints(players: pd.DataFrame, *columns: str) -> np.ndarray:
    """Means of the seeds: float[columns, sims, sizes, levels]."""
    keys = [np.unique(players[name], return_inverse=True) for name in ("sims", "size", "level")]
    shape = [len(values) for values, _ in keys]
    cells = np.ravel_multi_index([places for _, places in keys], shape)
    seeds, *sums = (np.bincount(cells, weights) for weights in
                    (None, *(players[name] for name in columns)))
    return (np.array(sums) / seeds).reshape(len(columns), *shape)


def at_costs(checkpoint_costs: np.ndarray, ratings: np.ndarray, costs: Numbers) -> np.ndarray:
    """The rating of each size and number of simulations when its training has cost as much:
    float[costs, sims, sizes]. The first two are from `checkpoints`.

    Between two checkpoints, the rating is a straight line in the logarithm; a finished training
    stays as good as it is. Before the first checkpoint it is -inf.
    """
    curves = np.array([
        [np.interp(np.log(costs), *curve, left=-np.inf) for curve in zip(*sizes, strict=True)]
        for sizes in zip(np.log(checkpoint_costs), ratings, strict=True)
    ])
    return np.moveaxis(curves, -1, 0)


def envelope(
    players: pd.DataFrame, cost: str, common: bool = True
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The best networks by what their training has cost: these costs, and the rating and the
    weights of the best at each cost, float[sims, costs].

    `common`: from where all sizes have a checkpoint to where the first of them is finished; else
    from the first checkpoint of all to the last.
    """
    checkpoint_costs, ratings, weights = checkpoints(players, cost, "rating", "weights")
    first, final = checkpoint_costs[0, :, 0], checkpoint_costs[0, :, -1]
    low, high = (first.max(), final.min()) if common else (first.min(), final.max())
    costs = np.geomspace(low, high, _GRID if low < high else 0)
    ratings = at_costs(checkpoint_costs, ratings, costs)
    return costs, ratings.max(axis=2).T, weights[0, ratings.argmax(axis=2), 0].T


def plane(players: pd.DataFrame) -> np.ndarray:
    """a, b and c of Elo = a + b log10(CPU seconds of training) + c log10(simulations), for the best
    networks; NaN without two costs and two numbers of simulations."""
    costs, ratings, _ = envelope(players, "cpu_seconds")
    seconds, sims = np.meshgrid(np.log10(costs), np.log10(np.unique(players["sims"])))
    inputs = np.stack([np.ones(ratings.size), seconds.ravel(), sims.ravel()], axis=1)
    solution, _, rank, _ = np.linalg.lstsq(inputs, ratings.ravel(), rcond=None)
    return solution if rank == 3 else np.full(3, math.nan)


def rise(players: pd.DataFrame, cost: str, common: bool) -> float:
    """The slope of the envelope, a line that rises and then stays level, as where play is perfect
    (the change point of Jones 2021); mean over simulations, NaN without an envelope."""
    costs, ratings, _ = envelope(players, cost, common)
    if not len(costs):
        return math.nan
    logs = np.log10(costs)
    inputs = np.minimum(logs, logs[_RISING - 1:, None])  # a row for each end of the rise
    inputs -= inputs.mean(axis=1, keepdims=True)
    products, squares = ratings @ inputs.T, (inputs**2).sum(axis=1)
    # The line with the least squared error explains most of the ratings' variance.
    ends = (products**2 / squares).argmax(axis=1)[:, None]
    return float(np.take_along_axis(products / squares, ends, axis=1).mean())


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
    costs, _, weights = envelope(usual(players), "multiply_adds", common=False)
    return slope(costs, np.log10(weights[0]))


def elo_by_search(players: pd.DataFrame) -> float:
    """Elo per decade of simulations, after the whole training"""
    final = last(players)
    mean = final.groupby(["size", "seed"])["rating"].transform("mean")
    return slope(final["sims"], final["rating"] - mean)


def exchange(players: pd.DataFrame) -> float:
    """decades of simulations that make up for a decade of training"""
    _, training, search = plane(players)
    return training / search


def late(players: pd.DataFrame) -> float:
    """mean moment of frequent positions in their games, from 0 to 1"""
    return float(last(players)["late"].mean())


def lead(families: pd.DataFrame, family: str, reference: str, seconds: int) -> float:
    """Elo ahead after equal training"""
    ratings = families["rating"]
    first, second = (ratings.get((name, seconds), ratings.get((name, 0), math.nan))
                     for name in (family, reference))
    return float(first - second)


def less_training(families: pd.DataFrame, family: str, rival: str, seconds: int) -> float:
    """times less training for equal strength"""
    names, budgets = (families.index.get_level_values(name) for name in ("family", "seconds"))
    curves, trained = [], []
    for name in (family, rival):
        rows = (names == name) & (budgets <= seconds)
        best = np.maximum.accumulate(families["rating"].to_numpy()[rows])
        rising = np.diff(best, prepend=-math.inf) > 0
        curves.append((best[rising], np.log(families["cpu_seconds"].to_numpy()[rows][rising])))
        trained.append([*budgets[rows]])
    if trained[0] != trained[1] or trained[0][-1:] != [seconds] or len(trained[0]) < 2:
        return math.nan
    level = min(ratings[-1] for ratings, _ in curves)
    cost, other_cost = (np.interp(level, *curve) for curve in curves)
    return float(np.exp(other_cost - cost))


# Those that compare two families: rows are means of the seeds, by family and seconds of training.
OF_FAMILIES = {law.__name__: law for law in (lead, less_training)}
LAWS: dict[str, Callable[..., float]] = {law.__name__: law for law in (
    elo_by_weights, mistakes_by_weights, elo_by_training, elo_by_work, weights_by_work,
    elo_by_search, exchange, late,
)} | OF_FAMILIES


def purchases(tables: Rated, budgets: Sequence[float]) -> pd.DataFrame:
    """The best size for each budget, in CPU seconds of training, and number of simulations; `ahead`
    is its lead over the next best size in Elo, with the interval. Only budgets for which all sizes
    have a checkpoint, and not beyond the longest training."""
    players, rows = tables[0], []
    first = players.groupby(["size", "seed"])["cpu_seconds"].min().max()
    costs = [cost for cost in budgets if first <= cost <= players["cpu_seconds"].max()]
    sims, sizes = (np.unique(players[name]) for name in ("sims", "size"))
    curves = (checkpoints(table, "cpu_seconds", "rating") for table in tables)
    ratings = np.array([at_costs(table_costs, rating, costs) for table_costs, rating in curves])
    for row, column in np.ndindex(len(costs), len(sims)):
        cell_ratings = ratings[:, row, column]
        second, best = cell_ratings[0].argsort()[-2:]
        ahead, *samples = cell_ratings[:, best] - cell_ratings[:, second]
        bounds = percentiles(ahead, np.array(samples))
        rows.append((costs[row], sims[column], sizes[best], cell_ratings[0, best],
                     *vars(bounds).values()))
    return pd.DataFrame(rows, columns=[
        "cpu_seconds", "sims", "size", "rating", "ahead", "low95", "high95"])
