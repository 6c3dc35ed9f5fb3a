"""The tables of the ledger, and the checksums that reveal damaged rows.

Every row carries a checksum of its values. The row `contents` of `meta` has the number of rows of
each table and the sum of their checksums, so that a missing row is noticed, too. It also tells
whether a writer has the file open: then the last games are in the log beside the file (`FILE-wal`),
and a file without its log lacks them. docs/tournaments.md explains the columns.
"""

from __future__ import annotations

import functools
import json
import sqlite3
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dlgo.errors import ForeignFileError, LedgerError
from dlgo.readers import check_format

VERSION = 5

_TABLES = tuple(
    Path(__file__).with_suffix(".sql").read_text(encoding="utf-8").rstrip(";\n").split(";\n\n"))

# The columns of each table without the checksum, in the order in which they enter it.
COLUMNS = {
    "meta": ("key", "value"),
    "games": (
        "slot", "game", "first", "second", "pair", "opening", "seed", "result", "reason", "moves",
        "started", "finished", "machine", "version", "networks", "limits", "worker", "failure",
        "id", "costs",
    ),
}
CONTENTS = "contents"
# Damaged text is not UTF-8: it is still read, so that messages can name its row.
TEXT = functools.partial(str, encoding="utf-8", errors="replace")


class Contents:
    """The contents of a ledger: the row `contents` of `meta`, which is not counted itself."""

    def __init__(self, text: str | bytes = "") -> None:
        fields = json.loads(text or "{}")
        self.stored = bool(fields)  # whether there was such a row
        # Whether a writer has the file open, or had it open when it was killed.
        self.is_open: bool = fields.get("open", True)
        # For each table: the number of rows, and the sum of their checksums.
        self.rows: dict[str, int] = fields.get("rows", {"meta": 0, "games": 0})
        self.totals: dict[str, int] = fields.get("totals", dict.fromkeys(self.rows, 0))

    def agree(self, table: str, rows: int, total: int) -> bool:
        """Whether a table has the expected rows."""
        return self.stored and (self.rows[table], self.totals[table]) == (rows, total)

    def count(self, table: str, rows: int, total: int) -> None:
        """Count rows that were added, or (negative numbers) taken away."""
        self.rows[table] += rows
        self.totals[table] += total

    def store(self, database: sqlite3.Connection) -> None:
        """Write the row."""
        text = json.dumps({"open": self.is_open, "rows": self.rows, "totals": self.totals})
        database.execute(
            "INSERT OR REPLACE INTO meta VALUES (?, ?, ?)",
            (CONTENTS, text, checksum((CONTENTS, text))),
        )


def checksum(values: Sequence[Any]) -> int:
    """The checksum that is stored beside the values of a row."""
    data = values[-1] if type(values[-1]) is bytes else b""
    texts = values[:-1] if data else values
    return zlib.crc32(data, zlib.crc32("\0".join(map(str, texts)).encode()))


@functools.cache
def insert(table: str) -> str:
    """The SQL that adds a row, its checksum last, unless it exists already."""
    columns = (*COLUMNS[table], "checksum")
    places = ", ".join("?" * len(columns))
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places}) ON CONFLICT DO NOTHING"


def create(database: sqlite3.Connection) -> None:
    """Make the tables of a new file, all or nothing."""
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("BEGIN IMMEDIATE")
    if is_empty(database):  # now no other process can write
        for table in _TABLES:
            database.execute(table)
        Contents().store(database)
        database.execute(f"PRAGMA user_version = {VERSION}")
    database.execute("COMMIT")


def is_empty(database: sqlite3.Connection) -> bool:
    """Whether the file is empty."""
    tables = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    return tables == 0 and _version_of(database) == 0


def check(database: sqlite3.Connection) -> None:
    """Raise VersionError or ForeignFileError, to be called within `reading`, unless the file is a
    ledger of the current format."""
    if is_empty(database):
        raise LedgerError("the ledger has no games yet; `dlgo tournament` plays some into it")
    version = _version_of(database)
    check_format(f"ledger {version}" if version else "unknown", f"ledger {VERSION}")
    # Earlier versions had one more table, `checks`.
    tables = database.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL "
                              "AND name != 'checks' ORDER BY rowid")
    if tuple(sql for sql, in tables) != _TABLES:
        raise ForeignFileError(f"its tables are not those of format {VERSION}")


def _version_of(database: sqlite3.Connection) -> int:
    return int(database.execute("PRAGMA user_version").fetchone()[0])
