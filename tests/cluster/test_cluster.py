"""A cluster of three nodes on this machine: the same games as on one, whatever happens.

Ray takes ten seconds to start and its workers seconds to load; so these need --run-all.
"""

from __future__ import annotations

import collections
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dlgo.records.ledger import GameRecord, Ledger
from dlgo.system import processes
from engines.jobs import Task, WorkerError
from experiments.arena.schedule import Plan
from experiments.arena.tournament import run_tournament
from experiments.cluster import jobs as jobs_module
from experiments.cluster.connection import ClusterError
from experiments.cluster.jobs import ClusterJobs
from tests.arena.mocks import Said
from tests.cluster.three_nodes import freeze, small_cluster, thaw
from tests.conftest import one_line_error
from tests.jobs import test_jobs as work

pytestmark = pytest.mark.cluster
ROOT = Path(__file__).resolve().parents[2]
PLAN = Plan(("tictactoe",), ("mcts:sims=50", "random", "mcts:sims=200"), 40, seed=5)
# Long enough that all three nodes have begun before it is over.
LARGE = Plan(("connect4",), ("mcts:sims=1000", "random", "mcts:sims=3000"), 334, seed=5)


def games_of(path: Path) -> list[tuple]:
    """All that a seed decides."""
    with Ledger(path, read_only=True) as ledger:
        return [
            (g.slot, g.opening, g.seed, g.moves, g.result, g.reason, g.failure)
            for g in ledger.games()
        ]


@pytest.fixture(scope="module")
def cluster() -> Iterator[object]:
    with small_cluster(3) as made:
        yield made


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The plan on one process."""
    path = tmp_path_factory.mktemp("alone") / "games.sqlite"
    run_tournament(PLAN, path, workers=1, progress=Said())
    return path


def test_a_tournament_has_the_same_games_as_on_one_process(
    cluster, alone: Path, tmp_path: Path
) -> None:
    said = Said()
    with ClusterJobs(cluster.address, print, verify_share=0.2) as games:
        summary = run_tournament(PLAN, tmp_path / "many.sqlite", progress=said, backend=games)
    assert summary.played == summary.planned == 240
    assert games_of(tmp_path / "many.sqlite") == games_of(alone)
    with Ledger(tmp_path / "many.sqlite", read_only=True) as ledger:
        workers = {game.worker for game in ledger.games()}
        checks = list(ledger.checks())
    assert workers and None not in workers
    if len(workers) == 1:
        pytest.skip("one node had played all before the others were ready")
    assert 20 < len(checks) < 80
    assert all(c.worker != c.other and c.difference is None for c in checks)


def test_portions_are_done_with_their_files_and_errors_are_one_line(
    cluster, tmp_path: Path
) -> None:
    note = tmp_path / "note"
    note.write_text("hello")
    with ClusterJobs(cluster.address, print) as jobs:
        told = []
        done = {
            o.task.key: (o.value, bool(o.worker))
            for o in jobs.run(work.tasks(work.square, range(9)), told.append)
        }
        assert done == {f"square {n}": (n * n, True) for n in range(9)}
        assert told[-1].items == sum(range(9))
        for text in ("hello", "changed"):
            note.write_text(text)
            (outcome,) = jobs.run([Task("note", work.read, ("note",), (note,))])
            assert outcome.value == f"note: {text}"
        with one_line_error(WorkerError, "ZeroDivisionError"):
            list(jobs.run(work.tasks(work.bug, [7])))


def test_another_version_is_refused_by_name(cluster, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(jobs_module, "version_text", lambda: "0.0.1+00000000")
    said: list[str] = []
    with ClusterJobs(cluster.address, said.append) as jobs, one_line_error(ClusterError, "0.0.1"):
        list(jobs.run(work.tasks(work.square, [1])))
    assert any("is refused: it has dlgo" in line for line in said)


def test_a_bot_in_a_file_travels_along(cluster, tmp_path: Path, monkeypatch) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    monkeypatch.chdir(folder)
    Path("helper.py").write_text("def first(moves):\n    return moves[0]\n")
    Path("bot.py").write_text(
        "import helper\n\ndef select_move(state):\n"
        "    return helper.first(state.legal_moves())\n"
    )
    plan = Plan(("tictactoe",), ("bot.py", "random"), 3)
    run_tournament(plan, "one.sqlite", workers=1, progress=Said())
    with ClusterJobs(cluster.address, print) as games:
        run_tournament(plan, "many.sqlite", progress=Said(), backend=games)
    assert games_of(Path("many.sqlite")) == games_of(Path("one.sqlite"))
    assert not any(row[-1] for row in games_of(Path("many.sqlite")))


COMMAND = [
    sys.executable, "-m", "experiments.cli", "tournament", "--game", "tictactoe",
    "--engine", "mcts:sims=50", "--engine", "mcts:sims=200", "--engine", "random",
    "--pairs", "40", "--seed", "5",
]


def test_ctrl_c_leaves_no_task_and_the_same_command_continues(
    cluster, alone: Path, tmp_path: Path
) -> None:
    ledger = tmp_path / "games.sqlite"
    command = [*COMMAND, "--ledger", str(ledger), "--cluster", cluster.address]
    process = subprocess.Popen(
        command, cwd=ROOT, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    until_games(ledger, 20)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 130 and "run the same command again" in errors
    assert "Traceback" not in errors
    nobody_is_left(cluster)
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert games_of(ledger)
    nobody_is_left(cluster)


def until_games(ledger: Path, count: int) -> None:
    until = time.monotonic() + 300
    while time.monotonic() < until:
        with contextlib.suppress(Exception), Ledger(ledger, read_only=True) as opened:
            if len(opened) >= count:
                return
        time.sleep(0.05)
    raise AssertionError(f"no {count} games in {ledger}")


def nobody_is_left(cluster) -> None:
    """No task of Ray, and so no process of a task."""
    until = time.monotonic() + 120
    while (left := task_processes(cluster)) and time.monotonic() < until:
        time.sleep(0.2)
    assert not left


def task_processes(cluster) -> list[int]:
    """The processes that do tasks on the nodes of a cluster."""
    found = []
    for node in cluster.worker_nodes:
        for pid in processes.descendants(node.all_processes["raylet"][0].process.pid):
            with contextlib.suppress(OSError):
                if Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"ray::do"):
                    found.append(pid)
    return found


class After(Said):
    """Calls a function when some machines have played `count` games each; Ray wants the main thread
    for its nodes."""

    def __init__(self, count: int, call: Callable[[], None], machines: int = 1) -> None:
        super().__init__()
        self._least, self._call, self._machines = count, call, machines
        self._games: collections.Counter[str | None] = collections.Counter()

    def game(self, record: GameRecord) -> None:
        self._games[record.worker] += 1
        ready = sum(games >= self._least for games in self._games.values())
        if ready >= self._machines:
            self._machines = 10**9
            self._call()


def trouble(cluster) -> None:
    """One node dies without grace, one hangs, one joins."""
    victim, sleeper = list(cluster.worker_nodes)[:2]
    cluster.remove_node(victim, allow_graceful=False)
    freeze(sleeper)
    cluster.add_node(num_cpus=1)


@pytest.fixture(scope="module")
def long_alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The long plan on one process."""
    path = tmp_path_factory.mktemp("alone") / "games.sqlite"
    run_tournament(LARGE, path, workers=1, progress=Said())
    return path


def test_nodes_that_die_hang_and_join_change_nothing(long_alone: Path, tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    with small_cluster(3) as made:
        said = After(20, lambda: trouble(made), machines=3)
        with ClusterJobs(made.address, print) as games:
            run_tournament(LARGE, path, progress=said, backend=games)
    assert len(games_of(path)) == 2004
    assert games_of(path) == games_of(long_alone)
    assert any("was lost" in line for line in said.lines), said.lines
    with Ledger(path, read_only=True) as ledger:
        print(collections.Counter(game.worker for game in ledger.games()))


def test_a_node_that_is_cut_off_for_a_while_plays_on(long_alone: Path, tmp_path: Path) -> None:
    path, after = tmp_path / "games.sqlite", []

    class Count(After):
        def game(self, record: GameRecord) -> None:
            super().game(record)
            if timer.finished.is_set():
                after.append(record.worker)

    with small_cluster(2) as made:
        sleeper = next(iter(made.worker_nodes))
        timer = threading.Timer(8.0, thaw)

        def cut() -> None:
            freeze(sleeper)
            timer.start()

        said = Count(20, cut, machines=2)
        with ClusterJobs(made.address, print) as games:
            run_tournament(LARGE, path, progress=said, backend=games)
    assert games_of(path) == games_of(long_alone)
    assert any(name.endswith(sleeper.node_id[:6]) for name in after), said.lines
    name = next(name for name in after if name.endswith(sleeper.node_id[:6]))
    print(f"{after.count(name)} of {len(after)} later games by {name}")
