"""A worker process of the arena: `work` is its inside, `Worker` what its parent sees of it.

They talk through one pipe. The parent sends a `GameTask` (play this), a `WarmUp` (compile
this) or None (go home). The worker answers with a `GameRecord` or a `WarmedUp`; in between it
sends a `Heartbeat` before each thing an engine does, so that the parent knows who was at work
if the process dies or falls silent.

Called by `executor.py`; calls `match.py`.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection

from dlgo.games import get_game
from engines.registry import build_engine
from experiments.arena.ledger import GameRecord, MoveCost
from experiments.arena.match import (
    PREPARING,
    SIDES,
    THINKING,
    EngineCache,
    GameLog,
    GameTask,
    error_text,
    play_game,
)

# Wall seconds to start a worker or to build an engine, which may have to compile.
PREPARE_TIMEOUT = 600.0
# Wall seconds for a process to end by itself once it is about to.
FAREWELL = 5.0

# Libraries read these when they load. A rated engine thinks on one thread, and two workers
# with a thread pool each would fight for the cores.
_THREAD_COUNTS = (
    "NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS",
)


@dataclass(frozen=True)
class WarmUp:
    """The request to build an engine for a game and warm it up."""

    game: str
    spec: str


@dataclass(frozen=True)
class Ready:
    """The worker has started."""


@dataclass(frozen=True)
class WarmedUp:
    """The answer to `WarmUp`: what went wrong, if anything, and whether while building."""

    game: str
    spec: str
    seconds: float
    built: bool
    error: str | None


@dataclass(frozen=True)
class Heartbeat:
    """A player (0 or 1) begins to do something (`PREPARING`, `THINKING`).

    `moves` and `costs` are those added to the game's log since the last heartbeat.
    """

    doing: str
    player: int
    moves: tuple[str, ...]
    costs: tuple[MoveCost, ...]


# --- inside ---------------------------------------------------------------------------------


def work(pipe: Connection, setup: str | None) -> None:
    """The main function of the process: take jobs from the pipe until there are no more."""
    _leave_with_parent()
    if setup is not None:
        module, _, function = setup.partition(":")
        getattr(importlib.import_module(module), function)()
    engines = EngineCache()
    pipe.send(Ready())
    with suppress(EOFError):
        while (job := pipe.recv()) is not None:
            if isinstance(job, WarmUp):
                pipe.send(_warm_up(job))
            else:
                pipe.send(play_game(job, engines, _Pulse(pipe)))
    engines.close()


def _leave_with_parent() -> None:
    """Ignore Ctrl-C, which is the parent's to handle, and end when the parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A session of its own: Ctrl-Z then stops the parent only, and no engine loses on time for
    # it; and whatever an engine starts can be killed together with it.
    leads_group = hasattr(os, "setsid")
    if leads_group:
        os.setsid()

    def watch() -> None:
        parent = multiprocessing.parent_process()
        if parent is not None:
            parent.join()
            if leads_group:
                os.killpg(0, signal.SIGKILL)
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _warm_up(job: WarmUp) -> WarmedUp:
    start, built, error = time.perf_counter(), False, None
    try:
        engine = build_engine(job.spec, get_game(job.game))
        built = True
        engine.warm_up()
        engine.close()
    except Exception as caught:
        error = error_text(caught)
    return WarmedUp(job.game, job.spec, time.perf_counter() - start, built, error)


class _Pulse:
    """The `watch` of a game: sends heartbeats."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._moves_sent = self._costs_sent = 0

    def __call__(self, doing: str, player: int, log: GameLog) -> None:
        moves, costs = log.moves[self._moves_sent :], log.costs[self._costs_sent :]
        self._pipe.send(Heartbeat(doing, player, tuple(moves), tuple(costs)))
        self._moves_sent, self._costs_sent = len(log.moves), len(log.costs)


# --- outside --------------------------------------------------------------------------------

Message = Ready | Heartbeat | WarmedUp | GameRecord


class Worker:
    """A worker process as its parent sees it.

    Args:
        setup: "module:function", called in the process before anything else.
        move_timeout: wall seconds for one move.

    Attributes:
        pipe: for `multiprocessing.connection.wait`.
        task: the game it plays, or None.
        started: whether it has reported that it is ready for work.
    """

    def __init__(self, setup: str | None, move_timeout: float) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, self._far_end = context.Pipe()
        # Daemonic: if this process ends without having killed it, Python does.
        self._process = context.Process(target=work, args=(self._far_end, setup), daemon=True)
        self.task: GameTask | None = None
        self.started = False
        self._move_timeout = move_timeout
        self._log: GameLog | None = None
        self._heartbeat: Heartbeat | None = None
        self._limit = PREPARE_TIMEOUT
        self._deadline = float("inf")
        self._pipe_ended = False

    def start(self) -> None:
        """Start the process; it reports `Ready` later."""
        with _environment_of_workers():
            self._process.start()
        self._far_end.close()  # else the pipe would not end with the process
        self._allow(PREPARE_TIMEOUT)

    @property
    def idle(self) -> bool:
        """Whether it waits for a game."""
        return self.started and self.task is None

    def send(self, job: GameTask | WarmUp | None) -> None:
        """Hand it a job. If it is dead by now, that shows as soon as news are awaited."""
        if isinstance(job, GameTask):
            self.task, self._log, self._heartbeat = job, GameLog(job), None
        self._allow(PREPARE_TIMEOUT)
        with suppress(OSError):
            self.pipe.send(job)

    def receive(self) -> Message | None:
        """The next message if one has come, else None."""
        try:
            if not self.pipe.poll():
                return None
            message = self.pipe.recv()
        except (EOFError, OSError):
            self._pipe_ended = True
            return None
        if isinstance(message, Heartbeat):
            assert self._log is not None, "only games have heartbeats"
            self._heartbeat = message
            self._log.moves.extend(message.moves)
            self._log.costs.extend(message.costs)
            self._allow(self._move_timeout if message.doing == THINKING else PREPARE_TIMEOUT)
        else:
            self.started, self.task, self._deadline = True, None, float("inf")
        return message

    def patience(self) -> float:
        """Seconds for which it may stay silent from now on."""
        return max(self._deadline - time.monotonic(), 0.0)

    def is_lost(self) -> bool:
        """Whether nothing more is to be expected of it: it is dead, or overdue.

        Never while there are news to read: they count if they were sent in time, even if
        this process was held up, or if the worker has died since.
        """
        if self._pipe_ended:
            return True
        given_up = not self._process.is_alive() or self.patience() == 0.0
        return given_up and not self.pipe.poll()

    def bury(self) -> str:
        """Make sure that a lost worker is dead; returns what happened to it."""
        silent = not self._pipe_ended and self._process.is_alive()
        if not silent:
            self._process.join(FAREWELL)  # a pipe closes a moment before its process ends
        code = self._process.exitcode
        self.kill()
        if silent:
            return f"no answer within {self._limit:g} s"
        if code is None:  # alive, but it can never be heard again
            return "process died (it closed its pipe)"
        return f"process died ({f'signal {-code}' if code < 0 else f'exit code {code}'})"

    def forfeit(self, how: str) -> GameRecord | None:
        """The game that a buried worker was playing, lost for who was at work.

        None if it was not playing, or died before any engine was at work.

        Args:
            how: what `bury` said.
        """
        if self.task is None or self._log is None or self._heartbeat is None:
            return None
        doing, side = self._heartbeat.doing, SIDES[self._heartbeat.player]
        if how.startswith("process died"):
            reason = f"{how} while {side} was {doing}"
        else:
            what = " of preparation" if doing == PREPARING else ""
            reason = f"no move from {side} within {self._limit:g} s{what}"
        return self._log.end_lost_by(self._heartbeat.player, reason)

    def join(self, timeout: float) -> None:
        """Wait for the process to end."""
        self._process.join(timeout)

    def kill(self) -> None:
        """End the process and all that it has started."""
        if self._process.pid is not None:
            with suppress(OSError, AttributeError):  # it leads a group only once it runs
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.kill()
            self._process.join()
        self.pipe.close()

    def _allow(self, seconds: float) -> None:
        self._limit = seconds
        self._deadline = time.monotonic() + seconds


@contextmanager
def _environment_of_workers() -> Iterator[None]:
    """What a process inherits that is started in here: one thread, and no Ctrl-C.

    A worker needs a second before it can ignore Ctrl-C itself. The signal is blocked rather
    than ignored, so that this process still receives it, a little later.
    """
    before = {name: os.environ.get(name) for name in _THREAD_COUNTS}
    os.environ.update(dict.fromkeys(_THREAD_COUNTS, "1"))
    can_block = hasattr(signal, "pthread_sigmask")
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if can_block else None
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
