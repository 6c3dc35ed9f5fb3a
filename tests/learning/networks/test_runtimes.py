"""Several networks in one process, and Ctrl-C after they have gone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from dlgo.jit import shared_cache
from tests.command import ROOT

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


def test_ctrl_c_ends_a_game_with_one_line_though_openvino_was_tried(tmp_path: Path) -> None:
    """`runtime=auto` loads a network with OpenVINO in several ways, and lets most of them go."""
    pytest.importorskip("openvino")
    process = subprocess.Popen(
        [sys.executable, "-m", "experiments.cli", "play", "connect4", "--delay", "0",
         "--first", "alphazero:sims=5,runtime=auto", "--second", "human"],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        # Nothing is remembered of earlier trials, but machine code is there.
        env={**os.environ, "DLGO_CACHE_DIR": str(tmp_path), "DLGO_READ_CACHE": str(shared_cache())},
        # A shell makes its background jobs deaf to Ctrl-C, and their children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    limit = threading.Timer(120, process.kill)
    limit.start()
    try:
        said = b""
        while b"white>" not in said and (part := os.read(process.stdout.fileno(), 4096)):
            said += part
        process.send_signal(signal.SIGINT)
        errors = process.communicate()[1].decode()
    finally:
        limit.cancel()
        process.kill()
    assert b"white>" in said, errors
    assert (process.returncode, errors.strip()) == (130, "dlgo: stopped")
    assert list(tmp_path.glob("runtimes/*.json"))  # it was measured
