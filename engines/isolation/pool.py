"""A pool of engines in separate processes, and the queue of searches.

A limited number of searches run at once; the rest wait in order. Urgent ones, those of games, wait
for each other only: analyses and reviews, however many, do not delay a move. An engine that
crashes, hangs or cannot be built ends its search with `EngineFailed`, and the next search starts
another process. Processes are kept: the next move of the same game continues with the same tree.
"""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from dlgo.api import GameSpec, GameState
from dlgo.errors import DlgoError
from dlgo.jit import wall_time
from dlgo.system.processes import yield_to_others
from dlgo.text import one_line
from engines.base import Budget, Decision
from engines.isolation.engine import IsolatedEngine
from engines.registry import is_outside

# Searches that may wait.
_MOST_WAITING = 100
# Seconds after its last search in which an engine is expected to be needed again.
_FRESH = 60.0
_SETUP = f"{yield_to_others.__module__}:{yield_to_others.__name__}"

T = TypeVar("T")


class EngineFailed(DlgoError):
    """An engine has crashed, hung or cannot be built; the next search starts another process."""


class TooManySearches(DlgoError):
    """Too many searches are waiting."""


@dataclass(frozen=True)
class EngineLimits:
    """Limits of engines."""

    searches: int = 2  # how many run at once; as many urgent ones begin while others run
    processes: int = 8  # how many engines are kept in memory, idle ones included
    move_timeout: float = 60.0  # wall seconds for a move, after which the process is ended
    prepare_timeout: float = 300.0  # to build an engine of ours, which may have to compile
    memory_mb: int = 3000  # megabytes that a process may grow by


@dataclass(eq=False)
class Ticket:
    """A search that waits or runs."""

    owner: str  # on whose behalf: searches of one owner find their tree again
    game: GameSpec
    spec: str
    seed: int
    stop: threading.Event = field(default_factory=threading.Event)  # the answer is no longer needed
    prepares: bool = False  # only starts the engine
    urgent: bool = False  # somebody waits for a move
    running: bool = False
    phase: str = "waiting"  # then starting, perhaps compiling; thinking
    compiled: int = 0  # functions
    since: float = 0.0  # the time, by `wall_time`, at which it began to think
    built: asyncio.Event = field(default_factory=asyncio.Event)  # once `prepare` has an engine

    @property
    def kind(self) -> tuple[str, str]:
        """The engines that can serve it."""
        return self.spec, self.game.versioned


class _Stopped(Exception):
    """The search of this engine was cancelled."""


class PooledEngine(IsolatedEngine):
    """An engine of the pool: its preparation, too, can be stopped, and its moves are legal."""

    def __init__(
        self, ticket: Ticket, limits: EngineLimits, on_compiling: Callable[[int], None]
    ) -> None:
        self.spec, self.owner, self.kind = ticket.spec, ticket.owner, ticket.kind
        self.urgent, self.used = ticket.urgent, time.monotonic()  # the search that it did last
        self._stop: Callable[[], bool] = ticket.stop.is_set
        self._on_compiling: Callable[[int], None] | None = on_compiling
        # Our own engines may have to compile. Other code may do anything: it gets a move's time.
        outside = is_outside(ticket.spec)
        timeout = limits.move_timeout if outside else limits.prepare_timeout
        super().__init__(ticket.spec, ticket.game, timeout, limits.memory_mb, _SETUP)
        try:
            if not outside:
                self.warm_up()
            self.new_game(ticket.seed)
        except BaseException:
            self.end()
            raise
        self._stop, self._on_compiling = lambda: False, None
        self.timeout = limits.move_timeout

    def analyse(
        self, state: GameState, budget: Budget | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> Decision:
        """As `IsolatedEngine.analyse`. Raises EngineFailed also for an illegal move."""
        decision = super().analyse(state, budget, stop)
        try:
            state.apply_move(decision.move)
        except (DlgoError, TypeError, ValueError) as error:
            raise EngineFailed(str(error)) from None
        return decision

    def _check(self) -> None:
        if self._stop():
            raise _Stopped
        if self._on_compiling is not None and self._host.compiled:
            self._on_compiling(self._host.compiled)
        super()._check()

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._host.alive

    def end(self) -> None:
        """End all its processes, now."""
        self._host.kill()


def _worth(engine: PooledEngine) -> tuple[bool, bool, float]:
    """A greater one is to be kept rather: engines of games that are played, then of analyses.

    Analyses take turns, so of their engines the one used last is needed last.
    """
    fresh = time.monotonic() - engine.used < _FRESH
    return fresh and engine.urgent, fresh, -engine.used if fresh else engine.used


class EnginePool:
    """All engine processes of a server. Its coroutines belong to one event loop."""

    def __init__(self, limits: EngineLimits | None = None) -> None:
        self.limits = limits or EngineLimits()
        self.on_change: Callable[[], None] = lambda: None  # a search goes on or ends
        self._prepared: dict[tuple[str, str], Ticket] = {}  # what `prepare` is building
        self._threads = ThreadPoolExecutor(2 * self.limits.searches, "search")
        self._tickets: list[Ticket] = []
        self._queue: list[Ticket] = []  # of these, all that wait for no preparation, in order
        self._ended = asyncio.Event()  # the next search that ends sets it
        self._lock = threading.Lock()  # of what follows
        self._idle: list[PooledEngine] = []
        self._busy: set[PooledEngine] = set()
        self._taken = 0  # busy ones, and those that are being built
        self._closed = False

    async def search(
        self, owner: str, state: GameState, spec: str, seed: int = 0,
        budget: Budget | None = None, longest: float = math.inf, urgent: bool = False,
    ) -> Decision:
        """The decision of an engine, with all its details. Cancelling it ends the search; after
        `longest` wall seconds the search has to end. An `urgent` one waits for urgent ones only.

        Raises EngineFailed if no move comes, TooManySearches if too many wait.
        """
        ticket = Ticket(owner, state.game, spec, seed, urgent=urgent)

        def work(engine: PooledEngine) -> Decision:
            end = time.monotonic() + longest
            return engine.analyse(
                state, budget, lambda: ticket.stop.is_set() or time.monotonic() > end
            )

        return await self.submit(ticket, work)

    async def prepare(self, owner: str, game: GameSpec, spec: str, seed: int = 0) -> None:
        """Start an engine, so that its first move need not wait. Raises as `search`."""
        await self.submit(Ticket(owner, game, spec, seed, prepares=True), lambda engine: None)

    def progress(self, owner: str) -> dict[str, Any] | None:
        """The work in progress for an owner: the engine `who`, the `phase` of its work, the
        searches `before` it, `seconds` of thinking, functions `compiled`; None if nothing is."""
        tickets = [ticket for ticket in self._tickets if ticket.owner == owner]
        if not tickets:
            return None
        ticket = next((ticket for ticket in tickets if ticket.running), tickets[0])
        current = ticket if ticket.running else self._prepared.get(ticket.kind, ticket)
        thinking = current.phase == "thinking"
        return {
            "who": ticket.spec, "phase": current.phase, "compiled": current.compiled,
            "before": 0 if current.running else self.waiting_before(current.owner) or 0,
            "seconds": round(wall_time() - current.since, 2) if thinking else 0.0,
        }

    def waiting_before(self, owner: str) -> int | None:
        """How many searches come before one of `owner` that waits; None if none waits."""
        mine = next((one for one in self._tickets if one.owner == owner and not one.running), None)
        return None if mine is None else len(self._before(mine))

    def _before(self, ticket: Ticket) -> list[Ticket]:
        """The searches that end before one that waits: earlier ones of its kind, and urgent
        ones."""
        place = self._queue.index(ticket) if ticket in self._queue else len(self._queue)
        return [one for number, one in enumerate(self._queue)
                if (number < place if one.urgent == ticket.urgent else one.urgent)]

    def _may_begin(self, ticket: Ticket) -> bool:
        before = self._before(ticket)
        if ticket.urgent:
            return len(before) < self.limits.searches
        urgent = sum(one.urgent for one in before)  # they leave one place to the others
        return len(before) - urgent < max(self.limits.searches - urgent, 1)

    def counts(self) -> dict[str, int]:
        """Searches that run and wait, processes in memory."""
        running = sum(ticket.running for ticket in self._tickets)
        with self._lock:
            processes = len(self._idle) + self._taken
        return {"running": running, "waiting": len(self._tickets) - running, "processes": processes}

    async def submit(self, ticket: Ticket, work: Callable[[PooledEngine], T]) -> T:
        """Do `work` with an engine, in a thread, when its turn comes. Raises as `search`."""
        if sum(not preparation.running for preparation in self._tickets) >= _MOST_WAITING:
            raise TooManySearches(f"{_MOST_WAITING} searches are waiting; try again later")
        loop = asyncio.get_running_loop()

        def enter(phase: str, compiled: int = 0) -> None:
            if (phase, compiled) != (ticket.phase, ticket.compiled):
                ticket.running, ticket.phase, ticket.compiled = True, phase, compiled
                ticket.since = wall_time()
                self.on_change()

        def run() -> T:
            if ticket.stop.is_set():
                raise _Stopped

            def enter_soon(*news: Any) -> None:
                loop.call_soon_threadsafe(enter, *news)

            return self._run(ticket, work, enter_soon)

        self._tickets.append(ticket)
        self.on_change()
        try:
            await self._wait_turn(ticket)
            if ticket.prepares:
                self._prepared[ticket.kind] = ticket
            enter("starting")
            return await loop.run_in_executor(self._threads, run)
        except _Stopped:
            raise EngineFailed(f"{ticket.spec}: stopped") from None
        except asyncio.CancelledError:
            ticket.stop.set()
            raise
        finally:
            self._tickets.remove(ticket)
            self._leave_queue(ticket)
            if self._prepared.get(ticket.kind) is ticket:
                del self._prepared[ticket.kind]
                ticket.built.set()
            self.on_change()

    async def _wait_turn(self, ticket: Ticket) -> None:
        """Wait for a place, and for an engine of the same kind that is being prepared, without one:
        two that compile the same code take twice as long."""
        while ticket not in self._queue:
            while (preparation := self._prepared.get(ticket.kind)) is not None:
                await preparation.built.wait()
            self._queue.append(ticket)
            while not self._may_begin(ticket):
                await self._ended.wait()
            if ticket.kind in self._prepared:
                self._leave_queue(ticket)

    def _leave_queue(self, ticket: Ticket) -> None:
        if ticket in self._queue:
            self._queue.remove(ticket)
        self._ended.set()
        self._ended = asyncio.Event()

    def _run(
        self, ticket: Ticket, work: Callable[[PooledEngine], T], enter: Callable[..., None]
    ) -> T:
        engine: PooledEngine | None = None
        try:
            engine = self._take(ticket, lambda compiled: enter("compiling", compiled))
            if engine.owner != ticket.owner:
                engine.new_game(ticket.seed)
                engine.owner = ticket.owner
            engine.urgent = ticket.urgent
            if not ticket.prepares:
                enter("thinking")
            return work(engine)
        except _Stopped:
            raise
        except Exception as error:
            if engine is not None:
                engine.end()
            clear = isinstance(error, DlgoError)
            text = str(error) if clear else type(error).__name__
            raise EngineFailed(one_line(f"{ticket.spec}: {text}")) from (None if clear else error)
        finally:
            with self._lock:
                self._taken -= 1
                self._busy.discard(engine)
                keeps = engine is not None and engine.alive and not self._closed
                if engine is not None and keeps:
                    engine.used = time.monotonic()
                    self._idle.append(engine)
            if engine is not None and not keeps:
                engine.end()

    def _take(self, ticket: Ticket, on_compiling: Callable[[int], None]) -> PooledEngine:
        """An idle engine of this kind, of the same owner if there is one; or a new one."""
        with self._lock:
            self._taken += 1
            fits = [
                engine for engine in self._idle
                if engine.kind == ticket.kind and engine.alive
            ]
            fits.sort(key=lambda engine: engine.owner == ticket.owner)
            surplus: list[PooledEngine] = []
            if fits:
                self._idle.remove(fits[-1])
            else:
                keep = max(self.limits.processes - self._taken, 0)
                self._idle.sort(key=_worth)
                surplus = self._idle[: len(self._idle) - keep]
                del self._idle[: len(surplus)]
        for spare in surplus:
            spare.end()
        idle = fits[-1] if fits else None
        if idle is not None and idle.owner != ticket.owner and not idle.is_current():
            idle.end()  # its files have been edited since
            idle = None
        engine = idle or PooledEngine(ticket, self.limits, on_compiling)
        with self._lock:
            self._busy.add(engine)
        return engine

    def close(self) -> None:
        """End all processes."""
        self._closed = True
        for ticket in self._tickets:
            ticket.stop.set()
        self._threads.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            engines, self._idle = [*self._idle, *self._busy], []
        for engine in engines:
            engine.end()
