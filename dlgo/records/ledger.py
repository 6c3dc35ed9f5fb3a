"""The ledger: every rated game in one SQLite file, committed when the game ends.

Written by the arena (one process writes), read by `reports/`. A game occupies a *slot* of
the plan: game, the two entrants, the number of the opening pair and who moves first. Slots
are unique in the file, so a run that was killed and started again plays exactly the missing games.
SQLite's write-ahead log keeps the file whole when a process dies at any moment, and checksums
reveal damage by a disk or a copy. docs/tournaments.md explains the tables.
"""

from __future__ import annotations

import json
import operator
import os
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

from dlgo.errors import DlgoError, ForeignFileError, LedgerError, UnreadableError
from dlgo.files import make_folder
from dlgo.readers import reading
from dlgo.records import schema
from dlgo.records.costs import CostTotals, PackedCosts
from dlgo.records.entrants import display_names, latest_versions
from dlgo.records.failures import Failure
from dlgo.records.game_record import GameRecord
from dlgo.records.schema import COLUMNS, CONTENTS, Contents, insert
from dlgo.system.locks import held
from dlgo.text import excerpt, number_of

_GAME_VALUES = operator.attrgetter(*COLUMNS["games"][:-2])
_RESULT = COLUMNS["games"].index("result")
# Among the columns that follow the players.

# Exceptions of reading and writing. SQLite quotes a damaged file in its messages, which are then
# not UTF-8.
TROUBLE = (sqlite3.Error, UnicodeError)
# What helps against errors of SQLite that say nothing against the file.
_PERMISSIONS = "check the permissions of the file and of its folder"
_REMEDIES = {
    sqlite3.SQLITE_BUSY: "wait for the program that uses it",
    sqlite3.SQLITE_CANTOPEN: _PERMISSIONS,
    sqlite3.SQLITE_FULL: "make room on the disk",
    sqlite3.SQLITE_IOERR: "make room on the disk, or check it",
    sqlite3.SQLITE_LOCKED: "wait for the program that uses it",
    sqlite3.SQLITE_PERM: _PERMISSIONS,
    sqlite3.SQLITE_READONLY: _PERMISSIONS,
}


def _code(error: Exception) -> int:
    """SQLite's primary number of an error; 0 for others."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def ledger_lock(ledger: str | Path) -> AbstractContextManager[None]:
    """Hold the lock of a ledger: two tournaments in one file would play the same games twice.

    SQLite keeps the file whole where the system has no locks.
    """
    # Two names of one file share the lock.
    path = Path(os.path.realpath(ledger))
    return held(
        path.with_name(path.name + ".lock"), f"ledger {ledger}", "tournament", "file", LedgerError
    )


def is_ledger(path: Path) -> bool:
    """Whether a file is a ledger: its first bytes, or the ending `.sqlite`, say so."""
    with suppress(OSError, ValueError):
        if path.is_file():
            with path.open("rb") as file:
                if file.read(16) == b"SQLite format 3\0":
                    return True
    return path.suffix.lower() == ".sqlite"


class Ledger:
    """An open ledger file.

    Every row is compared with its checksum when it is read, and a table that was read to its end
    with the stored number of rows. All methods raise LedgerError, in one line, if the file is
    damaged or cannot be written, and FileError if it cannot be read or is not a ledger.

    Args:
        path: the file; created if absent unless `read_only`.
        read_only: for reports; a missing file is then an error, and no game can be added.

    Attributes:
        specifications: the entrants of the names that `show_names` lets people see.
    """

    def __init__(self, path: str | Path, read_only: bool = False) -> None:
        self.path = Path(path)
        self.specifications: dict[str, str] = {}
        self._names: dict[str, str] | None = None
        self._read_only = read_only
        with reading(self.path, "ledger", error=LedgerError):
            if self.path.is_dir():
                raise LedgerError(f"ledger {self.path} is a folder; name a file")
            if self.path.exists():
                self.path.open("rb").close()  # SQLite does not say why it cannot open a file
            elif read_only:
                raise LedgerError(f"ledger {self.path} does not exist; `dlgo tournament` makes one")
            else:
                make_folder(self.path.parent, error=LedgerError, remedy="name another file")
            # A reader does not empty the log of a tournament that was killed: otherwise it would be
            # unknown whether a log is missing. If there is no log, the reader removes its own
            # ("rw"), and can do without one where SQLite can write no files ("immutable").
            modes = ["rwc"] if not read_only else ["ro"] if self._has_log() else [
                "rw", "ro&immutable=1"]
            if modes[0] == "rw" and not os.access(self.path.absolute().parent, os.W_OK):
                del modes[0]
            while not self._connected(modes.pop(0), bool(modes)):
                pass

    def _connected(self, mode: str, retry: bool) -> bool:
        """Open the file in a mode of SQLite. With `retry`, False if the disk is full or fails."""
        address = f"{self.path.absolute().as_uri()}?mode={mode}"
        try:
            self._db = sqlite3.connect(address, timeout=30, isolation_level=None, uri=True)
            self._db.text_factory = schema.TEXT
            try:
                if not self._read_only and schema.is_empty(self._db):
                    schema.create(self._db)
                schema.check(self._db)
                self._check_log()
                if self._read_only:
                    self._db.execute("PRAGMA query_only = 1")
                else:
                    # In WAL mode the file survives a killed process; only a power cut may
                    # lose games.
                    self._db.execute("PRAGMA synchronous = NORMAL")
                    self._mark(is_open=True)
            except BaseException:
                self._db.close()
                raise
        except TROUBLE as error:
            if retry and _code(error) in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL):
                return False
            raise self._failure(error) from error
        return True

    def _has_log(self) -> bool:
        try:
            return os.stat(f"{os.path.realpath(self.path)}-wal").st_size > 0  # noqa: PTH116
        except OSError:
            return False

    def _check_log(self) -> None:
        """Check that the log exists, if a writer has the file open or was killed."""
        contents = self._meta()[1]
        if contents.is_open and not self._has_log():
            raise LedgerError(
                f"ledger {self.path} was left open, and {self.path}-wal, which holds its newest "
                f"games, is missing; restore {self.path}-wal, or keep the "
                f"{number_of(contents.rows['games'], 'stored game')}: `dlgo ledger {self.path} "
                "repair`"
            )

    def _mark(self, is_open: bool) -> None:
        """Write into the file itself, not only into its log, whether it is open."""
        with self._transaction() as contents:
            contents.is_open = is_open
        self._db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def show_names(self, latest: bool = False) -> None:
        """From now on, let entrants have the names that people see; for readers only. `latest` as
        for `names`."""
        self._names = self.names(latest)
        self.specifications = {name: entrant for entrant, name in self._names.items()}

    def names(self, latest: bool = False) -> dict[str, str]:
        """Entrant -> the name that people see.

        `latest`: leave out all but the last version of each external engine.
        """
        last: dict[str, int] = defaultdict(int)
        for _, _, first, second, *_, key, _ in self._rows("games"):
            for entrant in (first, second):
                last[entrant] = max(last[entrant], key)
        entrants = sorted(last, key=last.__getitem__)
        plan = self.get_meta("plan")
        names = plan.get("names") if isinstance(plan, dict) else None
        plan_names = {str(k): str(v) for k, v in names.items()} if isinstance(names, dict) else {}
        visible = latest_versions(entrants) if latest else set(entrants)
        return display_names((entrant for entrant in entrants if entrant in visible), plan_names)

    def close(self) -> None:
        """Close the file. No game is lost if you do not."""
        if not self._read_only:
            with suppress(LedgerError, *TROUBLE):
                self._mark(is_open=False)
        self._db.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # --- writing ----------------------------------------------------------------------------

    def add(self, *records: GameRecord) -> int:
        """Store finished games, all or none, and return how many.

        Games whose slot is already taken are left out.
        """
        added = total = 0
        with self._transaction() as contents:
            key = self._db.execute("SELECT coalesce(max(id), 0) + 1 FROM games").fetchone()[0]
            for record in records:
                costs = PackedCosts.of(record.costs).data
                values = [*_GAME_VALUES(record), key + added, costs]
                values[_RESULT] = float(record.result)  # as SQLite returns it
                checksum = schema.checksum(values)
                if self._db.execute(insert("games"), (*values, checksum)).rowcount == 1:
                    added += 1
                    total += checksum
            contents.count("games", added, total)
        return added

    def purge(self, slots: Collection[str]) -> None:
        """Remove games, so that they are played again."""
        self.verify()
        with self._transaction() as contents:
            games = self._db.execute("SELECT rowid, checksum, slot FROM games")
            rows = {key: checksum for key, checksum, slot in games if slot in slots}
            self._db.executemany("DELETE FROM games WHERE rowid = ?", zip(rows))
            contents.count("games", -len(rows), -sum(rows.values()))

    def set_meta(self, key: str, value: Any) -> None:
        """Store a setting."""
        text = json.dumps(value)
        checksum = schema.checksum((key, text))
        with self._transaction() as contents:
            old = self._db.execute("SELECT checksum FROM meta WHERE key = ?", (key,)).fetchone()
            contents.count("meta", old is None, checksum - (old[0] if old else 0))
            self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?, ?)", (key, text, checksum))

    @contextmanager
    def _transaction(self) -> Iterator[Contents]:
        """Everything that is written in the block is stored, or nothing; yields the contents to
        change."""
        try:
            self._db.execute("BEGIN IMMEDIATE")
            contents = self._meta()[1]
            yield contents
            contents.store(self._db)
            self._db.execute("COMMIT")
        except TROUBLE as error:
            raise LedgerError(
                f"ledger {self.path} cannot be written: {error}; make room, or check which other "
                "program uses it, then run the same command again: it continues"
            ) from error
        finally:
            if self._db.in_transaction:  # after Ctrl-C too
                with suppress(*TROUBLE):
                    self._db.execute("ROLLBACK")

    # --- reading ----------------------------------------------------------------------------

    def __len__(self) -> int:
        """The number of games."""
        return self._meta()[1].rows["games"]

    def games(self) -> Iterator[GameRecord]:
        """All games in the order of their slots, read from the file one by one.

        A missing row is reported at the end.
        """
        names = self._names
        for slot, game, first, second, *fields, failure, _, data in self._rows("games"):
            if names is not None:
                if first not in names or second not in names:
                    continue
                first, second = names[first], names[second]
            costs = PackedCosts(data, len(fields[1].split()))
            ending = None if failure is None else Failure(failure)
            yield GameRecord(*(slot, game, first, second, *fields, ending, costs))

    def cost_totals(self) -> dict[tuple[str, str], CostTotals]:
        """The total cost of each entrant in each game: (game, entrant) -> totals."""
        totals: dict[tuple[str, str], CostTotals] = defaultdict(CostTotals)
        for record in self.games():
            for player, entrant in enumerate((record.first, record.second)):
                spent = record.spent(player)
                if spent.moves:
                    totals[record.game, entrant] = totals[record.game, entrant].plus(spent)
        return dict(sorted(totals.items()))

    def verify(self) -> None:
        """Check all rows, and the file itself."""
        for _ in self._rows("games"):
            pass
        for (text,) in self._query("PRAGMA integrity_check(1)"):
            if text != "ok":
                raise self._damaged(text)

    def get_meta(self, key: str) -> Any:
        """A stored setting (any JSON value), or None."""
        text = self._meta()[0].get(key)
        return None if text is None else json.loads(text)

    def _meta(self) -> tuple[dict[str, str], Contents]:
        """The settings as JSON, and the contents of the ledger."""
        settings, total = {}, 0
        for key, value, checksum in self._query("SELECT key, value, checksum FROM meta"):
            if schema.checksum((key, value)) != checksum:
                raise self._damaged(f"the setting {excerpt(repr(key), 60)} was changed")
            settings[key] = value
            total += checksum * (key != CONTENTS)
        contents = Contents(settings.pop(CONTENTS, ""))
        if not contents.agree("meta", len(settings), total):
            raise self._damaged("settings are missing")
        return settings, contents

    def _rows(self, table: str) -> Iterator[Sequence[Any]]:
        """The values of all rows in the order of their slots, without the checksums."""
        count, total, previous, contents = 0, 0, "", ""
        # The expected contents are part of each row, so that both are read at the same moment.
        for *values, checksum, contents in self._query(  # noqa: B007 (the last one is needed)
            f"SELECT {', '.join(COLUMNS[table])}, {table}.checksum, CAST(meta.value AS BLOB) "
            f"FROM meta LEFT JOIN {table} ON 1 WHERE key = '{CONTENTS}' ORDER BY slot"
        ):
            if checksum is None and values[0] is None:  # there are no rows
                continue
            if schema.checksum(values) != checksum or values[0] < previous:
                raise self._damaged(f"the row of game {excerpt(repr(values[0]), 200)} was changed")
            count, total, previous = count + 1, total + checksum, values[0]
            yield values
        stated = Contents(contents)
        if not stated.agree(table, count, total):
            raise self._damaged(f"{table} has {count} rows, not the {stated.rows[table]} stored")

    def _query(self, sql: str) -> Iterator[Any]:
        try:
            # Not `yield from`: that would close the cursor, perhaps after the file.
            for row in self._db.execute(sql):  # noqa: UP028
                yield row
        except TROUBLE as error:
            raise self._failure(error) from error

    def _failure(self, error: Exception) -> DlgoError:
        """What an error of SQLite means."""
        if _code(error) == sqlite3.SQLITE_NOTADB:
            return ForeignFileError(f"{self.path} is not a ledger: {error}; name another file")
        if remedy := _REMEDIES.get(_code(error)):
            return UnreadableError(f"ledger {self.path} cannot be used: {error}; {remedy}")
        return self._damaged(str(error))

    def _damaged(self, how: str) -> LedgerError:
        return LedgerError(
            f"ledger {self.path} is damaged: {how}; `dlgo ledger {self.path} repair` sets damaged "
            "rows aside, and the same tournament plays those games again"
        )
