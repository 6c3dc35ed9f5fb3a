"""A game ends with whoever has started it, and one that was not saved is a failure."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from dlgo.system import processes
from tests.command import ROOT, dlgo_here

PARENT = """
import subprocess, sys, time
words = [sys.executable, "-m", "experiments.cli", "play", "go:size=9", "--second", "random",
         "--first", sys.argv[1] + ":Thinker"]
print(subprocess.Popen(words, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL).pid, flush=True)
time.sleep(3600)
"""
THINKER = """
import pathlib, time
class Thinker:
    def select_move(self, state):
        pathlib.Path(__file__).with_name("thinking").touch()
        time.sleep(3600)
"""


def until(condition) -> None:
    for _ in range(6000):  # ten minutes: a machine may be busy
        if condition():
            return
        time.sleep(0.1)
    pytest.fail("it did not happen")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_play_and_its_engines_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(THINKER)
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(tmp_path / "bot.py")],
                              cwd=ROOT, stdout=subprocess.PIPE)
    with parent:
        pid = int(parent.stdout.readline())
        until((tmp_path / "thinking").exists)
        family = {pid} | processes.descendants(pid)
        parent.kill()
    assert len(family) > 1
    until(lambda: not any(_lives(process) for process in family))


def _lives(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def test_a_game_that_could_not_be_saved_is_a_failure(tmp_path: Path, capsys) -> None:
    """As on a full disk: the game goes on, and the exit status says it."""
    file = tmp_path / f"{'long' * 80}.txt"
    done = dlgo_here(capsys, "play", "tictactoe", "--first", "random", "--second", "random",
                     "--delay", 0, "--seed", 1, "--save", file)
    assert done.returncode == 2 and "Game over" in done.stdout
    assert "could not be saved" in done.stderr and len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("words", [
    ("play", "tictactoe", "--second", "random", "--first", f"random:name={'x' * 300}"),
    ("tournament", "--ledger", "l.sqlite", "--game", "tictactoe", "--engine", "random",
     "--engine", "mcts:sims=5,name=" + "y" * 9000),
    ("play", "tictactoe", "--second", "random", "--first", f"alphazero:model={'x' * 20_000}"),
])
def test_names_have_a_bound(words: tuple[str, ...], tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = dlgo_here(capsys, *words)
    assert done.returncode == 2 and "characters" in done.stderr
    assert len(done.stderr) < 500 and len(done.stderr.splitlines()) == 1
