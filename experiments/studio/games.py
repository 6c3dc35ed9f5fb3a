"""The games of a server: started, found, kept on disk, and dropped where there are too many."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

from starlette.requests import HTTPConnection

from dlgo.errors import DlgoError, SpecError
from dlgo.files import write_file
from dlgo.jit import base_folder, is_private
from dlgo.readers import MALFORMED, read_json
from experiments.play.game_file import SavedGame, first_game, form_of, game_bytes, read_games
from experiments.studio.engines import Engines
from experiments.studio.game import LONGEST_GAME, Game
from experiments.studio.replies import StudioError, json_text
from experiments.studio.specs import HUMAN, Allowed

# Games that are kept, and moves of all of them together, which limits memory.
_MOST_GAMES, _MOST_PLIES = 200, 100_000
# Seconds after a request that may have changed a game, until it is kept on disk; moves are at once.
_PAUSE = 1.0
# Limits of the disk: games, of which the last changed are kept, and bytes of one.
_MOST_FILES, _MOST_BYTES = 1000, 2 << 20
_NAME = re.compile(r"[\w-]{16}")


class Games:
    """All games of a server, and its engines."""

    def __init__(self, engines: Engines, allowed: Allowed) -> None:
        self._engines, self._kept = engines, _KeptGames(allowed)
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
                await asyncio.to_thread(self._kept.write, game.id, *_parts(game))

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
            game = self._kept.read(key, self._engines)
            if game is None:
                raise StudioError(
                    "this game is no longer on the server; start a new one or load its file", 404)
            self._add(game)
        game.used = time.monotonic()
        self._save(game, _PAUSE)
        return game

    def of(self, request: HTTPConnection) -> Game:
        """The game that a request names by its `id`. Raises StudioError."""
        return self.find(request.path_params["id"])

    def __len__(self) -> int:
        return len(self._games)

    def close(self) -> None:
        """End all searches, and keep what waits to be kept."""
        for game in self._games.values():
            game.close()
            if game.id in self._saving:
                self._kept.write(game.id, *_parts(game))

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


def _parts(game: Game) -> tuple[SavedGame, dict[str, Any]]:
    """What is kept of a game: its file, and the rest."""
    black, white = game.read.names_beside(game.players, game.state)
    return replace(game.saved, state=game.state, black=black, white=white), game.kept()


class _KeptGames:
    """The games of a user on disk, so that they go on when the server has been restarted.

    Each is a file that only this user can read, found by the name of the game, which nobody can
    guess: nothing lists them. It holds the game as its saved file does, and what such a file has
    no place for. A folder that others can write to is not used.
    """

    def __init__(self, allowed: Allowed) -> None:
        self._allowed = allowed
        self._folder = Path(os.environ.get("DLGO_GAMES_DIR") or base_folder() / "games")
        self._written: dict[str, str] = {}
        self._failed = False

    def write(self, name: str, saved: SavedGame, rest: dict[str, Any]) -> None:
        """Keep a game, unless the disk has it already; a full disk does not stop the game."""
        try:
            if not is_private(self._folder):
                raise DlgoError(f"{self._folder} is not a folder that only you can use; "
                                "set DLGO_GAMES_DIR to another folder")
            file = game_bytes(saved.state, saved.black, saved.white, saved).decode()
            game = saved.state.game
            text = json_text({"form": form_of(game), "game": str(game), "file": file, **rest})
            if len(text) > _MOST_BYTES or self._written.get(name) == text:
                return
            write_file(self._folder / f"{name}.json", text, sync=False,
                       remedy="set DLGO_GAMES_DIR to another folder")
            if name not in self._written:
                files = sorted(self._folder.glob("*.json"), key=lambda file: file.stat().st_mtime)
                for path in files[:-_MOST_FILES]:
                    path.unlink(missing_ok=True)
            self._written[name] = text
        except (DlgoError, OSError) as error:
            if not self._failed:
                print(f"dlgo: games are not kept for a restart: {error}", file=sys.stderr)
            self._failed = True

    def read(self, name: str, engines: Engines) -> Game | None:
        """A game that was kept; None if there is none. Raises StudioError if it cannot be
        continued, as with a game or an engine that is not allowed now."""
        path, notes = self._folder / f"{name}.json", []
        if not (_NAME.fullmatch(name) and path.is_file() and is_private(self._folder)):
            return None

        def player(text: object) -> str:
            try:
                return self._allowed.player(text)
            except SpecError as error:  # of another version
                notes.append(f"{error}; a person plays instead")
                return HUMAN

        try:
            stored = read_json(path)
            self._allowed.game(stored["game"])  # before anything of the file is read
            file = PurePath(f"game.{stored['form']}")
            saved = first_game(read_games(stored["file"].encode(), file, self._allowed.game), file)
            black, white = map(player, stored["players"])
            game = Game(replace(saved, notes=(*saved.notes, *notes)), (black, white), engines,
                        stored["seed"], stored["delay"], stored["clock"])
            game.restore(name, stored)
        except DlgoError as error:
            raise StudioError(f"this game cannot be continued: {error}", 404) from None
        except (RecursionError, *MALFORMED):
            raise StudioError(f"this game cannot be continued: its file {path.name} is damaged; "
                              "start a new one", 404) from None
        return game
