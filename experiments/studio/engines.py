"""The studio's searches: those that are watched step by step, and analyses without end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import suppress
from dataclasses import fields
from typing import Any

from dlgo import DlgoError, GameSpec, GameState
from dlgo.jit import wall_time
from engines.base import Budget, Cost, Decision
from engines.isolation.pool import EnginePool, PooledEngine, Ticket
from engines.registry import EngineSpec, engine_class, is_outside
from engines.watching.recording import Transcript
from experiments.gtp.session import limited
from experiments.studio.specs import HUMAN

# Wall seconds: between two looks at a tree search (a frame of a screen), in which alpha-beta must
# go a ply deeper, and of a whole analysis.
_LOOK, _LONGEST_DEPTH, _LONGEST = 1 / 60, 10.0, 60.0


class Engines(EnginePool):
    """The pool of the studio."""

    async def turn(
        self, owner: str, state: GameState, spec: str, seed: int, seconds: float | None,
        must_move: Callable[[float], bool],
    ) -> Decision:
        """The move of an engine in a game, in at most `seconds` if it can limit its time.

        `must_move` is called a few times a second, in another thread, with the seconds of thinking
        so far. Once it is true, a search that `can_hurry` ends with its best move.
        """
        ticket = Ticket(owner, state.game, spec, seed, urgent=True)

        def think(engine: PooledEngine) -> Decision:
            timed = seconds is not None and "wall" in engine.budgets
            budget = limited(engine.budget, engine.budgets, seconds) if timed else None
            began = wall_time()
            return engine.analyse(
                state, budget, lambda: must_move(wall_time() - began) or ticket.stop.is_set()
            )

        return await self.submit(ticket, think)

    async def warm_up(self, game: GameSpec, players: Iterable[str]) -> None:
        """Start dlgo's engines for a game early, because they may have to compile. The game itself
        reports failures."""
        for spec in players:
            if spec != HUMAN and not is_outside(spec):
                with suppress(DlgoError):
                    await self.prepare("warm-up", game, spec)

    async def progress_until(
        self, owner: str, task: asyncio.Future[Any]
    ) -> AsyncGenerator[dict[str, Any], None]:
        """The progress of an owner's search, twice a second, until its task ends. If the reader
        leaves first, the task is cancelled."""
        try:
            while not (await asyncio.wait((task,), timeout=0.5))[0]:
                yield {"progress": self.progress(owner)}
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError, DlgoError):
                await task

    async def watch(
        self, owner: str, state: GameState, spec: str, seed: int = 0
    ) -> tuple[Transcript, bool]:
        """The events of a textbook engine's search, and whether it used a network.

        No other search may have this `owner`; then the same seed gives the same search.
        """
        ticket = Ticket(owner, state.game, spec, seed)
        return await self.submit(ticket, lambda engine: (
            engine.watch(state, None, ticket.stop.is_set), engine.network_id is not None
        ))

    async def steps(
        self, owner: str, state: GameState, spec: str
    ) -> AsyncGenerator[tuple[Decision, bool], None]:
        """Decisions of an engine during an endless search, their cost, and whether they are final.

        It is a chain of short searches by one owner: the tree is kept in between, and others get
        their turn. Alpha-beta goes a ply deeper each time. Any other engine answers once.
        """
        ticket = Ticket(owner, state.game, await asyncio.to_thread(_endless, spec), 0)
        total, depth = Cost(), 1

        def look(engine: PooledEngine) -> tuple[Decision, str]:
            kind, budget = _kind(engine), None
            if kind == "tree":
                budget = Budget(wall=_LOOK)
            elif kind == "depth":
                budget = Budget(depth=depth, wall=_LONGEST_DEPTH)
            return engine.analyse(state, budget, ticket.stop.is_set), kind

        final = False
        while not final:
            decision, kind = await self.submit(ticket, look)
            total = Cost(*(
                getattr(total, field.name) + getattr(decision.cost, field.name)
                for field in fields(Cost)
            ))
            final = (
                not kind or decision.proven is not None or total.wall_seconds >= _LONGEST
                or (kind == "depth" and (decision.depth or 0) < depth)
            )
            depth += 1
            yield decision.with_cost(total), final


def can_hurry(spec: str) -> bool:
    """Whether an engine can end its search at any time with the best move so far."""
    return not is_outside(spec) and "wall" in engine_class(EngineSpec.parse(spec).name).budgets


def _endless(spec: str) -> str:
    """The engine with settings for a long search instead of the budget of a move."""
    if is_outside(spec):
        return spec
    parsed = EngineSpec.parse(spec)
    planned = dict(parsed.settings).get("search") == "gumbel"  # needs to know its simulations
    if planned or "wall" not in engine_class(parsed.name).budgets:
        return spec
    return f"{parsed.family}{',' if ':' in parsed.family else ':'}wall=3600"


def _kind(engine: PooledEngine) -> str:
    """How an engine continues its search: `tree`, `depth`, or "" if it cannot."""
    if is_outside(engine.spec) or "wall" not in engine.budgets:
        return ""
    return "tree" if "sims" in engine.budgets else "depth" if "depth" in engine.budgets else ""
