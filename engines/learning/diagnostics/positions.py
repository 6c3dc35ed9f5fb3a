"""The positions of a learner's games as arrays, and measures of them: the doctor's instruments.

`Positions` lays games out with a row for each position; the functions below it measure one thing
each. Values and outcomes are seen by the player to move, -1 to 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dlgo.api import GameSpec
from dlgo.encoders import default_encoder, get_encoder
from engines.learning.data.records import (
    FULL_SEARCH,
    LABELLED,
    NO_RESULT,
    NO_VALUE,
    VALUE_SCALE,
    GameData,
    LabelledGames,
)
from engines.learning.data.replay import Replayer

# A value so near to a result was proved by the search, and does not depend on the network.
_PROVED = 0.999


class Positions:
    """Positions of self-play, a row each, in the order of games and plies.

    Attributes:
        game: what was played. games: side by side.
        ply: int64[n], the plies of the game before each position.
        players: int8[n]. keys: int64[n].
        legal: bool[n, num_actions], the sensible moves.
        labelled, full: bool[n], whether there is something to learn, and a policy.
        search_values: float[n], nan where there is none. outcomes: float[n], of the games.
        chosen: int[n], the search's move.
        shares: float32[n, num_actions], the search's policy; all 0 where there is none.
    """

    def __init__(self, game: GameSpec, games: Sequence[GameData]) -> None:
        self.game = game
        self.games = columns = LabelledGames.of(game, games)
        rows = np.arange(len(columns.actions))
        self._which = columns.games_of(rows)
        self.ply = rows - columns.firsts[self._which]
        replayer = Replayer(get_encoder(default_encoder(game), game), columns)
        self.players, self.keys, self.legal = replayer.survey()
        self.labelled, self.full = columns.flags & LABELLED > 0, columns.flags & FULL_SEARCH > 0
        self.search_values = np.where(
            columns.values == NO_VALUE, np.nan, columns.values / VALUE_SCALE)
        results = np.where(columns.results == NO_RESULT, 0, columns.results)[self._which]
        self.outcomes = results * (1 - 2 * self.players.astype(float))
        self.chosen, shares = columns.chosen, columns.policies(rows)
        self.shares = shares / np.maximum(shares.sum(axis=1, keepdims=True), 1e-9)

    def line(self, row: int) -> list[int]:
        """The actions that led to a position."""
        return self.games.actions[row - self.ply[row] : row].tolist()


def correlation(x: np.ndarray, y: np.ndarray) -> float:
    """Pearson's; 0 where one of them is constant or there are too few."""
    if len(x) < 20 or np.std(x) < 1e-6 or np.std(y) < 1e-6:
        return 0.0
    return float(np.corrcoef(x, y)[0, 1])


@dataclass(frozen=True)
class Calibration:
    """How well expected values and results agree."""

    # (mean expected value, mean result, positions) of positions with about the same value.
    bins: list[tuple[float, float, int]]
    correlation: float  # of value and result
    error: float  # mean squared error; spread: that of always expecting the mean result.
    spread: float
    positions: int  # how many were compared


def calibrate(values: np.ndarray, results: np.ndarray, n_bins: int = 10) -> Calibration:
    """Compare values with results; values that were proved are left out."""
    open_ended = np.isfinite(values) & (np.abs(values) < _PROVED)
    values, results = values[open_ended], results[open_ended]
    place = np.clip(((values + 1) / 2 * n_bins).astype(int), 0, n_bins - 1)
    bins = [
        (float(values[place == k].mean()), float(results[place == k].mean()),
         int((place == k).sum()))
        for k in range(n_bins) if (place == k).any()
    ]
    if not len(values):
        return Calibration([], 0.0, 0.0, 0.0, 0)
    return Calibration(
        bins, correlation(values, results), float(((values - results) ** 2).mean()),
        float(results.var()), len(values),
    )


def divergence(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Kullback-Leibler of each row, from q to p, in nats."""
    ratio = np.log(np.maximum(p, 1e-12)) - np.log(np.maximum(q, 1e-12))
    return (p * ratio).sum(axis=1)


def distance(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Of each row: the share that would have to move (total variation), 0 to 1."""
    return 0.5 * np.abs(p - q).sum(axis=1)
