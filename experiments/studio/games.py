"""The games of a server: new ones, finding them, and room for them in memory."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from dlgo import GameState
from experiments.studio.engines import Engines
from experiments.studio.errors import NotFound, StudioError, TooMany
from experiments.studio.game import LONGEST_GAME, Game

# Games that are kept, and moves of all of them together: that limits memory.
_MOST_GAMES = 200
_MOST_PLIES = 100_000
# Seconds for which a game that nobody watches is safe from being dropped for another.
_KEPT = 60.0


class Games:
    """The games of a server, and who searches in them."""

    def __init__(self, engines: Engines) -> None:
        self.engines = engines
        self._games: dict[str, Game] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        engines.on_change = self._refresh

    async def start(
        self, make: Callable[[], GameState], players: tuple[str, str], seed: int, delay: float
    ) -> Game:
        """A new game, or one from a file. Raises TooMany if there is no room for another."""
        state = await asyncio.to_thread(make)
        game = await asyncio.to_thread(Game, state, players, self.engines, seed, delay)
        if len(state.moves()) > LONGEST_GAME:
            raise StudioError(f"the game has more than {LONGEST_GAME} moves")
        self._make_room(len(state.moves()))
        self._games[game.id] = game
        task = asyncio.create_task(game.prepare())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return game

    def find(self, key: str) -> Game:
        """The game of that name. Raises NotFound."""
        game = self._games.get(key)
        if game is None:
            raise NotFound("there is no such game here any more; start another, or load its file")
        game.used = time.monotonic()
        return game

    def __len__(self) -> int:
        return len(self._games)

    def close(self) -> None:
        """End all searches."""
        for task in self._tasks:
            task.cancel()
        for game in self._games.values():
            game.close()

    def _refresh(self) -> None:
        for game in self._games.values():
            game.refresh()

    def _make_room(self, plies: int) -> None:
        """Drop games that nobody watches, the one used longest ago first."""
        def full() -> bool:
            total = plies + sum(game.plies for game in self._games.values())
            return len(self._games) >= _MOST_GAMES or total > _MOST_PLIES

        old = sorted(
            (game for game in self._games.values()
             if not game.watchers and time.monotonic() - game.used > _KEPT),
            key=lambda game: game.used,
        )
        while full():
            if not old:
                raise TooMany(
                    f"{len(self._games)} games are under way here, and there is no room for "
                    "more; try again in a minute"
                )
            self._games.pop(old.pop(0).id).close()
