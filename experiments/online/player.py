"""The engine of the bridge: one process for each game, limited by the clock."""

from __future__ import annotations

import asyncio
import contextlib

from dlgo.api import GameState, Move
from dlgo.errors import DlgoError
from dlgo.games.go.scoring import likely_dead
from dlgo.games.go.state import Go
from engines.base import Decision
from engines.isolation.describe import read_spec
from engines.isolation.pool import EngineLimits, EnginePool
from engines.registry import engine_class, is_outside
from experiments.gtp.session import limited
from experiments.online.position import RULES


class OnlinePlayer:
    """An engine for all games. Raises SpecError if there is no such engine."""

    def __init__(self, text: str, limits: EngineLimits, seed: int) -> None:
        spec = read_spec(text, limits.move_timeout)
        self.spec = spec.text
        self._budget = spec.budget
        # The budgets of an external engine are unknown here.
        self._budgets = () if is_outside(text) else engine_class(spec.name).budgets
        self._engines = EnginePool(limits)
        self._seed = seed

    async def warm_up(self, sizes: tuple[int, ...]) -> None:
        """Compile and load what games on these boards need, while no clock runs. Raises DlgoError
        if the engine cannot play on one of them."""
        for size in sizes:
            game = Go(size=size, ko=RULES["chinese"])  # with the usual komi: what most games are
            try:
                await self._engines.prepare("", game, self.spec, self._seed)
            except DlgoError as error:
                raise DlgoError(f"{error}; choose board sizes with --size") from None
            await asyncio.to_thread(likely_dead, GameState.new_game(game).apply_move(
                Move.pass_turn()), 1)

    async def prepare(self, owner: str, state: GameState) -> None:
        """Start the engine of a game, so that its first move need not wait."""
        with contextlib.suppress(DlgoError):  # its first move shows failures
            await self._engines.prepare(owner, state.game, self.spec, self._seed)

    async def choose(
        self, owner: str, state: GameState, seconds: float | None, tries: int
    ) -> Decision:
        """A move. Raises DlgoError if none comes; the next call starts another process.

        Args:
            owner: the game: its process keeps the tree.
            seconds: of wall time; None: as its own budget says.
            tries: how often it has failed before: the next try has another seed.
        """
        budget = limited(self._budget, self._budgets, seconds) if self._budgets else None
        return await self._engines.search(owner, state, self.spec, self._seed + tries, budget)

    def close(self) -> None:
        """End all processes."""
        self._engines.close()
