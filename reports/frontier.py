"""Which entrants are worth their cost: the frontier of strength per compute, with its uncertainty.

An entrant is on the frontier if nobody stronger costs as little: it is best for its cost, in
Pareto's sense. Costs of a move are means over many moves and taken as known. Ratings are not: how
likely an entrant is on the frontier comes from many draws of all ratings together, from the normal
distribution that the fit gives (`rating_table.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from reports.intervals import quantile_interval
from reports.rating_table import RatingTable

if TYPE_CHECKING:
    import pandas as pd

_COLUMNS = [
    "game", "entrant", "cost_ms", "rating", "best", "chance", "leader", "behind", "behind_low95",
    "behind_high95", "level", "level_low95", "level_high95",
]
_DRAWS = 4000
# Drawing the ratings of more entrants than that takes longer than the rest of a report.
_MOST = 500
# The least cost, ms: a clock may report 0.
_LEAST = 1e-4


def frontier_frame(ratings: pd.DataFrame, tables: Mapping[str, RatingTable]) -> pd.DataFrame:
    """One row for each entrant that a move has cost something, the cheapest of each game first.

    Columns: `cost_ms` (mean CPU time of a move), `rating`; `best`: whether nobody is stronger for
    that cost or less; `chance` that this is so; `leader`: the strongest for that cost or less, and
    `behind`: by how many Elo it is ahead, with its 95% interval; `level`: the best rating at that
    cost, with the interval of the best entrant.

    Args:
        ratings: from `tables.ratings_frame`.
        tables: from `tables.rate_games`. Of each game the largest group of entrants is taken that
            games link; a game with more than 500 of them has no rows.
    """
    import pandas as pd

    rows = [
        row for game, table in tables.items() if len(table.ratings) <= _MOST
        for row in _rows(ratings[ratings["game"] == game], table)
    ]
    return pd.DataFrame(rows, columns=_COLUMNS)


def _rows(ratings: pd.DataFrame, table: RatingTable) -> list[dict[str, object]]:
    linked = [rating.entrant for rating in table.ratings if rating.group == 1]
    part = ratings[ratings["entrant"].isin(linked) & ratings["mean_cpu_ms"].notna()]
    part = part.sort_values(["mean_cpu_ms", "rating"], kind="stable")
    places = [table.index[entrant] for entrant in part["entrant"]]
    value = part["rating"].to_numpy()
    size, axes = np.linalg.eigh(table.covariance[np.ix_(places, places)])
    spread = axes * np.sqrt(np.clip(size, 0.0, None))  # rounding may leave a size below zero
    noise = np.random.default_rng(1).standard_normal((_DRAWS, len(places)))
    samples = value + noise @ spread.T
    cost = part["mean_cpu_ms"].clip(lower=_LEAST).to_numpy(float)
    rows = []
    for i, row in enumerate(part.itertuples()):
        within = np.flatnonzero(cost <= cost[i])
        leader = int(within[np.argmax(value[within])])
        name = part["entrant"].iloc[leader]
        behind = table.difference(name, row.entrant)
        best_of = samples[:, within].max(axis=1)
        low, high = quantile_interval(best_of)
        rows.append({
            "game": row.game, "entrant": row.entrant, "cost_ms": row.mean_cpu_ms,
            "rating": row.rating, "best": leader == i,
            "chance": float(np.mean(samples[:, i] >= best_of)),
            "leader": name, "behind": behind.value,
            "behind_low95": behind.low95, "behind_high95": behind.high95,
            "level": value[leader], "level_low95": low, "level_high95": high,
        })
    return rows
