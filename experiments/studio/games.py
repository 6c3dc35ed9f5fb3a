"""The games of a server: started, found, kept on disk, and dropped where there are too many."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from contextlib import suppress

from starlette.requests import HTTPConnection

from experiments.play.game_file import SavedGame
from experiments.studio.engines import Engines
from experiments.studio.game import LONGEST_GAME, Game
from experiments.studio.kept import KeptGames, snapshot
from experiments.studio.replies import StudioError
from experiments.studio.seats import Seat
from experiments.studio.specs import HUMAN, Allowed

# Games that are kept, and moves of all of them together, which limits memory.
_MOST_GAMES, _MOST_PLIES = 200, 100_000
# Seconds after a request that may have changed a game, until it is kept on disk; moves are at once.
_PAUSE = 1.0


class Games:
    """All games of a server, and its engines."""

    def __init__(self, engines: Engines, allowed: Allowed) -> None:
        self._engines, self.kept = engines, KeptGames(allowed)
        self._saving: dict[str, asyncio.Task[None]] = {}
        self._writing = asyncio.Lock()  # or an older state could replace a newer one
        self._games: dict[str, Game] = {}
        engines.on_change = self._refresh

    async def start(
        self, make: Callable[[], SavedGame], players: tuple[str, str] = (HUMAN, HUMAN),
        seed: int = 0, delay: float = 0.5, clock: str = "",
    ) -> Game:
        """A new game, or one from a file; arguments as of `Game`. Raises StudioError if there is no
        room for another."""
        def build() -> Game:
            game = Game(make(), players, self._engines, seed, delay, clock)
            game.resume_clocks()
            return game

        game = await asyncio.to_thread(build)
        if game.plies > LONGEST_GAME:
            raise StudioError(f"the game has more than {LONGEST_GAME} moves")
        self._add(game)
        game.prepare()
        return game

    def _add(self, game: Game) -> None:
        self._make_room(game.plies)
        self._games[game.id] = game
        game.on_change = self._save
        self._save(game)

    def _save(self, game: Game, pause: float = 0.0) -> None:
        """Keep the game as it will be after a pause, and every change until then."""
        async def save() -> None:
            await asyncio.sleep(pause)
            async with self._writing:
                del self._saving[game.id]
                await asyncio.to_thread(self.kept.write, game.id, *snapshot(game))

        with suppress(RuntimeError):  # in a thread, which changes nothing
            loop, waiting = asyncio.get_running_loop(), self._saving.get(game.id)
            if waiting is None or not pause:
                if waiting is not None:
                    waiting.cancel()
                self._saving[game.id] = loop.create_task(save())

    def find(self, key: str) -> Game:
        """The game of that name. Raises StudioError."""
        game = self._games.get(key)
        if game is None:
            game = self.kept.read(key, self._engines)
            if game is None:
                raise StudioError(
                    "this game is no longer on the server; start a new one or load its file", 404)
            self._add(game)
        game.used = time.monotonic()
        self._save(game, _PAUSE)
        return game

    def of(self, request: HTTPConnection) -> Game:
        """The game that its maker's request names by its `id`. Raises StudioError."""
        game, seat = self.seated(request)
        if seat.guest:
            raise StudioError("a link to a game plays it or watches it; only its maker can do this",
                              403)
        return game

    def seated(self, request: HTTPConnection) -> tuple[Game, Seat]:
        """The game that a request names by its `id`, and what it may do. Raises StudioError."""
        name = request.path_params["id"]
        game = self.find(self._game_of_link(name) or name)
        return game, game.seats.of(name)

    def is_link(self, name: str) -> bool:
        """Whether a name is that of an invitation."""
        return self._game_of_link(name) is not None

    def _game_of_link(self, link: str) -> str | None:
        if link in self._games:
            return None
        for game in self._games.values():
            if link in game.seats.links.values():
                return game.id
        return self.kept.linked(link)

    async def delete(self, names: Iterable[str]) -> None:
        """Delete games, also from the disk."""
        async with self._writing:
            for name in names:
                if game := self._games.pop(name, None):
                    game.on_change = lambda game: None
                    game.close()
                if waiting := self._saving.pop(name, None):
                    waiting.cancel()
                self.kept.delete(name)

    def __len__(self) -> int:
        return len(self._games)

    def close(self) -> None:
        """End all searches, and keep what waits to be kept."""
        for game in self._games.values():
            game.close()
            if game.id in self._saving:
                self.kept.write(game.id, *snapshot(game))

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
                raise StudioError(f"{len(self._games)} games are open on this server, its limit; "
                                  "try again in a minute", 429)
            self._games.pop(old.pop().id).close()
