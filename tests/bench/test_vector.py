"""The bench of the vectorised environment: what is counted, and the table it writes."""

from __future__ import annotations

import csv
from importlib.util import find_spec
from pathlib import Path

from click.testing import CliRunner

from dlgo import get_game
from experiments.bench.vector import MOVES, dlgo_meter, main, open_spiel_meter, pgx_meter


def test_a_step_is_one_move_on_one_board() -> None:
    assert dlgo_meter(get_game("connect4"), 10, "planes")() == 10
    if find_spec("pyspiel"):
        assert open_spiel_meter(get_game("connect4"))() == MOVES
    assert open_spiel_meter(get_game("go:size=9,handicap=2")) is None
    assert pgx_meter(get_game("tictactoe"), 2) is None


def test_the_bench_compares_and_writes_a_table(tmp_path: Path) -> None:
    table = tmp_path / "bench.csv"
    options = ["--game", "connect4", "--boards", "4", "--seconds", "0.01", "--rounds", "2"]
    done = CliRunner().invoke(main, [*options, "--csv", str(table)], catch_exceptions=False)
    assert done.exit_code == 0
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    names = [row["environment"] for row in rows[::2]]
    assert names[0] == "dlgo.vector, 4 boards, `planes`"
    assert ("OpenSpiel from Python, 1 board" in names) == bool(find_spec("pyspiel"))
    assert [row["round"] for row in rows[:4]] == ["1", "2", "1", "2"]
    assert all(float(row["steps_per_cpu_second"]) > 0 for row in rows)
    assert f"| {names[0]} |" in done.stdout and "| 1 (1 to 1) |" in done.stdout
