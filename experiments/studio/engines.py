"""Engines in processes of their own, and the queue of those who want one to search.

At most so many searches run at once; the rest wait in order. An engine that crashes, hangs or
cannot be built ends its search with `EngineFailed`, and the next search starts another process.
Processes are kept for the next move of the same game, so that a search goes on with its tree.

An analysis that somebody watches is a chain of short searches by one owner: the tree is kept in
between, and others get their turn.
"""

from __future__ import annotations

import asyncio
import math
import os
import threading
import time
from collections.abc import AsyncIterator, Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

from dlgo import DlgoError, GameSpec, GameState
from dlgo.text import one_line
from engines.base import Budget, Cost, Decision
from engines.isolation.engine import IsolatedEngine
from engines.registry import EngineSpec, engine_class, is_outside
from engines.watching.recording import Transcript
from experiments.studio.errors import EngineFailed, TooMany
from experiments.studio.every_move import EveryMove
from experiments.studio.pace import Pace, sum_of_costs
from experiments.studio.process_setup import MEMORY, limit_process

# Searches that may wait.
_MOST_WAITING = 100
# Wall seconds in which alpha-beta must go a ply deeper, or its analysis ends.
_LONGEST_DEPTH = 10.0
_SETUP = f"{limit_process.__module__}:{limit_process.__name__}"

T = TypeVar("T")


@dataclass(frozen=True)
class EngineLimits:
    """What engines may take.

    Attributes:
        searches: how many run at once.
        processes: how many engines are kept in memory, idle ones included.
        move_timeout: wall seconds for a move, after which the process is ended.
        prepare_timeout: wall seconds to build an engine of ours, which may have to compile.
        memory_mb: megabytes for a process.
    """

    searches: int = 2
    processes: int = 8
    move_timeout: float = 60.0
    prepare_timeout: float = 300.0
    memory_mb: int = 3000


@dataclass(eq=False)
class Ticket:
    """A search that waits or runs.

    Attributes:
        owner: on whose behalf: searches of one owner find their tree again.
        stop: set when nobody wants the answer any more.
        running: whether it has begun.
    """

    owner: str
    game: GameSpec
    spec: str
    seed: int
    stop: threading.Event = field(default_factory=threading.Event)
    running: bool = False


@dataclass(frozen=True)
class Step:
    """A look at a search that goes on: what it sees at what cost so far; is it the last?"""

    decision: Decision
    final: bool


@dataclass(frozen=True)
class Watched:
    """A search in all its steps; did a network advise it?"""

    transcript: Transcript
    has_network: bool


class Stopped(Exception):
    """Nobody waits for this engine any more."""


class EngineProcess(IsolatedEngine):
    """An engine of the studio: its preparation, too, can be stopped.

    Attributes:
        owner: whose game its tree belongs to.
    """

    def __init__(self, ticket: Ticket, limits: EngineLimits) -> None:
        self.spec, self.owner = ticket.spec, ticket.owner
        self._stop: Callable[[], bool] | None = ticket.stop.is_set
        # What is ours may have to compile. What is not may do anything: it gets a move's time.
        outside = is_outside(ticket.spec)
        timeout = limits.move_timeout if outside else limits.prepare_timeout
        super().__init__(ticket.spec, ticket.game, timeout, setup=_SETUP)
        try:
            if not outside:
                self.warm_up()
            self.new_game(ticket.seed)
        except BaseException:
            self.end()
            raise
        self._stop, self.timeout = None, limits.move_timeout

    def _check(self) -> None:
        if self._stop is not None and self._stop():
            raise Stopped
        super()._check()

    def play_for(self, ticket: Ticket) -> None:
        """Forget the last game, if it was of somebody else."""
        if self.owner != ticket.owner:
            self.new_game(ticket.seed)
            self.owner = ticket.owner

    @property
    def alive(self) -> bool:
        """Whether it can be asked something."""
        return self._host.alive

    def end(self) -> None:
        """End all its processes, now."""
        self._host.kill()


class Engines:
    """All engine processes of a server. Its coroutines belong to one event loop.

    Args:
        limits: what they may take.

    Attributes:
        on_change: called when a search begins or ends.
    """

    def __init__(self, limits: EngineLimits | None = None) -> None:
        self.limits = limits or EngineLimits()
        os.environ[MEMORY] = str(self.limits.memory_mb)
        self.on_change: Callable[[], None] = lambda: None
        self._threads = ThreadPoolExecutor(self.limits.searches, "search")
        self._tickets: list[Ticket] = []
        self._lock = threading.Lock()  # of what follows
        self._idle: list[EngineProcess] = []  # the one used last at the end
        self._busy: set[EngineProcess] = set()
        self._taken = 0
        self._closed = False

    async def search(
        self, owner: str, state: GameState, spec: str, seed: int = 0,
        budget: Budget | None = None, longest: float = math.inf,
    ) -> Decision:
        """What an engine plays, with all that it can say. Cancelling it ends the search.

        Args:
            longest: wall seconds, after which the search is told to end.

        Raises:
            EngineFailed: if no move comes.
            TooMany: if too many searches wait.
        """
        ticket = Ticket(owner, state.game, spec, seed)

        def work(engine: EngineProcess) -> Decision:
            end = time.monotonic() + longest

            def stop() -> bool:
                return ticket.stop.is_set() or time.monotonic() > end

            return engine.analyse(state, budget, stop)

        return await self._submit(ticket, work)

    async def watch(self, owner: str, state: GameState, spec: str, seed: int = 0) -> Watched:
        """How an engine that can be watched comes to its move, each step of it.

        Args:
            owner: nobody else; then the same seed gives the same search.

        Raises: as `search`.
        """
        ticket = Ticket(owner, state.game, spec, seed)
        return await self._submit(ticket, lambda engine: Watched(
            engine.watch(state, None, ticket.stop.is_set), engine.network_id is not None
        ))

    async def prepare(self, owner: str, game: GameSpec, spec: str, seed: int = 0) -> None:
        """Start an engine, so that its first move need not wait. Raises as `search`."""
        await self._submit(Ticket(owner, game, spec, seed), lambda engine: None)

    async def steps(
        self, owner: str, state: GameState, spec: str, seed: int = 0, interval: float = 0.05,
        longest: float = 60.0,
    ) -> AsyncIterator[Step]:
        """What an engine sees while it searches on and on.

        A tree search goes on with its tree, so that it answers after every `interval` wall
        seconds; alpha-beta goes a ply deeper each time; any other engine answers once. While
        somebody looks at an answer, the search goes on.

        Args:
            longest: wall seconds, after which the last step comes.

        Raises:
            EngineFailed: if no answer comes.
        """
        text = await asyncio.to_thread(_endless, spec)
        ticket = Ticket(owner, state.game, text, seed)
        pace = Pace(interval)
        every = EveryMove(state, ticket.stop.is_set)

        def work(engine: EngineProcess, depth: int) -> tuple[Decision, str]:
            kind = "" if is_outside(text) else _kind(engine.budgets)
            if kind == "tree":
                return pace.measure(lambda budget: engine.analyse(
                    state, budget, ticket.stop.is_set)), kind
            budget = Budget(depth=depth, wall=_LONGEST_DEPTH) if kind else None
            decision = engine.analyse(state, budget, ticket.stop.is_set)
            if kind:
                decision = every.add(
                    decision, depth,
                    lambda after, limit: engine.analyse(after, limit, ticket.stop.is_set),
                )
            return decision, kind

        def search(depth: int) -> asyncio.Task[tuple[Decision, str]]:
            return asyncio.create_task(self._submit(ticket, lambda engine: work(engine, depth)))

        total, depth, final = Cost(), 1, False
        following = search(depth)
        try:
            while not final:
                decision, kind = await following
                total = sum_of_costs(total, decision.cost)
                final = (
                    not kind or decision.proven is not None or total.wall_seconds >= longest
                    or (kind == "depth" and (decision.depth or 0) < depth)
                )
                if not final:
                    depth += 1
                    following = search(depth)
                yield Step(decision.with_cost(total), final)
        finally:
            following.cancel()
            await asyncio.wait((following,))

    def waiting_before(self, owner: str) -> int | None:
        """How many searches come before one of `owner` that waits; None if none waits."""
        waiting = [ticket for ticket in self._tickets if not ticket.running]
        for place, ticket in enumerate(waiting):
            if ticket.owner == owner:
                return place + sum(other.running for other in self._tickets)
        return None

    def counts(self) -> dict[str, int]:
        """Searches that run and wait, processes in memory."""
        running = sum(ticket.running for ticket in self._tickets)
        with self._lock:
            processes = len(self._idle) + self._taken
        return {
            "running": running, "waiting": len(self._tickets) - running, "processes": processes
        }

    async def _submit(self, ticket: Ticket, work: Callable[[EngineProcess], T]) -> T:
        if sum(not other.running for other in self._tickets) >= _MOST_WAITING:
            raise TooMany(f"{_MOST_WAITING} searches wait already; try again later")
        loop = asyncio.get_running_loop()

        def begin() -> None:
            ticket.running = True
            self.on_change()

        def run() -> T:
            if ticket.stop.is_set():
                raise Stopped
            loop.call_soon_threadsafe(begin)
            return self._run(ticket, work)

        self._tickets.append(ticket)
        self.on_change()
        try:
            return await loop.run_in_executor(self._threads, run)
        except Stopped:
            raise EngineFailed(f"{ticket.spec}: stopped") from None
        except asyncio.CancelledError:
            ticket.stop.set()
            raise
        finally:
            self._tickets.remove(ticket)
            self.on_change()

    def _run(self, ticket: Ticket, work: Callable[[EngineProcess], T]) -> T:
        """In a thread of the pool."""
        engine: EngineProcess | None = None
        try:
            engine = self._take(ticket)
            engine.play_for(ticket)
            answer = work(engine)
        except Stopped:
            raise
        except DlgoError as error:
            if engine is not None:
                engine.end()
            raise EngineFailed(one_line(f"{ticket.spec}: {error}")) from None
        except Exception as error:
            if engine is not None:
                engine.end()
            raise EngineFailed(one_line(f"{ticket.spec}: {type(error).__name__}")) from error
        finally:
            self._give_back(engine)
        return answer

    def _take(self, ticket: Ticket) -> EngineProcess:
        """An idle engine of this kind, of the same owner if there is one; or a new one."""
        with self._lock:
            self._taken += 1
            fits = [
                engine for engine in self._idle
                if engine.spec == ticket.spec and engine.game == ticket.game and engine.alive
            ]
            fits.sort(key=lambda engine: engine.owner == ticket.owner)
            surplus: list[EngineProcess] = []
            if fits:
                self._idle.remove(fits[-1])
            else:
                keep = max(self.limits.processes - self._taken, 0)
                surplus = self._idle[: len(self._idle) - keep]
                del self._idle[: len(surplus)]
        for engine in surplus:
            engine.end()
        engine = fits[-1] if fits else EngineProcess(ticket, self.limits)
        with self._lock:
            self._busy.add(engine)
        return engine

    def _give_back(self, engine: EngineProcess | None) -> None:
        with self._lock:
            self._taken -= 1
            if engine is None:
                return
            self._busy.discard(engine)
            if engine.alive and not self._closed:
                self._idle.append(engine)
                return
        engine.end()

    def close(self) -> None:
        """End all processes."""
        self._closed = True
        for ticket in self._tickets:
            ticket.stop.set()
        self._threads.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            engines = [*self._idle, *self._busy]
            self._idle = []
        for engine in engines:
            engine.end()


def _endless(spec: str) -> str:
    """The engine with room for a long search, instead of the budget of a move."""
    if is_outside(spec):
        return spec
    parsed = EngineSpec.parse(spec)
    planned = dict(parsed.settings).get("search") == "gumbel"  # needs to know its simulations
    if planned or "wall" not in engine_class(parsed.name).budgets:
        return spec
    return f"{parsed.family}{',' if ':' in parsed.family else ':'}wall=3600"


def _kind(budgets: Collection[str]) -> str:
    """How an engine's search goes on: `tree`, `depth`, or "" if it does not."""
    if "wall" not in budgets:
        return ""
    return "tree" if "sims" in budgets else "depth" if "depth" in budgets else ""
