"""A tournament killed at random moments: nothing is lost, played twice, or left running.

`DLGO_FULL=1` kills 50 times instead of 4 (ten minutes).
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dlgo import LedgerError
from dlgo.records.ledger import GameRecord
from experiments.arena.inspect_ledger import check_lines
from experiments.arena.limits import Limits
from experiments.arena.schedule import Plan, tasks
from experiments.arena.tournament import run_tournament
from tests.arena.mocks import SETUP, games_of, left_behind, register_mocks, run

ROOT = Path(__file__).resolve().parents[2]
KILLS = 50 if os.environ.get("DLGO_FULL") else 4

# Some games last a few milliseconds, some a tenth of a second; some crash, some start processes
# that have nothing left to tell whose they are.
PLAN = Plan(
    ("connect4", "tictactoe"), ("random", "dawdler:ms=8", "crasher", "spawner"), pairs=4, seed=5
)
LIMITS = Limits(max_failures=0)


def play(ledger: str) -> None:
    """The main function of the process that is killed."""
    register_mocks()
    run_tournament(PLAN, ledger, workers=2, setup=SETUP, limits=LIMITS)


def started(ledger: Path) -> subprocess.Popen:
    program = f"from {__name__} import play; play({str(ledger)!r})"
    return subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def stored(ledger: Path) -> dict[str, GameRecord]:
    try:
        return games_of(ledger)
    except LedgerError:  # it does not exist yet, or is empty
        return {}


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_kills_at_random_moments_lose_nothing(tmp_path: Path) -> None:
    moment = random.Random(11)
    planned = {task.slot for task in tasks(PLAN)}
    kills = ledgers = in_play = 0
    while kills < KILLS:
        ledgers += 1
        path = tmp_path / f"{ledgers}.sqlite"
        before: dict[str, GameRecord] = {}
        done = False
        while not done and kills < KILLS:
            process = started(path)
            # Most of the time it should be playing: so the clock starts with the first game,
            # or, one time in four, with the process.
            if moment.random() < 0.75:
                while process.poll() is None and len(stored(path)) <= len(before):
                    time.sleep(0.02)
            wait = moment.random() * 2.0
            try:
                done = process.wait(timeout=wait) == 0
            except subprocess.TimeoutExpired:
                kills += 1
                in_play += len(stored(path)) > len(before)
                process.send_signal(signal.SIGKILL)
                process.wait()
            until = time.monotonic() + 20
            while left_behind(process.pid):
                assert time.monotonic() < until, "processes outlive the tournament"
                time.sleep(0.05)
            after = stored(path)
            assert before.items() <= after.items(), "a game was lost or played again"
            assert set(after) <= planned
            before = after
        run(PLAN, path, limits=LIMITS)
        assert set(games_of(path)) == planned
        assert before.items() <= games_of(path).items()
        assert [line.text for line in check_lines(str(path))] == [
            f"{len(planned)} games, 0 of them invalid"
        ]
    print(f"{kills} kills, {in_play} of them after new games, {ledgers} ledgers")
