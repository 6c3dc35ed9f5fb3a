"""One line on each game: how much was played, who leads, what the first move is worth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from reports.differences import counts_of_games
from reports.rating_table import RatingTable

if TYPE_CHECKING:
    import pandas as pd

OVERVIEW_COLUMNS = (
    "game", "games", "rated", "entrants", "best",
    "first_score", "first_score_low95", "first_score_high95",
    "first_move_elo", "first_move_low95", "first_move_high95",
    "draws", "draws_low95", "draws_high95", "min_plies", "median_plies", "max_plies", "failures",
)


def overview_frame(games: pd.DataFrame, tables: Mapping[str, RatingTable]) -> pd.DataFrame:
    """One row a game.

    `first_score` is the share of points that first movers made in rated games, with the
    interval of `differences.Counts`; `first_move_elo` the advantage that the model of the
    ratings finds (NaN where it has no such term); `draws` a share with Wilson's interval.
    Lengths leave out games that ended by a breakdown.
    """
    import pandas as pd
    from scipy.stats import binomtest

    rows = []
    for game, table in tables.items():
        part = games[games["game"] == game]
        rated = part[part["counted"]]
        score = counts_of_games(list(rated["result"])).score_interval()
        drawn = int((rated["result"] == 0.5).sum())
        span = binomtest(drawn, len(rated)).proportion_ci(method="wilson")
        plies = rated.loc[~rated["failed"], "plies"]
        move = table.first_move
        rows.append(dict(zip(OVERVIEW_COLUMNS, (
            game, len(part), len(rated), len(table.ratings), table.ratings[0].entrant,
            score.value, score.low95, score.high95,
            *((move.value, move.low95, move.high95) if move else (float("nan"),) * 3),
            drawn / len(rated), span.low, span.high,
            plies.min(), plies.median(), plies.max(), int(part["failed"].sum()),
        ), strict=True)))
    return pd.DataFrame(rows, columns=list(OVERVIEW_COLUMNS))
