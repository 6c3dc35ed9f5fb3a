"""Self-play that does not wait for the learner (`ahead`): asynchronous AlphaZero.

The games of an iteration are handed out as soon as a worker is free, with the newest network there
is at that moment, though the learner may still be busy with the games before them. An iteration is
learned when all its games are there. So an iteration's games, their numbers, seeds and shards are
those of a run in turns; only the network that plays them may be an older one, by `ahead` iterations
at most. Each shard says which network that was.

A run that was killed goes on with what is there: it keeps shards of later iterations, and plays
unfinished ones anew.
"""

from __future__ import annotations

from pathlib import Path
from threading import Lock

from engines.alphazero.config import AlphaZeroConfig
from engines.alphazero.workers import Job
from engines.jobs import Outcome, Portion, Source


class AheadSchedule(Source[Portion]):
    """The jobs of all iterations, in their order, each handed out once.

    Args:
        config: of the run. folder: of the run.
        learned: iterations that have been learned. player: the newest network that may play.
    """

    def __init__(self, config: AlphaZeroConfig, folder: Path, learned: int, player: int) -> None:
        self._config, self._folder = config, folder
        self._next = learned * config.workers  # counted through all iterations
        self._under_way: dict[str, Job] = {}
        self._lock = Lock()
        self._learned, self._player = learned, player

    def publish(self, learned: int, player: int) -> None:
        """Another iteration has been learned and kept; the network of `player` may play."""
        self._player, self._learned = player, learned

    def _end(self) -> int:
        """The first job that may not be handed out yet."""
        config = self._config
        return min(self._learned + 1 + config.ahead, config.iterations) * config.workers

    def take(self, count: int) -> list[Portion]:
        portions: list[Portion] = []
        with self._lock:
            while len(portions) < count and self._next < self._end():
                iteration, worker = divmod(self._next, self._config.workers)
                job = Job(self._config, iteration + 1, worker, self._player, self._folder)
                self._next += 1
                if job.numbers and job.stored_stats() is None:
                    self._under_way[job.path.name] = job
                    portions.append(job.portion)
        return portions

    def keep(self, outcome: Outcome) -> None:
        """Write the games that have been played."""
        self._under_way[outcome.portion.key].keep(outcome)
        with self._lock:
            del self._under_way[outcome.portion.key]

    def is_whole(self, iteration: int) -> bool:
        """Whether all games of an iteration are there."""
        with self._lock:
            return self._next >= iteration * self._config.workers and not any(
                job.iteration == iteration for job in self._under_way.values()
            )

    def remaining(self) -> int:
        return max(0, self._end() - self._next)

    def note(self) -> str:
        """How old the networks are that play now."""
        with self._lock:
            ages = [self._player - job.player for job in self._under_way.values()]
        mean = sum(ages) / max(len(ages), 1)
        return f"network {self._player} is the newest, games are by networks {mean:.1f} older"
