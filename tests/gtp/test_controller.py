"""An engine whose controller is killed ends, whatever it is doing; its other answers are given."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tests.command import ROOT

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")

# A search of hours, one in Python, a bot that sleeps (also when it is tried at the start).
ENGINES = {
    "compiled": "mcts:sims=1e9,nodes_max=100000", "Python": "minimax:depth=20",
    "a bot": "sleeper.py:Sleeper",
}
SLEEPER = """
import time
class Sleeper:
    def select_move(self, state):
        time.sleep(3600)
"""
SERVER = [sys.executable, "-m", "experiments.cli", "gtp", "--game", "go:size=9", "--engine"]
# Starts the engine, asks for a move, and tells the number of its process.
CONTROLLER = """
import subprocess, sys, time
where = {"pipe": subprocess.PIPE, "nowhere": subprocess.DEVNULL}[sys.argv[1]]
engine = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=where)
engine.stdin.write(b"name\\ngenmove black\\n")
engine.stdin.flush()
print(engine.pid, flush=True)
time.sleep(3600)
"""


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def wait_until_it_thinks(pid: int) -> None:
    """Until the engine has used more CPU than starting takes, or the bot has its own process."""
    process = psutil.Process(pid)
    until = time.monotonic() + 300
    while process.cpu_times().user < 5 and not process.children():
        assert is_alive(pid) and time.monotonic() < until
        time.sleep(0.1)


@pytest.mark.parametrize("output", ["pipe", "nowhere"])
@pytest.mark.parametrize("kind", ENGINES)
def test_an_engine_ends_with_its_controller(kind: str, output: str, tmp_path: Path) -> None:
    """Within about a second on a quiet machine; the limit is for busy ones."""
    (tmp_path / "sleeper.py").write_text(SLEEPER)
    controller = subprocess.Popen(
        [sys.executable, "-c", CONTROLLER, output, *SERVER, ENGINES[kind]], cwd=tmp_path,
        stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    engine = int(controller.stdout.readline())
    try:
        wait_until_it_thinks(engine)
        controller.kill()
        controller.wait()
        until = time.monotonic() + 60
        while is_alive(engine) and time.monotonic() < until:
            time.sleep(0.05)
        assert not is_alive(engine)
    finally:
        controller.kill()
        if is_alive(engine):
            os.kill(engine, signal.SIGKILL)


def test_all_commands_of_a_file_are_answered_though_it_has_ended(tmp_path: Path) -> None:
    """The end of the input comes long before the first move is found."""
    commands = b"genmove black\nname\nfrobnicate\n"
    (tmp_path / "commands").write_bytes(commands)
    words = [*SERVER, "mcts:sims=20000"]
    with (tmp_path / "commands").open() as file:
        from_file = subprocess.run(words, stdin=file, stdout=subprocess.PIPE, check=True)
    from_pipe = subprocess.run(words, input=commands, stdout=subprocess.PIPE, check=True)
    for done in (from_file, from_pipe):
        move, name, unknown = done.stdout.decode().removesuffix("\n\n").split("\n\n")
        assert move.startswith("= ") and name == "= dlgo" and unknown.startswith("?")
