"""Processes that play a round of self-play, one a core, and write the games.

Each plays its share in lockstep with a network of its own on one thread. Two such processes
keep two cores busier than one whose network takes both: walking the trees of one runs beside
the network of the other. A worker's shard is written whole or not at all, and not played again
if it is there.

Called by `run.py`.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dlgo.errors import DataError, ModelError
from dlgo.games import get_game
from dlgo.rng import derive_seed
from engines.alphazero.plan import AlphaZeroPlan
from engines.alphazero.selfplay import SelfPlay, SelfPlayStats
from engines.datasets.shards import read_shard, shard_path, write_shard


@dataclass(frozen=True)
class Job:
    """A worker's share of a round.

    Attributes:
        plan: of the run.
        iteration: number of the round, from 1; worker: which share.
        network: folder of the model that plays.
        folder: where the shard goes.
    """

    plan: AlphaZeroPlan
    iteration: int
    worker: int
    network: Path
    folder: Path

    @property
    def path(self) -> Path:
        """The shard."""
        return shard_path(self.folder, (self.iteration - 1) * self.plan.workers + self.worker)

    @property
    def numbers(self) -> range:
        """The games to play: every one of the round has a number of its own in the run."""
        start = (self.iteration - 1) * self.plan.games
        return range(start + self.worker, start + self.plan.games, self.plan.workers)


def stored_stats(job: Job) -> SelfPlayStats | None:
    """What a shard that was written earlier says of its games; None if it has to be played."""
    try:
        told = read_shard(job.path).provenance
        return SelfPlayStats(**told["stats"])
    except (DataError, KeyError, TypeError):
        return None


def play_job(job: Job) -> SelfPlayStats:
    """Play a share and write its shard."""
    from engines.nets.agent import NetworkAgent, encoder_of
    from engines.nets.evaluators import load_evaluator

    plan, game = job.plan, get_game(job.plan.game)
    cpu, wall = time.process_time(), time.perf_counter()
    evaluator = load_evaluator(str(job.network), plan.runtime)
    agent = NetworkAgent(
        evaluator, encoder_of(evaluator.card, game),
        sides=derive_seed(plan.seed, "sides", job.iteration) if plan.sides else None,
    )
    timed = _Timed(agent)
    selfplay = SelfPlay(game, timed, plan.selfplay, plan.seed)
    played = {}
    for number, data in selfplay.play(job.numbers):
        played[number] = data
        if _finished is not None:
            with _finished.get_lock():
                _finished.value += 1
    games = [played[number] for number in job.numbers]
    stats = selfplay.stats
    stats.network_seconds = timed.seconds
    stats.wall_seconds = time.perf_counter() - wall
    stats.cpu_seconds = time.process_time() - cpu
    write_shard(job.path, game, games, {
        "engine": f"self-play of {evaluator.network_id}", "seed": plan.seed,
        "iteration": job.iteration, "stats": asdict(stats), "cpu_seconds": stats.cpu_seconds,
    })
    return stats


# Games finished since the processes began, counted by all of them together; None in the parent.
_finished: Any = None


class _Timed:
    """An agent, and how long its answers took."""

    history = 0

    def __init__(self, agent: Any) -> None:
        self._agent = agent
        self.seconds = 0.0

    def evaluate(self, leaves: Any, n: int) -> Any:
        start = time.perf_counter()
        answer = self._agent.evaluate(leaves, n)
        self.seconds += time.perf_counter() - start
        return answer


class Workers:
    """The processes; they live as long as the run, so that they start and compile once."""

    def __init__(self, count: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._finished = context.Value("q", 0)
        self._pool = ProcessPoolExecutor(
            count, mp_context=context, initializer=_begin, initargs=(os.getpid(), self._finished),
        )

    def play(
        self, jobs: list[Job], progress: Callable[[int, int], None] = lambda done, of: None
    ) -> SelfPlayStats:
        """Play what is not there yet; the stats of all jobs together.

        Args:
            progress: told, a few times a second, how many games are done and of how many.

        Raises:
            ModelError: if a process dies.
        """
        total = SelfPlayStats()
        waiting: set[Future[SelfPlayStats]] = set()
        of, before = sum(len(job.numbers) for job in jobs), self._finished.value
        there = 0
        for job in jobs:
            stats = stored_stats(job)
            if stats is None:
                with _no_interrupt():  # a process may start here
                    waiting.add(self._pool.submit(play_job, job))
            else:
                total.add(stats)
                there += len(job.numbers)
        try:
            while waiting:
                ended, waiting = wait(waiting, 0.3, FIRST_COMPLETED)
                for future in ended:
                    total.add(future.result())
                progress(there + self._finished.value - before, of)
        except BrokenProcessPool as error:
            raise ModelError(
                f"a process of self-play has died ({error}); look at the free memory, and run the "
                "same command again: it continues"
            ) from None
        return total

    def close(self) -> None:
        """End the processes, finished or not."""
        processes = list((self._pool._processes or {}).values())
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.kill()


@contextlib.contextmanager
def _no_interrupt() -> Iterator[None]:
    """A process that is started in here inherits that Ctrl-C is blocked.

    It needs a second before it can ignore the signal itself. This process still receives it, a
    little later.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _begin(parent: int, finished: Any) -> None:
    """Leave Ctrl-C to the parent, and end when it ends."""
    import threading

    global _finished
    _finished = finished
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
