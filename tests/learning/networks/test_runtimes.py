"""Network runtimes: which kinds there are, and which is fastest."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlgo.errors import ModelError
from engines.learning.networks import runtimes
from engines.learning.networks.runtimes import fastest_kind, load_runtime, speeds
from engines.learning.networks.store import ONNX_FILE
from engines.registry import build_engine
from tests.command import dlgo_here
from tests.conftest import one_line_error
from tests.learning.networks.models import write_dense_model, write_model


def test_self_play_takes_the_fastest_by_a_tenth_but_no_eight_bits(tmp_path, monkeypatch) -> None:
    model = str(write_model(tmp_path / "m", "tictactoe"))

    def of(gpu: bool = False, **rates: float) -> str:
        monkeypatch.setattr(runtimes, "speeds", lambda name, batch, kinds: {
            kind: rates[kind] for kind in kinds if kind in rates})
        return fastest_kind(model, 8, gpu)

    assert of(onnx=100, int8=900) == of(onnx=100, keras=900) == "onnx"
    assert of(gpu=True, onnx=100, keras=111) == "keras"
    assert of(gpu=True, onnx=100, keras=109) == of(gpu=True, onnx=100) == "onnx"


def test_a_network_of_dense_layers_is_compiled_and_needs_no_onnx_file(tmp_path: Path) -> None:
    dense, other = write_dense_model(tmp_path / "dense", "connect4", "planes"), str(
        write_model(tmp_path / "other", "connect4"))
    assert [load_runtime(str(name), "usual").kind for name in (dense, other)] == [
        "compiled", "onnx"]
    (dense / ONNX_FILE).unlink()
    assert fastest_kind(str(dense), 8) == "compiled"
    assert build_engine(f"alphazero:model={dense}", "connect4").runtime == "compiled"
    with one_line_error(ModelError, "has no network.onnx; copy the whole folder"):
        load_runtime(str(dense))


def test_speeds_are_of_what_is_there(tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.setattr(runtimes, "_SECONDS", 0.001)
    model = write_model(tmp_path / "m", "tictactoe")
    rates = speeds(str(model), 4)
    assert rates.keys() >= {"onnx"} and not rates.keys() & {"int8", "keras"}
    assert min(rates.values()) > 0
    told = dlgo_here(capsys, "models", "--speeds", "--batch", "4", model)
    assert told.returncode == 0 and "onnx" in told.stdout and str(model) in told.stdout
    (model / ONNX_FILE).write_bytes(b"cut off")
    with pytest.raises(ModelError, match="checksum"):
        speeds(str(model), 4)
