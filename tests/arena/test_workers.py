"""What each machine of a cluster has played, and how its games are purged."""

from __future__ import annotations

from pathlib import Path

from dlgo.errors import LedgerError
from dlgo.records.ledger import GameRecord, Ledger
from experiments.arena.inspect_ledger import purge_ledger, worker_lines
from tests.conftest import one_line_error


def test_the_games_of_a_machine_are_counted_and_purged(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"
    with Ledger(path) as ledger:
        for number in range(30):
            worker = ("one:1", "two:2", "two:2")[number % 3]
            ledger.add(GameRecord(f"game|a|b|{number}", "game", "a", "b", number, "", 1, 1.0, "r",
                                  "", "s", "f", "m, 2 cores", "v", worker=worker))
        others = [game for game in ledger.games() if game.worker != "one:1"]
    _, *rows, _ = worker_lines(str(path))
    assert [row.split()[:3] for row in rows] == [["two:2", "20", "0"], ["one:1", "10", "0"]]
    assert purge_ledger(str(path), "one:1").startswith("removed 10 games")
    with Ledger(path) as ledger:
        assert list(ledger.games()) == others
    with one_line_error(LedgerError, "its workers are two:2"):
        purge_ledger(str(path), "one:1")
