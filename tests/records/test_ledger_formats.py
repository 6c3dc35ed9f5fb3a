"""Facts about ledgers of older formats: they can be read as they are, and a writer brings them
up to date.
"""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from pathlib import Path

import pytest

from dlgo.records.failures import Failure
from dlgo.records.ledger import Ledger, MoveCost
from experiments.arena.inspect_ledger import check_lines, list_lines, upgrade_ledger

SAMPLE = Path(__file__).resolve().parents[1] / "samples/ledger_format2.sqlite"

# Who failed in each game of the sample, and how.
KINDS = {
    "burner": Failure.OVER_CPU, "cheater": Failure.ILLEGAL_MOVE, "crasher": Failure.CRASH,
    "eater": Failure.OVER_MEMORY, "hang": Failure.TIMEOUT, "late": Failure.OVER_WALL,
    "miscounter": Failure.OVER_COUNT, "scribbler": Failure.NONSENSE, "suicide": Failure.DIED,
}
# Games that went another way than the engine's name says: one was won in time, one process was
# too slow to fill its memory.
OTHERWISE = {"tictactoe|random|late:wall=0.05,ms=120|0": None,
             "tictactoe|random|eater|0": Failure.TIMEOUT}


def kinds_in(path: Path) -> dict[str, Failure | None]:
    with Ledger(path, read_only=True) as ledger:
        return {record.slot: record.failure for record in ledger.games()}


def version_of(path: Path) -> int:
    with contextlib.closing(sqlite3.connect(path)) as database:
        return database.execute("PRAGMA user_version").fetchone()[0]


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return Path(shutil.copy(SAMPLE, tmp_path / "old.sqlite"))


def test_a_ledger_of_format_2_is_read_with_the_kinds_of_its_failures(old: Path) -> None:
    before = old.read_bytes()
    kinds = kinds_in(old)
    assert len(kinds) == 18
    for slot, kind in kinds.items():
        (who,) = {name.partition(":")[0] for name in slot.split("|")[1:3]} - {"random"}
        assert kind is OTHERWISE.get(slot, KINDS[who]), slot
    assert [line.text for line in check_lines(str(old))] == ["18 games, 0 of them invalid"]
    assert [*list_lines(str(old), failed=True)][-1] == "17 of 18 games"
    assert old.read_bytes() == before


def test_a_writer_brings_format_2_up_to_date(old: Path) -> None:
    kinds, everything = kinds_in(old), games_in(old)
    assert upgrade_ledger(str(old)) == f"{old} is up to date, with 18 games"
    assert version_of(old) == 4
    assert kinds_in(old) == kinds
    assert games_in(old) == everything


def games_in(path: Path) -> list:
    with Ledger(path, read_only=True) as ledger:
        return list(ledger.games(with_costs=True))


def test_a_ledger_of_the_first_format_is_read_and_brought_up_to_date(tmp_path: Path) -> None:
    """The tables as version 1 had them, with one game."""
    path = tmp_path / "old.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as old:
        old.executescript("""
            PRAGMA journal_mode = WAL; PRAGMA user_version = 1;
            CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
            CREATE TABLE games (
                slot TEXT PRIMARY KEY, game TEXT NOT NULL, first TEXT NOT NULL,
                second TEXT NOT NULL, pair INTEGER NOT NULL, opening TEXT NOT NULL,
                seed INTEGER NOT NULL, result REAL NOT NULL, reason TEXT NOT NULL,
                moves TEXT NOT NULL, started TEXT NOT NULL, finished TEXT NOT NULL,
                machine TEXT NOT NULL, version TEXT NOT NULL
            );
            CREATE TABLE costs (
                slot TEXT NOT NULL REFERENCES games(slot), ply INTEGER NOT NULL,
                player INTEGER NOT NULL, cpu REAL NOT NULL, wall REAL NOT NULL,
                nodes INTEGER NOT NULL, simulations INTEGER NOT NULL,
                evaluations INTEGER NOT NULL, value REAL, PRIMARY KEY (slot, ply)
            ) WITHOUT ROWID;
            INSERT INTO meta VALUES ('plan', '{"seed": 1}');
            INSERT INTO games VALUES ('tictactoe|random|mcts|0', 'tictactoe', 'random', 'mcts', 0,
                'B2', 7, 0.0, 'resigned', 'B2 A1', 's', 'f', 'm', '0.1.0');
            INSERT INTO costs VALUES ('tictactoe|random|mcts|0', 1, 1, 0.5, 0.6, 9, 8, 0, 0.25);
        """)
    before, as_it_is = path.read_bytes(), games_in(path)
    with Ledger(path, read_only=True) as ledger:
        ledger.show_names()
        (totals,) = ledger.cost_totals()
        assert (totals.entrant, totals.cpu, len(ledger)) == ("mcts", 0.5, 1)
        ledger.scale_cpu({"m": 3.0})
        (totals,) = ledger.cost_totals()
        assert (totals.entrant, totals.cpu, totals.wall) == ("mcts", 1.5, 0.6)
    assert path.read_bytes() == before
    assert upgrade_ledger(str(path)) == f"{path} is up to date, with 1 games"
    (record,) = games_in(path)
    assert as_it_is == [record]
    assert (record.moves, record.version, record.limits) == ("B2 A1", "0.1.0", None)
    assert list(record.costs) == [MoveCost(1, 1, 0.5, 0.6, 9, 8, 0, 0.25)]
