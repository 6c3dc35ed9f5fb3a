"""Networks in eight bits: close to float32, the same every time, refused where they are absent."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from dlgo.errors import ModelError
from engines.learning.networks.card import read_card
from engines.learning.networks.quantization import difference, quantise_model, self_play_positions
from engines.learning.networks.runtimes import load_runtime
from tests.command import dlgo_here
from tests.learning.networks.models import write_model

INT8 = "network-int8.onnx"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_model(tmp_path_factory.mktemp("m") / "m", "connect4", filters=16)
    quantise_model(str(folder), held_out=300)
    return folder


def test_eight_bits_answer_nearly_as_float32(model: Path) -> None:
    float32, small = load_runtime(str(model)), load_runtime(str(model), "int8")
    planes, legal = self_play_positions(float32, 200, seed=9)
    wanted, answers = (runtime.evaluate(planes) for runtime in (float32, small))
    far = difference(wanted, answers, legal)
    assert 0 < far["policy"] < 0.01 and far["first_move"] < 0.15 and 0 < far["value"] < 0.03
    assert answers["policy"].shape == (200, 7) and answers["policy"].dtype == np.float32
    for n in (1, 3, 64):  # of a batch each answer is its own
        part = small.evaluate(planes[:n])
        np.testing.assert_allclose(part["policy"], answers["policy"][:n], atol=1e-5)


def test_the_same_model_and_seed_give_the_same_file(model: Path, tmp_path: Path) -> None:
    for name, seed in (("one", 1), ("two", 1), ("other", 2)):
        quantise_model(str(model), tmp_path / name, seed=seed, held_out=64)
    one, two, other = ((tmp_path / name / INT8).read_bytes() for name in ("one", "two", "other"))
    assert one == two == (model / INT8).read_bytes()
    assert one != other


def test_the_card_says_what_it_cost_and_the_network_stays_the_same(
    model: Path, tmp_path: Path
) -> None:
    card = read_card(model)
    cost = card.accuracy["int8"]
    assert cost["positions"] == 300 and cost["calibration_positions"] == 512
    assert card.files[INT8] == hashlib.sha256((model / INT8).read_bytes()).hexdigest()
    assert card.versions["int8"].startswith("onnxruntime ")
    # Other games than those of the calibration give another number, but not far from it.
    planes, legal = self_play_positions(load_runtime(str(model)), 1000, seed=77)
    far = difference(*(load_runtime(str(model), kind).evaluate(planes)
                       for kind in ("onnx", "int8")), legal)
    assert cost["policy"] == pytest.approx(far["policy"], rel=0.5)
    assert cost["value"] == pytest.approx(far["value"], rel=0.5)
    before = read_card(write_model(tmp_path / "m", "connect4", filters=16))
    assert card.network_id == before.network_id and card.training == before.training
    assert card.accuracy["test"] == before.accuracy["test"]


def test_a_new_folder_has_the_whole_model_and_the_old_one_is_untouched(tmp_path: Path) -> None:
    old = write_model(tmp_path / "old", "tictactoe", filters=4)
    (old / "network.keras").write_bytes(b"weights")
    text = json.loads((old / "card.json").read_text())
    text["files"]["network.keras"] = hashlib.sha256(b"weights").hexdigest()
    (old / "card.json").write_text(json.dumps(text))
    before = {path.name: path.read_bytes() for path in old.iterdir()}
    quantise_model(str(old), tmp_path / "new", held_out=64)
    assert {path.name: path.read_bytes() for path in old.iterdir()} == before
    new = {path.name: path.read_bytes() for path in (tmp_path / "new").iterdir()}
    assert new.keys() == before.keys() | {INT8}
    assert all(new[name] == before[name] for name in ("network.onnx", "network.keras"))
    assert read_card(tmp_path / "new").name == "new"


def test_without_its_file_eight_bits_are_refused_with_the_remedy(model: Path, tmp_path) -> None:
    plain = write_model(tmp_path / "plain", "connect4")
    with pytest.raises(ModelError) as caught:
        load_runtime(str(plain), "int8")
    assert f"run dlgo train quantise {plain}" in str(caught.value)
    assert "runtime=onnx" in str(caught.value) and "\n" not in str(caught.value)
    copy = tmp_path / "copy"
    quantise_model(str(model), copy, held_out=64)
    content = (copy / INT8).read_bytes()
    for damaged in (content[:-1], b"", content[:200] + bytes([content[200] ^ 1]) + content[201:]):
        (copy / INT8).write_bytes(damaged)
        with pytest.raises(ModelError, match="checksum"):
            load_runtime(str(copy), "int8")
    (copy / INT8).unlink()
    with pytest.raises(ModelError, match=f"has no {INT8}"):
        load_runtime(str(copy), "int8")
    load_runtime(str(copy))  # what plays in float32 still does


def test_a_network_of_last_layers_alone_is_refused(tmp_path: Path) -> None:
    linear = write_model(tmp_path / "m", "tictactoe")
    with pytest.raises(ModelError, match="no layers to quantise"):
        quantise_model(str(linear), held_out=64)
    assert not (linear / INT8).exists() and INT8 not in read_card(linear).files


def test_the_command_writes_the_file_and_says_what_it_cost(tmp_path: Path, capsys) -> None:
    folder = write_model(tmp_path / "m", "tictactoe", filters=4)
    done = dlgo_here(capsys, "train", "quantise", folder, "--positions", "64")
    assert done.returncode == 0, done.stderr
    assert "64 positions" in done.stdout and "nats" in done.stdout
    assert "first move" in done.stdout and "values differ" in done.stdout
    assert "int8 within" in dlgo_here(capsys, "models", folder).stdout
