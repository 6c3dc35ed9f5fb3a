"""An iteration's games in portions, which other processes and machines play.

A task has its games' seeds in it and is always played in batches of the same size, by ONNX
Runtime on one thread. So the games do not depend on the workers.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dlgo.api import GameSpec
from dlgo.digests import hex_digest
from dlgo.games import get_game
from engines.jobs import Amount, Executor, Task
from engines.learning.data.experience import Experience, merged
from engines.learning.selfplay.policy_games import Side, network_side, play_steps
from engines.learning.selfplay.schedule import Schedule

# Number of tasks of an iteration if workers play.
PORTIONS = 16


@dataclass(frozen=True)
class PlayedTask:
    """The games of a task."""

    encoder: str  # what the learner saw
    arrays: dict[str, np.ndarray]  # of `Experience`
    digest: str  # of these arrays: equal games, equal digest
    cpu_seconds: float  # of the process, for them

    @classmethod
    def of(cls, experience: Experience, start: float) -> PlayedTask:
        """The games; `start` is the process's CPU time before the task."""
        arrays = experience.arrays
        digest = hex_digest((array.tobytes() for array in arrays.values()), 64)
        return cls(experience.encoder, arrays, digest, time.process_time() - start)


def play_task(
    game: str, sides: Sequence[Side], schedule: Schedule, rows: int, *networks: Path
) -> Generator[Amount, None, PlayedTask]:
    """Play a task, `rows` games at once at most. Sides have no scorers; `networks` are the
    folders of their models."""
    start, spec = time.process_time(), get_game(game)
    players = [network_side(str(network), spec, "onnx", side)
               for side, network in zip(sides, networks, strict=True)]
    experience = yield from play_steps(spec, players, schedule, rows)
    return PlayedTask.of(experience, start)


def cut(games: int, count: int) -> list[tuple[int, int]]:
    """The first game of each portion, and the one after its last."""
    ends = np.unique([games * k // count for k in range(count + 1)]).tolist()
    return list(itertools.pairwise(ends))


def play_in_portions(
    jobs: Executor, game: GameSpec, sides: Sequence[Side], networks: Sequence[Path],
    schedule: Schedule, rows: int, count: int, progress: Callable[[int, int], None],
) -> tuple[Experience, float]:
    """Play a schedule's games in portions: (the games without returns, CPU seconds).

    There are `count` portions, fewer if there are fewer games; for the rest see `play_task`. The
    number of games that have ended, and of how many, goes to `progress`.
    """
    games, portions = len(schedule), []
    for first, last in cut(games, count):
        part = schedule.part(first, last)
        n_sides = 1 + int(part.sides.max())
        portions.append(Task(
            f"games {first}-{last - 1}", play_task, (str(game), sides[:n_sides], part, rows),
            tuple(networks[:n_sides]),
        ))
    return play_tasks(jobs, game, portions, games, progress)


def play_tasks(
    jobs: Executor, game: GameSpec, tasks: Sequence[Task], games: int,
    progress: Callable[[int, int], None],
) -> tuple[Experience, float]:
    """Play tasks, whose results are `PlayedTask`s, `games` games in all; returns as
    `play_in_portions`."""
    with closing(jobs.run(tasks, lambda done: progress(done.items, games))) as outcomes:
        shares = {outcome.task.key: outcome.value for outcome in outcomes}
    parts: list[PlayedTask] = [shares[task.key] for task in tasks]
    return (merged([_experience(game, part) for part in parts]),
            sum(part.cpu_seconds for part in parts))


def _experience(game: GameSpec, part: PlayedTask) -> Experience:
    arrays: dict[str, Any] = part.arrays
    return Experience(game, encoder=part.encoder, **arrays)
