"""The ledger: every rated game in one SQLite file, committed when the game ends.

Written by the arena (one process writes), read by `reports/`. A game occupies a *slot* of
the plan: game, the two entrants, the number of the opening pair and who moves first. Slots
are unique in the file, so a run that was killed and started again plays exactly what is
missing. SQLite's write-ahead log keeps the file whole when a process dies at any moment.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dlgo.api import GameState, Move
from dlgo.errors import LedgerError
from dlgo.games import get_game

SCHEMA_VERSION = 1

# How the reason begins when an engine lost by a fault of its own instead of by the rules.
FAILURES = ("illegal move by ", "crash of ", "process died ", "no move from ")

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE games (
    slot TEXT PRIMARY KEY,      -- identity in the plan
    game TEXT NOT NULL,         -- canonical game specification
    first TEXT NOT NULL,        -- canonical engine specification of who moves first
    second TEXT NOT NULL,
    pair INTEGER NOT NULL,      -- the two games of a pair share the opening, colours swapped
    opening TEXT NOT NULL,      -- its moves, in the game's notation
    seed INTEGER NOT NULL,
    result REAL NOT NULL,       -- 1, 0.5 or 0, as `first` sees it
    reason TEXT NOT NULL,       -- why it ended
    moves TEXT NOT NULL,        -- all moves, the opening included
    started TEXT NOT NULL,      -- UTC, ISO 8601
    finished TEXT NOT NULL,
    machine TEXT NOT NULL,
    version TEXT NOT NULL       -- of the code
);
CREATE TABLE costs (            -- one row a move that an engine chose
    slot TEXT NOT NULL REFERENCES games(slot),
    ply INTEGER NOT NULL,       -- index into the game's moves, from 0
    player INTEGER NOT NULL,    -- 0: first, 1: second
    cpu REAL NOT NULL,          -- seconds, all threads
    wall REAL NOT NULL,
    nodes INTEGER NOT NULL,
    simulations INTEGER NOT NULL,
    evaluations INTEGER NOT NULL,
    value REAL,                 -- the engine's estimate for itself, -1 to 1
    PRIMARY KEY (slot, ply)
) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class MoveCost:
    """What one move cost: a row of `costs`."""

    ply: int
    player: int
    cpu: float
    wall: float
    nodes: int
    simulations: int
    evaluations: int
    value: float | None


@dataclass(frozen=True)
class GameRecord:
    """One finished game: a row of `games` and its costs."""

    slot: str
    game: str
    first: str
    second: str
    pair: int
    opening: str
    seed: int
    result: float
    reason: str
    moves: str
    started: str
    finished: str
    machine: str
    version: str
    costs: tuple[MoveCost, ...] = field(default=(), repr=False)

    @property
    def failed(self) -> bool:
        """Whether an engine broke down: an illegal move, a crash, no move in time."""
        return self.reason.startswith(FAILURES)

    def replay(self) -> GameState:
        """The final position, every stored move checked by the rules again.

        Raises:
            DlgoError: if the moves are not a legal game.
        """
        state = GameState.new_game(get_game(self.game))
        for text in self.moves.split():
            resigns = text == "resign"
            move = Move.resign() if resigns else state.game.parse_move(state, text)
            state = state.apply_move(move)
        return state


_GAME_COLUMNS = tuple(name for name in GameRecord.__dataclass_fields__ if name != "costs")
_COST_COLUMNS = tuple(MoveCost.__dataclass_fields__)


class Ledger:
    """An open ledger file.

    Args:
        path: the file; created if absent unless `read_only`.
        read_only: for reports; a missing file is then an error, and no game can be added.

    Raises:
        LedgerError: if the file cannot be opened, is no ledger, or is of another version.
    """

    def __init__(self, path: str | Path, read_only: bool = False) -> None:
        self.path = Path(path)
        try:
            if self.path.is_dir():
                raise LedgerError(f"ledger {self.path} is a folder; name a file")
            if read_only and not self.path.exists():
                raise LedgerError(f"ledger {self.path} does not exist; `dlgo tournament` makes one")
            if not read_only:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            # A reader, too, opens the file for writing ("rw"): after a kill, SQLite has to
            # bring the finished games from its log into view. But it creates nothing ("rwc").
            address = f"{self.path.absolute().as_uri()}?mode={'rw' if read_only else 'rwc'}"
            self._db = sqlite3.connect(address, timeout=30, isolation_level=None, uri=True)
            try:
                if read_only:
                    self._db.execute("PRAGMA query_only = 1")
                else:
                    self._create()
                self._check()
            except BaseException:
                self._db.close()
                raise
        except (sqlite3.Error, OSError) as error:
            # No advice to delete it: the file may be somebody's, or a newer program's.
            raise LedgerError(
                f"ledger {self.path} cannot be used: {error}; name another file"
            ) from error

    def _create(self) -> None:
        """Make the tables if the file is empty."""
        if self._is_empty():
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("BEGIN IMMEDIATE")
            if self._is_empty():  # still so, now that no other process can write
                for statement in _SCHEMA.split(";"):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            self._db.execute("COMMIT")
        # In WAL mode the file survives a killed process; only a power cut may lose games.
        self._db.execute("PRAGMA synchronous = NORMAL")

    def _check(self) -> None:
        version = self._version()
        if self._is_empty():
            raise sqlite3.DatabaseError("it is empty")
        if version != SCHEMA_VERSION:
            raise sqlite3.DatabaseError(
                f"it is no ledger of format {SCHEMA_VERSION} (found format {version})"
            )

    def _version(self) -> int:
        return self._db.execute("PRAGMA user_version").fetchone()[0]

    def _is_empty(self) -> bool:
        tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        return tables == 0 and self._version() == 0

    def close(self) -> None:
        """Close the file; nothing is lost without it."""
        self._db.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def add(self, record: GameRecord) -> bool:
        """Store a finished game; False if its slot was taken already (nothing changes then).

        Raises:
            LedgerError: if it cannot be written (a full disk, a file taken away).
        """
        marks = ", ".join("?" * len(_GAME_COLUMNS))
        try:
            self._db.execute("BEGIN IMMEDIATE")
            added = self._db.execute(
                f"INSERT OR IGNORE INTO games ({', '.join(_GAME_COLUMNS)}) VALUES ({marks})",
                [getattr(record, name) for name in _GAME_COLUMNS],
            ).rowcount == 1
            if added:
                self._db.executemany(
                    f"INSERT INTO costs (slot, {', '.join(_COST_COLUMNS)}) "
                    f"VALUES (?, {', '.join('?' * len(_COST_COLUMNS))})",
                    [
                        (record.slot, *(getattr(cost, name) for name in _COST_COLUMNS))
                        for cost in record.costs
                    ],
                )
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            raise LedgerError(f"ledger {self.path} cannot be written: {error}") from error
        finally:
            if self._db.in_transaction:  # after Ctrl-C too
                self._db.execute("ROLLBACK")
        return added

    def slots(self) -> set[str]:
        """The slots played so far."""
        return {row[0] for row in self._query("SELECT slot FROM games")}

    def games(self, with_costs: bool = False) -> Iterator[GameRecord]:
        """All games in the order of their slots."""
        costs: dict[str, list[MoveCost]] = {}
        if with_costs:
            columns = ", ".join(_COST_COLUMNS)
            for row in self._query(f"SELECT slot, {columns} FROM costs ORDER BY slot, ply"):
                costs.setdefault(row[0], []).append(MoveCost(*row[1:]))
        for row in self._query(f"SELECT {', '.join(_GAME_COLUMNS)} FROM games ORDER BY slot"):
            yield GameRecord(*row, costs=tuple(costs.get(row[0], ())))

    def get_meta(self, key: str) -> Any:
        """A stored setting (any JSON value), or None.

        Raises:
            LedgerError: if it cannot be read.
        """
        rows = list(self._query("SELECT value FROM meta WHERE key = ?", (key,)))
        try:
            return json.loads(rows[0][0]) if rows else None
        except ValueError as error:
            raise LedgerError(f"ledger {self.path}: {key!r} is damaged: {error}") from error

    def set_meta(self, key: str, value: Any) -> None:
        """Store a setting."""
        try:
            self._db.execute(
                "INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, json.dumps(value))
            )
        except sqlite3.Error as error:
            raise LedgerError(f"ledger {self.path} cannot be written: {error}") from error

    def _query(self, sql: str, values: Iterable[Any] = ()) -> Iterator[Any]:
        try:
            yield from self._db.execute(sql, tuple(values))
        except sqlite3.Error as error:
            raise LedgerError(f"ledger {self.path} cannot be read: {error}") from error
