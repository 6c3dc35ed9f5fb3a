"""The queue of searches: moves overtake analyses, which go on nevertheless, and engines stay."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from dlgo import get_game
from engines.isolation import pool as pools
from engines.isolation.pool import EngineLimits, EnginePool, Ticket

GAME = get_game("tictactoe")


class Fake:
    """Stands for an engine's process."""

    built: list[str] = []
    alive = True

    def __init__(self, ticket: Ticket, *_: Any) -> None:
        self.spec, self.owner, self.kind = ticket.spec, ticket.owner, ticket.kind
        self.urgent, self.used = ticket.urgent, 0.0
        self.built.append(self.spec)

    def new_game(self, seed: int) -> None: ...
    def end(self) -> None: ...
    def is_current(self) -> bool: return True


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Run a coroutine with a pool of such engines, which gets a minute."""
    monkeypatch.setattr(pools, "PooledEngine", Fake)
    monkeypatch.setattr(Fake, "built", [])

    def run(work: Callable[[EnginePool], Awaitable[Any]], **limits: int) -> Any:
        async def all_of_it() -> Any:
            pool = EnginePool(EngineLimits(**limits))
            try:
                return await asyncio.wait_for(work(pool), 60)
            finally:
                pool.close()
        return asyncio.run(all_of_it())

    return run


def search(pool: EnginePool, spec: str, held: threading.Event | None = None,
           urgent: bool = False) -> asyncio.Task[str]:
    """A search by an owner of its own, which takes until `held` is set."""
    def work(_: Any) -> str:
        assert held is None or held.wait(60)
        return spec

    return asyncio.ensure_future(
        pool.submit(Ticket(spec, GAME, spec, 0, urgent=urgent), work))


def test_a_move_waits_for_no_analysis(play) -> None:
    async def work(pool: EnginePool) -> None:
        held = threading.Event()
        analyses = [search(pool, f"analysis-{number}", held) for number in range(10)]
        await asyncio.sleep(0.2)
        assert pool.counts()["running"] == 2 and pool.waiting_before("analysis-9") == 9
        assert await search(pool, "move", urgent=True) == "move"
        held.set()
        assert await asyncio.gather(*analyses) == [f"analysis-{number}" for number in range(10)]

    play(work, searches=2)


def test_an_analysis_goes_on_beside_moves_without_end(play) -> None:
    async def work(pool: EnginePool) -> None:
        held = threading.Event()
        moves = [search(pool, f"move-{number}", held, urgent=True) for number in range(5)]
        await asyncio.sleep(0.2)
        analyses = [search(pool, f"analysis-{number}") for number in range(3)]
        assert await asyncio.gather(*analyses) == [f"analysis-{number}" for number in range(3)]
        # Moves wait for each other.
        assert pool.counts()["running"] == 2 and pool.waiting_before("move-4") == 4
        held.set()
        await asyncio.gather(*moves)

    play(work, searches=2)


def test_a_move_waits_for_no_preparation_that_waits_itself(play) -> None:
    async def work(pool: EnginePool) -> None:
        held = threading.Event()
        analyses = [search(pool, f"analysis-{number}", held) for number in range(2)]
        preparation = asyncio.ensure_future(pool.prepare("move", GAME, "move"))
        await asyncio.sleep(0.2)
        assert await search(pool, "move", urgent=True) == "move" and not preparation.done()
        held.set()
        await asyncio.gather(preparation, *analyses)

    play(work, searches=2)


def test_searches_wait_for_an_engine_that_is_being_prepared(play, monkeypatch) -> None:
    begun = threading.Event()

    def compiles(self: Fake, ticket: Ticket, *more: Any) -> None:
        begun.set()
        time.sleep(0.5)
        plain(self, ticket, *more)

    plain = Fake.__init__
    monkeypatch.setattr(Fake, "__init__", compiles)

    async def work(pool: EnginePool) -> None:
        preparation = asyncio.ensure_future(pool.prepare("move", GAME, "move"))
        await asyncio.to_thread(begun.wait)
        searches = [search(pool, "move", urgent=urgent) for urgent in (True, False, True)]
        assert await asyncio.gather(*searches) == 3 * ["move"] and preparation.done()

    play(work, searches=2)
    assert Fake.built == ["move"]


def test_a_search_that_is_given_up_blocks_nobody(play) -> None:
    async def work(pool: EnginePool) -> None:
        held = threading.Event()
        running, given_up, last = (search(pool, spec, held) for spec in ("a", "b", "c"))
        await asyncio.sleep(0.2)
        given_up.cancel()
        held.set()
        assert await asyncio.gather(running, last) == ["a", "c"]
        assert pool.counts()["waiting"] == 0

    play(work, searches=1)


def test_analyses_take_no_engine_from_a_game(play) -> None:
    async def work(pool: EnginePool) -> None:
        for _ in range(4):
            await search(pool, "game", urgent=True)
            for number in range(3):
                await search(pool, f"analysis-{number}")

    play(work, searches=1, processes=3)
    assert Fake.built.count("game") == 1
    # Of three analyses that take turns in two places, not all start anew each time.
    assert len(Fake.built) - 1 < 4 * 3
