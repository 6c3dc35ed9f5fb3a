"""The benchmark of self-play: its table, its ratios, and what it does not count.

Measurements take a tenth of a second, with `DLGO_FULL=1` half a second.
"""

from __future__ import annotations

import csv
import os
import time
from pathlib import Path

import numpy as np
import pytest

from dlgo import get_game
from dlgo.errors import DlgoError
from engines.alphazero.config import SelfPlaySettings
from engines.alphazero.self_play import SelfPlay
from engines.learning.networks.leaf_evaluator import load_leaf_evaluator
from experiments.bench.selfplay import Meter, Over, Task, run
from tests.command import assert_one_line, run_module, run_module_here
from tests.learning.networks.models import write_model

FULL = bool(os.environ.get("DLGO_FULL"))


@pytest.mark.skipif(not FULL, reason="a quarter of a minute: DLGO_FULL=1")
def test_lockstep_is_far_ahead_of_one_call_a_position(tmp_path: Path) -> None:
    table = tmp_path / "selfplay.csv"
    done = run_module(
        "experiments.bench.selfplay", "--quick", "--workers", "1", "--csv", table,
        *([] if FULL else ["--seconds", "0.1"]), timeout=400,
    )
    assert done.returncode == 0, done.stderr
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["what"] == "lockstep, onnx"
    single = rows[-1]
    assert single["what"] == "model.predict"
    assert float(single["batch"]) == 1
    for row in rows:
        assert 0 < float(row["evaluator_load"]) <= 1
        # A search of 8 simulations asks the network 8 times at most, once on average at least.
        assert 1 <= float(row["evaluations_per_s"]) / float(row["positions_per_s"]) <= 8.1
        # A game has 7 to 42 plies.
        length = 3600 * float(row["positions_per_s"]) / float(row["games_per_hour"])
        assert 6.9 <= length <= 42.1
    for row in rows[:-1]:
        ratio = float(row["positions_per_s"]) / float(single["positions_per_s"])
        assert float(row["times_predict"]) == pytest.approx(ratio, rel=0.02)
        # Keras's own guide warns of calling predict in a loop: a call costs tens of milliseconds.
        assert ratio > 20


def test_an_unknown_network_is_one_line(capsys) -> None:
    done = run_module_here(capsys, "experiments.bench.selfplay", "--quick", "--net", "resnett")
    assert_one_line(done, "did you mean resnet")


def test_the_meter_stops_after_a_move_and_counts_every_evaluation(tmp_path: Path) -> None:
    game = get_game("connect4")
    model = write_model(tmp_path / "even", "connect4", bias=np.zeros(7), value_bias=0.0)
    meter = Meter(load_leaf_evaluator(str(model), game))
    settings = SelfPlaySettings(sims=20, full_share=1, games_at_once=1, random_share=0)
    play = meter.play = SelfPlay(game, meter, settings, 1)
    began = time.perf_counter()
    meter.enough = lambda: play.stats["plies"] >= 3
    with pytest.raises(Over):
        list(play.play(range(5)))
    assert play.stats["plies"] == 3
    # To whom all moves are alike, none is decided in the first plies: every simulation has a
    # leaf to ask about.
    assert meter.evaluations == 3 * 20
    assert meter.steps == meter.evaluations
    assert 0 < meter.seconds < time.perf_counter() - began


def test_processes_play_side_by_side_until_every_board_has_seen_a_game(tmp_path: Path) -> None:
    model = write_model(tmp_path / "linear", "connect4")
    row = run(Task(str(model), "onnx", "connect4", 8, 4, 0.1, whole_games=True), 2)
    assert row.processes == 2
    assert row.seconds >= 0.1
    assert 6.9 <= 3600 * row.positions_per_s / row.games_per_hour <= 42.1
    assert 1 < row.batch <= 4


def test_what_goes_wrong_in_a_process_is_told(tmp_path: Path) -> None:
    model = write_model(tmp_path / "m", "tictactoe", bias=np.zeros(9), value_bias=0.0)
    task = Task(str(model), "onnx", "connect4", 8, 4, 0.1, False)
    with pytest.raises(DlgoError, match="was trained on tictactoe"):
        run(task, 2)
