"""Two versions side by side: which one is faster, by how much, and what cannot be measured."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dlgo.errors import DlgoError
from experiments.bench.versions import compare, interval
from tests.conftest import one_line_error


def version(folder: Path, seconds: float) -> Path:
    """A checkout whose rollouts take `seconds` by its own clock."""
    (folder / "experiments/bench").mkdir(parents=True)
    (folder / "dlgo").mkdir()
    (folder / "dlgo/__init__.py").write_text("get_game = str\n")
    (folder / "experiments/__init__.py").touch()
    (folder / "experiments/bench/__init__.py").touch()
    (folder / "experiments/bench/speed.py").write_text(f"""
import time
now = 0.0
def work():
    global now
    now += {seconds}
time.process_time = lambda: now
def _rollouts(game):
    return work
""")
    return folder


def test_twice_the_work_takes_twice_the_time(tmp_path: Path) -> None:
    versions = version(tmp_path / "now", 0.001), version(tmp_path / "before", 0.002)
    logs = compare(*versions, "tictactoe", "rollouts", 2, 3, tmp_path)
    assert logs.shape == (2, 3)
    assert interval(logs) == pytest.approx((2.0, 2.0, 2.0))


def test_the_interval_is_that_of_starts() -> None:
    logs = np.log([[1.0, 1.0, 1.0], [1.1, 1.1, 1.1], [1.2, 1.2, 1.2]])
    ratio, low, high = interval(logs)
    assert ratio == pytest.approx(1.1) and (low, high) == pytest.approx((1.0, 1.2))


def test_a_folder_that_is_no_checkout_is_one_line(tmp_path: Path) -> None:
    with one_line_error(DlgoError, "cannot be measured: "):
        compare(tmp_path, tmp_path, "tictactoe", "rollouts", 1, 1, tmp_path)
