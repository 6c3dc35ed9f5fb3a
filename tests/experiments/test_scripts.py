"""Every chapter script runs with `--quick` and says at its top what to look for."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GNUGO = Path("/usr/games/gnugo")
SCRIPTS = sorted((ROOT / "experiments").glob("ch[0-9]*.py"))


def test_there_are_scripts() -> None:
    assert len(SCRIPTS) >= 6


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_is_short_and_explains_itself(script: Path) -> None:
    text = script.read_text()
    assert len(text.splitlines()) <= 130
    doc = ast.get_docstring(ast.parse(text)) or ""
    assert doc.startswith("Chapter ")
    assert f"python -m experiments.{script.stem}" in doc
    assert "look for" in doc


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_runs_quickly(script: Path) -> None:
    if script.stem == "ch08_gnugo" and not (shutil.which("gnugo") or GNUGO.exists()):
        pytest.skip("needs GNU Go")
    done = subprocess.run(
        [sys.executable, "-m", f"experiments.{script.stem}", "--quick"], cwd=ROOT, text=True,
        capture_output=True, timeout=300, check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) >= 5


def test_the_bench_compares_and_writes_a_table(tmp_path: Path) -> None:
    table = tmp_path / "bench.csv"
    done = subprocess.run(
        [sys.executable, "-m", "experiments.cli", "bench", "--game", "tictactoe", "--seconds",
         "0.05", "--rounds", "1", "--csv", str(table)],
        cwd=ROOT, text=True, capture_output=True, timeout=300, check=False,
    )
    assert done.returncode == 0, done.stderr
    rows = [line.split(",") for line in table.read_text().splitlines()]
    assert rows[0][:4] == ["game", "what", "dlgo_per_s", "openspiel_per_s"]
    assert {row[1] for row in rows[1:]} == {"rollouts", "mcts", "2 threads", "states"}
    assert all(float(row[2]) > 0 for row in rows[1:])
