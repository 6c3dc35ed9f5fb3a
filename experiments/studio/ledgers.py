"""The ledgers that pages may read.

All reading is done by short queries that never hold up a tournament: SQLite's write-ahead log lets
one process write while others read. A page names a ledger by the name of its file, never by a path.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dlgo import DlgoError
from dlgo.records.game_record import GameRecord
from dlgo.records.ledger import Ledger
from dlgo.text import numbered, one_line
from experiments.arena.running import read_running
from experiments.studio.replies import StudioError, error_words

# Games listed at once.
PAGE = 20


class Ledgers:
    """The ledgers of a server: files, which need not exist yet, and all those in folders."""

    def __init__(self, given: Iterable[Path] = ()) -> None:
        self._given = tuple(given)

    def _paths(self) -> dict[str, Path]:
        """The ledgers that there are now, by their names."""
        paths: dict[str, Path] = {}
        seen_paths = set()
        for path in (path for given in self._given for path in _ledgers_of(given)):
            if path.resolve() in seen_paths:
                continue
            seen_paths.add(path.resolve())
            paths[numbered(path.name, paths)] = path
        return paths

    def find(self, name: str) -> Path:
        """The file of a name. Raises StudioError."""
        path = self._paths().get(name)
        if path is None:
            raise StudioError(one_line(f"{name[:100]!r} is not a ledger of this server"), 404)
        return path

    def overview(self) -> list[dict[str, Any]]:
        """All ledgers: name, number of games, whether a tournament is running."""
        ledgers = []
        for name, path in self._paths().items():
            entry = {"name": name, "games": 0, "running": False, "problem": ""}
            try:
                entry["games"] = count_games(path)
                entry["running"] = read_running(path) is not None
            except DlgoError as error:
                entry["problem"] = error_words(error)
            ledgers.append(entry)
        return ledgers


def _ledgers_of(place: Path) -> list[Path]:
    """A file, or the files of a folder; no link that leads out of it."""
    if not place.is_dir():
        return [place]
    folder = place.resolve()
    return [path for path in sorted(place.glob("*.sqlite"))
            if path.is_file() and path.resolve().is_relative_to(folder)]


def count_games(path: Path) -> int:
    """The games of a ledger. Raises LedgerError."""
    with Ledger(path, read_only=True) as ledger:
        return len(ledger)


def list_games(
    path: Path, game: str = "", entrant: str = "", failed: bool = False, offset: int = 0
) -> dict[str, Any]:
    """A page of finished games, newest first, and their total number.

    `game`, `entrant` and `failed` (lost by a failure) filter the games; `offset` games are skipped.
    """
    with Ledger(path, read_only=True) as ledger:
        ledger.show_names()
        records = [
            record for record in ledger.games()
            if game in ("", record.game) and entrant in ("", record.first, record.second)
            and (record.failed or not failed)
        ]
    records.sort(key=lambda record: (record.finished, record.slot), reverse=True)
    texts = {"game": "game", "first": "first", "second": "second", "reason": "reason_text"}
    return {"total": len(records), "games": [
        {**{name: one_line(getattr(record, source)) for name, source in texts.items()},
         "slot": record.slot, "result": record.result, "failed": record.failed,
         "plies": len(record.moves.split()), "finished": record.finished[:19]}
        for record in records[offset : offset + PAGE]
    ]}


def find_game(path: Path, slot: str) -> GameRecord:
    """A finished game. Raises StudioError."""
    with Ledger(path, read_only=True) as ledger:
        ledger.show_names()
        for record in ledger.games():
            if record.slot == slot:
                return record
    raise StudioError(one_line(f"there is no game {slot[:200]!r} in this ledger"), 404)
