"""A machine that turns results is found by games played twice, and purged."""

from __future__ import annotations

from pathlib import Path

from dlgo.errors import LedgerError
from dlgo.records.ledger import Check, GameRecord, Ledger
from experiments.arena.inspect_ledger import purge_ledger, worker_lines
from tests.conftest import one_line_error

NAMES = ("good:2", "bad:1", "good:3")


def test_the_machine_that_differs_from_all_others_is_named_and_purged(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"
    with Ledger(path) as ledger:
        for number in range(30):
            worker, other = NAMES[number % 3], NAMES[(number + 1) % 3]
            slot = f"game|a|b|{number}"
            ledger.add(GameRecord(slot, "game", "a", "b", number, "", 1, 1.0, "r", "", "s", "f",
                                  "m, 2 cores", "v", worker=worker))
            differ = "result" if "bad:1" in (worker, other) and number % 4 == 0 else None
            ledger.add_check(Check(slot, worker, other, differ))
        before = [game for game in ledger.games() if game.worker != "bad:1"]
    _, worst, *_, advice = worker_lines(str(path))
    assert worst.split()[:3] == ["bad:1", "10", "0"]
    assert advice.startswith("bad:1 differs most often") and advice.endswith("purge --worker bad:1")
    assert purge_ledger(str(path), "bad:1").startswith("removed 10 games")
    with Ledger(path) as ledger:
        assert list(ledger.games()) == before
        assert not any("bad:1" in (check.worker, check.other) for check in ledger.checks())
    assert "differs most" not in "".join(worker_lines(str(path)))
    with one_line_error(LedgerError, "good:2, good:3"):
        purge_ledger(str(path), "bad:1")
