"""Laws of strength and cost: fits to rated players, their intervals, and verdicts on claims.

Strength is a power law of a cost where Elo is a straight line in its logarithm: with the strength
10 ** (Elo / 400) of Bradley and Terry, a slope of 352 Elo per decade is the exponent 0.88.

Intervals (95%) come from a bootstrap over games and seeds at once. Ratings are drawn from the
normal distribution that their fit gives, counts of mistakes from the binomial one. Of a network's
n seeds, n - 1 are drawn with replacement; n would make the interval of so few too narrow by the
factor sqrt(1 - 1/n) (Rao and Wu 1988).

Players are rows of a table: size, weights, seed, level (1 is the first checkpoint), cpu_seconds
and multiply_adds of the training, sims and cpu_ms of a move, mistakes in solved positions, and
rating.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from reports.rating_table import Estimate
from reports.ratings import fit_ratings

DRAWS = 400
# Players this close to the best one, in Elo, are left out of fits on the frontier: where play is
# perfect the line ends (the plateau of Jones 2021).
PLATEAU = 100.0


class Law(NamedTuple):
    """A number that describes a table of players."""

    unit: str
    of: Callable[[pd.DataFrame], float]


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


def frontier(players: pd.DataFrame, *costs: str) -> pd.DataFrame:
    """The networks that no stronger one undercuts in all costs, below the plateau; means over
    seeds."""
    means = players.groupby(["size", "level", "sims"], as_index=False)[
        ["weights", "rating", *costs]].mean()
    means = means[means["rating"] < means["rating"].max() - PLATEAU]
    spent, rating = means[[*costs]].to_numpy(), means["rating"].to_numpy()
    cheap = (spent[None] <= spent[:, None]).all(axis=2)
    return means[~(cheap & (rating[None] > rating[:, None])).any(axis=1)]


def plane(players: pd.DataFrame) -> tuple[float, float, float]:
    """a, b and c of Elo = a + b log10(CPU seconds of training) + c log10(CPU ms of a move), on the
    frontier."""
    best = frontier(players, "cpu_seconds", "cpu_ms")
    if len(best) < 4:
        return math.nan, math.nan, math.nan
    columns = np.stack([np.ones(len(best)), *np.log10(best[["cpu_seconds", "cpu_ms"]].T.values)])
    a, b, c = np.linalg.lstsq(columns.T, best["rating"], rcond=None)[0]
    return float(a), float(b), float(c)


def _on_frontier(cost: str) -> Callable[[pd.DataFrame], float]:
    def of(players: pd.DataFrame) -> float:
        best = frontier(usual(players), cost)
        return slope(best[cost], best["rating"])

    return of


def _best_size(players: pd.DataFrame) -> float:
    best = frontier(usual(players), "multiply_adds")
    return slope(best["multiply_adds"], np.log10(best["weights"]))


def _by_search(players: pd.DataFrame) -> float:
    final = last(players)
    own = final.groupby(["size", "seed"])["rating"].transform("mean")
    return slope(final["sims"], final["rating"] - own)


def _exchange(players: pd.DataFrame) -> float:
    _, training, search = plane(players)
    return training / search


def _by_weights(column: str) -> Callable[[pd.DataFrame], float]:
    def of(players: pd.DataFrame) -> float:
        final = last(usual(players))
        values = final[column] if column == "rating" else np.log10(error(final))
        return slope(final["weights"], values)

    return of


def error(players: pd.DataFrame) -> pd.Series:
    """The share of mistakes; half a mistake where there is none, which has no logarithm."""
    return players["mistakes"].clip(lower=0.5) / players["positions"]


LAWS = {
    "elo_by_weights": Law("Elo per decade of weights, after the whole training",
                          _by_weights("rating")),
    "elo_by_training": Law("Elo per decade of CPU seconds of training, on the frontier",
                           _on_frontier("cpu_seconds")),
    "elo_by_work": Law("Elo per decade of multiply-adds of training, on the frontier",
                       _on_frontier("multiply_adds")),
    "weights_by_work": Law("decades of weights of the best network per decade of multiply-adds",
                           _best_size),
    "elo_by_search": Law("Elo per decade of simulations", _by_search),
    "exchange": Law("decades of CPU time of a move that make up for a decade of training",
                    _exchange),
    "mistakes_by_weights": Law("decades of mistakes per decade of weights", _by_weights("error")),
}


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
    numbers = np.array([LAWS[claim.law].of(table) for table in tables[claim.part]])
    if claim.against:
        numbers = numbers - [LAWS[claim.law].of(table) for table in tables[claim.against]]
    drawn = numbers[1:][~np.isnan(numbers[1:])]
    if len(drawn) < len(numbers) / 2:
        return Estimate(float(numbers[0]), math.nan, math.nan)
    low, high = np.quantile(drawn, [0.025, 0.975])
    return Estimate(float(numbers[0]), float(low), float(high))
