"""What goes wrong while a network learns from games is one line, and nothing kept is lost.

`DLGO_FULL=1` fills the disk at one moment more.
"""

from __future__ import annotations

import contextlib
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dlgo.errors import DataError, ModelError
from engines.alphazero.doctor import examine_run
from engines.learning.data import Dataset
from engines.learning.diagnostics.findings import lines
from engines.learning.networks.card import read_card
from engines.learning.runs.records import read_history
from engines.supervised.config import SupervisedConfig
from engines.supervised.trainer import train
from tests.command import ROOT, dlgo_here
from tests.conftest import FULL
from tests.learning.data.games import write_unlabelled
from tests.supervised.test_trainer import write_games

SAMPLES = ROOT / "tests/samples"
CONFIG = SupervisedConfig("m", "planes", "mlp:hidden=8", epochs=1, batch_size=2048, test=0.2)


def one_line(error: type[Exception], function, *arguments) -> str:
    with pytest.raises(error) as caught:
        function(*arguments)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.fixture(scope="module")
def games(tmp_path_factory) -> Dataset:
    return Dataset.open(write_games(tmp_path_factory.mktemp("games"), 60))


def test_a_finished_model_is_not_overwritten(games: Dataset, tmp_path: Path) -> None:
    """As one that somebody else trained: its folder has no state to continue from."""
    folder = tmp_path / "m"
    train(CONFIG, games, folder)
    for path in (folder / "training").rglob("*"):
        if path.is_file():
            path.unlink()
    (folder / "training").rmdir()
    before = read_card(folder)
    assert "name another folder" in one_line(ModelError, train, CONFIG, games, folder)
    assert read_card(folder) == before


def test_learning_that_explodes_is_named_and_the_last_good_state_kept(
    games: Dataset, tmp_path: Path
) -> None:
    # Each step turns the weights around and makes them forty times as large; an epoch is a step.
    config = SupervisedConfig(
        "m", "planes", "resnet:blocks=0,filters=2,l2=1", optimizer="sgd:lr=20", epochs=50,
        test=0.2, batch_size=2048,
    )
    message = one_line(ModelError, train, config, games, tmp_path / "m")
    assert "smaller learning rate" in message and "is the last that was kept" in message
    assert "epoch 0 is the last" not in message
    assert any(word in message for word in ("nan", "inf", "not finite"))
    assert not (tmp_path / "m/card.json").exists()
    again = one_line(ModelError, train, config, games, tmp_path / "m")  # as often as one tries
    assert "smaller learning rate" in again


def test_games_without_labels_are_refused(tmp_path: Path) -> None:
    data = Dataset.open(write_unlabelled(tmp_path / "games"))
    message = one_line(DataError, train, CONFIG, data, tmp_path / "m")
    assert "without a position to learn from" in message
    assert not (tmp_path / "m").exists()


@contextlib.contextmanager
def files_no_larger_than(n_bytes: int) -> Iterator[None]:
    """No file may grow beyond a limit, as on a disk that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))  # Python ignores the signal
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("kilobytes", [0, 8, 40] if FULL else [0, 8])
def test_a_full_disk_is_one_line_and_the_same_command_continues(
    kilobytes: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_games(tmp_path / "games", 60)
    command = [
        "train", "supervised", f"--data={tmp_path / 'games'}", f"--out={tmp_path / 'm'}",
        "--net=mlp:hidden=16", "--epochs=2", "--encoder=planes",
    ]
    if kilobytes:
        with files_no_larger_than(1024 * kilobytes):
            full = dlgo_here(capsys, *command)
    else:  # also where everything has yet to be imported
        program = (
            "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, -1)); "
            "from experiments.cli.main import main; main()"
        )
        full = subprocess.run(
            [sys.executable, "-c", program, *command], cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
        )
    assert full.returncode in (1, 2), full.stderr
    last = full.stderr.strip().splitlines()[-1]
    assert last.startswith("dlgo: ") and str(tmp_path / "m") in last, full.stderr
    assert "Traceback" not in full.stderr and "internal error" not in full.stderr
    assert not (tmp_path / "m/card.json").exists()
    done = dlgo_here(capsys, *command)
    assert done.returncode == 0, done.stderr
    assert not list((tmp_path / "m").rglob("*.tmp*"))


@pytest.mark.parametrize("text", [
    "iteration,plies\n1,x\n", "a,b\n1,2\n", "iteration,plies\n", "\x00\n", "",
])
def test_a_history_with_other_columns_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "history.csv").write_text(text)
    assert "history.csv" in one_line(ModelError, read_history, tmp_path, ["iteration", "plies"])
    (tmp_path / "plan.json").write_text((SAMPLES / "alphazero/plan.json").read_text())
    assert "history.csv" in lines(examine_run(tmp_path))[0]


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a": ' + "9" * 5000 + "}"])
def test_json_that_cannot_be_read_is_refused(text: str, tmp_path: Path, games: Dataset) -> None:
    (tmp_path / "plan.json").write_text(text)
    assert "plan.json" in one_line(ModelError, examine_run, tmp_path)
    (tmp_path / "m/training").mkdir(parents=True)
    (tmp_path / "m/training/plan.json").write_text(text)
    assert "plan.json" in one_line(ModelError, train, CONFIG, games, tmp_path / "m")
