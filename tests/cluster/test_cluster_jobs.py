"""What becomes of work when processes and machines die, send nonsense or are of another version.

The cluster is a mock: tasks are objects, and time passes when somebody waits.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from dlgo.text import duration
from engines.jobs.protocol import Amount, ListSource
from engines.jobs.worker import Result
from experiments.cluster import inside, parcels
from experiments.cluster import jobs as jobs_module
from experiments.cluster.connection import ClusterError, Connection, Machine
from experiments.cluster.inside import Hello, Report
from experiments.cluster.jobs import ClusterJobs
from tests.cluster.test_dispatcher import Number
from tests.conftest import one_line_error

# Seconds of CPU time that each task says it has used.
CPU = 7.0
HELLO = Hello("mock")


class Clock:
    """Time that passes when somebody waits."""

    now = 100.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class Mocked:
    """A connection to mocks, which double numbers.

    Args:
        behaviour: of each machine: what its n-th task, from 0, ends with instead of its results:
            "hangs", an exception, something else that is sent, or None.
    """

    def __init__(self, clock: Clock, **behaviour: Callable[[int], object]) -> None:
        self._clock, self._behaviour = clock, behaviour
        self.alive = list(behaviour)
        self.started: Counter[str] = Counter()
        self.joined: Counter[str] = Counter()
        self.results: dict[object, object] = {}
        self.put_values: list[object] = []

    def machines(self) -> list[Machine]:
        return [Machine(name, name, 2) for name in self.alive]

    def put(self, value: object) -> object:
        self.put_values.append(value)
        return value

    def start(self, machine: Machine, cores: float, work: object, *args: list) -> object:
        number = self.started[machine.name]
        self.started[machine.name] += 1
        self.joined[machine.name] += work is inside.join
        result = self._behaviour[machine.name](number)
        if result is None and work is inside.join:
            result = HELLO
        elif result is None:
            results = [Result(sent.task.key, 2 * sent.task, None, Amount(1)) for sent in args[-1]]
            result = Report(results, 1.0, CPU)
        task = object()
        self.results[task] = result
        return task

    def ready(self, tasks: list[object], timeout: float) -> list[object]:
        self._clock.sleep(timeout)
        return [task for task in tasks if self.results[task] != "hangs"]

    def result(self, task: object) -> object:
        result = self.results[task]
        if isinstance(result, Exception):
            raise result
        return result

    def is_from_task(self, error: Exception) -> bool:
        return isinstance(error, ZeroDivisionError)

    def cancel(self, task: object) -> None:
        pass

    def close(self) -> None:
        pass


DEAD = RuntimeError("the process died")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(jobs_module, "time", made)
    return made


def done_by(
    clock: Clock, count: int = 60, share: float = 0.0, **behaviour: Callable[[int], object]
):
    """Let mocks do some items: who did each, what was said, and the connection."""
    said: list[str] = []
    connection = Mocked(clock, **behaviour)
    jobs = ClusterJobs(connection, said.append, verify_share=share, price=3.6)
    did = {}
    for batch in jobs.rounds(ListSource(map(Number, range(count)))):
        for outcome in batch:
            assert outcome.task not in did and outcome.value == 2 * outcome.task
            did[outcome.task] = outcome.worker
    assert did.keys() == set(range(count))
    jobs.close()
    return did, said, connection


def fine(_: int) -> None:
    return None


def test_what_a_dead_process_had_is_done_again_and_a_hopeless_machine_is_refused(
    clock: Clock
) -> None:
    once, said, connection = done_by(
        clock, good=fine, bad=lambda n: DEAD if n == 4 else None)
    assert "bad" in once.values() and any("process of bad was lost" in line for line in said)
    did, said, connection = done_by(clock, good=fine, bad=lambda n: DEAD if n else None)
    assert set(did.values()) == {"good"} and connection.started["bad"] < 10
    assert [line for line in said if line.startswith("bad is refused: ")]
    did, said, connection = done_by(clock, 400, good=fine, bad=lambda n: DEAD)
    assert set(did.values()) == {"good"} and connection.joined["bad"] == 3


def test_what_a_machine_never_brings_is_done_by_others(clock: Clock) -> None:
    did, _, connection = done_by(clock, good=fine, bad=lambda n: "hangs" if n else None)
    assert set(did.values()) == {"good"}
    assert connection.started["bad"] == 3  # two are under way; it is given no more


def test_a_machine_whose_code_fails_is_refused(clock: Clock) -> None:
    did, said, *_ = done_by(clock, good=fine, bad=lambda n: ZeroDivisionError("x") if n else None)
    assert set(did.values()) == {"good"} and any("bad is refused: x" in line for line in said)


def test_who_cannot_do_the_work_is_refused_and_if_nobody_can_the_run_ends(clock: Clock) -> None:
    other = Hello("mock", "it has dlgo w, not v; install the same there")
    did, said, connection = done_by(clock, good=fine, bad=lambda n: other)
    assert set(did.values()) == {"good"} and connection.joined["bad"] == 1
    assert "bad is refused: it has dlgo w, not v; install the same there" in said
    with one_line_error(ClusterError, "bad is refused: it has dlgo w"):
        done_by(clock, bad=lambda n: other)


def test_a_single_machine_says_that_it_could_not_be_checked(clock: Clock) -> None:
    line = "of the tasks that --verify-share chose were not checked: a second machine is needed"
    _, said, *_ = done_by(clock, 40, 0.5, only=fine)
    assert any(line in text for text in said)
    _, said, *_ = done_by(clock, 40, 0.5, one=fine, other=fine)
    assert not any(line in text for text in said)


def test_machines_may_join_late_and_leave(clock: Clock) -> None:
    said: list[str] = []
    connection = Mocked(clock, early=fine, late=fine)
    connection.alive = ["early"]
    jobs = ClusterJobs(connection, said.append)
    names = []
    for batch in jobs.rounds(ListSource(map(Number, range(100)))):
        connection.alive = ["early", "late"] if "late" not in names else ["late"]
        names += [outcome.worker for outcome in batch]
    assert len(names) == 100 and set(names) == {"early", "late"}
    assert any("early was lost" in line for line in said)


def commands(folder: Path) -> list[list[str]]:
    """Some that take --cluster."""
    return [
        ["tournament", "--game", "tictactoe", "--engine", "random", "--engine", "mcts:sims=2",
         "--ledger", str(folder / "l")],
        ["generate", "tictactoe", "--engine", "random", "--games", "2", "--out", str(folder)],
        ["train", "alphazero", "--game", "tictactoe", "--out", str(folder / "run")],
    ]


def test_without_ray_one_line_says_what_to_install(tmp_path: Path, monkeypatch, capsys) -> None:
    from experiments.cli.main import main

    monkeypatch.setattr("dlgo.extras.find_spec", lambda name: None)
    for command in commands(tmp_path):
        with pytest.raises(SystemExit) as ended:
            main([*command, "--cluster", "local"])
        assert ended.value.code == 2
        (line,) = capsys.readouterr().err.strip().splitlines()
        assert 'pip install "dlgo-suite[cluster]"' in line


@pytest.mark.parametrize("option", ["--price=0.1", "--verify-share=0.1"])
def test_what_only_a_cluster_has_is_refused_without_one(option: str, tmp_path, capsys) -> None:
    from experiments.cli.main import main

    for command in commands(tmp_path):
        with pytest.raises(SystemExit) as ended:
            main([*command, option])
        assert ended.value.code == 2
        (line,) = capsys.readouterr().err.strip().splitlines()
        assert f"{option.partition('=')[0]} needs a cluster" in line


@pytest.mark.parametrize("address", ["nonsense", "host:0", "ray://host:1", "127.0.0.1:1", ":::"])
def test_an_address_where_nothing_is_gives_one_line(address: str) -> None:
    pytest.importorskip("ray")
    with one_line_error(ClusterError, address):
        Connection(address)


def test_the_last_line_says_what_machines_have_done_and_cost(clock: Clock) -> None:
    """`bad` loses one process; what the others of it have done counts all the same."""
    began = clock.now
    did, said, connection = done_by(
        clock, 200, good=fine, bad=lambda n: DEAD if n == 6 else None)
    seconds = clock.now - began
    done = Counter(did.values())
    tasks = (connection.started - connection.joined).total() - 1
    line = said[-1]
    rates = dict(re.findall(r"(good|bad) \d+ \(([\d.]+)/s\)", line))
    for name, rate in rates.items():
        assert f"{name} {done[name]} (" in line
        assert float(rate) == pytest.approx(done[name] / seconds, rel=0.5)
    assert len(rates) == 2 and "; 0 wait; " in line
    assert f"CPU time {duration(CPU * tasks)}, of cores {duration(4 * seconds)}" in line
    cost = float(line.rpartition(" ")[2])
    assert cost == pytest.approx(0.001 * 4 * seconds, rel=0.01)  # two cores each


class Needing(Number):
    """A number that needs a network."""

    def __new__(cls, value: int, network: Path) -> Needing:
        number = super().__new__(cls, value)
        number.needs = (network,)
        return number


@pytest.fixture
def networks(tmp_path: Path) -> list[Path]:
    """Three folders with a file each."""
    folders = []
    for number in range(3):
        folder = tmp_path / f"{number:04d}"
        folder.mkdir()
        (folder / "weights").write_text(f"weights {number}")
        folders.append(folder)
    return folders


def test_a_network_is_packed_once(clock: Clock, networks: list[Path]) -> None:
    used = (0, 0, 1, 0, 1, 2, 2, 0)
    connection = Mocked(clock, good=fine)
    jobs = ClusterJobs(connection, print)
    numbers = [Needing(n, networks[i]) for n, i in enumerate(used)]
    assert sum(map(len, jobs.rounds(ListSource(numbers)))) == len(used)
    sent = [value for value in connection.put_values if isinstance(value, bytes)]
    assert sorted(sent) == sorted(parcels.pack([network]) for network in networks)
