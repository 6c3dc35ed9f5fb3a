"""The ledger: every rated game in one SQLite file, committed when the game ends.

Written by the arena (one process writes), read by `reports/`. A game occupies a *slot* of
the plan: game, the two entrants, the number of the opening pair and who moves first. Slots
are unique in the file, so a run that was killed and started again plays exactly what is
missing. SQLite's write-ahead log keeps the file whole when a process dies at any moment.
docs/tournaments.md explains the tables.
"""

from __future__ import annotations

import json
import operator
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from dlgo.errors import LedgerError
from dlgo.lock import held
from dlgo.records import schema
from dlgo.records.columns import check_row
from dlgo.records.costs import (
    COST_TOTALS,
    SIDE_COLUMNS,
    SIDE_COSTS,
    TOTAL_COLUMNS,
    CostTotals,
    MoveCost,
    PackedCosts,
    SideCosts,
)
from dlgo.records.entrants import display_names, latest_versions
from dlgo.records.failures import Failure
from dlgo.records.game_record import Check, GameRecord

_GAME_COLUMNS = tuple(name for name in GameRecord.__dataclass_fields__ if name != "costs")
_CHECK_COLUMNS = tuple(Check.__dataclass_fields__)
_COST_COLUMNS = tuple(MoveCost.__dataclass_fields__)
_GAME_VALUES = operator.attrgetter(*_GAME_COLUMNS)
_COST_VALUES = operator.attrgetter(*_COST_COLUMNS)

# What reading or writing may raise. SQLite quotes a damaged file in its messages, which then are
# not UTF-8 either.
_TROUBLE = (sqlite3.Error, UnicodeError)


def _insert(table: str, columns: Sequence[str]) -> str:
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"


_INSERT_GAME = _insert("games", _GAME_COLUMNS) + " ON CONFLICT (slot) DO NOTHING"
_INSERT_CHECK = _insert("checks", _CHECK_COLUMNS) + " ON CONFLICT DO NOTHING"
_INSERT_COST = _insert("costs", ("game_id", *_COST_COLUMNS))


def ledger_lock(ledger: str | Path) -> AbstractContextManager[None]:
    """Hold the lock of a ledger: two tournaments in one file would play the same games twice.

    SQLite keeps the file whole where the system has no locks.

    Raises:
        LedgerError: if another process holds it, or the folder cannot be written to.
    """
    # Two names of one file share the lock.
    path = Path(os.path.realpath(ledger))
    return held(
        path.with_name(path.name + ".lock"), f"ledger {ledger}", "tournament", "file", LedgerError
    )


class Ledger:
    """An open ledger file.

    Args:
        path: the file; created if absent unless `read_only`.
        read_only: for reports; a missing file is then an error, and no game can be added.

    Attributes:
        path: as given.
        specifications: which entrants the names mean that `show_names` lets people see.

    Raises:
        LedgerError: if the file cannot be opened, is not a ledger, or is of another version.
    """

    def __init__(self, path: str | Path, read_only: bool = False) -> None:
        self.path = Path(path)
        self.specifications: dict[str, str] = {}
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
                    schema.show_as_current(self._db)
                    self._db.execute("PRAGMA query_only = 1")
                else:
                    schema.bring_up_to_date(self._db)
                    # In WAL mode the file survives a killed process; only a power cut may
                    # lose games.
                    self._db.execute("PRAGMA synchronous = NORMAL")
                self._check()
            except BaseException:
                self._db.close()
                raise
        except (*_TROUBLE, OSError) as error:
            # No advice to delete it: the file may be somebody's, or a newer program's.
            raise LedgerError(
                f"ledger {self.path} cannot be used: {error}; name another file"
            ) from error

    def _check(self) -> None:
        version = schema.version_of(self._db)
        if schema.is_empty(self._db):
            raise sqlite3.DatabaseError("it is empty")
        if version not in schema.READABLE:
            raise sqlite3.DatabaseError(
                f"it is not a ledger of format {schema.VERSION} (its format is {version})"
            )

    def show_names(self, latest: bool = False) -> None:
        """From now on, let entrants have the names that people see; for readers only.

        Args:
            latest: leave out all but the last version of each engine from outside.
        """
        one = "SELECT {0} AS entrant, max(rowid) AS id FROM main.games GROUP BY {0}"
        both = f"{one.format('first')} UNION ALL {one.format('second')}"
        sql = f"SELECT entrant, max(id) FROM ({both}) GROUP BY entrant ORDER BY max(id)"
        entrants = [row[0] for row in self._checked(("entrant", "id"), self._query(sql))]
        plan = self.get_meta("plan")
        names = plan.get("names") if isinstance(plan, dict) else None
        given = {str(k): str(v) for k, v in names.items()} if isinstance(names, dict) else {}
        kept = latest_versions(entrants) if latest else set(entrants)
        shown = display_names((entrant for entrant in entrants if entrant in kept), given)
        try:
            schema.show_names(self._db, shown, kept)
        except _TROUBLE as error:
            raise LedgerError(f"ledger {self.path} cannot be read: {error}") from error
        self.specifications = {name: entrant for entrant, name in shown.items()}

    def scale_cpu(self, factors: Mapping[str, float]) -> None:
        """From now on, let CPU times of games on these machines be so many times as long.

        For readers only; `reports/cpu_scale.py` knows the factors.
        """
        try:
            schema.show_scaled(self._db, factors)
        except _TROUBLE as error:
            raise LedgerError(f"ledger {self.path} cannot be read: {error}") from error

    def close(self) -> None:
        """Close the file; nothing is lost without it."""
        self._db.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def add(self, *records: GameRecord) -> int:
        """Store finished games, all or none; those whose slot was taken already are left out.

        Returns:
            how many were stored.

        Raises:
            LedgerError: if it cannot be written (a full disk, a file taken away).
        """
        added = 0
        try:
            self._db.execute("BEGIN IMMEDIATE")
            for record in records:
                cursor = self._db.execute(_INSERT_GAME, _GAME_VALUES(record))
                if cursor.rowcount == 1:
                    added += 1
                    key, costs = cursor.lastrowid, record.costs
                    packed = isinstance(costs, PackedCosts)
                    rows = costs.rows() if packed else map(_COST_VALUES, costs)
                    self._db.executemany(_INSERT_COST, ((key, *row) for row in rows))
            self._db.execute("COMMIT")
        except _TROUBLE as error:
            raise self._unwritable(error) from error
        finally:
            if self._db.in_transaction:  # after Ctrl-C too
                self._db.execute("ROLLBACK")
        return added

    def add_check(self, check: Check) -> None:
        """Store how the second playing of a game compares with the first."""
        try:
            self._db.execute(_INSERT_CHECK, [getattr(check, name) for name in _CHECK_COLUMNS])
        except _TROUBLE as error:
            raise self._unwritable(error) from error

    def checks(self) -> Iterator[Check]:
        """The games that were played twice."""
        order = "FROM checks ORDER BY slot, worker, other"
        return (Check(*row) for row in self._rows(_CHECK_COLUMNS, order))

    def purge(self, worker: str) -> int:
        """Take all games of a worker out, so that they are played again.

        Returns:
            how many they were.

        Raises:
            LedgerError: if it cannot be written.
        """
        theirs = "(SELECT id FROM games WHERE worker = ?)"
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.execute(f"DELETE FROM costs WHERE game_id IN {theirs}", (worker,))
            count = self._db.execute("DELETE FROM games WHERE worker = ?", (worker,)).rowcount
            self._db.execute("DELETE FROM checks WHERE ? IN (worker, other)", (worker,))
            self._db.execute("COMMIT")
        except _TROUBLE as error:
            raise self._unwritable(error) from error
        finally:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
        return count

    def __len__(self) -> int:
        """The number of games."""
        return self.count()

    def count(self, where: str = "", *values: Any) -> int:
        """The number of games for which an SQL condition holds, as in `games`."""
        sql = f"SELECT count(*) AS count FROM games WHERE {where or 1}"
        return next(self._checked(("count",), self._query(sql, values)))[0]

    def versions(self) -> dict[str, int]:
        """The versions of the code, and how many games each has played."""
        sql = "SELECT version, count(*) FROM games GROUP BY version"
        return dict(self._checked(("version", "count"), self._query(sql)))

    def machines(self) -> list[str]:
        """The machines on which games were played."""
        sql = "SELECT DISTINCT machine FROM games ORDER BY machine"
        return [row[0] for row in self._checked(("machine",), self._query(sql))]

    def slots(self) -> set[str]:
        """The slots played so far."""
        return {row[0] for row in self._rows(("slot",), "FROM games")}

    def games(
        self, with_costs: bool = False, where: str = "", *values: Any
    ) -> Iterator[GameRecord]:
        """Games in the order of their slots, one by one as they are read from the file.

        Args:
            with_costs: whether to read the costs of the moves too.
            where: an SQL condition on the columns of `games`, with ? for each of `values`.
        """
        costs = "FROM costs WHERE game_id = ? ORDER BY ply"
        order = f"FROM games WHERE {where or 1} ORDER BY slot"
        for *row, failure, key in self._rows((*_GAME_COLUMNS, "id"), order, values):
            rows = self._rows(_COST_COLUMNS, costs, (key,)) if with_costs else ()
            yield GameRecord(
                *row, failure=None if failure is None else Failure(failure),
                costs=tuple(MoveCost(*cost) for cost in rows),
            )

    def results(self) -> Iterator[tuple[str, str, str, str, int, str, float]]:
        """Slot, game, first, second, pair, moves and result of all games."""
        columns = ("slot", "game", "first", "second", "pair", "moves", "result")
        return self._rows(columns, "FROM games")

    def side_costs(self) -> Iterator[SideCosts]:
        """What each side of each game has spent, added up by SQLite."""
        return (SideCosts(*row) for row in self._checked(SIDE_COLUMNS, self._query(SIDE_COSTS)))

    def cost_totals(self) -> list[CostTotals]:
        """What each entrant has spent on each game, added up by SQLite: fit for any size."""
        rows = self._checked(TOTAL_COLUMNS, self._query(COST_TOTALS))
        return [CostTotals(*row) for row in rows]

    def damages(self) -> Iterator[str]:
        """What SQLite finds wrong with the file itself."""
        for (text,) in self._query("PRAGMA integrity_check(10)"):
            if text != "ok":
                yield text

    def get_meta(self, key: str) -> Any:
        """A stored setting (any JSON value), or None.

        Raises:
            LedgerError: if it cannot be read.
        """
        rows = list(self._query("SELECT value FROM meta WHERE key = ?", (key,)))
        try:
            return json.loads(rows[0][0]) if rows else None
        except (ValueError, TypeError, RecursionError) as error:
            raise LedgerError(f"ledger {self.path}: {key!r} is damaged ({error}); "
                              "name another file") from error

    def set_meta(self, key: str, value: Any) -> None:
        """Store a setting."""
        try:
            self._db.execute(
                "INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, json.dumps(value))
            )
        except _TROUBLE as error:
            raise self._unwritable(error) from error

    def _rows(self, columns: Sequence[str], rest: str, values: Iterable[Any] = ()) -> Iterator[Any]:
        """The values of some columns, checked."""
        return self._checked(columns, self._query(f"SELECT {', '.join(columns)} {rest}", values))

    def _checked(self, columns: Sequence[str], rows: Iterable[Any]) -> Iterator[Any]:
        for row in rows:
            check_row(self.path, columns, row)
            yield row

    def _query(self, sql: str, values: Iterable[Any] = ()) -> Iterator[Any]:
        try:
            # Not `yield from`: that would close the cursor, perhaps after the file.
            for row in self._db.execute(sql, tuple(values)):  # noqa: UP028
                yield row
        except _TROUBLE as error:
            raise LedgerError(
                f"ledger {self.path} cannot be read: {error}; name another file, or a copy of it"
            ) from error

    def _unwritable(self, error: Exception) -> LedgerError:
        return LedgerError(f"ledger {self.path} cannot be written: {error}; make room, or see who "
                           "else uses it, and run the same command again: it continues")
