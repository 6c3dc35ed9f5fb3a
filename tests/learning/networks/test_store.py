"""Models on disk: what is damaged, foreign or wrong is refused in one line, and never run."""

from __future__ import annotations

import hashlib
import json
import pickle
from pathlib import Path

import numpy as np
import pytest

from dlgo import get_game
from dlgo.errors import FileError, ModelError
from engines.learning.networks import store
from engines.learning.networks.card import read_card
from engines.learning.networks.leaf_evaluator import encoder_of
from engines.learning.networks.runtimes import load_runtime
from engines.learning.networks.store import find_model
from tests.command import assert_one_line, dlgo_here
from tests.learning.networks.models import write_model


def refused(function, *arguments) -> str:
    with pytest.raises((ModelError, FileError)) as error:
        function(*arguments)
    assert "\n" not in str(error.value)
    return str(error.value)


def change_card(folder: Path, **fields: object) -> None:
    path = folder / "card.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


def test_a_model_answers_as_its_weights_say(tmp_path: Path) -> None:
    bias = np.arange(9.0)
    folder = write_model(tmp_path / "m", "tictactoe", bias=bias, value_bias=0.5)
    runtime = load_runtime(str(folder))
    for n in (1, 3):
        answers = runtime.evaluate(np.zeros((n, 3, 3, 3), np.float32))
        assert answers["policy"].shape == (n, 9) and answers["policy"].dtype == np.float32
        np.testing.assert_allclose(answers["policy"], np.tile(bias, (n, 1)), atol=1e-6)
        assert answers["value"].shape == (n, 1)
        np.testing.assert_allclose(answers["value"], np.tanh(0.5), atol=1e-6)
    assert runtime.network_id == read_card(folder).network_id


def test_an_unknown_name_is_refused_with_the_nearest(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(store, "SHIPPED", tmp_path)
    assert "`dlgo models` lists" in refused(find_model, "go9")
    write_model(tmp_path / "go9-small", "tictactoe")
    message = refused(find_model, "go9-smal")
    assert "did you mean go9-small" in message
    assert find_model("go9-small") == tmp_path / "go9-small"
    assert load_runtime("go9-small").card.name == "go9-small"


def test_every_damaged_file_is_refused(tmp_path: Path, capsys) -> None:
    """Cut off anywhere, or with any byte changed."""
    folder = write_model(tmp_path / "m", "tictactoe")
    path = folder / "network.onnx"
    whole = path.read_bytes()
    for damaged in (
        whole[:-1], whole[: len(whole) // 2], b"", whole + b"x",
        whole[:100] + bytes([whole[100] ^ 1]) + whole[101:],
    ):
        path.write_bytes(damaged)
        assert "checksum" in refused(load_runtime, str(folder))
        assert_one_line(dlgo_here(capsys, "models", folder), "checksum")
    path.unlink()
    assert "has no network.onnx" in refused(load_runtime, str(folder))
    assert_one_line(dlgo_here(capsys, "models", folder), "has no network.onnx")


def test_the_file_of_another_model_is_refused(tmp_path: Path) -> None:
    one = write_model(tmp_path / "one", "tictactoe")
    other = write_model(tmp_path / "other", "tictactoe", scale=2.0)
    (one / "network.onnx").write_bytes((other / "network.onnx").read_bytes())
    assert "another model" in refused(load_runtime, str(one))


@pytest.mark.parametrize(("change", "part"), [
    ("", "a damaged card"), ("[1, 2]", "is not a card of a model: it is not a table"),
    ('{"format": "other"}', "is not a card of a model: its format"),
    ("[" * 100_000, "a damaged card"), ('{"a": ' + "9" * 5000 + "}", "a damaged card"),
    ('{"format": "dlgo-model", "version": 99}', "has format 99"),
    ('{"format": "dlgo-model", "version": 2}', "name is missing"),
    ({"play": {"sims": 5}}, "play.sims is unknown; known are c_puct"),
    ({"play": {"c_puct": -1}}, "play.c_puct=-1 is out of range"),
    ({"play": {"c_puct": "high"}}, "play.c_puct='high' is not a number"),
    ({"play": [0.5]}, "play is missing or not a dict"),
    ({"shape": [3, 3]}, "rows, columns, planes"), ({"files": 3}, "files is missing or not a dict"),
    ({"num_actions": "9"}, "num_actions"), ({"heads": {"policy": {}}}, "head policy has no shape"),
    ({"heads": {"policy": {"shape": [9.5]}}}, "head policy has no shape"),
    ({"training": {"cpu_seconds": "long"}}, "training.cpu_seconds"),
    ({"training": {"cpu_seconds": float("nan")}}, "training.cpu_seconds"),
    ({"training": {"cpu_seconds": 1.0, "data": 7}}, "training.data"),
    ({"training": {"data": {"cpu_seconds": 1e400}}}, "data.cpu_seconds"),
    ({"accuracy": {"test": {"accuracy": "good"}}}, "test.accuracy"),
    ({"accuracy": {"test": 3}}, "accuracy must be tables"),
    ({"shape": [3, 3, 7]}, "its input has the shape"),
    ({"heads": {"policy": {"shape": [12]}}}, "its policy has the shape"),
    ({"heads": {"policy": {"shape": [9]}, "value": {"shape": [1]}}}, "its value has the shape"),
])
def test_a_card_that_is_wrong_is_refused(tmp_path: Path, change: str | dict, part: str) -> None:
    folder = write_model(tmp_path / "m", "tictactoe", value=False)
    if isinstance(change, str):
        (folder / "card.json").write_text(change)
    else:
        change_card(folder, **change)
    assert part in refused(load_runtime, str(folder))


class _Evil:
    def __reduce__(self):
        return Path.touch, (Path(self.path),)


@pytest.mark.parametrize("file", ["network.onnx", "network.keras"])
def test_a_pickle_in_disguise_is_not_run(tmp_path: Path, file: str) -> None:
    """Its checksum is right, as that of an attacker's file would be."""
    if file == "network.keras":
        pytest.importorskip("keras")
    folder = write_model(tmp_path / "m", "tictactoe")
    evil = _Evil()
    evil.path = str(tmp_path / "ran")
    content = pickle.dumps(evil)
    pickle.loads(content)
    (tmp_path / "ran").unlink()  # so it would have run
    (folder / file).write_bytes(content)
    change_card(folder, files={file: hashlib.sha256(content).hexdigest()})
    kind = "onnx" if file.endswith("onnx") else "keras"
    assert "cannot read it" in refused(load_runtime, str(folder), kind)
    assert not (tmp_path / "ran").exists()


def test_a_network_plays_only_its_game_and_size(tmp_path: Path) -> None:
    card = read_card(write_model(tmp_path / "m", "go:size=5"))
    assert encoder_of(card, get_game("go:size=5,komi=0.5")).shape == card.shape
    for other in ("go:size=9", "tictactoe", "connectn:cols=5,rows=5,n=4,gravity=no"):
        message = refused(encoder_of, card, get_game(other))
        assert "cannot play" in message and "go:size=5" in message
