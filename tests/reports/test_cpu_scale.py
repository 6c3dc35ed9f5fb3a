"""CPU times of two kinds of processors as seconds of one of them; nothing else changes."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import pytest

from dlgo.errors import LedgerError
from dlgo.records.costs import MoveCost
from dlgo.records.ledger import GameRecord, Ledger
from dlgo.records.speeds import Speed, speeds, store_speeds
from experiments.arena.inspect_ledger import measure_for, purge_ledger
from experiments.arena.provenance import machine_text
from reports.cpu_scale import scale_cpu
from reports.report import _cpu_times, _mixed_processors, write_report
from reports.tables import games_frame, rate_games, ratings_frame
from tests.conftest import one_line_error
from tests.reports.simulation import game_record

TIMED = "mcts:cpu=0.1"


def record(number: int, machine: str, cpu: float) -> GameRecord:
    costs = [MoveCost(ply, ply % 2, cpu if ply % 2 == 0 else 1e-6, 0.7, 5, 7, 0, None)
             for ply in range(4)]
    return game_record(
        number, TIMED, "random", 1, game="connect4", moves=f"4 {1 + number} 4 3",
        costs=tuple(costs), machine=machine,
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The fast machine needs 0.1 s a move, the slow ones 0.2 s, for what is equal work."""
    path = tmp_path / "games.sqlite"
    with Ledger(path) as ledger:
        ledger.add(record(0, "Fast CPU, 8 cores", 0.1), record(1, "Slow CPU, 2 cores", 0.2),
                   record(2, "Slow CPU, 4 cores", 0.2))
        store_speeds(ledger, [Speed("a:1", "Fast CPU, 8 cores", 999.0),
                              Speed("b:1", "Slow CPU, 2 cores", 90.0),
                              Speed("b:2", "Slow CPU, 4 cores", 110.0)])
        store_speeds(ledger, [Speed("a:1", "Fast CPU, 8 cores", 200.0)])  # measured again
    return path


@pytest.mark.parametrize(("kind", "seconds"), [("fast", 0.1), ("Slow CPU", 0.2)])
def test_equal_work_takes_equal_seconds_of_one_processor(
    path: Path, kind: str, seconds: float
) -> None:
    with Ledger(path, read_only=True) as ledger:
        ledger.show_names()
        before = games_frame(ledger)
        scale = scale_cpu(ledger, kind)
        after = games_frame(ledger)
        assert {cost.cpu for game in ledger.games() for cost in game.costs} >= {seconds}
        (total,) = (row for (_, who), row in ledger.cost_totals().items() if who == TIMED)
    assert scale.factors[scale.kind] == 1 and len(scale.factors) == 2
    assert list(after["first_cpu_ms"]) == pytest.approx([1000 * seconds] * 3)
    assert total.cpu == pytest.approx(6 * seconds) and total.max_cpu == pytest.approx(seconds)
    rest = [name for name in before.columns if not name.endswith("cpu_ms")]
    assert before[rest].equals(after[rest])
    rating = ratings_frame(after, rate_games(after)).set_index("entrant").loc[TIMED]
    assert rating["mean_cpu_ms"] == pytest.approx(1000 * seconds)


def test_a_report_says_in_whose_seconds_it_is_and_keeps_budgets_as_they_were(path: Path) -> None:
    write_report(path, path.parent / "plain")
    write_report(path, path.parent / "scaled", cpu_of="slow")
    plain, scaled = (
        (path.parent / name / "report.html").read_text() for name in ("plain", "scaled")
    )
    assert "rescales them to one" in plain and "in seconds of Slow CPU" not in plain
    assert "in seconds of Slow CPU" in scaled and "is worth: Fast CPU 2.00, Slow CPU 1.00" in scaled
    assert "does not change what was played" in scaled
    over = [
        [line.rpartition(",")[2] for line in (path.parent / name / "cost_table.csv").open()]
        for name in ("plain", "scaled")
    ]
    assert over[0] == over[1], "by how much a budget was exceeded is no matter of the report"


def test_games_of_one_kind_have_nothing_to_say_about_it(path: Path) -> None:
    with Ledger(path, read_only=True) as ledger:
        games = games_frame(ledger)
    one_kind = games[games["machine"].str.startswith("Slow")]
    assert not _cpu_times(one_kind) and not _mixed_processors(one_kind)
    assert _cpu_times(games)
    (told,) = _mixed_processors(games)
    assert TIMED in told and "random" not in told


def test_what_was_not_measured_is_named(path: Path) -> None:
    with Ledger(path) as ledger:
        ledger.add(record(3, "Other CPU, 1 core", 0.1))
    with Ledger(path, read_only=True) as ledger:
        with one_line_error(LedgerError, "not measured: Other CPU"):
            scale_cpu(ledger, "slow")
        for wanted in ("cpu", "other", ""):
            with one_line_error(LedgerError, "they are Fast CPU, Slow CPU"):
                scale_cpu(ledger, wanted)
    with Ledger(path) as ledger:
        ledger.set_meta("speeds", [["", "Fast CPU, 8 cores", -1]])
        with one_line_error(LedgerError, "damaged"):
            speeds(ledger)


def test_this_machine_is_measured(path: Path, tmp_path: Path) -> None:
    copy = shutil.copy(path, tmp_path / "copy.sqlite")
    assert measure_for(str(copy)).startswith(machine_text())
    with Ledger(copy, read_only=True) as ledger:
        measured = {row.machine: row.rate for row in speeds(ledger)}
    assert measured[machine_text()] > 1000 and len(measured) == 4


def test_a_purged_machine_takes_its_speed_along(path: Path) -> None:
    with Ledger(path) as ledger:
        ledger.add(dataclasses.replace(record(4, "Slow CPU, 2 cores", 0.2), worker="b:1"))
    purge_ledger(str(path), "b:1")
    with Ledger(path, read_only=True) as ledger:
        assert [row.worker for row in speeds(ledger)] == ["a:1", "b:2"]
