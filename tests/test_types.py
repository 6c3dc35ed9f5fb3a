"""`py.typed` is kept: an engine and a game of a user pass a strict type check."""

import subprocess
import sys

import pytest


def run(folder, *words):
    return subprocess.run(
        [sys.executable, "-m", *words], cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_an_own_engine_and_game_pass_a_strict_type_check(tmp_path):
    run(tmp_path, "dlgo", "new", "engine", "my_bot")
    run(tmp_path, "dlgo", "new", "game", "my_game")
    done = run(tmp_path, "mypy", "--config-file=", "--strict", "my_bot.py", "my_game.py")
    assert done.returncode == 0, done.stdout + done.stderr
