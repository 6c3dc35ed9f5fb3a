"""The studio's searches: single ones, those that are watched, and analyses that go on and on.

An analysis that somebody watches is a chain of short searches by one owner: the tree is kept in
between, and others get their turn.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection
from dataclasses import dataclass
from typing import TypeVar

from dlgo import GameState
from engines.base import Budget, Cost, Decision
from engines.isolation import pool
from engines.isolation.pool import EnginePool, PooledEngine, Ticket
from engines.registry import EngineSpec, engine_class, is_outside
from engines.watching.recording import Transcript
from experiments.studio.errors import EngineFailed, TooMany
from experiments.studio.every_move import EveryMove
from experiments.studio.pace import Pace, sum_of_costs

# Wall seconds in which alpha-beta must go a ply deeper, or its analysis ends.
_LONGEST_DEPTH = 10.0

T = TypeVar("T")


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


class Engines(EnginePool):
    """The pool of the studio. What it raises is a `StudioError`."""

    async def submit(self, ticket: Ticket, work: Callable[[PooledEngine], T]) -> T:
        """As of `EnginePool`. Raises EngineFailed or TooMany."""
        try:
            return await super().submit(ticket, work)
        except pool.EngineFailed as error:
            raise EngineFailed(str(error)) from error.__cause__
        except pool.TooManySearches as error:
            raise TooMany(str(error)) from None

    async def watch(self, owner: str, state: GameState, spec: str, seed: int = 0) -> Watched:
        """How an engine that can be watched comes to its move, each step of it.

        Args:
            owner: nobody else; then the same seed gives the same search.

        Raises: as `search`.
        """
        ticket = Ticket(owner, state.game, spec, seed)
        return await self.submit(ticket, lambda engine: Watched(
            engine.watch(state, None, ticket.stop.is_set), engine.network_id is not None
        ))

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

        def work(engine: PooledEngine, depth: int) -> tuple[Decision, str]:
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
            return asyncio.create_task(self.submit(ticket, lambda engine: work(engine, depth)))

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
