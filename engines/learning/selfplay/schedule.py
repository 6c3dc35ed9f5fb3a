"""Which games policies play (`policy_games.py`): sides, openings and random numbers.

Both games of a pair (2k and 2k + 1) of a match draw the same random numbers for the same colour,
and the sides are swapped. So a network scores exactly one half against itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dlgo.rng import derive_seed
from engines.learning.data.experience import Experience
from engines.learning.data.records import NO_RESULT


@dataclass(frozen=True)
class Schedule:
    """Which games are played."""

    sides: np.ndarray  # int64[games, 2], the index of the side that plays player 0, and player 1
    openings: np.ndarray  # int64[games], random plies at the beginning
    # uint64[games, 3], the generators of player 0, of player 1, and of the opening.
    seeds: np.ndarray
    # int64[games, k], ascending; or [games, 0]: none. With handovers, both players are the same
    # side: side i from ply `handover_plies[:, i]` on, until the next one takes over.
    handover_plies: np.ndarray

    @classmethod
    def match(cls, games: int, seed: int, openings: np.ndarray | int = 0) -> Schedule:
        """Side 0 against side 1, in pairs with swapped colours and equal random numbers."""
        return cls._seeded(_swapped(games), seed, openings, alike=2)

    @classmethod
    def practice(
        cls, games: int, seed: int, openings: np.ndarray | int = 0, opponent: bool = False
    ) -> Schedule:
        """Side 0 against itself, or side 1, with swapped colours and separate random numbers."""
        sides = _swapped(games) if opponent else np.zeros((games, 2), np.int64)
        return cls._seeded(sides, seed, openings)

    @classmethod
    def with_handovers(cls, plies: np.ndarray, seed: int) -> Schedule:
        """Games that one side starts and others continue; `plies`: see `handover_plies`."""
        return cls._seeded(np.zeros((len(plies), 2), np.int64), seed, handover_plies=plies)

    @classmethod
    def _seeded(
        cls, sides: np.ndarray, seed: int, openings: np.ndarray | int = 0, alike: int = 1,
        handover_plies: np.ndarray | None = None,
    ) -> Schedule:
        n = len(sides)
        seeds = [[derive_seed(seed, k // alike, i) for i in range(3)] for k in range(n)]
        plies = np.zeros((n, 0)) if handover_plies is None else handover_plies
        return cls(
            sides, np.broadcast_to(openings, n).astype(np.int64),
            np.array(seeds, np.uint64).reshape(n, 3), plies.astype(np.int64),
        )

    def sides_to_move(
        self, numbers: np.ndarray, plies: np.ndarray, players: np.ndarray
    ) -> np.ndarray:
        """The index of the side that moves in each of these games, after these plies: int64[n]."""
        if not self.handover_plies.shape[1]:
            return self.sides[numbers, players]
        return (self.handover_plies[numbers] <= plies[:, None]).sum(axis=1) - 1

    def followed_by(self, other: Schedule) -> Schedule:
        """These games, then the others."""
        return Schedule(*(
            np.concatenate([mine, theirs]) for mine, theirs in
            zip(vars(self).values(), vars(other).values(), strict=True)
        ))

    def part(self, start: int, stop: int) -> Schedule:
        """The games from `start` to before `stop`."""
        return Schedule(*(array[start:stop] for array in vars(self).values()))

    def __len__(self) -> int:
        return len(self.sides)


def _swapped(games: int) -> np.ndarray:
    """Side 0 is player 0 in even games, player 1 in odd ones."""
    colours = np.arange(games) % 2
    return np.stack([colours, 1 - colours], axis=1)


def points(experience: Experience, schedule: Schedule) -> np.ndarray:
    """The points of side 0, float64[games]: win 1, draw or no result 0.5, loss 0."""
    results = np.where(experience.results == NO_RESULT, 0, experience.results).astype(float)
    return 0.5 + 0.5 * results * np.where(schedule.sides[:, 0] == 0, 1, -1)
