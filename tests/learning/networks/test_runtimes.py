"""Several networks in one process, and Ctrl-C after they have gone."""

from __future__ import annotations

import subprocess
import sys

import pytest

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
