"""The benchmark of self-play: what it counts, and what it refuses."""

from __future__ import annotations

from pathlib import Path

from dlgo import get_game
from experiments.bench.selfplay import load, measure
from tests.command import assert_one_line, run_module_here
from tests.learning.networks.models import write_model


def test_searches_in_lockstep_ask_the_network_together(tmp_path: Path) -> None:
    model = write_model(tmp_path / "linear", "connect4")
    row = measure(get_game("connect4"), load(str(model), "onnx"), "onnx", 8, 4, 0.1)
    assert 6.9 <= 3600 * row.positions_per_s / row.games_per_hour <= 42.1
    # A search of 8 simulations asks the network 8 times at most.
    assert 1 <= row.evaluations_per_s / row.positions_per_s <= 8.1
    assert 1 < row.batch <= 4 and 0 < row.evaluator_load < 1


def test_an_unknown_network_is_one_line(capsys) -> None:
    done = run_module_here(capsys, "experiments.bench.selfplay", "--quick", "--net", "resnett")
    assert_one_line(done, "did you mean resnet")
