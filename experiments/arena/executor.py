"""Plays many games at once: one worker process a core, none of which can stop the others.

A pool of our own, because the ones in the standard library give up all their work when a
process is killed. Here an engine that takes its process down, or hangs, loses that one game
with the reason stored; a new worker takes the place, and the tournament goes on.

Workers get games in batches, of which they always hold more than they can finish until this
process looks again, and send records back in batches: with fast engines a message for each
game would cost more than the game.
"""

from __future__ import annotations

import dataclasses
import os
import time
from collections import Counter, deque
from collections.abc import Callable, Container, Iterable, Iterator
from multiprocessing.connection import wait

from dlgo.errors import SpecError
from dlgo.records.ledger import GameRecord
from engines.jobs.protocol import ListSource, Source, WorkerError
from engines.programs import reaper
from experiments.arena.handle import SHUTDOWN_TIMEOUT, Loss, Worker
from experiments.arena.launch import Launches
from experiments.arena.limits import DEFAULT_LIMITS, Limits
from experiments.arena.provenance import core_count
from experiments.arena.referee import GameTask
from experiments.arena.running import RunningGame
from experiments.arena.worker import WarmedUp, WarmUp

# A worker that dies before it is ready, or in a game before any engine was at work, dies of
# something that is not an engine's fault. That often in a row, it is not an accident.
_UNEXPLAINED_DEATHS = 3
# Look at least this often whether all workers live and no engine is overdue: a child of an
# engine may hold the pipe open, so that the death of a worker shows in no other way.
_HEALTH_CHECK = 0.25
# The same while no game is under way, but one may be asked for.
_IDLE_CHECK = 0.02
# Seconds of work that a worker is sent: more than passes between two of its messages.
_WORK_AHEAD = 0.5
# Bytes of games sent at once: they must fit into a pipe (64 KiB) that a hanging worker does not
# empty, or this process would hang too. A game takes this many, and three times its slot.
_MOST_BYTES = 50_000
_TASK_BYTES = 250


def play_tasks(
    tasks: Source[GameTask] | Iterable[GameTask],
    workers: int | None = None,
    limits: Limits = DEFAULT_LIMITS,
    setup: str | None = None,
    look: Callable[[Callable[[], list[RunningGame]]], None] | None = None,
    launches: Launches | None = None,
) -> Iterator[list[GameRecord]]:
    """Play all games and yield their records as the games end, some at a time, in no order.

    Closing the generator, or Ctrl-C while it waits, kills the workers at once; what they were
    playing is not yielded. Use it inside `contextlib.closing`.

    Args:
        tasks: the games, handed out in this order.
        workers: processes; by default one for each core.
        limits: for every game.
        setup: "module:function", called in each worker before anything else.
        look: called several times a second with what gives the games in progress.
        launches: of entrants that nobody vouches for.

    Raises:
        WorkerError: if workers die and no engine is to blame.
    """
    source = tasks if hasattr(tasks, "take") else ListSource(tasks)
    pool = Pool(workers or core_count(), limits, setup, launches)
    all_done = False
    try:
        for records in pool.play(source):
            if records:
                yield records
            elif look is not None:
                look(pool.running_games)
        all_done = True
    finally:
        pool.shut_down(gently=all_done)


class _Queue:
    """Hands out games, in larger batches the faster they are played."""

    def __init__(self, source: Source[GameTask], workers: int) -> None:
        self._source = source
        self._workers = workers
        self._returned: deque[GameTask] = deque()
        self._began = time.monotonic()
        self._played = 0
        self._longest_slot = 0

    def take(self, count: int) -> list[GameTask]:
        """The next games, those first that a lost worker did not play."""
        taken = []
        while self._returned and len(taken) < count:
            task = self._returned.popleft()
            if self._source.wanted(task):
                taken.append(task)
        taken += self._source.take(count - len(taken))
        self._longest_slot = max([self._longest_slot, *(len(task.slot) for task in taken)])
        return taken

    def give_back(self, tasks: Iterable[GameTask]) -> None:
        """Games that were not played."""
        self._returned.extend(tasks)

    def finished(self, records: list[GameRecord]) -> None:
        """Count games, to know how fast they are."""
        self._played += len(records)
        self._source.finished(records)

    def fill(self, pool: Pool) -> bool:
        """Give every worker something to do; start workers while there is more. False when all
        is done."""
        ready = [worker for worker in pool.workers if worker.started]
        if not self._played:
            self._began = time.monotonic()  # what starting takes says nothing about the games
        batch = self._batch()
        for worker in sorted(ready, key=lambda worker: len(worker.tasks)):
            if 2 * len(worker.tasks) <= batch:
                share = self.take(batch)
                if not share:
                    break
                worker.send(share)
        starting, room = len(pool.workers) - len(ready), pool.size - len(pool.workers)
        if room and all(worker.tasks for worker in ready):
            waiting = self.take(starting + room)
            self._returned.extendleft(reversed(waiting))
            for _ in range(len(waiting) - starting):
                pool.start()
        busy = any(worker.tasks for worker in pool.workers)
        return bool(busy or self._returned or self._source.is_open())

    def _batch(self) -> int:
        """Games that a worker plays in `_WORK_AHEAD` seconds; fewer when few are left."""
        rate = self._played / max(time.monotonic() - self._began, 1e-3) / self._workers
        share = self._source.remaining() // (2 * self._workers)
        most = _MOST_BYTES // (_TASK_BYTES + 3 * self._longest_slot)
        return max(1, min(most, int(rate * _WORK_AHEAD), share))


class Pool:
    """The workers. They live until `shut_down`, so that they start and build engines once."""

    def __init__(
        self, size: int, limits: Limits, setup: str | None, launches: Launches | None = None
    ) -> None:
        self.size = size
        self.workers: list[Worker] = []
        self._limits = limits
        self._setup = setup
        self._launches = launches
        self._deaths: Counter[str] = Counter()
        self._killed: set[str] = set()  # slots of games in which a worker was killed
        self._mark = f"{os.getpid()}-{os.urandom(6).hex()}-"
        self._started = 0
        self._reaper = reaper.start(self._mark)

    def play(self, source: Source[GameTask]) -> Iterator[list[GameRecord]]:
        """Play all games of a source: their records, and several times a second an empty list."""
        queue = _Queue(source, self.size)
        while queue.fill(self):
            yield []
            for records in self.results(queue):
                queue.finished(records)
                yield records

    def start(self) -> Worker:
        """Start another worker."""
        self._started += 1
        mark = f"{self._mark}{self._started};"
        worker = Worker(self._setup, self._limits, mark, self._launches)
        self.workers.append(worker)
        worker.start()
        return worker

    def results(self, queue: _Queue) -> Iterator[list[GameRecord]]:
        """Wait a little for something to happen; the games that have ended."""
        self.wait()
        for worker in tuple(self.workers):
            for message in worker.receive():
                self._deaths["start"] = 0
                if isinstance(message, list):
                    yield message
            if worker.is_lost():
                retired = worker.retired
                loss = self.reap(worker)
                if loss.record is not None:
                    yield [loss.record]
                elif not retired:
                    self.count_death(loss)
                queue.give_back(loss.unplayed)

    def running_games(self) -> list[RunningGame]:
        """What the workers play now."""
        games = (worker.running_game() for worker in self.workers)
        return [game for game in games if game is not None]

    def wait(self) -> None:
        """Sleep until a worker sends something, dies or is overdue."""
        idle = not any(worker.tasks for worker in self.workers)
        patience = min((worker.patience() for worker in self.workers), default=_IDLE_CHECK)
        wait([worker.results for worker in self.workers],
             timeout=min(patience, _IDLE_CHECK if idle else _HEALTH_CHECK))

    def reap(self, worker: Worker) -> Loss:
        """Remove a lost worker."""
        self.workers.remove(worker)
        return worker.reap(self._killed)

    def count_death(self, loss: Loss) -> None:
        """Give up when the same thing goes wrong again and again."""
        first = next(iter(loss.unplayed), None)
        key = first.slot if first else "start"
        self._deaths[key] += 1
        if self._deaths[key] >= _UNEXPLAINED_DEATHS:
            doing = f"before the first move of {first.slot}" if first else "while starting"
            raise WorkerError(
                f"{self._deaths[key]} worker processes were lost {doing} ({loss.how}); "
                "look at the messages above and at the free memory"
            )

    def shut_down(self, gently: bool) -> None:
        """End all workers; `gently` gives idle ones time to close their engines."""
        if gently:
            for worker in self.workers:
                worker.send(None)
            until = time.monotonic() + SHUTDOWN_TIMEOUT
            for worker in self.workers:
                worker.join(max(until - time.monotonic(), 0.0))
        for worker in self.workers:
            worker.kill()
        self.workers.clear()
        self._reaper.stdin.close()
        self._reaper.wait()


def warm_up(
    tasks: Iterable[GameTask], report: Callable[[str], None], setup: str | None = None,
    limits: Limits = DEFAULT_LIMITS, left_out: Container[str] = (),
) -> None:
    """Compile and load, in one process, all that the games need.

    The machine code lands in Numba's disk cache, where the workers find it; several workers
    that met an empty cache would all compile the same. An engine that breaks down here is
    reported and goes on to lose its games; one that cannot even be built stops everything,
    since that is rather a missing file or package than a fault in its play. Entrants in
    `left_out` need none of it.

    Raises:
        SpecError: if an engine cannot be built for a game.
        WorkerError: if workers die and no engine is to blame.
    """
    wanted = dict.fromkeys(
        (task.game, spec) for task in tasks for spec in task.players if spec not in left_out
    )
    if not wanted:
        return
    report(f"warming up, {len(wanted)} to go; compiling takes some seconds the first time")
    pool = Pool(1, dataclasses.replace(limits, memory_mb=None), setup)
    all_done = False
    try:
        for game, spec in wanted:
            worker = pool.workers[0] if pool.workers else _start_one(pool)
            worker.send(WarmUp(game, spec))
            message = _next_message(pool, worker)
            if isinstance(message, WarmedUp):
                error = message.error
                if error is not None and not message.built:
                    raise SpecError(f"{spec} cannot play {game}: {error}")
                if error is None and message.seconds >= 1:
                    report(f"{spec} is ready for {game} after {message.seconds:.1f} s")
            else:
                error = pool.reap(worker).how
            if error is not None:
                report(f"{spec} on {game} failed to warm up and may lose its games: {error}")
        all_done = True
    finally:
        pool.shut_down(gently=all_done)


def _start_one(pool: Pool) -> Worker:
    """Start a worker and wait until it is ready."""
    while True:
        worker = pool.start()
        if _next_message(pool, worker) is not None:
            return worker
        pool.count_death(pool.reap(worker))


def _next_message(pool: Pool, worker: Worker) -> object | None:
    """Wait for the next message; None if the worker is lost."""
    while True:
        pool.wait()
        messages = worker.receive()
        if messages:
            return messages[0]
        if worker.is_lost():
            return None
