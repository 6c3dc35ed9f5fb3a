"""A tournament killed at random moments: nothing is lost, played twice, or left running.

One that plays on to a target, two workers, one kill. `--run-all` kills it five times, and as often
one with a fixed number of pairs and a match that a sequential test ends; and eight workers.
"""

from __future__ import annotations

import contextlib
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
from dlgo.system import processes
from experiments.arena.inspect_ledger import check_lines
from experiments.arena.plan_keys import Limits
from experiments.arena.schedule import Plan
from experiments.arena.tournament import run_tournament
from tests.arena.mocks import SETUP, games_of, left_behind, read, register_mocks, run
from tests.conftest import RUN_ALL

ROOT = Path(__file__).resolve().parents[2]
KILLS = 5 if RUN_ALL else 1
WORKER_KILLS = 8 if RUN_ALL else 1

# Some games last a few milliseconds, some a tenth of a second; some crash, some start processes
# that have nothing left to tell whose they are.
ENTRANTS = ("random", "dawdler:ms=8", "crasher", "spawner")
PLANS = {
    "pairs": Plan(("connect4", "tictactoe"), ENTRANTS, 4 if RUN_ALL else 2, seed=5),
    "target": Plan(("tictactoe",), (*ENTRANTS[:2], "dawdler:ms=9"), 2, seed=5, target_elo=240.0,
                   max_pairs=60),
    "test": Plan(("tictactoe",), ENTRANTS[:2], 1, seed=5, kind="match", sprt=(0.0, 100.0),
                 max_pairs=90),
}
LIMITS = Limits(max_failures=0)


def play(kind: str, ledger: str) -> None:
    """The main function of the process that is killed."""
    register_mocks()
    run_tournament(PLANS[kind].canonical(), ledger, workers=2, setup=SETUP, limits=LIMITS)


def started(kind: str, ledger: Path) -> subprocess.Popen:
    program = f"from {__name__} import play; play({kind!r}, {str(ledger)!r})"
    return subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def stored(ledger: Path) -> dict[str, GameRecord]:
    try:
        return games_of(ledger)
    except LedgerError:  # it does not exist yet, or is empty
        return {}


def played(ledger: Path) -> dict[str, tuple[str, float]]:
    """Moves and result by slot."""
    return {slot: (record.moves, record.result) for slot, record in stored(ledger).items()}


def verdict_of(kind: str, ledger: Path) -> str:
    """Play a plan to its end; what the target or the test says then."""
    said = run(PLANS[kind], ledger, limits=LIMITS)[1].splitlines()
    return "" if kind == "pairs" else said[-2].partition(" (")[0]


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize("kind", PLANS if RUN_ALL else ["target"])
def test_kills_at_random_moments_lose_nothing(kind: str, tmp_path: Path) -> None:
    """The games are those of an unbroken tournament.

    A test that has its answer may find more or fewer games begun; those that were are the same.
    """
    moment = random.Random(11)
    verdict = verdict_of(kind, tmp_path / "whole.sqlite")
    whole = played(tmp_path / "whole.sqlite")
    kills = ledgers = in_play = 0
    while kills < KILLS:
        ledgers += 1
        path = tmp_path / f"{ledgers}.sqlite"
        before: dict[str, GameRecord] = {}
        done = False
        while not done and kills < KILLS:
            process = started(kind, path)
            # Most of the time it should be playing: so the clock starts with the first game,
            # or, one time in four, with the process.
            if moment.random() < 0.75:
                while process.poll() is None and len(stored(path)) <= len(before):
                    time.sleep(0.02)
            wait = moment.random() * (2.0 if RUN_ALL else 0.5)
            try:
                done = process.wait(timeout=wait) == 0
            except subprocess.TimeoutExpired:
                kills += 1
                in_play += len(stored(path)) > len(before)
                process.send_signal(signal.SIGTERM if kills % 4 == 0 else signal.SIGKILL)
                process.wait()
            until = time.monotonic() + 400
            while left_behind(process.pid):
                assert time.monotonic() < until, "processes outlive the tournament"
                time.sleep(0.05)
            after = stored(path)
            assert before.items() <= after.items(), "a game was lost or played again"
            before = after
        assert verdict_of(kind, path) == verdict
        assert before.items() <= games_of(path).items()
        if kind == "test":
            assert all(whole.get(slot, game) == game for slot, game in played(path).items())
        else:
            assert played(path) == whole
        assert [line for line, _ in check_lines(str(path))] == [
            f"{len(played(path))} games, 0 of them invalid"
        ]
    print(f"{kills} kills, {in_play} of them after new games, {ledgers} ledgers")


def workers_of(pid: int) -> list[int]:
    """The workers of a tournament."""
    commands = {child: read(Path(f"/proc/{child}/cmdline")) for child in processes.descendants(pid)}
    return [child for child, command in commands.items()
            if "spawn_main" in command and f"PPid:\t{pid}\n" in read(Path(f"/proc/{child}/status"))]


def outcomes(ledger: Path) -> dict[str, tuple[str, float, str | None]]:
    """Moves, result and failure by slot."""
    return {slot: (record.moves, record.result, record.failure)
            for slot, record in stored(ledger).items()}


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_killed_workers_change_nothing(tmp_path: Path) -> None:
    """As the system does it when memory runs out: the games are played again, and nobody loses."""
    moment = random.Random(7)
    run(PLANS["pairs"], tmp_path / "whole.sqlite", limits=LIMITS)
    kills = ledgers = 0
    while kills < WORKER_KILLS:
        ledgers += 1
        path = tmp_path / f"{ledgers}.sqlite"
        process, killed = started("pairs", path), False
        while process.poll() is None:
            # Once a tournament: two deaths in one game are its engine's fault.
            if not killed and len(stored(path)) >= 4:
                time.sleep(2.0 * moment.random())
                workers = workers_of(process.pid)
                if workers:
                    with contextlib.suppress(ProcessLookupError):  # it has just ended by itself
                        os.kill(moment.choice(workers), signal.SIGKILL)
                        kills, killed = kills + 1, True
            time.sleep(0.02)
        assert process.returncode == 0
        # Of a killed worker, sleepers remain that have nothing left to tell whose they are.
        for left in left_behind(process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(left.partition(" ")[0]), signal.SIGKILL)
        assert outcomes(path) == outcomes(tmp_path / "whole.sqlite")
    print(f"{kills} kills of workers, {ledgers} ledgers of {len(stored(path))} games")
