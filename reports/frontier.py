"""Who is worth the cost: the frontier of strength per compute, with its uncertainty.

An entrant is on the frontier if nobody stronger costs as little: it is best for its cost, in
Pareto's sense. Costs of a move are means over many moves and taken as known. Ratings are not: how
likely an entrant is on the frontier comes from many draws of all ratings together, from the normal
distribution that the fit gives (`rating_table.py`).

Two families can also be compared the other way round: what does the same strength cost? Between the
entrants of a family, the cost of a rating is interpolated, the logarithm of the cost linearly.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np

from reports.davidson import Floats
from reports.rating_table import RatingTable

if TYPE_CHECKING:
    import pandas as pd

FRONTIER_COLUMNS = (
    "game", "entrant", "cost_ms", "rating", "best", "chance", "leader", "behind", "behind_low95",
    "behind_high95", "level", "level_low95", "level_high95",
)
RATIO_COLUMNS = ("game", "family", "other", "ratio", "low95", "high95", "weakest", "strongest")

_DRAWS = 4000
# Drawing the ratings of more entrants than that takes longer than the rest of a report.
_MOST = 500
# Where strengths of two families overlap, their costs are compared at so many of them.
_LEVELS = 9
# The least cost, ms: a clock may report 0.
_LEAST = 1e-4


def frontier_frame(ratings: pd.DataFrame, tables: Mapping[str, RatingTable]) -> pd.DataFrame:
    """One row for each entrant that a move has cost something, the cheapest of each game first.

    Columns: `cost_ms` (mean CPU time of a move), `rating`; `best`: whether nobody is stronger for
    that cost or less; `chance` that this is so; `leader`: the strongest for that cost or less, and
    `behind`: by how many Elo it is ahead, with its 95% interval; `level`: the rating that is to be
    had for that cost, with the interval of the best of all, whoever that is.

    Args:
        ratings: from `tables.ratings_frame`.
        tables: from `tables.rate_games`. Of each game the largest group of entrants is taken that
            games link; a game with more than 500 of them has no rows.
    """
    import pandas as pd

    rows = [
        row for game, table in tables.items()
        for row in _frontier_rows(ratings[ratings["game"] == game], table)
    ]
    return pd.DataFrame(rows, columns=list(FRONTIER_COLUMNS))


def _frontier_rows(ratings: pd.DataFrame, table: RatingTable) -> list[dict[str, object]]:
    part = _comparable(ratings, table).sort_values(["mean_cpu_ms", "rating"], kind="stable")
    drawn = _draw(table, list(part["entrant"]))
    if drawn is None:
        return []
    cost = _cost(part)
    rows = []
    for i, row in enumerate(part.itertuples()):
        within = np.flatnonzero(cost <= cost[i])
        leader = int(within[np.argmax(part["rating"].to_numpy()[within])])
        behind = table.difference(part["entrant"].iloc[leader], row.entrant)
        best_of = drawn[:, within].max(axis=1)
        low, high = np.quantile(best_of, [0.025, 0.975])
        rows.append({
            "game": row.game, "entrant": row.entrant, "cost_ms": row.mean_cpu_ms,
            "rating": row.rating, "best": leader == i,
            "chance": float(np.mean(drawn[:, i] >= best_of)),
            "leader": part["entrant"].iloc[leader], "behind": behind.value,
            "behind_low95": behind.low95, "behind_high95": behind.high95,
            "level": part["rating"].iloc[leader], "level_low95": low, "level_high95": high,
        })
    return rows


def cost_ratios(ratings: pd.DataFrame, tables: Mapping[str, RatingTable]) -> pd.DataFrame:
    """What a family pays for the same strength as another: a row for each ordered pair.

    Columns: `ratio`: its CPU time over the other's, geometric mean between `weakest` and
    `strongest`, the ratings that both have reached; its 95% interval, NaN where in one of twenty
    draws they have no rating in common. Pairs that have none at all are left out.
    """
    import pandas as pd

    rows = []
    for game, table in tables.items():
        part = _comparable(ratings[ratings["game"] == game], table)
        drawn = _draw(table, list(part["entrant"]))
        if drawn is None:
            continue
        members = {
            str(family): np.flatnonzero(part["family"] == family)
            for family in sorted(part["family"].unique())
        }
        cost, rating = np.log(_cost(part)), part["rating"].to_numpy(float)
        for one, other in permutations(members, 2):
            a, b = members[one], members[other]
            middle = _log_ratio(cost[a], rating[a], cost[b], rating[b])
            if middle is None:
                continue
            each = [_log_ratio(cost[a], row[a], cost[b], row[b]) for row in drawn[::4]]
            known = [value[0] for value in each if value is not None]
            low, high = (
                np.quantile(known, [0.025, 0.975]) if len(known) > 0.95 * len(each)
                else (np.nan, np.nan)
            )
            rows.append({
                "game": game, "family": one, "other": other, "ratio": np.exp(middle[0]),
                "low95": np.exp(low), "high95": np.exp(high), "weakest": middle[1],
                "strongest": middle[2],
            })
    return pd.DataFrame(rows, columns=list(RATIO_COLUMNS))


def _comparable(ratings: pd.DataFrame, table: RatingTable) -> pd.DataFrame:
    """Those of the largest group that a move has cost something."""
    linked = {rating.entrant for rating in table.ratings if rating.group == 1}
    return ratings[ratings["entrant"].isin(linked) & ratings["mean_cpu_ms"].notna()]


def _cost(part: pd.DataFrame) -> Floats:
    return part["mean_cpu_ms"].clip(lower=_LEAST).to_numpy(float)


def _draw(table: RatingTable, entrants: list[str]) -> Floats | None:
    """(draws, entrants) ratings as the games leave them open; None if that would take too long."""
    if not 0 < len(table.ratings) <= _MOST or not entrants:
        return None
    place = {rating.entrant: i for i, rating in enumerate(table.ratings)}
    chosen = [place[entrant] for entrant in entrants]
    values = np.array([table.ratings[i].value for i in chosen])
    size, axes = np.linalg.eigh(table.covariance[np.ix_(chosen, chosen)])
    spread = axes * np.sqrt(np.clip(size, 0.0, None))  # rounding may leave a size below zero
    return values + np.random.default_rng(1).standard_normal((_DRAWS, len(values))) @ spread.T


def _log_ratio(
    cost: Floats, rating: Floats, other_cost: Floats, other_rating: Floats
) -> tuple[float, float, float] | None:
    """Mean logarithm of cost over cost, and from which rating to which; None if none is common."""
    curves = _curve(cost, rating), _curve(other_cost, other_rating)
    low = max(curve[1][0] for curve in curves)
    high = min(curve[1][-1] for curve in curves)
    if low > high:
        return None
    levels = np.linspace(low, high, _LEVELS)
    one, other = (np.interp(levels, strength, price) for price, strength in curves)
    return float(np.mean(one - other)), float(low), float(high)


def _curve(cost: Floats, rating: Floats) -> tuple[Floats, Floats]:
    """Costs and ratings of those members that are stronger than all cheaper ones."""
    order = np.lexsort((-rating, cost))
    cost, rating = cost[order], rating[order]
    before = np.concatenate([[-np.inf], np.maximum.accumulate(rating)[:-1]])
    return cost[rating > before], rating[rating > before]
