"""The positions of a learner's games as arrays, and measures of them: the doctor's instruments.

`replay_games` lays games out with a row for each position; the functions below it measure one
thing each. Values and results are seen by the player to move, -1 to 1.
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
    Plies,
)
from engines.learning.data.replay import Replayer

# A value so near to a result was proved by the search, and says nothing about the network.
_PROVED = 0.999


@dataclass(frozen=True, eq=False)
class Positions:
    """Positions of self-play, a row each, in the order of games and plies.

    Attributes:
        game, games: what was played.
        which, ply: int64[n], the game of each position and the plies played before it.
        players: int8[n]. keys: int64[n].
        legal: bool[n, num_actions], the sensible moves.
        labelled, full: bool[n], whether there is something to learn, and a policy.
        values: float[n], of the search, nan where there is none. results: float[n].
        chosen: int64[n], the search's move.
        policies: float32[n, num_actions], of the search; all 0 where there is none.
    """

    game: GameSpec
    games: Sequence[GameData]
    which: np.ndarray
    ply: np.ndarray
    players: np.ndarray
    keys: np.ndarray
    legal: np.ndarray
    labelled: np.ndarray
    full: np.ndarray
    values: np.ndarray
    results: np.ndarray
    chosen: np.ndarray
    policies: np.ndarray

    def __len__(self) -> int:
        return len(self.which)

    def line(self, row: int) -> list[int]:
        """The actions that led to a position."""
        return self.games[self.which[row]].actions[: self.ply[row]].tolist()


def replay_games(game: GameSpec, games: Sequence[GameData]) -> Positions:
    """Lay out games.

    Raises:
        ValueError: with the index of a game that breaks the rules.
    """
    plies = Plies(games)
    replayer = Replayer(get_encoder(default_encoder(game), game))
    players, keys, legal = replayer.survey(
        [(data.actions, data.start) for data in games], plies.which, plies.ply)
    results = np.where(plies.results == NO_RESULT, 0, plies.results)
    policies = plies.policies(np.arange(len(players)), game.num_actions)
    policies /= np.maximum(policies.sum(axis=1, keepdims=True), 1e-9)
    return Positions(
        game, games, plies.which, plies.ply, players, keys, legal,
        plies.flags & LABELLED > 0, plies.flags & FULL_SEARCH > 0,
        np.where(plies.values == NO_VALUE, np.nan, plies.values / VALUE_SCALE),
        results * (1 - 2 * players.astype(float)), plies.chosen.astype(np.int64), policies,
    )


def correlation(x: np.ndarray, y: np.ndarray) -> float:
    """Pearson's; 0 where one of them is constant or there are too few."""
    if len(x) < 20 or np.std(x) < 1e-6 or np.std(y) < 1e-6:
        return 0.0
    return float(np.corrcoef(x, y)[0, 1])


@dataclass(frozen=True)
class Calibration:
    """How well expected values and results agree.

    Attributes:
        bins: (mean expected value, mean result, positions) of positions with about the same value.
        correlation: of value and result.
        error: mean squared error; spread: that of always expecting the mean result.
        positions: how many were compared.
    """

    bins: list[tuple[float, float, int]]
    correlation: float
    error: float
    spread: float
    positions: int


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


@dataclass(frozen=True)
class Variety:
    """How different games are.

    Attributes:
        games: how many. distinct: share of them that are not equal to an earlier one.
        commonest: share of all games that are one and the same.
        repeated: share of the positions after ply `after` that occurred before.
    """

    games: int
    distinct: float
    commonest: float
    repeated: float
    after: int


def variety(positions: Positions) -> Variety:
    """How different the games are, and the positions in their middle."""
    lines = [data.actions.astype(np.int64).tobytes() for data in positions.games]
    _, counts = np.unique(np.array([hash(line) for line in lines]), return_counts=True)
    after = int(np.median(positions.ply)) if len(positions) else 0
    keys = positions.keys[positions.ply >= after]
    repeated = 1 - len(np.unique(keys)) / len(keys) if len(keys) else 0.0
    return Variety(len(lines), len(counts) / max(len(lines), 1),
                   float(counts.max(initial=0)) / max(len(lines), 1), repeated, after)


def entropy(policies: np.ndarray) -> np.ndarray:
    """Of each row, in nats."""
    return -(policies * np.log(np.maximum(policies, 1e-12))).sum(axis=1)


def divergence(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Kullback-Leibler of each row, from q to p, in nats."""
    ratio = np.log(np.maximum(p, 1e-12)) - np.log(np.maximum(q, 1e-12))
    return (p * ratio).sum(axis=1)


def distance(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Of each row: the share that would have to move (total variation), 0 to 1."""
    return 0.5 * np.abs(p - q).sum(axis=1)
