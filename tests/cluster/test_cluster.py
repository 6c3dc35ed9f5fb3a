"""Two nodes on this machine: the same games and networks as on one, whatever happens.

Ray takes ten seconds to start and its workers seconds to load; so these need --run-all.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dlgo.plugins import load_file
from dlgo.records.ledger import GameRecord, Ledger
from dlgo.system import processes
from engines.alphazero.config import make_config
from engines.alphazero.train import train
from engines.jobs import Task, WorkerError
from engines.learning.data.shards import read_shard
from engines.learning.networks.card import read_card
from engines.learning.runs import Progress
from experiments import cluster as cluster_module
from experiments.arena.schedule import Plan
from experiments.arena.tournament import run_tournament
from experiments.classroom.league import play_league
from experiments.classroom.league_plan import read_league_plan
from experiments.cluster import ClusterError, ClusterTasks
from tests.arena.mocks import Said
from tests.cluster.small_cluster import small_cluster
from tests.conftest import one_line_error
from tests.jobs import test_jobs as work
from tests.sandboxed import sandboxed

pytestmark = pytest.mark.cluster
ROOT = Path(__file__).resolve().parents[2]
# Long enough that all nodes have begun before it is over.
PLAN = Plan(
    ("connect4",), ("mcts:sims=1000", "random", "mcts:sims=3000"), 100, seed=5).canonical()
COMMAND = [
    sys.executable, "-m", "experiments.cli", "tournament", "--game", "connect4",
    "--engine", "mcts:sims=1000", "--engine", "random", "--engine", "mcts:sims=3000",
    "--pairs", "100", "--seed", "5",
]


def games_of(path: Path) -> list[tuple]:
    """All that a seed decides."""
    with Ledger(path, read_only=True) as ledger:
        return [
            (g.slot, g.opening, g.seed, g.moves, g.result, g.reason, g.failure)
            for g in ledger.games()
        ]


@pytest.fixture(scope="module")
def cluster() -> Iterator[object]:
    with small_cluster() as made:
        yield made


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The plan without a cluster."""
    path = tmp_path_factory.mktemp("alone") / "games.sqlite"
    run_tournament(PLAN, path, progress=Said())
    return path


def task_processes(cluster) -> list[int]:
    """The processes that do tasks on the nodes of a cluster."""
    found = []
    for node in cluster.worker_nodes:
        for pid in processes.descendants(node.all_processes["raylet"][0].process.pid):
            with contextlib.suppress(OSError):
                if Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"ray::do"):
                    found.append(pid)
    return found


class AfterGames(Said):
    """Calls functions, each after some more games; Ray wants the main thread for its nodes. Then
    it takes time over each game until so many workers have played: the last one may start slowly.
    """

    def __init__(self, games: int, workers: int, *calls: Callable[[], object]) -> None:
        super().__init__()
        self._every, self._wanted = games, workers
        self._calls, self.workers = [*calls], set()

    def game(self, record: GameRecord) -> None:
        super().game(record)
        self.workers.add(record.worker)
        if self._calls and len(self.games) % self._every == 0:
            self._calls.pop(0)()
        if not self._calls and len(self.workers) < self._wanted:
            time.sleep(0.3)


def test_a_worker_and_a_node_die_and_one_joins_and_no_game_changes(
    alone: Path, tmp_path: Path
) -> None:
    path = tmp_path / "games.sqlite"
    with small_cluster() as made:
        said = AfterGames(
            60, 3, lambda: os.kill(task_processes(made)[0], signal.SIGKILL),
            lambda: made.remove_node(next(iter(made.worker_nodes)), allow_graceful=False),
            lambda: made.add_node(num_cpus=1),
        )
        with ClusterTasks(made.address, print) as executor:
            summary = run_tournament(PLAN, path, executor, said)
    assert summary.played == summary.planned == 600
    assert games_of(path) == games_of(alone)
    assert len({game.slot for game in said.games}) == len(said.games) == 600
    assert len(said.workers) == 3
    assert any("was lost" in line for line in said.lines), said.lines


def test_a_killed_command_continues_and_leaves_no_task(
    cluster, alone: Path, tmp_path: Path
) -> None:
    ledger = tmp_path / "games.sqlite"
    command = [*COMMAND, "--ledger", str(ledger), "--cluster", cluster.address]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 300
    count = 0
    while count < 30:
        assert process.poll() is None and time.monotonic() < until
        with contextlib.suppress(Exception), Ledger(ledger, read_only=True) as opened:
            count = len(opened)
        time.sleep(0.05)
    process.kill()
    process.wait()
    until = time.monotonic() + 120
    while task_processes(cluster) and time.monotonic() < until:
        time.sleep(0.2)
    assert not task_processes(cluster)
    assert 30 <= len(games_of(ledger)) < 600
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert games_of(ledger) == games_of(alone)


def test_tasks_get_their_files_and_errors_are_one_line(cluster, tmp_path: Path) -> None:
    note = tmp_path / "note"
    with ClusterTasks(cluster.address, print) as executor:
        amounts = []
        values = {
            o.task.key: (o.value, bool(o.worker))
            for o in executor.run(work.tasks(work.square, range(9)), amounts.append)
        }
        assert values == {f"square {n}": (n * n, True) for n in range(9)}
        assert amounts[-1].items == sum(range(9))
        for text in ("hello", "changed"):
            note.write_text(text)
            (outcome,) = executor.run([Task("note", work.read, ("note",), (note,))])
            assert outcome.value == f"note: {text}"
        with one_line_error(WorkerError, "ZeroDivisionError"):
            list(executor.run(work.tasks(work.bug, [7])))


def test_another_version_ends_the_command(cluster, monkeypatch) -> None:
    monkeypatch.setattr(cluster_module, "version_text", lambda: "0.0.1+00000000")
    with (
        ClusterTasks(cluster.address, print) as executor,
        one_line_error(ClusterError, ", not 0.0.1+00000000"),
    ):
        list(executor.run(work.tasks(work.square, [1])))


def test_a_bot_in_a_file_travels_along(cluster, tmp_path: Path, monkeypatch) -> None:
    folder, other = tmp_path / "mine", tmp_path / "other"
    for one in (folder, other):
        one.mkdir()
    # A file with the same neighbour, which this process has loaded before.
    (other / "helper.py").write_text("def first(moves):\n    return moves[-1]\n")
    (other / "bot.py").write_text("import helper\n")
    load_file(other / "bot.py")
    monkeypatch.chdir(folder)
    Path("helper.py").write_text("def first(moves):\n    return moves[0]\n")
    Path("bot.py").write_text(
        "import helper\n\ndef select_move(state):\n"
        "    return helper.first(state.legal_moves())\n"
    )
    Path("dies.py").write_text("import os\n\ndef select_move(state):\n    os._exit(3)\n")
    plan = Plan(("tictactoe",), ("bot.py", "random", "dies.py"), 2).canonical()
    run_tournament(plan, "one.sqlite", workers=1, progress=Said())
    with ClusterTasks(cluster.address, print) as executor:
        run_tournament(plan, "many.sqlite", executor, Said())
    assert games_of(Path("many.sqlite")) == games_of(Path("one.sqlite"))
    for slot, *_, failure in games_of(Path("many.sqlite")):
        assert (failure is not None) == ("dies.py" in slot)


# --- learning and classes ---------------------------------------------------------------------


class AfterFirst(Progress):
    """Calls a function after the first iteration, in the main thread."""

    def __init__(self, call: Callable[[], None]) -> None:
        self._call = call

    def line(self, text: str) -> None:
        if text.startswith("iteration 1 "):
            self._call()


def test_alphazero_learns_the_same_networks_though_a_node_dies(tmp_path: Path) -> None:
    config = make_config("tictactoe", iterations=3, games=32, sims=8, workers=4, seed=3,
                         network="resnet:blocks=0,filters=4", runtime="onnx")

    def learned(folder: Path) -> tuple[list[str], list[str]]:
        networks = [read_card(folder / "nets" / f"{number:04d}").network_id
                    for number in range(config.iterations + 1)]
        return networks, [read_shard(path).content for path in sorted(folder.glob("games/*.npz"))]

    train(config, tmp_path / "one")
    with small_cluster() as made, ClusterTasks(made.address, print) as executor:
        dies = AfterFirst(lambda: made.remove_node(next(iter(made.worker_nodes)),
                                                   allow_graceful=False))
        train(config, tmp_path / "many", dies, executor)
    assert learned(tmp_path / "many") == learned(tmp_path / "one")


@sandboxed
def test_a_league_has_the_games_of_one_machine(cluster, tmp_path: Path) -> None:
    (tmp_path / "league.toml").write_text(
        'game = "tictactoe"\nstaff_pairs = 2\nseed = 5\n[[staff]]\nengine = "random"\n')
    sources = {}
    for name, last in (("ann", -1), ("bo b", 0)):
        sources[name] = tmp_path / "class" / name
        sources[name].mkdir(parents=True)
        (sources[name] / "bot.py").write_text(
            "from beside import LAST\ndef select_move(state):\n"
            "    return state.legal_moves()[LAST]\n")
        (sources[name] / "beside.py").write_text(f"LAST = {last}\n")
    plan = read_league_plan(tmp_path / "league.toml")
    here = play_league(plan, sources, tmp_path / "one", Said(), workers=1)
    with ClusterTasks(cluster.address, print) as executor:
        there = play_league(plan, sources, tmp_path / "many", Said(), workers=executor)
    assert here.complete and there.complete
    assert games_of(here.ledger) == games_of(there.ledger)
    assert len(there.games()) == 2 * 4 + 2 and {game.worker for game in there.games()} - {None}
    assert not any(game.failed for game in there.games())
