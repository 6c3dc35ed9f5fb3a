"""The games of an iteration, in tasks that workers play.

A task becomes a shard file. It is written completely or not at all, and an existing one is not
played again.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from dlgo.errors import DataError
from dlgo.files import write_file
from dlgo.games import get_game
from engines.alphazero.config import AlphaZeroConfig
from engines.alphazero.self_play import SelfPlay
from engines.jobs import Amount, Executor, Task
from engines.learning.data.shards import read_shard, shard_bytes, shard_path
from engines.learning.networks.leaf_evaluator import load_leaf_evaluator
from engines.learning.networks.store import network_folder
from engines.learning.runs.checkpoint import REMEDY

# Called a few times a second with the number of finished games and their total.
Tell = Callable[[int, int], None]
# Number of network answers that a worker caches during a task: many games begin alike.
CACHE = 100_000


class SelfPlayTask(NamedTuple):
    """The games of an iteration that one worker plays."""

    config: AlphaZeroConfig
    folder: Path  # of the run
    iteration: int  # from 1
    worker: int
    player: int  # the iteration whose network plays

    @property
    def path(self) -> Path:
        """The shard."""
        number = (self.iteration - 1) * self.config.shares + self.worker
        return shard_path(self.folder / "games", number)

    @property
    def numbers(self) -> range:
        """The numbers of the games to play, unique in the run."""
        start = (self.iteration - 1) * self.config.games
        return range(start + self.worker, start + self.config.games, self.config.shares)

    @property
    def as_task(self) -> Task:
        """The task for an executor."""
        network = network_folder(self.folder, self.player)
        return Task(self.path.name, play_task, (self,), (network,))

    def stored_stats(self) -> Counter[str] | None:
        """The statistics of the games in the shard; None if it has to be played."""
        try:
            return Counter(read_shard(self.path).provenance["stats"])
        except (DataError, KeyError, TypeError):
            return None


class PlayedTask(NamedTuple):
    """The bytes of a shard, the digest of its games (equal games, equal digest), their stats."""

    shard: bytes
    digest: str
    stats: Counter[str]


def play_task(task: SelfPlayTask, network: Path) -> Generator[Amount, None, PlayedTask]:
    """Play a task with the model in the folder `network`."""
    config, game = task.config, get_game(task.config.game)
    cpu, wall = time.process_time(), time.perf_counter()
    evaluator = load_leaf_evaluator(str(network), game, config.runtime, cache=CACHE)
    self_play = SelfPlay(game, evaluator, config.selfplay, config.seed)
    games = {}
    for number, data in self_play.play(task.numbers):
        games[number] = data
        yield Amount(1, data.n_positions)
    stats = self_play.stats
    stats.update(
        cache_hits=evaluator.cache_hits, network_seconds=evaluator.seconds,
        wall_seconds=time.perf_counter() - wall, cpu_seconds=time.process_time() - cpu,
    )
    return PlayedTask(*shard_bytes(game, [games[number] for number in task.numbers], {
        "engine": f"self-play of {evaluator.network_id}", "seed": config.seed,
        "iteration": task.iteration, "stats": dict(stats), "cpu_seconds": stats["cpu_seconds"],
    }), stats)


def play_tasks(
    jobs: Executor, tasks: Sequence[SelfPlayTask], tell: Tell = lambda done, of: None
) -> Counter[str]:
    """Play what is not there yet; the stats of all tasks together."""
    total: Counter[str] = Counter()
    missing = {}
    for task in tasks:
        stats = task.stored_stats()
        if stats is None:
            missing[task.path.name] = task
        total.update(stats or {})
    of = sum(len(task.numbers) for task in tasks)
    stored_games = of - sum(len(task.numbers) for task in missing.values())
    waiting = [task.as_task for task in missing.values()]
    with closing(jobs.run(waiting, lambda done: tell(stored_games + done.items, of))) as outcomes:
        for outcome in outcomes:
            path = missing[outcome.task.key].path
            write_file(path, outcome.value.shard, error=DataError, remedy=REMEDY)
            total.update(outcome.value.stats)
    return total


def columns(stats: Counter[str]) -> dict[str, float]:
    """The statistics of an iteration's games as columns of the history."""
    games, full = max(stats["games"], 1), max(stats["full"], 1)
    return {
        "games": stats["games"], "plies": stats["plies"], "evaluations": stats["evaluations"],
        "cache_hits": stats["cache_hits"] / max(stats["evaluations"], 1),
        "batch": stats["evaluations"] / max(stats["steps"], 1),
        "first_won": stats["won"] / games, "drawn": stats["drawn"] / games,
        "first_lost": stats["lost"] / games,
        **{name: stats[name] / full
           for name in ("entropy", "prior_entropy", "divergence", "agreed")},
        "resigned": stats["resigned"] / games,
        "resigned_wrongly": stats["wrong"] / max(stats["checked"], 1),
        "network_share": stats["network_seconds"] / max(stats["wall_seconds"], 1e-9),
        "selfplay_cpu_seconds": stats["cpu_seconds"],
        "evaluations_per_second": stats["evaluations"] / max(stats["cpu_seconds"], 1e-9),
    }
