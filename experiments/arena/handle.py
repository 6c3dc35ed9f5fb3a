"""A worker process as its parent sees it: sent games, listened to, watched, and reaped.

The parent never waits for a worker: it reads what has come, and looks at the shared `Board` to
see for how long an engine has been at work. The inside of the process is in `worker.py`.
"""

from __future__ import annotations

import functools
import multiprocessing
import os
import pickle
import signal
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker

from dlgo.errors import SpecError
from dlgo.records.costs import last_value
from dlgo.records.failures import Failure
from dlgo.records.ledger import GameRecord
from engines.base import Budget
from engines.jobs.worker_process import starting_worker
from engines.programs import processes
from engines.programs.framing import FrameReader
from engines.registry import EngineSpec
from experiments.arena.board import DOING, PREPARING, THINKING, Board
from experiments.arena.entrants import is_outside
from experiments.arena.launch import Launches
from experiments.arena.limits import (
    PREPARE_TIMEOUT,
    Limits,
    hard_limit,
    prepare_limit,
    warm_up_limit,
)
from experiments.arena.referee import GameTask, record_of_lost_game
from experiments.arena.running import RunningGame
from experiments.arena.worker import Message, Ready, Retired, WarmedUp, WarmUp, work

# Wall seconds for a process to end by itself once it is about to.
SHUTDOWN_TIMEOUT = 5.0
# Seconds between two looks at a worker's memory, where that is limited.
_MEMORY_CHECK = 0.5

# Seconds beyond its timeout after which an engine from outside has stopped the worker that asks it.
_OUTSIDE_GRACE = 5.0

# Libraries read these when they load. A rated engine thinks on one thread, and two workers
# with a thread pool each would fight for the cores.
_THREAD_COUNTS = (
    "NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS",
)


@dataclass(frozen=True)
class Loss:
    """What a lost worker leaves behind.

    Attributes:
        how: what happened to it.
        record: the game that an engine has lost by it, or None if none was at work.
        doing: the game it had begun, or None.
        unplayed: the games to be played by others.
    """

    how: str
    record: GameRecord | None
    doing: GameTask | None
    unplayed: tuple[GameTask, ...]


class Worker:
    """A worker process.

    Args:
        setup: "module:function", called in the process before anything else.
        limits: for the games.
        mark: of the process and all that it starts.
        launches: of entrants that nobody vouches for.

    Attributes:
        results: the pipe through which it answers, for `multiprocessing.connection.wait`.
        tasks: the games it has been sent and not yet answered for, in its order.
        started: whether it has reported that it is ready for work.
        retired: whether it has ended of its own will.
    """

    def __init__(
        self, setup: str | None, limits: Limits, mark: str, launches: Launches | None = None
    ) -> None:
        context = multiprocessing.get_context("spawn")
        memory = Board.shared(context)
        theirs, self._jobs = context.Pipe(duplex=False)
        self.results, ours = context.Pipe(duplex=False)
        self._far_ends = (theirs, ours)
        self._reader = FrameReader(self.results.fileno())
        self._board = Board(memory)
        self._limits = limits
        self._mark = mark
        # Daemonic: if this process ends without having killed it, Python does.
        self._process = context.Process(
            target=work, args=(theirs, ours, memory, setup, limits, launches),
            daemon=True,
        )
        self.tasks: deque[GameTask] = deque()
        self.started = False
        self._answered = 0
        self._busy_since: float | None = None
        self._warms_up = ""  # the engine, outside of games
        self._lost = ""
        self._failure = Failure.DIED
        self.retired = False
        self._kills = processes.oom_kills()
        self._memory = 0
        self._next_memory_check = 0.0

    def start(self) -> None:
        """Start the process; it reports `Ready` later."""
        resource_tracker.ensure_running()  # or it would be started with a worker's mark
        with _environment_of_workers(self._mark):
            self._process.start()
        for end in self._far_ends:
            end.close()  # else a pipe would not end with the process
        self._busy_since = time.monotonic()

    def send(self, job: list[GameTask] | WarmUp | None) -> None:
        """Hand it a job. If it is dead by now, that shows when results are awaited."""
        if self._busy_since is None or not self.tasks:
            self._busy_since = time.monotonic()
        if isinstance(job, list):
            self.tasks.extend(job)
        self._warms_up = job.spec if isinstance(job, WarmUp) else ""
        with suppress(OSError):
            self._jobs.send(job)

    def receive(self) -> list[Message]:
        """The messages that have come."""
        messages: list[Message] = []
        for frame in self._reader.messages():
            try:
                message = pickle.loads(frame)
            except Exception:  # whatever an engine wrote there, it is not a message of ours
                message = None
            if isinstance(message, Retired):
                self.retired = True
            elif isinstance(message, list) and self._accept(message):
                messages.append(message)
            elif isinstance(message, Ready | WarmedUp):
                self.started, self._busy_since = True, None
                if isinstance(message, Ready):
                    self._memory = processes.memory(self._process.pid or 0)
                messages.append(message)
            else:
                self._lose(Failure.NONSENSE, "process sent nonsense")
        if self._reader.broken:
            self._lose(Failure.NONSENSE, "process sent nonsense")
        if self._reader.closed:
            self._lose(Failure.DIED, "process died")
        return messages

    def _accept(self, records: list[GameRecord]) -> bool:
        """Take the games off the list, if they are those that it was to play next."""
        slots = [task.slot for task in self.tasks]
        if [getattr(record, "slot", None) for record in records] != slots[: len(records)]:
            return False
        for _ in records:
            self.tasks.popleft()
        self._answered += len(records)
        self._busy_since = time.monotonic() if self.tasks else None
        return True

    def patience(self) -> float:
        """Seconds for which it may stay silent from now on."""
        if self._busy_since is None:
            return float("inf")
        return max(self._deadline()[0] - time.monotonic(), 0.0)

    def _deadline(self) -> tuple[float, float]:
        """When it is overdue, and the limit that this comes from."""
        head, task = self._board.head(), self._current()
        if task is None or head.doing != THINKING:
            limit = PREPARE_TIMEOUT
            if task is not None:
                limit = prepare_limit(task.players[head.player], self._limits)
            elif self._warms_up:
                limit = warm_up_limit(self._warms_up, self._limits)
        else:
            limit = _patience_with(task.players[head.player], self._limits)
        since = self._busy_since or 0.0
        return (max(since, head.since) if task is None else head.since) + limit, limit

    def _current(self) -> GameTask | None:
        """The game in which an engine is at work."""
        head = self._board.head()
        index = head.game - 1 - self._answered
        at_work = head.doing in (PREPARING, THINKING) and 0 <= index < len(self.tasks)
        return self.tasks[index] if at_work else None

    def running_game(self) -> RunningGame | None:
        """The game it plays, as far as it can be seen from here."""
        task, number = self._current(), self._board.head().game
        data, moves = self._board.rows()
        if task is None or self._board.head().game != number:  # it has gone on meanwhile
            return None
        player, value = last_value(data)
        return RunningGame(
            task.slot, task.game, task.first, task.second,
            (*task.opening, *(action for action, _ in moves)), self._board.head().began,
            player, value,
        )

    def is_lost(self) -> bool:
        """Whether nothing more is to be expected of it: it is dead, overdue or too large.

        Call it after `receive`: results count if they were sent in time, even if this process
        was held up, or if the worker has died since.
        """
        if not self._lost and not self._process.is_alive():
            self._lose(Failure.DIED, "process died")
        if not self._lost and self.patience() == 0.0:
            # Once more: the head may have been half written.
            time.sleep(0.001)
            if self.patience() == 0.0:
                self._lose(Failure.TIMEOUT, f"no answer within {self._deadline()[1]:g} s")
        if not self._lost and self._limits.memory_mb is not None:
            self._check_memory(self._limits.memory_mb)
        return bool(self._lost)

    def _check_memory(self, megabytes: int) -> None:
        if self.started and time.monotonic() >= self._next_memory_check:
            self._next_memory_check = time.monotonic() + _MEMORY_CHECK
            pid = self._process.pid or 0
            # Those of engines from outside are looked at by whoever asks them.
            hosts = self._board.hosts()
            if (processes.memory(pid, without=hosts) - self._memory) / 2**20 <= megabytes:
                return
            grown = (processes.exact_memory(pid, hosts) - self._memory) / 2**20
            if grown > megabytes:
                how = f"out of memory: {grown:.0f} MB in use, {megabytes} MB allowed,"
                self._lose(Failure.OVER_MEMORY, how)

    def _lose(self, failure: Failure, how: str) -> None:
        if not self._lost:
            self._failure, self._lost = failure, how

    def reap(self, killed: set[str]) -> Loss:
        """Make sure that a lost worker is dead, with all that it has started.

        A process may be killed from outside, above all where memory runs out. So a game in which
        that happens is played once more, and only then is the engine to blame that was at work.

        Args:
            killed: the slots of such games, to which this one may be added.
        """
        how, was_killed = self._lost, False
        if self._failure is Failure.DIED:
            self._process.join(SHUTDOWN_TIMEOUT)  # a pipe closes a moment before its process ends
            code = self._process.exitcode
            was_killed = code == -signal.SIGKILL
            if code is None:  # alive, but it can never be heard again
                how = "process died (it closed its pipe)"
            elif code == -signal.SIGKILL and processes.oom_kills() > self._kills:
                self._failure = Failure.OVER_MEMORY
                how = "out of memory: process killed by the system"
            else:
                how = f"process died ({f'signal {-code}' if code < 0 else f'exit code {code}'})"
        task, head = self._current(), self._board.head()
        failure, limit = self._failure, self._deadline()[1]
        self.kill()
        unplayed = [other for other in self.tasks if other is not task]
        if self.retired or task is None:
            return Loss(how, None, None, tuple(self.tasks))
        if was_killed and task.slot not in killed:
            killed.add(task.slot)
            return Loss(how, None, task, tuple(self.tasks))
        if failure is Failure.TIMEOUT:
            what = " of preparation" if head.doing == PREPARING else ""
            reason = f"no move from {{}} within {limit:g} s{what}"
        else:
            reason = f"{how} while {{}} was {DOING[head.doing]}"
        record = record_of_lost_game(task, self._limits, self._board, failure, reason)
        return Loss(how, record, task, tuple(unplayed))

    def join(self, timeout: float) -> None:
        """Wait for the process to end."""
        self._process.join(timeout)

    def kill(self) -> None:
        """End the process and all that it has started."""
        if self._process.pid is not None:
            processes.end_tree(self._process.pid, self._mark)
            self._process.kill()
            self._process.join()
        self.results.close()
        self._jobs.close()


@functools.lru_cache(maxsize=1000)
def _patience_with(spec: str, limits: Limits) -> float:
    """`hard_limit` of an entrant."""
    if is_outside(spec):  # it is asked under limits of its own, and may have stopped the worker
        return limits.move_timeout + _OUTSIDE_GRACE
    try:
        budget = EngineSpec.parse(spec).budget
    except SpecError:  # known in the workers only
        budget = Budget()
    return hard_limit(budget, limits)


@contextmanager
def _environment_of_workers(mark: str) -> Iterator[None]:
    """What a process inherits that is started in here: one thread, a mark, and no Ctrl-C."""
    wanted = {**dict.fromkeys(_THREAD_COUNTS, "1"), processes.MARK: mark}
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        with starting_worker():
            yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
