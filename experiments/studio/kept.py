"""The games of a user on disk: kept for a restart, found, and read again."""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path, PurePath

from dlgo.errors import DlgoError, SpecError
from dlgo.files import write_file
from dlgo.jit import base_folder, is_private
from dlgo.readers import MALFORMED, read_json
from experiments.play.game_file import SavedGame, first_game, form_of, game_bytes, read_games
from experiments.studio.engines import Engines
from experiments.studio.game import Game
from experiments.studio.replies import StudioError, View, json_text
from experiments.studio.specs import HUMAN, Allowed

# Limits of the disk: games, of which the last changed are kept, and bytes of one.
MOST_FILES, _MOST_BYTES = 1000, 2 << 20
_NAME = re.compile(r"[\w-]{16}", re.ASCII)
_UNKNOWN: View = {
    "game": "", "title": "", "names": ["", ""], "sides": ["", ""], "yours": [], "turns": 0,
    "over": None, "winner": None, "result": "", "links": {}, "sample": None,
}
_SAMPLE = ("cells", "turn", "over", "last", "won")  # of a position: what `position_info` gives


def is_name(text: str) -> bool:
    """Whether it could be the name of a game, or of a link to one."""
    return bool(_NAME.fullmatch(text))


def snapshot(game: Game) -> tuple[View, SavedGame, View]:
    """What is kept of a game: what lists show of it, its file, and the rest."""
    view, state = game.view(), game.state
    position, (black, white) = view["position"], view["names"]
    summary = {
        "game": str(state.game), "title": view["title"], "names": [black, white],
        "sides": view["sides"], "yours": view["yours"], "turns": len(view["history"]),
        "over": position["over"] or bool(view["ended"]), "winner": position["winner"],
        "result": position["result"] or view["ended"], "links": game.seats.links,
        "sample": {key: position[key] for key in _SAMPLE},
    }
    return summary, replace(game.saved, state=state, black=black, white=white), game.kept()


class KeptGames:
    """The games of a user on disk, so that they go on when the server has been restarted.

    Each is a file that only this user can read, called by the name of the game, which nobody can
    guess. It holds the game as its saved file does, and what such a file has no place for; its
    first line is what lists show. A folder that others can write to is not used.
    """

    def __init__(self, allowed: Allowed) -> None:
        self._allowed = allowed
        self._folder = Path(os.environ.get("DLGO_GAMES_DIR") or base_folder() / "games")
        self._written: dict[str, str] = {}
        self._summaries: dict[str, tuple[float, View]] = {}  # by name: when it was written, and it
        self._failed = False

    def write(self, name: str, summary: View, saved: SavedGame, rest: View) -> None:
        """Keep a game, unless the disk has it already; a full disk does not stop the game."""
        try:
            if problem := self.problem():
                raise DlgoError(problem)
            game = saved.state.game
            file = game_bytes(saved.state, saved.black, saved.white, saved).decode()
            rest = {"form": form_of(game), "game": str(game), "file": file, **rest}
            text = f"{json_text({'summary': summary})[:-1]},\n{json_text(rest)[1:]}"
            if len(text) > _MOST_BYTES or self._written.get(name) == text:
                return
            write_file(self._path(name), text, sync=False,
                       remedy="set DLGO_GAMES_DIR to another folder")
            if name not in self._written:
                files = sorted(self._folder.glob("*.json"), key=lambda file: file.stat().st_mtime)
                for path in files[:-MOST_FILES]:
                    path.unlink(missing_ok=True)
            self._written[name] = text
        except (DlgoError, OSError) as error:
            if not self._failed:
                print(f"dlgo: games are not kept for a restart: {error}", file=sys.stderr)
            self._failed = True

    def problem(self) -> str:
        """Why no games are kept; "" if they are."""
        return "" if is_private(self._folder) else (
            f"{self._folder} is not a folder that only you can use; "
            "set DLGO_GAMES_DIR to another folder")

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.json"

    def summaries(self) -> dict[str, View]:
        """What lists show of all games, by their names: as `snapshot` gives it, and `date`, when it
        changed last, in seconds since 1970. Files that cannot be read are left out."""
        known, found = self._summaries, {}
        with suppress(OSError):
            for file in os.scandir(self._folder):
                name = file.name.removesuffix(".json")
                with suppress(OSError, *MALFORMED):
                    date = file.stat().st_mtime
                    if is_name(name):
                        before = known.get(name)
                        if before is None or before[0] != date:
                            before = date, _summary_of(Path(file.path)) | {"date": date}
                        found[name] = before
        self._summaries = found
        return {name: summary for name, (_, summary) in found.items()}

    def linked(self, link: str) -> str | None:
        """The name of the game that a link leads to; None if there is none."""
        return next((name for name, summary in self.summaries().items()
                     if link in summary["links"].values()), None) if is_name(link) else None

    def file(self, name: str) -> tuple[str, str]:
        """The format and the content of a game's file. Raises StudioError."""
        if not (is_name(name) and self._path(name).is_file()):
            raise StudioError("this game is no longer on the server; load the list again", 404)
        try:
            stored = read_json(self._path(name))
            return str(stored["form"]), str(stored["file"])
        except MALFORMED:
            raise StudioError(f"the file {name}.json of a game is damaged", 404) from None

    def delete(self, name: str) -> None:
        """Delete a game."""
        if is_name(name):
            self._path(name).unlink(missing_ok=True)

    def read(self, name: str, engines: Engines) -> Game | None:
        """A game that was kept; None if there is none. Raises StudioError if it cannot be
        continued, as with a game or an engine that is not allowed now."""
        path, notes = self._path(name), []
        if not (is_name(name) and path.is_file() and is_private(self._folder)):
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
            self._written[name] = path.read_text(encoding="utf-8")  # looking at it changes no date
        except DlgoError as error:
            raise StudioError(f"this game cannot be continued: {error}", 404) from None
        except (RecursionError, *MALFORMED):
            raise StudioError(f"this game cannot be continued: its file {path.name} is damaged; "
                              "start a new one", 404) from None
        return game


def _summary_of(path: Path) -> View:
    """The first line of a game's file. Files of older versions have no such line; what they say of
    the game is in the file itself."""
    with path.open(encoding="utf-8") as file:
        line = file.readline(_MOST_BYTES + 1)
    stored = read_json(line.removesuffix(",\n") + "}" if line.endswith(",\n") else line)
    if "summary" in stored:
        return _UNKNOWN | stored["summary"]
    game, players = stored["game"], stored["players"]
    return _UNKNOWN | {
        "game": game, "title": game.partition(":")[0].capitalize(), "names": players,
        "sides": players, "turns": len(stored["records"])}
