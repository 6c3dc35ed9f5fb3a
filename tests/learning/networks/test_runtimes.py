"""What runs a network: which kinds there are, which is fastest, and Ctrl-C after they have gone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dlgo.errors import ModelError
from engines.learning.networks import runtimes
from engines.learning.networks.runtimes import fastest_kind, load_runtime, speeds
from engines.learning.networks.store import ONNX_FILE
from engines.registry import build_engine
from tests.command import ROOT, dlgo_here
from tests.conftest import one_line_error
from tests.learning.networks.models import write_dense_model, write_model

SCRIPT = """
import os, signal
import numpy as np
from engines.learning.networks.runtimes import load_runtime

runtimes = [load_runtime("connect4-alphazero", kind) for kind in {kinds}]
for runtime in runtimes:
    runtime.evaluate(np.zeros((2, *runtime.card.shape), np.float32))
while runtimes:
    del runtimes[{first}], runtime
    runtime = None
signal.signal(signal.SIGINT, lambda *_: print("interrupted"))
os.kill(os.getpid(), signal.SIGINT)
"""


@pytest.mark.parametrize("first", [0, -1])
def test_a_signal_is_handled_after_networks_have_gone_in_any_order(first: int) -> None:
    """OpenVINO once left a stack for signal handlers behind that had been freed."""
    pytest.importorskip("openvino")
    script = SCRIPT.format(kinds=["openvino", "openvino-bf16", "openvino-int8"], first=first)
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "interrupted\n"), done.stderr


def test_self_play_takes_the_fastest_by_a_tenth_but_no_eight_bits(tmp_path, monkeypatch) -> None:
    model = str(write_model(tmp_path / "m", "tictactoe"))

    def of(gpu: bool = False, **rates: float) -> str:
        monkeypatch.setattr(runtimes, "speeds", lambda name, batch, kinds: {
            kind: rates[kind] for kind in kinds if kind in rates})
        return fastest_kind(model, 8, gpu)

    assert of(onnx=100, openvino=111) == "openvino"
    assert of(onnx=100, openvino=109) == of(onnx=100, int8=900) == of(onnx=100, keras=900) == "onnx"
    assert of(gpu=True, onnx=100, keras=900) == "keras"


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
    assert rates.keys() >= {"onnx"} and not rates.keys() & {"int8", "compiled", "keras"}
    assert min(rates.values()) > 0
    told = dlgo_here(capsys, "models", "--speeds", "--batch", "4", model)
    assert told.returncode == 0 and "onnx" in told.stdout and str(model) in told.stdout
    (model / ONNX_FILE).write_bytes(b"cut off")
    with pytest.raises(ModelError, match="checksum"):
        speeds(str(model), 4)
