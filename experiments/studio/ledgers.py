"""The ledgers that pages may read: those the server was started with, and those in its folder.

All reading is done here, by short queries that never hold up a tournament: SQLite's write-ahead
log lets one process write while others read. A page names a ledger by the name of its file, never
by a path; a game from outside is replayed only if the server was started with it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dlgo import DlgoError, GameState
from dlgo.records.ledger import GameRecord, Ledger
from dlgo.text import one_line
from experiments.arena.running import read_running
from experiments.studio.errors import NotFound
from experiments.studio.folder import Folder
from experiments.studio.position import board_view, position_view, share_of
from experiments.studio.specs import Allowed

_ENDINGS = (".sqlite", ".sqlite3", ".db")
# Replays whose positions are kept: stepping through one asks for them one by one.
_KEPT_REPLAYS = 16
# Games listed at once.
PAGE = 20


@dataclass(frozen=True)
class Selection:
    """Which games are listed.

    Attributes:
        game, entrant: only these; "": all.
        failed: only those that an engine lost by breaking down.
        offset: how many are skipped.
    """

    game: str = ""
    entrant: str = ""
    failed: bool = False
    offset: int = 0

    def holds(self, record: GameRecord) -> bool:
        """Whether a game is one of them."""
        return (
            self.game in ("", record.game)
            and self.entrant in ("", record.first, record.second)
            and (record.failed or not self.failed)
        )


class Ledgers:
    """The ledgers of a server.

    Args:
        given: files; they need not exist yet.
        folder: where others are.
        allowed: which games may be replayed.
    """

    def __init__(self, given: Iterable[Path], folder: Folder, allowed: Allowed) -> None:
        self._folder, self._allowed = folder, allowed
        self._given: dict[str, Path] = {}
        for path in given:
            if path.resolve() in [other.resolve() for other in self._given.values()]:
                continue
            name, number = path.name, 2
            while name in self._given:
                name, number = f"{path.name}~{number}", number + 1
            self._given[name] = path
        self._replays: OrderedDict[tuple[Path, str], tuple[GameRecord, list[GameState]]]
        self._replays = OrderedDict()
        self._lock = threading.Lock()

    def find(self, name: str) -> Path:
        """The file of a name. Raises NotFound or Refused."""
        if name in self._given:
            return self._given[name]
        if not name.lower().endswith(_ENDINGS):
            raise NotFound(one_line(f"{name[:100]!r} is not the name of a ledger here"))
        return self._folder.find(name)

    def overview(self) -> list[dict[str, Any]]:
        """All ledgers: name, number of games, whether a tournament plays into it."""
        inside = [name for name in self._folder.names(_ENDINGS) if name not in self._given]
        return [self._summary(name) for name in (*self._given, *inside)]

    def _summary(self, name: str) -> dict[str, Any]:
        try:
            path = self.find(name)
            with Ledger(path, read_only=True) as ledger:
                games = len(ledger)
        except DlgoError as error:
            return {"name": name, "games": 0, "running": False, "problem": one_line(str(error))}
        running = read_running(path) is not None
        return {"name": name, "games": games, "running": running, "problem": ""}

    @staticmethod
    def count(path: Path) -> int:
        """The games of a ledger. Raises LedgerError."""
        with Ledger(path, read_only=True) as ledger:
            return len(ledger)

    @staticmethod
    def games(path: Path, selection: Selection) -> dict[str, Any]:
        """A page of finished games, the last one first, and how many there are."""
        with Ledger(path, read_only=True) as ledger:
            ledger.show_names()
            records = [record for record in ledger.games() if selection.holds(record)]
        records.sort(key=lambda record: (record.finished, record.slot), reverse=True)
        page = records[selection.offset : selection.offset + PAGE]
        return {"total": len(records), "games": [_head(record) for record in page]}

    def replay(self, path: Path, slot: str) -> dict[str, Any]:
        """A finished game: who, the result, and every move with what it has cost.

        Raises:
            NotFound: if there is no such game.
            DlgoError: if it cannot be replayed here.
        """
        record, states = self._positions(path, slot)
        costs = {cost.ply: cost for cost in record.costs}
        opening = len(record.opening.split())
        moves = []
        for ply, text in enumerate(record.moves.split()):
            move: dict[str, Any] = {
                "text": text, "player": states[ply].next_player.index, "opening": ply < opening,
            }
            if (cost := costs.get(ply)) is not None:
                move |= {"cpu": cost.cpu, "wall": cost.wall,
                         "count": cost.simulations or cost.nodes,
                         "counted": "simulations" if cost.simulations else "nodes",
                         "black": share_of(cost.value, cost.player)}
            moves.append(move)
        return {**_head(record), "info": board_view(states[0].game), "moves": moves}

    def position(self, path: Path, slot: str, ply: int) -> dict[str, Any]:
        """The position of a finished game after `ply` moves. Raises as `replay`."""
        return position_view(self.state(path, slot, ply), with_moves=False)

    def state(self, path: Path, slot: str, ply: int) -> GameState:
        """As `position`, as a state."""
        _, states = self._positions(path, slot)
        if not 0 <= ply < len(states):
            raise NotFound(f"the game has {len(states) - 1} moves")
        return states[ply]

    def record(self, path: Path, slot: str) -> GameRecord:
        """A finished game as the ledger has it. Raises as `replay`."""
        return self._positions(path, slot)[0]

    def _positions(self, path: Path, slot: str) -> tuple[GameRecord, list[GameState]]:
        with self._lock:
            replay = self._replays.get((path, slot))
        if replay is not None:
            return replay
        with Ledger(path, read_only=True) as ledger:
            ledger.show_names()
            record = next((game for game in ledger.games() if game.slot == slot), None)
        if record is None:
            raise NotFound(one_line(f"there is no game {slot[:200]!r} in this ledger"))
        self._allowed.game(record.game)
        replay = record, [*record.positions()]
        with self._lock:
            self._replays[path, slot] = replay
            while len(self._replays) > _KEPT_REPLAYS:
                self._replays.popitem(last=False)
        return replay


def _head(record: GameRecord) -> dict[str, Any]:
    """What a list tells of a game."""
    return {
        **{name: one_line(getattr(record, name)) for name in ("game", "first", "second", "reason")},
        "slot": record.slot, "result": record.result, "failed": record.failed,
        "plies": len(record.moves.split()), "finished": record.finished[:19],
    }
