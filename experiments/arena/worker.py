"""The inside of a worker process of the arena: it plays the games it is sent, one by one.

The parent sends lists of `GameTask` (play these), a `WarmUp` (compile this) or None (go home)
through one pipe. Through another the worker answers with lists of `GameRecord`, a few times a
second rather than for each game, and with a `WarmedUp`; the game in progress is written on the
shared `Board`.
"""

from __future__ import annotations

import importlib
import os
import pickle
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from dlgo.jit import watch_clocks
from dlgo.records.ledger import GameRecord
from engines.jobs.worker_process import leave_with_parent, silence_stdout
from engines.programs import processes
from engines.programs.framing import write_frame
from engines.programs.program import ProgramError
from experiments.arena.board import Board
from experiments.arena.launch import Launches
from experiments.arena.limits import Limits
from experiments.arena.referee import EngineCache, GameTask, error_text, play_game, prepared_engine

# Finished games are sent after this many seconds: rarely enough that two workers do not keep
# the parent busy, often enough that little is played again after a crash.
_SEND_AFTER = 0.2
# The share of its memory limit above which a worker starts afresh between two games, so that
# nobody loses for what others have left behind.
_RETIRE_AT = 0.7


@dataclass(frozen=True)
class WarmUp:
    """The request to build an engine for a game and warm it up."""

    game: str
    spec: str


@dataclass(frozen=True)
class Ready:
    """The worker has started."""


@dataclass(frozen=True)
class Retired:
    """The worker has ended of its own will; games it did not send are to be played elsewhere."""


@dataclass(frozen=True)
class WarmedUp:
    """The answer to `WarmUp`: what went wrong, if anything, and whether while building."""

    game: str
    spec: str
    seconds: float
    built: bool
    error: str | None


Message = Ready | WarmedUp | list[GameRecord]


def work(
    jobs: Connection, results: Connection, memory: Any, setup: str | None, limits: Limits,
    launches: Launches | None = None,
) -> None:
    """The main function of the process: do what `jobs` asks for until there is no more."""
    leave_with_parent()
    processes.adopt_orphans()
    processes.offer_to_the_oom_killer()
    silence_stdout()
    if setup is not None:
        module, _, function = setup.partition(":")
        getattr(importlib.import_module(module), function)()
    board = Board(memory)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=board.detach)
    player = _Player(jobs, results, board, limits, setup, launches)
    player.send(Ready())
    if limits.memory_mb is not None:
        processes.limit_growth(limits.memory_mb)
    try:
        # A broken pipe: the tournament is gone.
        with suppress(EOFError, BrokenPipeError), watch_clocks(board.stop_clock):
            while not player.retired and (job := player.next_job()) is not None:
                if isinstance(job, WarmUp):
                    player.send(_warm_up(job, limits, setup))
                else:
                    player.play(job)
        player.engines.close()
    finally:  # as long as this process lives, it is the parent of all that were left behind
        processes.end_descendants()


class _Player:
    """Plays games and sends their records, several at a time."""

    def __init__(
        self, jobs: Connection, results: Connection, board: Board, limits: Limits,
        setup: str | None, launches: Launches | None,
    ) -> None:
        self.engines = EngineCache(limits, setup, board.show_hosts, launches=launches)
        self.retired = False
        self._jobs = jobs
        self._results = results.fileno()
        self._board = board
        self._limits = limits
        self._tasks: deque[GameTask] = deque()
        self._records: list[GameRecord] = []
        self._sent = time.monotonic()
        self._pid = os.getpid()
        self._start = processes.memory(self._pid)

    def next_job(self) -> GameTask | WarmUp | None:
        """What to do next; waits for it. None: nothing more."""
        while not self._tasks:
            self._send_records()
            job = self._jobs.recv()
            if not isinstance(job, list):
                return job
            self._tasks.extend(job)
        return self._tasks.popleft()

    def play(self, task: GameTask) -> None:
        """Play a game."""
        record = play_game(task, self.engines, self._board, self._limits)
        if os.getpid() != self._pid:
            os._exit(0)  # an engine has doubled this process: only one may go on
        self._records.append(record)
        if time.monotonic() - self._sent >= _SEND_AFTER:
            self._send_records()
            if self._is_full():
                self.retired = True
                self.send(Retired())

    def send(self, message: Message) -> None:
        """Answer the parent."""
        write_frame(self._results, pickle.dumps(message))

    def _send_records(self) -> None:
        if self._records:
            self.send(self._records)
            self._records = []
        self._sent = time.monotonic()

    def _is_full(self) -> bool:
        """Whether the memory limit is too near to begin another game."""
        if self._limits.memory_mb is None:
            return False
        grown = processes.memory(self._pid, with_children=False) - self._start
        return grown > _RETIRE_AT * self._limits.memory_mb * 2**20


def _warm_up(job: WarmUp, limits: Limits, setup: str | None) -> WarmedUp:
    start, built, error = time.perf_counter(), False, None
    try:
        engine = prepared_engine(job.game, job.spec, limits, setup)
        built = True
        engine.warm_up()
        engine.close()
    except ProgramError as caught:  # an engine from outside; whether it can play, its games show
        error, built = str(caught), True
    except (Exception, SystemExit) as caught:
        error = error_text(caught)
    return WarmedUp(job.game, job.spec, time.perf_counter() - start, built, error)
