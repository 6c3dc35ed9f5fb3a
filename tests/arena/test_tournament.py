"""Facts about tournaments: broken engines do not stop them, and a kill costs next to nothing.

Here worker processes are started, killed and left hanging; the engines are in `mocks.py`. One
tournament is ended by Ctrl-C, with `--run-all` another by a kill; `test_kill.py` kills, too.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dlgo import LedgerError, SpecError
from dlgo.records.ledger import Ledger
from engines.jobs import WorkerError
from experiments.arena.games import GameTable, WarmUp
from experiments.arena.plan_keys import Limits
from experiments.arena.schedule import Plan, tasks
from experiments.arena.tournament import run_tournament
from tests.arena.mocks import (
    BAD_SETUP,
    SETUP,
    assert_legal,
    games_of,
    left_behind,
    make_task,
    play_tasks,
    read,
    register_mocks,
    run,
)
from tests.conftest import RUN_ALL

ROOT = Path(__file__).resolve().parents[2]


# --- worker processes ----------------------------------------------------------------------


@pytest.mark.slow
def test_a_broken_engine_loses_its_games_and_the_others_are_played(capfd):
    reasons = {
        "suicide": "process died (signal 9) while {} was thinking",
        "quitter": "crash of {}: SystemExit: 3",
    }
    wanted = [
        make_task(*players)
        for name in reasons
        for players in ((name, "random"), ("random", name), ("random", "dawdler"))
    ]
    wanted = [dataclasses.replace(task, slot=f"{i}") for i, task in enumerate(wanted)]
    before = children()
    limits = Limits(move_timeout=2)
    records = play_tasks(wanted, limits)
    assert len(records) == len(wanted)
    for i, name in enumerate(reasons):
        lost, won, innocent = (records[str(3 * i + k)] for k in range(3))
        assert (lost.result, lost.reason) == (0.0, reasons[name].format("first"))
        assert (won.result, won.reason) == (1.0, reasons[name].format("second"))
        assert won.opening == "B2"
        assert not innocent.failed
        # What happened before the end is kept: the opening, then the moves of the other.
        assert len(lost.moves.split()) - len(lost.costs) == 1
    assert children() == before
    assert not left_behind()


def warm_up(
    entrant: str, log: Callable[[str], None], game: str = "tictactoe", setup: str = SETUP
) -> None:
    """Compile what an entrant needs."""
    GameTable(setup=setup, warm_ups=[WarmUp(game, entrant)]).prepare(log)


@pytest.mark.slow
def test_a_worker_that_cannot_start_is_reported(capfd):
    with pytest.raises(WorkerError, match="exit code 1"):
        play_tasks([make_task("random", "random")], setup=BAD_SETUP, workers=1)
    with pytest.raises(WorkerError, match="exit code 1"):
        warm_up("random", print, setup=BAD_SETUP)


@pytest.mark.slow
def test_warming_up_tells_broken_engines_from_missing_ones():
    said: list[str] = []
    warm_up("badstart", said.append)
    assert any("RuntimeError: cold" in line for line in said)
    names = [f"dawdler:ms={ms}" for ms in range(40)]
    names.insert(10, "deadstart")
    warm_ups = [WarmUp("tictactoe", name) for name in names]
    GameTable(setup=SETUP, warm_ups=warm_ups).prepare(said.append)
    (line,) = [line for line in said if "(exit code 5)" in line]
    assert line.startswith("deadstart on tictactoe failed to warm up")
    with pytest.raises(SpecError, match="unbuildable cannot play tictactoe.*no such checkpoint"):
        warm_up("unbuildable", said.append)
    # Our own messages are written for people: without the name of a class.
    with pytest.raises(SpecError, match="q_learning cannot play hex: no q_learning model comes"):
        warm_up("q_learning", said.append, "hex")


# --- tournaments ---------------------------------------------------------------------------


@pytest.mark.slow
def test_a_tournament_plays_its_plan_once_and_can_be_extended(tmp_path):
    path = tmp_path / "l.sqlite"
    plan = Plan(("tictactoe",), ("random", "dawdler"), pairs=3, seed=1)
    summary, _ = run(plan, path)
    assert (summary.planned, summary.stored, summary.played, summary.failures) == (6, 0, 6, 0)
    first_games = games_of(path)
    assert set(first_games) == {task.slot for task in tasks(plan)}
    assert_legal(first_games)

    summary, said = run(plan, path)
    assert (summary.stored, summary.played) == (6, 0)
    assert "nothing left to play" in said

    larger = Plan(("tictactoe", "connect4"), ("random", "dawdler", "crasher"), pairs=4, seed=1)
    summary, said = run(larger, path, limits=Limits(max_failures=0))
    assert (summary.planned, summary.stored, summary.played) == (48, 6, 42)
    assert summary.failures == 2 * 2 * 2 * 4  # every game of crasher: 2 games, 2 opponents
    assert "6 of them are already in" in said
    assert "ZeroDivisionError" in said
    games = games_of(path)
    assert first_games.items() < games.items(), "games played before are left alone"
    assert set(games) == {task.slot for task in tasks(larger)}

    summary, said = run(plan, path)  # fewer again: nothing to play, nothing lost
    assert "in the ledger, but not in this run: crasher" in said
    with Ledger(path) as ledger:
        assert ledger.get_meta("plan") == larger.canonical().to_json()
    for change, text in (({"seed": 2}, "seed=1, not 2"), ({"opening_plies": 3}, "=default, not 3")):
        with pytest.raises(LedgerError, match=text):
            run(dataclasses.replace(larger, **change), path)

    # One seed, one tournament, whatever the timing.
    run(larger, tmp_path / "again.sqlite", limits=Limits(max_failures=0))
    again = games_of(tmp_path / "again.sqlite")
    assert {k: r.moves for k, r in again.items()} == {k: r.moves for k, r in games.items()}


def test_an_entrant_that_cannot_be_built_leaves_no_trace(tmp_path):
    path = tmp_path / "l.sqlite"
    with pytest.raises(SpecError, match="unbuildable"):
        run(Plan(("tictactoe",), ("random", "unbuildable"), pairs=1), path)
    with Ledger(path) as ledger:
        assert ledger.get_meta("plan") is None
        assert len(ledger) == 0


SLOW_PLAN = Plan(("connect4",), ("random", "dawdler:ms=20", "dawdler:ms=21"), pairs=3, seed=3)


def run_slow_plan(ledger: str) -> None:
    """The main function of the process that the tests below kill."""
    register_mocks()
    try:
        run_tournament(SLOW_PLAN.canonical(), ledger, workers=2, setup=SETUP)
    except KeyboardInterrupt as stopped:
        print(stopped, file=sys.stderr)
        sys.exit(130)


def children(pid: int | None = None) -> set[int]:
    """The living child processes of a process (by default this one), by /proc."""
    places = set()
    for folder in Path("/proc").glob("[0-9]*"):
        # multiprocessing's resource tracker lives as long as its parent
        tracker = "resource_tracker" in read(folder / "cmdline")
        parent = read(folder / "stat").rpartition(")")[2].split()[1:2]
        if parent == [str(pid or os.getpid())] and not tracker and alive(int(folder.name)):
            places.add(int(folder.name))
    return places


def alive(pid: int) -> bool:
    state = read(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()[:1]
    return state not in ([], ["Z"])


@contextlib.contextmanager
def slow_tournament(ledger: Path):
    """The tournament in a process of its own, once 3 games are in the ledger."""
    program = f"from {__name__} import run_slow_plan; run_slow_plan({str(ledger)!r})"
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=ROOT, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        # A shell makes its background jobs deaf to Ctrl-C, and their children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        until = time.monotonic() + 300
        games = 0
        while games < 3:
            assert process.poll() is None, process.stderr.read()
            assert time.monotonic() < until, "no game was finished"
            time.sleep(0.02)
            with contextlib.suppress(LedgerError):  # it does not exist yet, or is empty
                games = len(games_of(ledger))
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL][: 2 if RUN_ALL else 1])
def test_a_killed_tournament_continues_where_it_was(tmp_path, how):
    path = tmp_path / "l.sqlite"
    with slow_tournament(path) as process:
        workers = children(process.pid)
        assert len(workers) == 3  # two workers and the reaper
        process.send_signal(how)
        stderr = process.communicate(timeout=120)[1]
        until = time.monotonic() + 60
        while any(map(alive, workers)):
            assert time.monotonic() < until, "workers outlive their parent"
            time.sleep(0.02)
    before = games_of(path)
    planned = {task.slot for task in tasks(SLOW_PLAN)}
    assert 3 <= len(before) < len(planned)
    if how == signal.SIGINT:
        assert process.returncode == 130
        assert f"stopped after {len(before)} of 18 games; run the same command" in stderr
        assert "Traceback" not in stderr

    summary, said = run(SLOW_PLAN, path)
    assert (summary.stored, summary.played) == (len(before), 18 - len(before))
    assert f"{len(before)} of them are already in" in said
    after = games_of(path)
    assert set(after) == planned
    assert before.items() < after.items(), "no game is played twice"
    assert_legal(after)
