"""The tables of the ledger, and how files of older formats become readable and up to date.

docs/tournaments.md explains the columns.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

from dlgo.records.failures import failure_of_sentence

VERSION = 4
# Older formats that can be read as they are.
READABLE = (1, 2, 3, VERSION)

_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE games (
    id INTEGER PRIMARY KEY,
    slot TEXT NOT NULL UNIQUE,  -- identity in the plan
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
    version TEXT NOT NULL,      -- of the code
    networks TEXT,              -- JSON: which network each side plays with, where it has one
    limits TEXT,                -- JSON: what held for both sides (`limits.Limits`)
    failure TEXT,               -- how the loser failed (`failures.Failure`), null if nobody did
    worker TEXT                 -- which machine of a cluster played it, null outside of one
);
CREATE TABLE costs (            -- one row a move that an engine chose
    game_id INTEGER NOT NULL REFERENCES games(id),
    ply INTEGER NOT NULL,       -- index into the game's moves, from 0
    player INTEGER NOT NULL,    -- 0: first, 1: second
    cpu REAL NOT NULL,          -- seconds, all threads
    wall REAL NOT NULL,
    nodes INTEGER NOT NULL,
    simulations INTEGER NOT NULL,
    evaluations INTEGER NOT NULL,
    value REAL,                 -- the engine's estimate for itself, -1 to 1
    PRIMARY KEY (game_id, ply)
) WITHOUT ROWID;
"""

_COST_COLUMNS = (
    "game_id", "ply", "player", "cpu", "wall", "nodes", "simulations", "evaluations", "value",
)

# Of a cluster only.
_CHECKS = """
CREATE TABLE checks (           -- one row for each two workers that have played the same game
    slot TEXT NOT NULL,
    worker TEXT NOT NULL,       -- who played it first
    other TEXT NOT NULL,        -- who played it again
    difference TEXT,            -- what differed, null if nothing did
    UNIQUE (slot, worker, other)
)"""
_FROM_3 = "ALTER TABLE games ADD COLUMN worker TEXT;" + _CHECKS

# Format 1 had no ids and wrote the slot into every row of costs.
_FROM_1 = (
    "ALTER TABLE games RENAME TO old_games; ALTER TABLE costs RENAME TO old_costs;"
    + _TABLES.partition(";")[2]
    + """
INSERT INTO games SELECT NULL, slot, game, first, second, pair, opening, seed, result, reason,
    moves, started, finished, machine, version, NULL, NULL, failure_of(reason), NULL
    FROM old_games ORDER BY rowid;
INSERT INTO costs SELECT id, ply, player, cpu, wall, nodes, simulations, evaluations, value
    FROM old_costs JOIN games USING (slot) ORDER BY id, ply;
DROP TABLE old_costs; DROP TABLE old_games;
"""
    + _CHECKS
)

# Format 2 told failures by the first words of the reason only.
_FROM_2 = (
    "ALTER TABLE games ADD COLUMN failure TEXT; UPDATE games SET failure = failure_of(reason);"
    + _FROM_3
)

_UPGRADES = {0: _TABLES + _CHECKS, 1: _FROM_1, 2: _FROM_2, 3: _FROM_3}


def version_of(database: sqlite3.Connection) -> int:
    """The format of a file; 0 for an empty one."""
    return database.execute("PRAGMA user_version").fetchone()[0]


def is_empty(database: sqlite3.Connection) -> bool:
    """Whether the file holds nothing at all."""
    tables = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    return tables == 0 and version_of(database) == 0


def bring_up_to_date(database: sqlite3.Connection) -> None:
    """Make the tables of an empty file, or change those of an older format, all or nothing.

    A file of an unknown format is left alone.
    """
    if is_empty(database):
        database.execute("PRAGMA journal_mode = WAL")
    if _upgrade_of(database) is None:
        return
    _define_functions(database)
    database.execute("BEGIN IMMEDIATE")
    # Once more: now no other process can write.
    upgrade = _upgrade_of(database)
    if upgrade is not None:
        for statement in upgrade.split(";"):
            database.execute(statement)
        database.execute(f"PRAGMA user_version = {VERSION}")
    database.execute("COMMIT")


def _upgrade_of(database: sqlite3.Connection) -> str | None:
    version = version_of(database)
    return _UPGRADES.get(version) if version or is_empty(database) else None


def show_as_current(database: sqlite3.Connection) -> None:
    """Let this connection see a file of an older format as one of today's; the file stays."""
    version = version_of(database)
    if version == 1:
        database.execute("PRAGMA temp_store = MEMORY")
        database.execute(
            "CREATE TEMP VIEW costs AS SELECT old.rowid AS game_id, costs.* FROM main.costs "
            "JOIN main.games AS old USING (slot)"
        )
    if version in (1, 2, 3):
        database.execute(_CHECKS.replace("TABLE", "TEMP TABLE", 1))
        _show(database, _columns(database))


def show_names(database: sqlite3.Connection, names: Mapping[str, str], kept: set[str]) -> None:
    """Let this connection see some entrants only, under these names; the file stays as it is."""
    database.create_function("name_of", 1, lambda entrant: names.get(entrant, entrant))
    database.create_function("is_kept", 1, kept.__contains__)
    database.execute("PRAGMA query_only = 0")
    _show(
        database,
        [f"name_of({name}) AS {name}" if name in ("first", "second") else name
         for name in _columns(database)],
        "WHERE is_kept(games.first) AND is_kept(games.second)",
    )
    database.execute("PRAGMA query_only = 1")


def show_scaled(database: sqlite3.Connection, factors: Mapping[str, float]) -> None:
    """Let this connection see CPU times multiplied by a factor for each machine."""
    database.create_function("cpu_factor", 1, lambda machine: factors.get(machine, 1.0))
    columns = ", ".join(
        "costs.cpu * cpu_factor(played.machine) AS cpu" if name == "cpu" else f"costs.{name}"
        for name in _COST_COLUMNS
    )
    key = "played.id = costs.game_id"
    if version_of(database) == 1:
        columns, key = columns.replace("costs.game_id", "played.rowid AS game_id"), (
            "played.slot = costs.slot")
    database.execute("PRAGMA query_only = 0")
    database.execute("PRAGMA temp_store = MEMORY")
    database.execute("DROP VIEW IF EXISTS temp.costs")
    database.execute(
        f"CREATE TEMP VIEW costs AS SELECT {columns} FROM main.costs AS costs "
        f"JOIN main.games AS played ON {key}"
    )
    database.execute("PRAGMA query_only = 1")


def _columns(database: sqlite3.Connection) -> list[str]:
    """The columns of the games; of an older format also those that it lacks."""
    columns = [row[1] for row in database.execute("PRAGMA main.table_info(games)")]
    missing = {
        1: ["rowid AS id", "NULL AS networks", "NULL AS limits", "failure_of(reason) AS failure",
            "NULL AS worker"],
        2: ["failure_of(reason) AS failure", "NULL AS worker"],
        3: ["NULL AS worker"],
    }
    return [*columns, *missing.get(version_of(database), ())]


def _show(database: sqlite3.Connection, columns: Sequence[str], condition: str = "") -> None:
    """Put a view of the games before the table."""
    _define_functions(database)
    database.execute("PRAGMA temp_store = MEMORY")
    database.execute("DROP VIEW IF EXISTS temp.games")
    database.execute(
        f"CREATE TEMP VIEW games AS SELECT {', '.join(columns)} FROM main.games {condition}"
    )


def _define_functions(database: sqlite3.Connection) -> None:
    database.create_function("failure_of", 1, failure_of_sentence, deterministic=True)
