"""Folders that version 0.1.0 wrote go on: the same state, the same history, more iterations."""

from __future__ import annotations

import csv
import dataclasses
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from engines.alphazero import run as alphazero
from engines.alphazero.config import AlphaZeroConfig
from engines.learning.data import Dataset
from engines.learning.networks.card import read_card
from engines.learning.networks.runtimes import load_runtime
from engines.learning.runs import run as run_module
from engines.supervised import trainer as supervised

pytest.importorskip("keras")

SAMPLES = Path(__file__).parents[2] / "samples/version_0_1_0"


@pytest.fixture
def restored(monkeypatch) -> list[np.ndarray]:
    """What the learner's state was set to when the run went on."""
    arrays: list[np.ndarray] = []
    original = run_module.restore

    def remember(state, stored, path):
        original(state, stored, path)
        arrays.extend(np.asarray(part) for part in state)

    monkeypatch.setattr(run_module, "restore", remember)
    return arrays


def stored_state(path: Path) -> list[np.ndarray]:
    with np.load(path) as file:
        return [
            file[f"{kind}{i}"] for kind in ("state", "best") for i in range(len(file.files))
            if f"{kind}{i}" in file.files
        ]


def history(path: Path) -> list[dict[str, float]]:
    """Rows without what is measured in seconds; version 0.1.0 may have rounded them."""
    with path.open() as file:
        return [
            {key: float(value) for key, value in row.items() if value and "second" not in key}
            for row in csv.DictReader(file)
        ]


def test_an_old_supervised_run_goes_on(tmp_path: Path, restored: list[np.ndarray]) -> None:
    folder, sample = tmp_path / "model", SAMPLES / "supervised"
    shutil.copytree(sample, folder)
    config = supervised.SupervisedConfig(
        "sup2", "planes", "cnn:filters=4,hidden=8,dropout=0.2", value_head=True,
        optimizer="adam:lr=0.01", schedule="decay", epochs=4, batch_size=32, symmetries=True,
        seed=7,
    )
    data = Dataset.open(SAMPLES / "games")
    old = read_card(sample).training["data"]
    card = supervised.train(config, data, folder, source={"folder": old["folder"]})
    for array, stored in zip(
        restored, stored_state(sample / "training/checkpoint.npz"), strict=True
    ):
        np.testing.assert_array_equal(array, stored)
    assert card.training["epochs"] == 4
    rows = history(folder / "training/history.csv")
    assert len(rows) == 4 and rows[:2] == history(sample / "training/history.csv")


def test_an_old_run_of_alphazero_goes_on(tmp_path: Path, restored: list[np.ndarray]) -> None:
    folder, sample = tmp_path / "run", SAMPLES / "alphazero"
    shutil.copytree(sample, folder)
    plan = AlphaZeroConfig.from_json(json.loads((sample / "plan.json").read_text()))
    card = alphazero.train(dataclasses.replace(plan, iterations=3), folder)
    for array, stored in zip(restored, stored_state(sample / "checkpoint.npz"), strict=True):
        np.testing.assert_array_equal(array, stored)
    assert card.training["iterations"] == 3
    rows = history(folder / "history.csv")
    assert len(rows) == 3
    for row, old in zip(rows, history(sample / "history.csv"), strict=False):
        assert {name: row[name] for name in old} == pytest.approx(old, rel=1e-5)
    load_runtime(str(folder / "nets/0002"))
