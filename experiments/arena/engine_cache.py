"""Engines from game to game: built when they are needed, kept while there is memory for them."""

from __future__ import annotations

import gc
import os
import time
from collections import OrderedDict
from collections.abc import Callable, Collection
from contextlib import suppress

import psutil

from dlgo.api import GameSpec
from dlgo.games import GAMES
from dlgo.records.failures import Failure
from dlgo.system import processes
from engines.base import Engine
from engines.isolation.engine import IsolatedEngine
from engines.programs.program import ProgramError
from experiments.arena.entrants import Entrant, Launches
from experiments.arena.limits import hard_limit
from experiments.arena.plan_keys import DEFAULT_LIMITS, Limits

# Minimum and maximum number of engines that a worker keeps: an external one is a process with
# pipes.
_FEWEST_ENGINES, _MOST_ENGINES = 8, 64
# Between these, memory decides, since an engine may hold a tree of 200 MB: all workers together may
# use this share of the machine's memory, and a worker this share of `Limits.memory_mb`.
_MEMORY_SHARE = 0.5
# Seconds between two looks at the memory.
_MEMORY_LOOK = 1.0


class EngineCache:
    """Engines that are built and warmed up, kept from game to game; the idlest goes first.

    An engine is kept per game, entrant and side: one that plays itself is two engines,
    which share neither a tree nor a generator. External engines have their own processes.

    Args:
        limits: of time and memory, for external engines.
        setup: "module:function", called in those processes before anything else.
        hosts_changed: told the roots of those processes whenever they change.
        in_process: specifications of external engines that play in this process.
        launches: of untrusted entrants; such an engine lasts for one game.
    """

    def __init__(
        self, limits: Limits = DEFAULT_LIMITS, setup: str | None = None,
        hosts_changed: Callable[[list[int]], None] = lambda pids: None,
        in_process: Collection[str] = (), launches: Launches | None = None,
    ) -> None:
        self._limits, self._setup, self._hosts_changed = limits, setup, hosts_changed
        self._in_process, self._launches = in_process, launches or {}
        self._engines: OrderedDict[
            tuple[GameSpec, str, int], Engine | IsolatedEngine] = OrderedDict()
        self._next_look = 0.0

    def get(self, game: GameSpec, entrant: Entrant, player: int) -> Engine | IsolatedEngine:
        """The engine of `player`, compiled and loaded. Raises whatever the engine raises."""
        key = (game, entrant.text, player)
        if key not in self._engines:
            self._make_room(_MOST_ENGINES - 1)
            self._engines[key] = self._build(game, entrant)
            self._tell_hosts()
        self._engines.move_to_end(key)
        if len(self._engines) > _FEWEST_ENGINES and time.monotonic() >= self._next_look:
            self._next_look = time.monotonic() + _MEMORY_LOOK
            if self._is_large():
                self._make_room(max(_FEWEST_ENGINES, len(self._engines) // 2))
        return self._engines[key]

    def _is_large(self) -> bool:
        """Whether this worker uses more memory than its share."""
        process, limit = os.getpid(), self._limits.memory_mb
        if limit and processes.memory(process, with_children=False) > _MEMORY_SHARE * limit * 2**20:
            return True
        machine = psutil.virtual_memory().total / processes.core_count()
        return processes.memory(process) > _MEMORY_SHARE * machine

    def _make_room(self, most: int) -> None:
        while len(self._engines) > most:
            _close(self._engines.popitem(last=False)[1])

    def _build(self, game: GameSpec, entrant: Entrant) -> Engine | IsolatedEngine:
        engine: Engine | IsolatedEngine
        if entrant.spec in self._in_process:
            engine = entrant.build(game)
        elif (launch := self._launches.get(entrant.text)) is not None:
            engine = IsolatedEngine(
                launch.spec, game, self._limits.move_timeout, sandbox=launch.sandbox,
            )
        else:
            engine = prepared_engine(game, entrant, self._limits, self._setup)
        try:
            engine.warm_up()
        except BaseException:
            _close(engine)
            raise
        # What is there by now, packages mostly, stays. Python's collector need not look through
        # it again: it would do so in the middle of a move, for some 70 ms.
        gc.freeze()
        return engine

    def _tell_hosts(self) -> None:
        engines = self._engines.values()
        self._hosts_changed([e.pid for e in engines if isinstance(e, IsolatedEngine)])

    def drop(self, game: GameSpec, entrant: Entrant, player: int) -> None:
        """Forget an engine, whose inner state is in doubt after an exception."""
        engine = self._engines.pop((game, entrant.text, player), None)
        if engine is not None:
            _close(engine)
            self._tell_hosts()

    def end_game(self, game: GameSpec, players: tuple[Entrant, Entrant]) -> None:
        """Close the engines that last for one game."""
        for player, entrant in enumerate(players):
            if entrant.text in self._launches:
                self.drop(game, entrant, player)

    def close(self) -> None:
        """Close all engines."""
        self._make_room(0)


def _close(engine: Engine | IsolatedEngine) -> None:
    with suppress(Exception):  # a fault while cleaning up does not lose a game
        engine.close()


def prepared_engine(
    game: GameSpec, entrant: Entrant, limits: Limits, setup: str | None = None
) -> Engine | IsolatedEngine:
    """Build an engine; an external one in its own process, under the limits, if that can have the
    game."""
    if not entrant.is_outside or GAMES.is_given(game.called):
        return entrant.build(game)
    engine = IsolatedEngine(entrant.spec, game, limits.move_timeout, limits.memory_mb, setup)
    if not engine.digest.startswith(entrant.version):
        engine.close()
        raise ProgramError(
            Failure.CRASH, f"{entrant.spec} was edited while the tournament ran; run the same "
            "command again"
        )
    engine.timeout = hard_limit(engine.budget, limits)
    return engine
