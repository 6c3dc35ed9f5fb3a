"""Intervals of ratings by resampling: a check on those that the likelihood gives.

A tournament is played again N times on paper: as many opening pairs as were played are drawn with
replacement, and the ratings are fitted anew. The middle 95% of a rating's N values is its interval
(the percentile bootstrap; Efron & Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13).
Whole pairs are drawn, because the two games of a pair share their opening and are not independent.
Where the two kinds of interval differ much, trust neither before more games are played.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dlgo.errors import DlgoError
from reports.intervals import quantile_interval
from reports.rating_table import Estimate, RatingTable
from reports.ratings import fit_ratings

if TYPE_CHECKING:
    import pandas as pd

# A percentile needs enough values in the tail: with 100 replicates, 2.5% are two or three values.
LEAST_REPLICATES = 100


@dataclass(frozen=True)
class Bootstrap:
    """Intervals by resampling, beside those of the likelihood."""

    ratings: tuple[Estimate, ...]  # in the order of the table; NaN bounds if too few could be rated
    first_move: Estimate | None
    replicates: int
    pairs: int  # opening pairs of a replicate
    incomplete: int  # replicates in which an entrant could not be rated


def check_replicates(replicates: int) -> int:
    """The number itself. Raises DlgoError if it is neither 0 (no bootstrap) nor enough."""
    if 0 < replicates < LEAST_REPLICATES:
        raise DlgoError(f"bootstrap: {replicates} replicates are too few for a 95% interval; "
                        f"use {LEAST_REPLICATES} or more")
    return replicates


def bootstrap_ratings(
    games: pd.DataFrame, table: RatingTable, replicates: int = 1000, seed: int = 1,
    progress: Callable[[int], None] = lambda done: None,
) -> Bootstrap:
    """Resample the opening pairs of one game's rated games.

    Columns of `games`: first, second, result and pair; a pair is the games that the same two
    entrants played from the opening of one number. `table` is what `fit_ratings` made of them; may
    be anchored. `progress` is called with the number of replicates done.
    """
    check_replicates(replicates)
    first, second = games["first"].to_numpy(str), games["second"].to_numpy(str)
    result = games["result"].to_numpy(float)
    players = np.sort([first, second], axis=0)
    pairs = games.reset_index(drop=True).groupby(
        [players[0], players[1], games["pair"].to_numpy()], sort=True)
    members = list(pairs.indices.values())
    generator = np.random.default_rng(seed)
    values = np.full((replicates, len(table.ratings)), np.nan)
    advantages = np.full(replicates, np.nan)
    for replicate in range(replicates):
        sample = generator.integers(len(members), size=len(members))
        rows = np.concatenate([members[pair] for pair in sample])
        fitted = fit_ratings(first[rows], second[rows], result[rows],
                             first_move=table.first_move is not None)
        values[replicate] = _on_the_same_scale(fitted, table)
        if fitted.first_move is not None:
            advantages[replicate] = fitted.first_move.value
        progress(replicate + 1)
    move = table.first_move
    return Bootstrap(
        tuple(percentiles(rating.value, column)
              for rating, column in zip(table.ratings, values.T, strict=True)),
        None if move is None else percentiles(move.value, advantages),
        replicates, len(members), int(np.isnan(values).any(axis=1).sum()),
    )


def check_ratings(
    games: pd.DataFrame, tables: Mapping[str, RatingTable], replicates: int, seed: int = 1,
    progress: Callable[[int], None] = lambda done: None,
) -> dict[str, Bootstrap]:
    """`bootstrap_ratings` of each game of `tables.games_frame`; empty for 0 replicates. The
    progress starts anew with each game."""
    if not replicates:
        return {}
    counted = games[games["counted"]]
    return {
        game: bootstrap_ratings(counted[counted["game"] == game], table, replicates, seed, progress)
        for game, table in tables.items()
    }


def _on_the_same_scale(fitted: RatingTable, table: RatingTable) -> np.ndarray:
    """(entrants,) ratings of a replicate, measured from the same entrants as the table's: its zero
    would move whenever an entrant happens to win every game of the replicate."""
    values = np.full(len(table.ratings), np.nan)
    for group in {rating.group for rating in table.ratings}:
        inside = [rating.entrant for rating in table.ratings if rating.group == group]
        zero, level = [entrant for entrant in inside if entrant in table.zero], 0.0
        if table.anchor is not None and table.anchor[0] in inside:
            zero, level = [table.anchor[0]], table.anchor[1]
        homes = {fitted[entrant].group if entrant in fitted else None for entrant in zero}
        if None in homes or len(homes) > 1:
            continue
        shift = level - np.mean([fitted[entrant].value for entrant in zero])
        for entrant in inside:
            if entrant in fitted and fitted[entrant].group in homes:
                values[table.index[entrant]] = fitted[entrant].value + shift
    return values


def percentiles(centre: float, values: np.ndarray) -> Estimate:
    """A number with the interval of its replicates; NaN bounds if too few of them are not NaN."""
    values = values[~np.isnan(values)]
    if len(values) < LEAST_REPLICATES:
        return Estimate(centre, float("nan"), float("nan"))
    low, high = quantile_interval(values)
    return Estimate(centre, float(low), float(high))
