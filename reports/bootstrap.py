"""Intervals of ratings by resampling: a check on those that the likelihood gives.

A tournament is played again N times on paper: the opening pairs are drawn from it with
replacement, as many as there were, and the ratings are fitted anew. The middle 95% of a rating's
N values is its interval (the percentile bootstrap; Efron & Tibshirani, An Introduction to the
Bootstrap, 1993, chapter 13). Whole pairs are drawn, because the two games of a pair share their
opening and are not independent; the likelihood ignores that. Where the two kinds of interval
differ much, trust neither before more games are played.

Ratings are measured in every replicate from the entrants that make up the zero of the table,
or from its anchor: otherwise the zero would move whenever an entrant happens to win every
game of a replicate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dlgo.errors import DlgoError
from reports.rating_table import Estimate, RatingTable
from reports.ratings import fit_ratings

if TYPE_CHECKING:
    import pandas as pd

# A percentile needs a tail to stand in: with 100 replicates, 2.5% are two or three values.
LEAST_REPLICATES = 100


@dataclass(frozen=True)
class Bootstrap:
    """Intervals by resampling, beside those of the likelihood.

    Attributes:
        ratings: for each entrant in the order of the table, its rating in the table with the
            bootstrap's interval; NaN bounds if too few replicates could rate it.
        first_move: the same for the first-move advantage, or None.
        replicates: how many tournaments were drawn.
        pairs: how many opening pairs a replicate consists of.
        incomplete: replicates in which somebody played no game or lost touch with the zero;
            they count for the others only.
    """

    ratings: tuple[Estimate, ...]
    first_move: Estimate | None
    replicates: int
    pairs: int
    incomplete: int


def bootstrap_ratings(
    games: pd.DataFrame, table: RatingTable, replicates: int = 1000, seed: int = 1,
    progress: Callable[[int], None] = lambda done: None,
) -> Bootstrap:
    """Resample the opening pairs of one game's rated games.

    Args:
        games: columns first, second, result and pair; a pair is the games that the same two
            entrants played from the opening of one number.
        table: what `fit_ratings` made of these games; may be anchored.
        replicates: tournaments to draw.
        progress: called with the number of replicates done.

    Raises:
        DlgoError: if there are fewer than 100 replicates.
    """
    if replicates < LEAST_REPLICATES:
        raise DlgoError(
            f"bootstrap: {replicates} replicates are too few for a 95% interval; "
            f"take {LEAST_REPLICATES} or more"
        )
    names = [rating.entrant for rating in table.ratings]
    first, second = games["first"].to_numpy(str), games["second"].to_numpy(str)
    result = games["result"].to_numpy(float)
    members = _members(games)
    generator = np.random.default_rng(seed)
    values = np.full((replicates, len(names)), np.nan)
    advantages = np.full(replicates, np.nan)
    for replicate in range(replicates):
        drawn = generator.integers(len(members), size=len(members))
        rows = np.concatenate([members[pair] for pair in drawn])
        fitted = fit_ratings(first[rows], second[rows], result[rows])
        values[replicate] = _on_the_same_scale(fitted, table)
        if fitted.first_move is not None:
            advantages[replicate] = fitted.first_move.value
        progress(replicate + 1)
    centres = [rating.value for rating in table.ratings]
    advantage = None
    if table.first_move is not None:
        advantage = _percentiles(table.first_move.value, advantages)
    return Bootstrap(
        tuple(_percentiles(*pair) for pair in zip(centres, values.T, strict=True)),
        advantage, replicates, len(members), int(np.isnan(values).any(axis=1).sum()),
    )


def check_ratings(
    games: pd.DataFrame, tables: Mapping[str, RatingTable], replicates: int, seed: int = 1,
    progress: Callable[[int], None] = lambda done: None,
) -> dict[str, Bootstrap]:
    """`bootstrap_ratings` of each game of `tables.games_frame`; empty for 0 replicates.

    The progress starts anew with each game.
    """
    if not replicates:
        return {}
    counted = games[games["counted"]]
    return {
        game: bootstrap_ratings(counted[counted["game"] == game], table, replicates, seed, progress)
        for game, table in tables.items()
    }


def add_intervals(ratings: pd.DataFrame, checks: Mapping[str, Bootstrap]) -> pd.DataFrame:
    """`ratings` (of `tables.ratings_frame`) with bootstrap_low95 and bootstrap_high95 filled in."""
    ratings = ratings.copy()
    for column, end in (("bootstrap_low95", "low95"), ("bootstrap_high95", "high95")):
        for game, check in checks.items():
            ratings.loc[ratings["game"] == game, column] = [
                getattr(estimate, end) for estimate in check.ratings
            ]
    return ratings


def _members(games: pd.DataFrame) -> list[np.ndarray]:
    """The rows of each opening pair."""
    entrants = games[["first", "second"]].astype(str)
    keys = [entrants.min(axis=1), entrants.max(axis=1), games["pair"]]
    return list(games.reset_index(drop=True).groupby(
        [key.to_numpy() for key in keys], sort=True
    ).indices.values())


def _on_the_same_scale(fitted: RatingTable, table: RatingTable) -> np.ndarray:
    """(entrants,) ratings of a replicate, measured from the same entrants as the table's."""
    by_name = {rating.entrant: rating for rating in fitted.ratings}
    values = np.full(len(table.ratings), np.nan)
    for group in {rating.group for rating in table.ratings}:
        inside = [i for i, rating in enumerate(table.ratings) if rating.group == group]
        zero = [table.ratings[i].entrant for i in inside if table.ratings[i].entrant in table.zero]
        level = 0.0
        if table.anchor is not None and any(
            table.ratings[i].entrant == table.anchor[0] for i in inside
        ):
            zero, level = [table.anchor[0]], table.anchor[1]
        if not all(entrant in by_name for entrant in zero):
            continue
        if len({by_name[entrant].group for entrant in zero}) > 1:
            continue
        home = by_name[zero[0]].group
        shift = level - np.mean([by_name[entrant].value for entrant in zero])
        for i in inside:
            rating = by_name.get(table.ratings[i].entrant)
            if rating is not None and rating.group == home:
                values[i] = rating.value + shift
    return values


def _percentiles(centre: float, values: np.ndarray) -> Estimate:
    values = values[~np.isnan(values)]
    if len(values) < LEAST_REPLICATES:
        return Estimate(centre, float("nan"), float("nan"))
    low, high = np.quantile(values, [0.025, 0.975])
    return Estimate(centre, float(low), float(high))
