"""What becomes of work when agents die, fall silent, send nonsense or are of another version.

The cluster is a mock: machines are objects, and an answer comes when the test lets it come.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engines.jobs.protocol import Amount, ListSource, Outcome, Portion
from experiments.cluster import crew as crew_module
from experiments.cluster.agent import Hello, News, WorkOrder
from experiments.cluster.connection import ClusterError, Machine
from experiments.cluster.crew import Crew
from experiments.cluster.dispatcher import Dispatcher, Result
from tests.conftest import one_line_error

# Seconds of CPU time that each mock says it has used.
CPU = 7.0


class Clock:
    """Time that passes when somebody waits."""

    now = 100.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class Mock:
    """An agent that doubles numbers; `behave` says how it answers to each question.

    It returns "dead", "silent" (this answer never comes), or something that is sent instead.
    """

    def __init__(self, behave: Callable[[int], object]) -> None:
        self._behave, self._asked = behave, 0
        self._parcels: frozenset[str] | set[str] = frozenset()
        self.hello = SimpleNamespace(remote=lambda: self._answer(Hello("v", "mock")))
        self.exchange = SimpleNamespace(remote=self._exchange)
        self.killed = False

    def _exchange(self, tickets: list, sent: dict, patience: float, keep: frozenset) -> object:
        self._parcels = (self._parcels & keep) | sent.keys()  # as an agent does
        results = []
        for ticket in tickets:
            value: object = 2 * ticket.item if isinstance(ticket.item, int) else None
            if value is None:
                assert {str(need.parent) for need in ticket.item.needs} <= self._parcels
                value = Outcome(ticket.item, amount=Amount(3))
            results.append(Result(ticket.key, ticket.attempt, value))
        return self._answer(News(True, results, {}, [], [], cpu_seconds=CPU))

    def _answer(self, usual: object) -> SimpleNamespace:
        self._asked += 1
        what = self._behave(self._asked)
        return SimpleNamespace(value=usual if what is None else what)


class Mocked:
    """A connection to mocks."""

    def __init__(self, clock: Clock, **behaviour: Callable[[int], object]) -> None:
        self._clock, self.behaviour = clock, behaviour
        self.alive = list(behaviour)
        self.started: list[str] = []

    def machines(self) -> list[Machine]:
        return [Machine(name, name, 2) for name in self.alive]

    def start_agent(self, machine: Machine, *rest: object) -> Mock:
        self.started.append(machine.name)
        return Mock(self.behaviour[machine.name])

    def put(self, value: object) -> object:
        return value

    def wait(self, references: list, timeout: float) -> None:
        self._clock.sleep(timeout)

    def ended(self, references: list, timeout: float) -> set:
        return Answers(r for r in references if r.value != "silent")

    def get(self, reference: Any) -> object:
        if reference.value == "dead":
            raise RuntimeError("the actor died")
        return reference.value

    def kill(self, agent: Mock) -> None:
        agent.killed = True

    def close(self) -> None:
        pass


class Answers(list):
    """References, which as SimpleNamespace have no hash."""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(crew_module, "time", made)
    monkeypatch.setattr(crew_module, "set", list, raising=False)
    return made


def done_by(
    clock: Clock, count: int = 400, share: float = 0.0, **behaviour: Callable[[int], object]
):
    """Let mocks do some items: who did each, and what was said."""
    said: list[str] = []
    connection = Mocked(clock, **behaviour)
    crew = Crew(connection, WorkOrder(b"", ""), said.append, patience=1.0)
    work = Dispatcher(ListSource(range(count)), str, verify_share=share)
    did = {}
    for batch in crew.run(work):
        for result, item, name in batch:
            assert item not in did and result.value == 2 * item
            did[item] = name
    assert did.keys() == set(range(count))
    crew.close()
    return did, said, connection


def fine(_: int) -> None:
    return None


def test_an_agent_that_dies_is_started_again_until_that_is_hopeless(clock: Clock) -> None:
    once, said, connection = done_by(clock, good=fine, bad=lambda n: "dead" if n == 4 else None)
    assert "bad" in once.values() and any("bad was lost" in line for line in said)
    _, said, connection = done_by(
        clock, 5000, good=fine, bad=lambda n: "dead" if n >= 2 else None
    )
    assert connection.started.count("bad") == 3
    assert [line for line in said if line.startswith("bad is refused: ")]


def test_a_silent_agent_is_not_waited_for(clock: Clock) -> None:
    did, said, _ = done_by(clock, good=fine, bad=lambda n: "silent" if n == 3 else None)
    assert set(did.values()) == {"good"}
    assert [line for line in said if "does not answer" in line]


def test_nonsense_is_not_taken(clock: Clock) -> None:
    did, said, _ = done_by(clock, good=fine, bad=lambda n: b"GET / HTTP/1.1" if n > 1 else None)
    assert set(did.values()) == {"good"}
    assert any("nonsense" in line for line in said)


def test_who_cannot_do_the_work_is_refused_and_if_nobody_can_the_run_ends(clock: Clock) -> None:
    other = Hello("w", "mock", "it has dlgo w, not v; install the same there")
    did, said, connection = done_by(clock, good=fine, bad=lambda n: other)
    assert set(did.values()) == {"good"} and connection.started.count("bad") == 1
    assert "bad is refused: it has dlgo w, not v; install the same there" in said
    with one_line_error(ClusterError, "bad is refused: it has dlgo w"):
        done_by(clock, bad=lambda n: other)


def test_a_single_machine_says_that_it_could_not_be_checked(clock: Clock) -> None:
    line = "of those that --verify-share chose could not be checked: a second machine is needed"
    _, said, _ = done_by(clock, 40, 0.5, only=fine)
    assert any(line in text for text in said)
    _, said, _ = done_by(clock, 40, 0.5, one=fine, other=fine)
    assert not any(line in text for text in said)


def test_machines_may_join_late(clock: Clock) -> None:
    said: list[str] = []
    connection = Mocked(clock, early=fine, late=fine)
    connection.alive = ["early"]
    crew = Crew(connection, WorkOrder(b"", ""), said.append)
    work = Dispatcher(ListSource(range(600)), str)
    names = []
    for batch in crew.run(work):
        connection.alive = ["early", "late"]
        names += [name for *_, name in batch]
    assert len(names) == 600 and set(names) == {"early", "late"}


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
        assert "pip install 'dlgo-suite[cluster]'" in line


@pytest.mark.parametrize("option", ["--price=0.1", "--verify-share=0.1"])
def test_what_only_a_cluster_has_is_refused_without_one(option: str, tmp_path, capsys) -> None:
    from experiments.cli.main import main

    for command in commands(tmp_path):
        with pytest.raises(SystemExit) as ended:
            main([*command, option])
        assert ended.value.code == 2
        (line,) = capsys.readouterr().err.strip().splitlines()
        assert f"{option.partition('=')[0]} without --cluster" in line


@pytest.mark.parametrize("address", ["nonsense", "host:0", "ray://host:1", "127.0.0.1:1", ":::"])
def test_an_address_where_nothing_is_gives_one_line(address: str) -> None:
    pytest.importorskip("ray")
    from experiments.cluster.connection import Connection

    with one_line_error(ClusterError, address):
        Connection(address)


def test_facts_hold_what_all_agents_of_a_machine_have_done_and_cost(clock: Clock) -> None:
    """`bad` dies once after some work: its second agent's figures are added to the first's."""
    deaths = iter(["dead"])
    connection = Mocked(clock, good=fine, bad=lambda n: next(deaths, None) if n == 6 else None)
    crew = Crew(connection, WorkOrder(b"", ""), lambda line: None, patience=1.0)
    work = Dispatcher(ListSource(range(2000)), str)
    done: Counter[str] = Counter()
    began = clock.now
    for batch in crew.run(work):
        done.update(name for *_, name in batch)
    assert connection.started == ["good", "bad", "bad"]
    facts = {machine.name: machine for machine in crew.facts(work, price=3.6).machines}
    assert {name: machine.done for name, machine in facts.items()} == done
    seconds = clock.now - began
    assert facts["good"].core_seconds == pytest.approx(2 * seconds)  # it has two cores
    assert 0.5 * seconds < facts["bad"].core_seconds <= 2 * seconds
    assert facts["good"].cpu_seconds == CPU
    assert facts["bad"].cpu_seconds == 2 * CPU
    assert facts["good"].rate == pytest.approx(done["good"] / seconds, rel=0.5)
    whole = crew.facts(work, price=3.6)
    assert whole.cost == pytest.approx(0.001 * whole.core_seconds) and whole.waiting == 0


def test_a_network_that_is_needed_again_is_sent_again(clock: Clock) -> None:
    """An agent keeps nothing that was not needed in between. Its games are those of its portions.
    """
    crew = Crew(Mocked(clock, good=fine), WorkOrder(b"", ""), lambda line: None, patience=1.0)
    for number, network in enumerate(("first", "second", "first")):
        portions = [Portion(f"{number} {n}", done_by, (), (Path(network, "net"),))
                    for n in range(4)]
        work = Dispatcher(ListSource(portions), lambda portion: portion.key)
        brought = [item for batch in crew.run(work, {network: b""}) for _, item, _ in batch]
        assert len(brought) == 4
    (machine,) = crew.facts(work).machines
    assert machine.done == 3 * 4 * 3
