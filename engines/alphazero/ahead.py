"""Self-play that does not wait for the learner (`ahead`): asynchronous AlphaZero.

The games of an iteration are handed out as soon as somebody is free, with the newest network there
is at that moment, though the learner may still be busy with the games before them. An iteration is
learned when all its games are there. So an iteration's games, their numbers, seeds and shards are
those of a run in turns; only the network that plays them may be an older one, by `ahead` iterations
at most. Each shard says which network that was.

A run that was killed goes on with what is there: shards of later iterations are kept, and what was
under way is played anew.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from engines.alphazero.workers import Job, stored_stats
from engines.jobs import Amount, Background, Jobs, Outcome, Portion, Source


class _Schedule(Source[Portion]):
    """The jobs of all iterations, in their order, each handed out once.

    Args:
        job: makes the job of (iteration, worker, iteration of the network that plays).
        iterations: of the run. workers: jobs of each.
        ahead: iterations that may be handed out beyond the one that comes next.

    Attributes:
        learned: iterations that have been learned. player: the newest network that may play.
    """

    def __init__(
        self, job: Callable[[int, int, int], Job], iterations: int, workers: int, ahead: int,
        learned: int, player: int,
    ) -> None:
        self._job, self._workers = job, workers
        self._iterations, self._ahead = iterations, ahead
        self._next = learned * workers  # counted through all iterations
        self._under_way: dict[str, Job] = {}
        self._lock = Lock()
        self.learned, self.player = learned, player

    def _end(self) -> int:
        """The first job that may not be handed out yet."""
        return min(self.learned + 1 + self._ahead, self._iterations) * self._workers

    def take(self, count: int) -> list[Portion]:
        portions: list[Portion] = []
        with self._lock:
            while len(portions) < count and self._next < self._end():
                iteration, worker = divmod(self._next, self._workers)
                job = self._job(iteration + 1, worker, self.player)
                self._next += 1
                if job.numbers and stored_stats(job) is None:
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
            return self._next >= iteration * self._workers and not any(
                job.iteration == iteration for job in self._under_way.values()
            )

    def remaining(self) -> int:
        return max(0, self._end() - self._next)

    def note(self) -> str:
        """How old the networks are that play now."""
        with self._lock:
            ages = [self.player - job.player for job in self._under_way.values()]
        mean = sum(ages) / max(len(ages), 1)
        return f"network {self.player} is the newest, games are by networks {mean:.1f} older"


class SelfPlayAhead(Background):
    """Plays the games of a run while it learns; other work, such as matches, goes first.

    Args:
        jobs: who plays; closed with this.
        job, iterations, workers, ahead, learned, player: as of `_Schedule`.
    """

    def __init__(
        self, jobs: Jobs, job: Callable[[int, int, int], Job], iterations: int, workers: int,
        ahead: int, learned: int, player: int,
    ) -> None:
        self._schedule = _Schedule(job, iterations, workers, ahead, learned, player)
        super().__init__(jobs, self._schedule, self._schedule.keep)

    def publish(self, learned: int, player: int) -> None:
        """Another iteration has been learned and kept.

        Args:
            player: the newest network that may play.
        """
        self._schedule.player, self._schedule.learned = player, learned

    def wait_for(self, iteration: int, tell: Callable[[int], None]) -> None:
        """Wait until all games of an iteration are there.

        Args:
            tell: called several times a second with how many games have been played since the
                start, those of later iterations included.

        Raises:
            DlgoError: as `Background.wait`.
        """
        def tell_games(amount: Amount) -> None:
            tell(amount.items)

        self.wait(lambda: self._schedule.is_whole(iteration), tell_games)
