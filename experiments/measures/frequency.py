"""How often positions occur in games: few of them very often, most of them once (Zipf's law).

The rank of the most frequent position is 1. Ranks are put together from 1, 2, 4, 8 and so on.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dlgo import GameSpec, GameState, kernels
from engines.learning.data import Dataset, GameData
from engines.learning.data.replay import start_state
from engines.learning.data.shards import PATTERN
from experiments.measures.mistakes import Position
from experiments.measures.solved import exact_outcomes

# Shards and games at the end of a training whose positions are counted.
_LAST_SHARDS, _LAST_GAMES = 16, 2000


class Visited(NamedTuple):
    """A position that occurs in games."""

    times: int
    moments: float  # sum of its moments in their games, each from 0 (the start) to 1
    line: np.ndarray  # actions that lead there


def by_rank(game: GameSpec, games: Sequence[GameData]) -> dict[int, list[Visited]]:
    """The positions of ranks 1, 2 to 3, 4 to 7, and so on, by the first of these ranks."""
    counts, moments = Counter[int](), defaultdict[int, float](float)
    lines: dict[int, np.ndarray] = {}
    for data in games:
        state = start_state(game, data.start).kernel_state
        for ply, action in enumerate(data.actions.tolist()):
            key = int(kernels.key(state))
            counts[key] += 1
            moments[key] += ply / len(data.actions)
            lines.setdefault(key, data.actions[:ply])
            kernels.play(state, action)
    ranked = [Visited(count, moments[key], lines[key]) for key, count in counts.most_common()]
    ranks = [2**k for k in range(len(ranked).bit_length())]
    return {rank: ranked[rank - 1 : 2 * rank - 1] for rank in ranks}


def last_games(run: Path) -> tuple[GameSpec, list[GameData]]:
    """The games at the end of a training, whose folder is given."""
    paths = sorted((run / "games").glob(PATTERN))[-_LAST_SHARDS:]
    data = Dataset.open(run / "games", paths=paths)
    return data.game, data.games()[-_LAST_GAMES:]


def frequencies(run: Path) -> Iterator[tuple[int, float, float]]:
    """For each entry of `by_rank` of a training's last games: the rank, the mean number of times
    that its positions occur, and their mean moment."""
    for rank, positions in by_rank(*last_games(run)).items():
        total = sum(position.times for position in positions)
        yield rank, total / len(positions), sum(position.moments for position in positions) / total


def solved_by_rank(run: Path, count: int) -> dict[str, list[Position]]:
    """Of each entry of `by_rank` of a training's last games, up to `count` random positions with
    exact outcomes in which a mistake is possible."""
    game, games = last_games(run)
    solve, rng, classes = exact_outcomes(game), np.random.default_rng(1), {}
    for rank, positions in by_rank(game, games).items():
        rows: list[Position] = []
        for k in rng.permutation(len(positions)):
            line = positions[k].line.tolist()
            (outcomes,) = solve([line])
            if len({*outcomes.values()}) > 1:
                state = GameState.new_game(game).play(*map(game.move_of, line))
                rows.append(Position(f"{rank} {k}", state, outcomes))
            if len(rows) == count:
                break
        if rows:
            classes[str(rank)] = rows
    return classes
