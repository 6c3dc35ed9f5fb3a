"""Tasks on a cluster: games of tournaments, AlphaZero's self-play, generated games, imports.

Each machine first does one task of Ray that says whether it can do the work (`inside.join`). Then
each of its cores has a task of Ray under way and one that waits: a single long task of ours, or
about a second of short ones. The tasks of a dead one are given out again, and machines that join
are found every other second.
"""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dlgo.errors import DlgoError
from dlgo.text import duration, error_text, number_of
from engines.jobs.protocol import Executor, ListSource, Outcome, Source, Workplace
from experiments.arena.games import GameTable
from experiments.arena.provenance import version_text
from experiments.cluster import inside, parcels
from experiments.cluster.connection import ClusterError, Connection, Machine
from experiments.cluster.dispatcher import Dispatcher
from experiments.cluster.inside import Hello, Order, Report, SentOrder, SentTask

# Seconds to wait for a task before looking around, and between two looks at the machines.
_INTERVAL, _LOOK = 0.25, 2.0
# Seconds of games in a task of Ray, and tasks for each core.
_TASK_SECONDS, _AHEAD = 1.0, 2
# Weight of the latest task in the usual seconds of a game.
_WEIGHT = 0.1
# A machine on which tasks die this often without bringing anything is not used any more.
_MOST_DEATHS = 3
# Seconds between two lines about the machines, and without any machine before people are told.
_LINE_INTERVAL, _LONELY = 30.0, 10.0
# Parcels that are kept for tasks to come: the networks of the latest iterations.
_MOST_PARCELS = 8

_STARTING, _READY, _LOST, _REFUSED = "starting", "ready", "lost", "refused"
_order_numbers = itertools.count()


@dataclass
class _Node:
    machine: Machine
    state: str = _LOST
    joining: Any = None  # its first task
    tasks: dict[Any, list[str]] = field(default_factory=dict)  # Ray's reference -> keys of ours
    items: int = 0  # games (or files) that it has brought
    cpu_seconds: float = 0.0
    core_seconds: float = 0.0  # before it was lost last
    began: float = 0.0  # its first task
    since: float = 0.0  # when it was ready
    deaths: int = 0  # of tasks, since it has brought something
    problem: str = ""

    def paid(self, now: float) -> float:
        """Its cores times the seconds since it takes part: what is paid for."""
        here = self.state in (_STARTING, _READY)
        return self.core_seconds + (now - self.began) * self.machine.cores * here

    def text(self, now: float) -> str:
        rate = self.items / max(now - self.since, 1.0) if self.state == _READY else 0.0
        state = "" if self.state == _READY else f", {self.state}"
        shown = f"{rate:,.0f}" if rate >= 10 else f"{rate:.2g}"
        return f"{self.machine.name} {self.items:,} ({shown}/s{state})"


class ClusterJobs(Executor):
    """Does tasks on all machines of a cluster.

    Files and folders that tasks need are sent to each machine once, and again when their content
    has changed: the network of an iteration, not one for each task.

    Args:
        address: see `Connection`; or a connection.
        specs: of games and engines: the files that they name are sent along.
        workers: processes on each machine; one a core by default.
        verify_share: the share of tasks that two machines do, to be compared; only of games
            whose engines have counted budgets, since no other game goes the same way twice.
        price: of a core per hour, to print the cost of the work.
        items: what the tasks' amounts count.

    Raises DlgoError if Ray is not installed, ClusterError if the cluster cannot be reached.
    """

    def __init__(
        self, address: str | Connection, log: Callable[[str], None], specs: Iterable[str] = (),
        workers: int | None = None, verify_share: float = 0.0, price: float | None = None,
        items: str = "games",
    ) -> None:
        self._connection = Connection(address) if isinstance(address, str) else address
        self._log, self._specs, self._share = log, tuple(specs), verify_share
        self._workers, self._price, self._items = workers, price, items
        self._new_checks: list[Any] = []
        self._begin(Workplace())

    def prepare(self, workplace: Workplace, log: Callable[[str], None]) -> None:
        """Each machine prepares itself when it joins."""
        self._log = log
        if isinstance(workplace, GameTable):
            self._specs = (*workplace.plan.entrants, *workplace.plan.games)
        self._begin(workplace)

    def _begin(self, workplace: Workplace) -> None:
        self.workplace = workplace
        self._order: SentOrder | None = None
        self._dispatcher = Dispatcher(ListSource(()))
        self._nodes: dict[str, _Node] = {}
        self._next_look, self._lonely_since = 0.0, time.monotonic()
        self._next_line = time.monotonic() + _LINE_INTERVAL
        self._seconds = 0.0  # of a short task

    def _new_order(self) -> SentOrder:
        here = Path.cwd()
        files = parcels.pack([here / path for path in parcels.files_of(self._specs)], here)
        bots = parcels.pack_bots(getattr(self.workplace, "launches", {}))
        order = Order(version_text(), files, str(here), self.workplace, bots)
        return SentOrder(str(next(_order_numbers)), [self._connection.put(order)])

    def rounds(self, source: Source[Any]) -> Iterator[list[Outcome]]:
        is_table = isinstance(self.workplace, GameTable)
        self._order = self._order or self._new_order()
        # Files may have changed since the last time.
        self._parcel = functools.lru_cache(_MOST_PARCELS)(self._new_parcel)
        self._dispatcher = Dispatcher(
            source, self.workplace.differs, self._share,
            self.workplace.plan.seed if is_table else 0, self.workplace.is_repeatable,
        )
        try:
            while True:
                self._look_for_machines()
                if not self._hand_out() and self._dispatcher.is_done(len(self._ready())):
                    break
                yield self._collect()
                self._take_checks(told=not is_table)
                if time.monotonic() >= self._next_line:
                    self._say_line()
            if unchecked := self._dispatcher.unchecked():
                self._log(f"{unchecked} of the tasks that --verify-share chose were not checked: a "
                          "second machine is needed, or a third one if two disagree")
        finally:
            for node in self._nodes.values():
                self._end_tasks(node)

    def _new_parcel(self, need: Path) -> tuple[str, Any]:
        content = parcels.pack([need])
        return parcels.digest_of(content), self._connection.put(content)

    def _take_checks(self, told: bool) -> None:
        """Keep what comparisons have shown for the ledger; where there is none, tell people."""
        for row in self._dispatcher.compared:
            if not told:
                self._new_checks.append(row)
            elif row.difference:
                self._log(f"{row.slot}: {row.worker} and {row.other} disagree ({row.difference}); "
                          "one has another kind of processor, or is faulty")
        self._dispatcher.compared.clear()

    def _ready(self) -> list[_Node]:
        return [node for node in self._nodes.values() if node.state == _READY]

    def _hand_out(self) -> bool:
        ahead = _AHEAD if self.workplace.bundles and self._workers is None else 1
        total = sum(self._processes(node.machine) for node in self._ready())
        any_given = False
        for node in self._ready():
            processes = self._processes(node.machine)
            while len(node.tasks) < ahead * processes:
                size = 1
                if self.workplace.bundles and self._seconds:
                    share = self._dispatcher.waiting() // (2 * ahead * total)
                    size = max(1, min(share, int(_TASK_SECONDS / self._seconds)))
                idle = len(node.tasks) < processes
                tasks = self._dispatcher.assign(node.machine.name, size, time.monotonic(), idle)
                if not tasks:
                    break
                any_given = True
                sent = [
                    SentTask(task, tuple(map(self._parcel, getattr(task, "needs", ()))))
                    for task in tasks
                ]
                reference = self._start(node.machine, inside.do, sent)
                node.tasks[reference] = [task.key for task in tasks]
        return any_given

    def _processes(self, machine: Machine) -> int:
        return self._workers or machine.cores

    def _start(self, machine: Machine, work: Callable[..., Any], *args: Any) -> Any:
        cores = machine.cores / self._processes(machine)
        cores = int(cores) if cores >= 1 else int(1e4 * cores) / 1e4  # as Ray counts them
        return self._connection.start(machine, cores, work, self._order, *args)

    def _collect(self) -> list[Outcome]:
        nodes = {task: node for node in self._nodes.values()
                 for task in (node.joining, *node.tasks) if task is not None}
        if not nodes:
            time.sleep(_INTERVAL)
        outcomes: list[Outcome] = []
        for task in self._connection.ready([*nodes], _INTERVAL):
            node = nodes[task]
            if task is not node.joining and task not in node.tasks:  # it was refused meanwhile
                continue
            try:
                message = self._connection.result(task)
            except Exception as error:  # whatever Ray reports, the task is gone
                self._task_died(node, task, error)
                continue
            if task is node.joining:
                self._joined(node, message)
            else:
                outcomes += self._received(node, node.tasks.pop(task), message)
        return outcomes

    def _received(self, node: _Node, keys: list[str], report: Report) -> list[Outcome]:
        others, now = len(self._ready()) - 1, time.monotonic()
        fresh = self._dispatcher.returned(node.machine.name, report.results, now, others)
        self._dispatcher.lost(node.machine.name, keys)  # its tasks without a result, if any
        node.deaths = 0
        node.items += sum(outcome.amount.items for outcome in fresh)
        node.cpu_seconds += report.cpu_seconds
        seconds = report.seconds / max(len(report.results), 1)
        self._seconds += (seconds - self._seconds) * (_WEIGHT if self._seconds else 1.0)
        return fresh

    def _joined(self, node: _Node, hello: Hello) -> None:
        for line in hello.lines:
            self._log(f"{node.machine.name}: {line}")
        if hello.problem:
            self._refuse(node, hello.problem)
            return
        node.joining, node.state, node.since = None, _READY, time.monotonic()
        self._log(f"{node.machine.name} joined: {hello.machine}, "
                  f"{number_of(self._processes(node.machine), 'process', 'processes')}")

    # --- machines ---------------------------------------------------------------------------

    def _look_for_machines(self) -> None:
        now = time.monotonic()
        if now < self._next_look:
            return
        self._next_look = now + _LOOK
        alive = {machine.node: machine for machine in self._connection.machines()}
        for key, node in self._nodes.items():
            if node.state in (_STARTING, _READY) and key not in alive:
                count = self._leave(node, _LOST)
                self._log(f"{node.machine.name} was lost; others redo its "
                          f"{number_of(count, 'task')}")
        for key, machine in alive.items():
            node = self._nodes.setdefault(key, _Node(machine))
            if node.state == _LOST:
                node.state, node.began = _STARTING, now
                node.joining = self._start(machine, inside.join)
        problems = [node.problem for node in self._nodes.values() if node.problem]
        if any(node.state in (_STARTING, _READY) for node in self._nodes.values()):
            self._lonely_since = now
        elif alive:
            raise ClusterError(f"no machine of the cluster can do this work; {problems[0]}")
        elif now - self._lonely_since > _LONELY:
            self._lonely_since = now
            self._log("no machine of the cluster is ready; waiting for one")

    def _task_died(self, node: _Node, task: Any, error: Exception) -> None:
        """Others do what a task had, unless its machine is of no use at all."""
        node.deaths += 1
        reason = _reason_of(error)
        if self._connection.is_from_task(error) or node.deaths >= _MOST_DEATHS:
            self._refuse(node, reason)
        elif task is node.joining:
            self._leave(node, _LOST)  # it joins again
        else:
            count = self._dispatcher.lost(node.machine.name, node.tasks.pop(task))
            self._log(f"a process of {node.machine.name} was lost ({reason}); others redo its "
                      f"{number_of(count, 'task')}")
        self._next_look = 0.0  # the whole machine may be gone

    def _refuse(self, node: _Node, problem: str) -> None:
        self._leave(node, _REFUSED)
        node.problem = f"{node.machine.name} is refused: {problem}"
        self._log(node.problem)

    def _leave(self, node: _Node, state: str) -> int:
        """Count on a machine no more. Returns how many of its tasks others have to do."""
        node.state, node.joining = state, None
        node.core_seconds += (time.monotonic() - node.began) * node.machine.cores
        count = sum(self._dispatcher.lost(node.machine.name, keys) for keys in node.tasks.values())
        self._end_tasks(node)
        return count

    def _end_tasks(self, node: _Node) -> None:
        for task in node.tasks:
            self._connection.cancel(task)
        node.tasks.clear()

    # --- for people -------------------------------------------------------------------------

    def _say_line(self) -> None:
        """Print the work of each machine, its speed, the remaining work, and the cost."""
        now = time.monotonic()
        self._next_line = now + _LINE_INTERVAL
        nodes = [node for node in self._nodes.values() if node.began]
        machines = ", ".join(node.text(now) for node in nodes) or "none yet"
        cores = sum(node.paid(now) for node in nodes)
        cost = "" if self._price is None else f", cost so far {self._price * cores / 3600:.3g}"
        self._log(f"{self._items} by machine: {machines}; {self._dispatcher.waiting():,} wait; CPU "
                  f"time {duration(sum(node.cpu_seconds for node in nodes))}, of cores "
                  f"{duration(cores)}{cost}")

    def new_checks(self) -> list[Any]:
        """Checks."""
        checks, self._new_checks = self._new_checks, []
        return checks

    def close(self) -> None:
        """Leave the cluster, and print a summary."""
        if self._order is not None:
            again, late = self._dispatcher.again, self._dispatcher.late
            if again or late:
                self._log(f"{again} {self._items} were redone by a second machine, {late} results "
                          "came late; each counts once")
            self._say_line()
            self._order = None
        self._connection.close()


def _reason_of(error: Exception) -> str:
    if isinstance(error, DlgoError):
        return str(error)
    if "ModuleNotFoundError" in str(error) or "ImportError" in str(error):
        lines = [line for line in str(error).splitlines() if "Error: " in line]
        return f"it cannot load dlgo ({lines[-1].strip()}); install the same version there"
    return str(error).strip().partition("\n")[0][:150] or error_text(error)
