"""The games of a server: started, found, and dropped where there are too many."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from experiments.play.game_file import SavedGame
from experiments.studio.engines import Engines
from experiments.studio.game import LONGEST_GAME, Game
from experiments.studio.replies import NotFound, StudioError, TooMany
from experiments.studio.specs import HUMAN

# Games that are kept, and moves of all of them together, which limits memory.
_MOST_GAMES, _MOST_PLIES = 200, 100_000


class Games:
    """All games of a server, and its engines."""

    def __init__(self, engines: Engines) -> None:
        self._engines = engines
        self._games: dict[str, Game] = {}
        engines.on_change = self._refresh

    async def start(
        self, make: Callable[[], SavedGame], players: tuple[str, str] = (HUMAN, HUMAN),
        seed: int = 0, delay: float = 0.5, clock: str = "",
    ) -> Game:
        """A new game, or one from a file; arguments as of `Game`. Raises TooMany if there is no
        room for another."""
        def build() -> Game:
            return Game(make(), players, self._engines, seed, delay, clock)

        game = await asyncio.to_thread(build)
        if game.plies > LONGEST_GAME:
            raise StudioError(f"the game has more than {LONGEST_GAME} moves")
        self._make_room(game.plies)
        self._games[game.id] = game
        game.prepare()
        return game

    def find(self, key: str) -> Game:
        """The game of that name. Raises NotFound."""
        game = self._games.get(key)
        if game is None:
            raise NotFound("this game is no longer on the server; start a new one or load its file")
        game.used = time.monotonic()
        return game

    def __len__(self) -> int:
        return len(self._games)

    def close(self) -> None:
        """End all searches."""
        for game in self._games.values():
            game.close()

    def _refresh(self) -> None:
        for game in self._games.values():
            game.refresh()

    def _make_room(self, plies: int) -> None:
        """Drop games without watchers, the least recently used first."""
        old = sorted(
            (game for game in self._games.values() if not game.watchers),
            key=lambda game: game.used, reverse=True,
        )
        while len(self._games) >= _MOST_GAMES or (
            plies + sum(game.plies for game in self._games.values()) > _MOST_PLIES
        ):
            if not old:
                raise TooMany(
                    f"{len(self._games)} games are open on this server, its limit; "
                    "try again in a minute"
                )
            self._games.pop(old.pop().id).close()
