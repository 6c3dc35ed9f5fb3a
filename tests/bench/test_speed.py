"""`dlgo bench`: what it measures, side by side, and the table it writes."""

from __future__ import annotations

import csv
from pathlib import Path

from tests.command import dlgo_here


def test_the_bench_compares_and_writes_a_table(tmp_path: Path, capsys) -> None:
    table = tmp_path / "bench.csv"
    done = dlgo_here(
        capsys, "bench", "--game", "tictactoe", "--seconds", "0.05", "--rounds", "1", "--csv",
        table,
    )
    assert done.returncode == 0, done.stderr
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0])[:4] == ["game", "what", "dlgo_per_s", "other_per_s"]
    assert {row["what"] for row in rows} == {"rollouts", "mcts", "2 threads", "states"}
    assert all(float(row["dlgo_per_s"]) > 0 for row in rows)


def test_a_table_that_cannot_be_written_is_refused_before_measuring(tmp_path: Path, capsys) -> None:
    done = dlgo_here(capsys, "bench", "--game", "tictactoe", "--csv", tmp_path / "none/bench.csv")
    assert done.returncode == 2 and done.stdout == "" and "none/bench.csv" in done.stderr
