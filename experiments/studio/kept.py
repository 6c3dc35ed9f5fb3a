"""Games on disk, so that they go on when the server has been restarted.

Each is a file that only this user can read, found by the name of the game, which nobody can guess:
nothing lists them. It holds the game as its saved file does, and what such a file has no place for.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from pathlib import Path, PurePath
from typing import Any

from dlgo.errors import DlgoError
from dlgo.files import write_file
from dlgo.jit import base_folder, is_private
from experiments.play.game_file import SavedGame, first_game, form_of, game_bytes, read_games
from experiments.studio.replies import json_text
from experiments.studio.specs import HUMAN, Allowed

# Games on disk, the ones changed last; bytes of one.
_MOST_GAMES, _MOST_BYTES = 1000, 2 << 20
_NAME = re.compile(r"[\w-]{16}")


class KeptGames:
    """The games of a user on disk; a folder that others can write to is not used."""

    def __init__(self, allowed: Allowed) -> None:
        self._allowed = allowed
        folder = Path(os.environ.get("DLGO_GAMES_DIR") or base_folder() / "games")
        self._folder = folder if is_private(folder) else None
        self._written: dict[str, str] = {}

    def write(self, name: str, saved: SavedGame, rest: dict[str, Any]) -> None:
        """Keep a game, unless the disk has it already; a full disk does not stop the game."""
        if self._folder is None:
            return
        with contextlib.suppress(DlgoError, OSError):
            file = game_bytes(saved.state, saved.black, saved.white, saved).decode()
            game = saved.state.game
            text = json_text({"form": form_of(game), "game": str(game), "file": file, **rest})
            if len(text) > _MOST_BYTES or self._written.get(name) == text:
                return
            write_file(self._folder / f"{name}.json", text, sync=False)
            if name not in self._written:
                files = sorted(self._folder.glob("*.json"), key=lambda file: file.stat().st_mtime)
                for file in files[:-_MOST_GAMES]:
                    file.unlink(missing_ok=True)
            self._written[name] = text

    def read(self, name: str) -> tuple[SavedGame, dict[str, Any]] | None:
        """A game that was kept, with players who are still allowed; None if there is none."""
        if self._folder is None or not _NAME.fullmatch(name):
            return None
        try:
            kept = json.loads((self._folder / f"{name}.json").read_text())
            self._allowed.game(kept["game"])  # before anything of the file is read
            path = PurePath(f"game.{kept['form']}")
            saved = first_game(read_games(kept["file"].encode(), path, self._allowed.game), path)
            kept["players"] = tuple(map(self._player, kept["players"]))
            return saved, kept
        except (OSError, ValueError, LookupError, TypeError, DlgoError):
            return None

    def _player(self, spec: str) -> str:
        try:
            return self._allowed.player(spec)
        except DlgoError:
            return HUMAN

