"""Two processes that write one folder are told so before anything is done twice."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dlgo.errors import DataError, DlgoError, ModelError
from dlgo.system.locks import held
from engines.alphazero import train as alphazero
from engines.alphazero.config import make_config
from engines.learning.data import Dataset
from engines.supervised import trainer as supervised
from experiments.datasets.generate import generate, make_recipe

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs flock")


def play_itself(folder: Path) -> None:
    pytest.importorskip("keras")
    alphazero.train(make_config("tictactoe"), folder)


def learn(folder: Path) -> None:
    pytest.importorskip("keras")
    data = generate(make_recipe("tictactoe", "random"), 20, folder.with_name("data"), workers=1)
    config = supervised.SupervisedConfig("test", "planes", "mlp")
    supervised.train(config, Dataset.open(data), folder)


def make_games(folder: Path) -> None:
    generate(make_recipe("tictactoe", "random"), 2, folder)


@pytest.mark.parametrize(("work", "error"), [
    (play_itself, ModelError), (learn, ModelError), (make_games, DataError),
])
def test_a_folder_in_use_is_refused(work, error: type[DlgoError], tmp_path: Path) -> None:
    folder = tmp_path / "work"
    with (
        held(folder / ".lock", "test", "test", "folder", DlgoError),
        pytest.raises(error, match=f"work is in use by another .*process {os.getpid()}") as caught,
    ):
        work(folder)
    assert "\n" not in str(caught.value)
    assert not list(folder.glob("[!.]*.npz"))
    with held(folder / ".lock", "test", "test", "folder", DlgoError):
        pass  # whoever was refused holds nothing


@pytest.mark.parametrize(("work", "error"), [(play_itself, ModelError), (make_games, DataError)])
def test_a_file_is_no_folder_to_work_in(work, error: type[DlgoError], tmp_path: Path) -> None:
    (tmp_path / "work").write_text("text")
    with pytest.raises(error, match="work: it is a file; name another folder"):
        work(tmp_path / "work")
    assert (tmp_path / "work").read_text() == "text"
