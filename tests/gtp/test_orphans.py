"""No command leaves a process behind: not killed, not terminated, not at its ordinary end.

The program here is as stubborn as can be: it ignores signals and the end of its input, and at its
start it leaves a child in a session of its own, without its environment and without a parent.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command import ROOT
from tests.gtp.programs import living, mock

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")

STUBBORN = """
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
subprocess.run(["sh", "-c", "setsid env -i sleep {nap} &"])
import atexit
atexit.register(time.sleep, 3600)
def odd(name, words, number):
    if name == "genmove":
        time.sleep({wait})
    return False
"""

COMMANDS: dict[str, Callable[[str, Path], list[str]]] = {
    "play": lambda spec, folder: ["play", "go:size=5", "--first", spec, "--second", "random"],
    "gtp": lambda spec, folder: ["gtp", "--engine", spec, "--game", "go:size=5"],
    "generate": lambda spec, folder: [
        "generate", "go:size=5", "--engine", spec, "--games", "2", "--workers", "1", "--out",
        str(folder / "data"),
    ],
    "tournament": lambda spec, folder: [
        "tournament", "--ledger", str(folder / "games.sqlite"), "--game", "go:size=5",
        "--engine", spec, "--engine", "random", "--workers", "1",
    ],
}


def soon(condition: Callable[[], bool], seconds: float) -> bool:
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.05)
    return condition()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, None])
@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_outlives_a_command(command: str, how: int | None, tmp_path: Path) -> None:
    """`how` is the signal that ends it; None: the end of its input, or of its work."""
    if how is None and command in ("generate", "tournament"):
        pytest.skip("it ends with its work; what workers leave behind is in the arena's tests")
    nap = f"36{os.getpid()}.{time.monotonic_ns() % 10**6}"
    wait = 0 if how is None else 3600
    spec = mock(tmp_path, STUBBORN.replace("{nap}", nap).replace("{wait}", str(wait)))
    script = spec.rpartition(" ")[2]
    words = COMMANDS[command](spec, tmp_path)
    process = subprocess.Popen(
        [sys.executable, "-m", "experiments.cli", *words], cwd=tmp_path, stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    try:
        if command == "gtp":
            process.stdin.write(b"genmove black\n")
            process.stdin.flush()
        assert soon(lambda: bool(living(nap)), 120), "the program did not start"
        if how is None:
            process.stdin.close()
        else:
            process.send_signal(how)
        process.wait(timeout=60)
        assert soon(lambda: not living(nap) and not living(script), 20), (
            living(nap), living(script)
        )
    finally:
        process.kill()
        process.wait()
        for pid in living(nap) + living(script):
            os.kill(pid, signal.SIGKILL)
