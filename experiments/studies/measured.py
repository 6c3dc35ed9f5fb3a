"""What studies measure of players: games, ratings, and mistakes in solved positions.

Intervals (95%) come from a bootstrap over games and seeds at once. Ratings are drawn from the
normal distribution that their fit gives, counts of mistakes from the binomial one. Of a network's
n seeds, n - 1 are drawn with replacement; n would make the interval of so few too narrow by the
factor sqrt(1 - 1/n) (Rao and Wu 1988). Seeds differ by the luck of their games, too. This luck
counts twice, so intervals are too wide, by at most the factor sqrt(1 + n / (n - 1)).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from dlgo import get_game
from dlgo.errors import SpecError
from dlgo.records.ledger import Ledger
from engines.jobs import Processes
from experiments.arena.schedule import Plan
from experiments.arena.tournament import run_tournament
from experiments.measures.mistakes import Position, measure
from experiments.measures.solved import solved_positions
from reports import tables
from reports.ratings import fit_ratings

Positions = Mapping[str, Sequence[Position]]  # by class
Row = Sequence[Any]
P = TypeVar("P", bound=Row)  # a player of a study
# A table of rated players, and what other games and seeds might have given (`replicates`).
Rated = Sequence[pd.DataFrame]


def play(
    game: str, entrants: Sequence[str], pairings: Iterable[tuple[int, int]], pairs: int,
    folder: Path, workers: int | None,
) -> pd.DataFrame:
    """Play the games that are missing; `pairings` has the rows of the entrants that meet. All games
    without repetitions: the rows of the players (first, second), pair and result."""
    columns = ["first", "second", "pair", "result"]
    matches = tuple((entrants[i], entrants[k]) for i, k in pairings)
    if not pairs or not matches:
        return pd.DataFrame(columns=columns)
    plan = Plan((game,), tuple(entrants), pairs, seed=1, pairings=matches).canonical()
    run_tournament(plan, folder / "games.sqlite", workers)
    with Ledger(folder / "games.sqlite", read_only=True) as ledger:
        games = tables.games_frame(ledger)
    rows = {entrant: row for row, entrant in enumerate(entrants)}
    games = games[games["counted"] & games["first"].isin(rows) & games["second"].isin(rows)]
    return games[columns].replace({"first": rows, "second": rows}).sort_values(
        ["first", "second", "pair"], ignore_index=True)


def rate(players: pd.DataFrame, games: pd.DataFrame) -> tuple[pd.DataFrame, np.ndarray]:
    """The players with a column `rating`, and the covariance of these. Without games both are 0.

    Args:
        games: columns first and second, row numbers of players, and result.
    """
    if games.empty:
        return players.assign(rating=0.0), np.zeros((len(players), len(players)))
    table = fit_ratings(
        games["first"].astype(str), games["second"].astype(str), games["result"])
    places = [table.index[str(row)] for row in range(len(players))]
    return (players.assign(rating=[table.ratings[place].value for place in places]),
            table.covariance[np.ix_(places, places)])


def replicates(
    players: pd.DataFrame, covariance: np.ndarray, draws: int = 400, by: str = "size"
) -> Iterator[pd.DataFrame]:
    """Tables that other games and other seeds might have given; `by` is the column that says what
    was trained with several seeds."""
    rng = np.random.default_rng(1)
    size, axes = np.linalg.eigh(covariance)
    # The symmetric root: signs and order of the axes, which differ by machine, don't matter.
    # Rounding may leave a size below zero.
    spread = axes * np.sqrt(np.clip(size, 0.0, None)) @ axes.T
    counts = players[["mistakes", "positions"]].fillna(0).astype(int)
    shares = counts["mistakes"] / counts["positions"].clip(lower=1)
    networks = [
        [part.index.to_numpy() for _, part in of.groupby("seed")]
        for _, of in players.groupby(by, sort=False)
    ]
    for _ in range(draws):
        ratings = players["rating"] + spread @ rng.standard_normal(len(spread))
        sample = players.assign(rating=ratings, mistakes=rng.binomial(counts["positions"], shares))
        rows = [
            seeds[k] for seeds in networks
            for k in (rng.integers(len(seeds), size=len(seeds) - 1) if len(seeds) > 1 else (0,))
        ]
        yield sample.loc[np.concatenate(rows)]


def completed(
    path: Path, keys: Sequence[Row], columns: Sequence[str], rows_of: Callable[[Any], Iterable[Row]]
) -> pd.DataFrame:
    """The table in a file. It has rows for each key, which is their beginning; `rows_of` makes the
    rest of those that are missing."""
    rows = tables.read_csv(path).to_numpy(object).tolist() if path.exists() else []
    for key in keys:
        if not any(row[:len(key)] == [*key] for row in rows):
            rows += [[*key, *row] for row in rows_of(key)]
            tables.write_csv(pd.DataFrame(rows, columns=columns), path)
    return pd.DataFrame(rows, columns=columns)


def count_mistakes(
    path: Path, players: Mapping[P, str], columns: Sequence[str],
    sets_of: Callable[[P], Positions], workers: int | None,
) -> pd.DataFrame:
    """The positions and mistakes of each player; completes a table of them by class of positions.

    Args:
        players: the engine of each. columns: their fields, and a name for the class.
    """
    def rows_of(player: P) -> Iterable[Row]:
        measured = measure(players[player], sets_of(player), jobs)
        return [(name, share.positions, share.mistakes) for name, share in measured.items()]

    counts = ["positions", "mistakes"]
    with Processes(workers) as jobs:
        table = completed(path, [*players], [*columns, *counts], rows_of)
    return table.groupby([*columns[:-1]])[counts].sum()


@functools.cache
def positions_of(game: str, count: int, workers: int | None) -> Positions:
    """`count` solved positions of each class; none for 0. Raises DlgoError if the game has none, or
    too few."""
    if not count:
        return {}
    with Processes(workers) as jobs:
        return solved_positions(get_game(game), count, jobs)


def check_kept(folder: Path, sets: Positions) -> None:
    """Raise SpecError if mistakes were counted in other positions before."""
    path = folder / "mistakes.csv"
    if sets and path.exists():
        table = tables.read_csv(path, dtype={"class": str})
        for name, count in zip(table["class"], table["positions"], strict=True):
            if count != len(sets.get(name, ())):
                raise SpecError(f"{path} was measured on {count} positions of class {name}, not "
                                f"{len(sets.get(name, ()))}; use the same number, or name "
                                "another folder")
