"""Rebuilds a damaged ledger from its readable rows; the old file is kept beside it."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dlgo.errors import LedgerError
from dlgo.files import output_path
from dlgo.records import schema
from dlgo.records.ledger import TROUBLE, Ledger


@dataclass(frozen=True)
class Repair:
    """The result of a repair."""

    games: int  # number of games in the ledger now
    lost: int = 0  # number of games that it held before, and could not be read
    # The known parts of the rows that were left out: slots of games, names of settings.
    damaged: tuple[str, ...] = ()
    # The path of the old file; None: it was not damaged, and nothing was changed.
    aside: Path | None = None


def repair(path: str | Path) -> Repair:
    """Repair a ledger by leaving damaged rows out. The caller holds its lock.

    LedgerError if no row of it can be read, or the new file cannot be written.
    """
    with suppress(LedgerError), Ledger(path, read_only=True) as ledger:
        ledger.verify()
        return Repair(len(ledger))
    path = Path(os.path.realpath(path))
    rows, damaged = _readable_rows(path)
    if not any(rows.values()):
        raise LedgerError(f"ledger {path} cannot be repaired: nothing in it can be read; "
                          "take a copy of it, or name another file")
    aside = _free_name(path)
    with output_path(path, error=LedgerError) as temporary:
        temporary.unlink()
        _write(temporary, rows)
        for ending in ("", "-wal"):
            with suppress(FileNotFoundError):
                Path(f"{path}{ending}").rename(f"{aside}{ending}")
    Path(f"{path}-shm").unlink(missing_ok=True)
    games = len(rows["games"])
    (contents,) = [row[1] for row in rows["meta"].values() if row[0] == schema.CONTENTS] or [""]
    n_lost = max(schema.Contents(contents).rows["games"] - games, 0)
    return Repair(games, n_lost, tuple(sorted(damaged)), aside)


def _readable_rows(path: Path) -> tuple[dict[str, dict[Any, list[Any]]], set[str]]:
    """The rows of each table whose checksums are right, and the first columns of the others."""
    rows: dict[str, dict[Any, list[Any]]] = {table: {} for table in schema.COLUMNS}
    damaged: set[str] = set()
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as database:
        database.text_factory = schema.TEXT
        for table, columns in schema.COLUMNS.items():
            # If reading a damaged table in one order fails, another order may succeed.
            for order in ("rowid", "rowid DESC", columns[0]):
                sql = f"SELECT {', '.join(columns)}, checksum FROM {table} ORDER BY {order}"
                with suppress(*TROUBLE):
                    for *values, checksum in database.execute(sql):
                        if schema.checksum(values) == checksum:
                            rows[table][tuple(values[:3])] = [*values, checksum]
                        else:
                            damaged.add(str(values[0]))
    return rows, damaged - {schema.CONTENTS}


def _write(path: Path, tables: dict[str, dict[Any, list[Any]]]) -> None:
    """Write a new ledger with these rows and close it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        schema.create(database)
        contents = schema.Contents()
        contents.is_open = False
        for table, rows in tables.items():
            for row in rows.values():
                if row[0] == schema.CONTENTS:
                    continue
                database.execute(schema.insert(table), row)
                contents.count(table, 1, row[-1])
        contents.store(database)


def _free_name(path: Path) -> Path:
    """`FILE.damaged`, with a number if that name is taken."""
    name, number = Path(f"{path}.damaged"), 2
    while name.exists():
        name, number = Path(f"{path}.damaged{number}"), number + 1
    return name
