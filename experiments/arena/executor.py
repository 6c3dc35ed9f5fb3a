"""Plays many games at once: one worker process a core, none of which can stop the others.

A pool of our own, because the ones in the standard library give up all their work when a
process is killed. Here an engine that takes its process down, or hangs, loses that one game
with the reason stored; a new worker takes the place, and the tournament goes on.

Called by `tournament.py`; the processes are in `worker.py`. As with all of
`multiprocessing`, a script that comes here needs `if __name__ == "__main__":`.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import wait

from dlgo.errors import DlgoError, SpecError
from experiments.arena.ledger import GameRecord
from experiments.arena.match import GameTask, core_count
from experiments.arena.worker import FAREWELL, PREPARE_TIMEOUT, Ready, WarmedUp, WarmUp, Worker

# Wall seconds for one move, far beyond any budget of a rated match: it catches a hang.
MOVE_TIMEOUT = 600.0

# A worker that dies before it is ready, or in a game before any engine was at work, dies of
# something that is no engine's fault. That often in a row, it is no accident.
_UNEXPLAINED_DEATHS = 3
# Look at least this often whether all workers live: if a child of an engine holds the pipe
# open, the death of a worker shows in no other way.
_HEALTH_CHECK = 1.0


class WorkerError(DlgoError):
    """Worker processes die and no engine is to blame, so that no game can be played."""


def play_tasks(
    tasks: Iterable[GameTask],
    workers: int | None = None,
    move_timeout: float = MOVE_TIMEOUT,
    setup: str | None = None,
) -> Iterator[GameRecord]:
    """Play all games and yield each record as its game ends, in no fixed order.

    Closing the generator, or Ctrl-C while it waits, kills the workers at once; what they were
    playing is not yielded. Use it inside `contextlib.closing`.

    Args:
        tasks: the games, handed out in this order.
        workers: processes; by default one for each core.
        move_timeout: wall seconds for one move; who takes longer loses the game.
        setup: "module:function", called in each worker before anything else.

    Raises:
        WorkerError: if workers die and no engine is to blame.
    """
    queue = deque(tasks)
    size = workers or core_count()
    deaths: Counter[str] = Counter()
    pool: list[Worker] = []
    all_done = False
    try:
        while queue or any(worker.task for worker in pool):
            _fill(pool, min(size, len(queue) + len(pool)), queue, setup, move_timeout)
            _await_news(pool)
            for worker in tuple(pool):
                message = worker.receive()
                if isinstance(message, GameRecord):
                    yield message
                elif isinstance(message, Ready):
                    deaths["start"] = 0
                elif message is None and worker.is_lost():
                    pool.remove(worker)
                    how = worker.bury()
                    record = worker.forfeit(how)
                    if record is not None:
                        yield record
                    else:
                        _count_death(deaths, worker.task, how)
                        queue.extendleft([worker.task] if worker.task else [])
        all_done = True
    finally:
        _dismiss(pool, gently=all_done)


def warm_up(
    tasks: Iterable[GameTask], report: Callable[[str], None], setup: str | None = None
) -> None:
    """Compile and load, in one process, all that the games need.

    The machine code lands in Numba's disk cache, where the workers find it; several workers
    that met an empty cache would all compile the same. An engine that breaks down here is
    reported and goes on to lose its games; one that cannot even be built stops everything,
    since that is rather a missing file or package than a fault in its play.

    Raises:
        SpecError: if an engine cannot be built for a game.
        WorkerError: if workers die and no engine is to blame.
    """
    wanted = dict.fromkeys(
        (task.game, spec) for task in tasks for spec in (task.first, task.second)
    )
    if wanted:
        report(f"warming up {len(wanted)} engines; the first time they have to be compiled")
    pool: list[Worker] = []
    all_done = False
    try:
        for game, spec in wanted:
            if not pool:
                _start_one(pool, setup)
            pool[0].send(WarmUp(game, spec))
            message = _next_message(pool[0])
            if isinstance(message, WarmedUp):
                error = message.error
                if error is not None and not message.built:
                    raise SpecError(f"{spec} cannot play {game}: {error}")
                if error is None and message.seconds >= 1:
                    report(f"{spec} is ready for {game} after {message.seconds:.1f} s")
            else:
                error = pool.pop().bury()
            if error is not None:
                report(f"{spec} on {game} failed to warm up and may lose its games: {error}")
        all_done = True
    finally:
        _dismiss(pool, gently=all_done)


def _fill(
    pool: list[Worker], size: int, queue: deque[GameTask], setup: str | None, timeout: float
) -> None:
    """Bring the pool to its size, and give a game to every worker that waits for one."""
    while len(pool) < size:
        pool.append(Worker(setup, timeout))
        pool[-1].start()
    for worker in pool:
        if worker.idle and queue:
            worker.send(queue.popleft())


def _start_one(pool: list[Worker], setup: str | None) -> None:
    """Start one worker and wait until it is ready."""
    deaths: Counter[str] = Counter()
    while not pool:
        pool.append(Worker(setup, PREPARE_TIMEOUT))
        pool[0].start()
        if _next_message(pool[0]) is None:
            _count_death(deaths, None, pool.pop().bury())


def _next_message(worker: Worker) -> object | None:
    """Wait for the next message; None if the worker is lost."""
    while True:
        _await_news([worker])
        message = worker.receive()
        if message is not None or worker.is_lost():
            return message


def _await_news(pool: list[Worker]) -> None:
    """Sleep until a worker sends something, dies or is overdue."""
    patience = min((worker.patience() for worker in pool), default=0.0)
    wait([worker.pipe for worker in pool], timeout=min(patience, _HEALTH_CHECK))


def _count_death(deaths: Counter[str], task: GameTask | None, how: str) -> None:
    """Give up when the same thing goes wrong again and again."""
    key = task.slot if task else "start"
    deaths[key] += 1
    if deaths[key] >= _UNEXPLAINED_DEATHS:
        doing = f"before the first move of {task.slot}" if task else "while starting"
        raise WorkerError(
            f"{deaths[key]} worker processes were lost {doing} ({how}); "
            "look at the messages above and at the free memory"
        )


def _dismiss(pool: list[Worker], gently: bool) -> None:
    """End all workers; `gently` gives idle ones time to close their engines."""
    if gently:
        for worker in pool:
            worker.send(None)
        until = time.monotonic() + FAREWELL
        for worker in pool:
            worker.join(max(until - time.monotonic(), 0.0))
    for worker in pool:
        worker.kill()
