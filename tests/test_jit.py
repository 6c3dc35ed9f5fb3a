"""The cache of compiled code: quick to start from, never stale."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def run(folder: Path, code: str, cache: Path) -> str:
    """Run Python code against the copy of the project in `folder`."""
    environment = {**os.environ, "DLGO_CACHE_DIR": str(cache), "PYTHONPATH": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True,
        timeout=240, check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the compiled packages that a test may edit."""
    for package in ("dlgo", "engines"):
        shutil.copytree(
            ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    return tmp_path


# The search compiles the rules into itself: this value comes from inside it.
SEARCH = """
from dlgo import GameState, get_game
from engines.registry import build_engine
game = get_game("tictactoe")
decision = build_engine("alphabeta:depth=9", game).select_move(GameState.new_game(game))
print(decision.proven, decision.cost.nodes > 100)
"""


def test_an_edited_rule_is_played_by_at_once(project: Path, tmp_path: Path) -> None:
    """The cached search must not go on playing by rules that have been edited."""
    cache = tmp_path / "cache"
    assert run(project, SEARCH, cache) == "0 True"
    rules = project / "dlgo/games/tictactoe/kernel.py"
    text = rules.read_text()
    before = rules.stat()
    # Two in a row win: the first player cannot miss it.
    edited = text.replace("LINES = (0o7, 0o70,", "LINES = (0o3, 0o70,")
    assert edited != text
    rules.write_text(edited)
    # Even an editor that keeps the time of the file cannot hide the change.
    os.utime(rules, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert run(project, SEARCH, cache).startswith("1")
    rules.write_text(text)
    assert run(project, SEARCH, cache) == "0 True"
    assert len(list(cache.glob("kernels-*"))) == 2


def test_a_second_start_loads_instead_of_compiling(project: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    run(project, SEARCH, cache)
    compiled = {path: path.stat().st_mtime_ns for path in cache.rglob("*.nbc")}
    assert compiled
    run(project, SEARCH, cache)
    assert {path: path.stat().st_mtime_ns for path in cache.rglob("*.nbc")} == compiled


def test_an_unwritable_cache_folder_is_no_obstacle(project: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the folder should be")
    assert run(project, "import dlgo.rng as r; print(r.below(r.make_rng(1), 1))", blocked) == "0"


def test_old_folders_are_forgotten(project: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    for i in range(12):
        old = cache / f"kernels-{i:016d}"
        old.mkdir(parents=True)
        os.utime(old, (i, i))
    run(project, "import dlgo.rng", cache)
    left = sorted(path.name for path in cache.glob("kernels-*"))
    assert len(left) == 8
    assert "kernels-0000000000000000" not in left


OUTSIDE = """
from typing import NamedTuple
import numpy as np
from dlgo.games.tictactoe.kernel import to_move

class Outside(NamedTuple):
    words: np.ndarray

print(to_move(Outside(np.ones(5, np.int64))))
"""


def test_games_from_outside_leave_nothing_in_the_cache(project: Path, tmp_path: Path) -> None:
    """Others could not read it: they cannot import the game's class."""
    cache = tmp_path / "cache"
    assert run(project, OUTSIDE, cache) == "1"
    assert not list(cache.rglob("*.nbc"))
    ours = OUTSIDE.replace("to_move(Outside(", "to_move(TicTacToeState(").replace(
        "import to_move", "import TicTacToeState, to_move")
    assert run(project, ours, cache) == "1"
    assert len(list(cache.rglob("*.nbc"))) == 1
