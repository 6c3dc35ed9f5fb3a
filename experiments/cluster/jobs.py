"""Tasks on a cluster: games of tournaments, AlphaZero's self-play, generated games, imports.

Each machine first does one task of Ray that says whether it can do the work (`inside.join`). Then
each of its cores has a task of Ray under way and one that waits. What a dead one had is given out
again, and machines that join are found every other second.
"""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from engines.jobs.protocol import Amount, Jobs, ListSource, Outcome, Source, Workplace
from experiments.arena.games import GameTable
from experiments.arena.machines import ClusterFacts, MachineFacts
from experiments.arena.provenance import version_text
from experiments.cluster import inside, parcels
from experiments.cluster.connection import ClusterError, Connection, Machine
from experiments.cluster.dispatcher import Dispatcher
from experiments.cluster.inside import Hello, News, Order, SentOrder, SentTask
from experiments.cluster.nodes import Node, RayTask, reason_of
from experiments.cluster.sent_launches import send

# Seconds to wait for a message before looking around.
_INTERVAL = 0.25
# Seconds between two looks at the machines.
_LOOK = 2.0
# Seconds of games in a task, and tasks for each core.
_TASK_SECONDS, _AHEAD = 1.0, 2
# Weight of the latest message in the usual seconds of a game.
_WEIGHT = 0.1
# A machine on which tasks die this often without bringing anything is not used any more.
_MOST_DEATHS = 3
# Seconds between two lines about the machines.
_LINE_INTERVAL = 30.0
# Seconds without any machine before somebody is told.
_LONELY = 10.0

# Parcels that are kept for tasks to come: the networks of the latest iterations.
_MOST_PARCELS = 8

_order_numbers = itertools.count()


class Packer:
    """Makes of tasks what is sent: each with references to its files.

    Args:
        put: makes a reference to a parcel, which each machine fetches once.
    """

    def __init__(self, put: Callable[[bytes], Any]) -> None:
        self._put = put
        self._parcels: dict[Path, tuple[str, Any]] = {}

    def sent(self, task: Any) -> SentTask:
        """A task as it is sent."""
        return SentTask(task, tuple(map(self._parcel, getattr(task, "needs", ()))))

    def _parcel(self, need: Path) -> tuple[str, Any]:
        """The parcel with a file or folder: its digest, and a reference to it."""
        if need not in self._parcels:
            content = parcels.pack([need])
            self._parcels[need] = parcels.digest_of(content), self._put(content)
            for old in [*self._parcels][:-_MOST_PARCELS]:
                del self._parcels[old]
        return self._parcels[need]


class ClusterJobs(Jobs):
    """Does tasks on all machines of a cluster.

    Files and folders that tasks need are sent to each machine once, and again when their content
    has changed: the network of an iteration, not one for each task.

    Args:
        address: see `Connection`; or a connection.
        say: tells people a line.
        specs: of games and engines: the files that they name are sent along.
        workers: processes on each machine; one a core by default.
        verify_share: the share of tasks that two machines do, to be compared; only of games
            whose engines have counted budgets, since no other game goes the same way twice.
        price: of a core for an hour, to say what the work has cost.
        items: what the tasks' amounts count.

    Raises:
        DlgoError: if Ray is not installed; ClusterError: if the cluster cannot be reached.
    """

    def __init__(
        self, address: str | Connection, say: Callable[[str], None], specs: Iterable[str] = (),
        workers: int | None = None, verify_share: float = 0.0, price: float | None = None,
        items: str = "games",
    ) -> None:
        self._connection = Connection(address) if isinstance(address, str) else address
        self._say, self._specs, self._share = say, tuple(specs), verify_share
        self._workers, self._price, self._items = workers, price, items
        self._news: list[Any] = []
        self._begin(Workplace())

    def prepare(self, workplace: Workplace, say: Callable[[str], None]) -> None:
        """Each machine prepares itself when it joins."""
        self._say = say
        if isinstance(workplace, GameTable):
            self._specs = (*workplace.plan.entrants, *workplace.plan.games)
        self._begin(workplace)

    def _begin(self, workplace: Workplace) -> None:
        """From now on, machines join anew."""
        self.workplace = workplace
        self._order: SentOrder | None = None
        self._dispatcher: Dispatcher[Any] = Dispatcher(ListSource(()))
        self._nodes: dict[str, Node] = {}
        self._refused: dict[str, str] = {}
        self._lost: dict[str, MachineFacts] = {}
        self._deaths: Counter[str] = Counter()  # of tasks since a machine has brought something
        self._next_look, self._lonely_since = 0.0, time.monotonic()
        self._next_line = time.monotonic() + _LINE_INTERVAL
        self._seconds = 0.0  # of a short task

    def _new_order(self) -> SentOrder:
        workplace, launches = self.workplace, {}
        if isinstance(workplace, GameTable):
            launches, workplace = send(workplace.launches), replace(workplace, launches={})
        files = parcels.pack_named(self._specs)
        order = Order(version_text(), files, str(Path.cwd()), workplace, launches)
        return SentOrder(str(next(_order_numbers)), [self._connection.put(order)])

    def rounds(self, source: Source[Any]) -> Iterator[list[Outcome]]:
        table = self.workplace if isinstance(self.workplace, GameTable) else None
        self._order = self._order or self._new_order()
        self._packer = Packer(self._connection.put)  # files may have changed since the last time
        self._dispatcher = Dispatcher(
            source, self.workplace.differs, self._share, table.plan.seed if table else 0,
            self.workplace.is_repeatable,
        )
        try:
            while True:
                now = time.monotonic()
                self._look_for_machines(now)
                if not self._hand_out(now) and self._dispatcher.is_done(len(self._ready())):
                    break
                yield from self._hear()
                yield []
                self._take_checks(told=table is None)
                if now >= self._next_line:
                    self._say_line(source.note())
            self._take_checks(told=table is None)
            if unchecked := self._dispatcher.unchecked():
                self._say(
                    f"{unchecked} of those that --verify-share chose could not be checked: a "
                    "second machine is needed, or a third where two differ"
                )
        finally:
            for node in self._nodes.values():
                self._end_tasks(node)

    def _take_checks(self, told: bool) -> None:
        """Keep what comparisons have shown for the ledger; where there is none, tell people."""
        for row in self._dispatcher.compared:
            if not told:
                self._news.append(row)
            elif row.difference:
                self._say(f"{row.slot}: {row.worker} and {row.other} do not agree "
                          f"({row.difference}); is one of them a machine of another kind, or a "
                          "bad one?")
        self._dispatcher.compared.clear()

    def _ready(self) -> list[Node]:
        return [node for node in self._nodes.values() if node.since]

    def _hand_out(self, now: float) -> bool:
        """Give tasks to all machines that have room. Whether any was given."""
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
                items = self._dispatcher.assign(node.name, size, now, idle)
                if not items:
                    break
                any_given = True
                task = self._start(node.machine, inside.do, [*map(self._packer.sent, items)])
                node.tasks[task] = RayTask([item.key for item in items])
        return any_given

    def _processes(self, machine: Machine) -> int:
        return self._workers or machine.cores

    def _start(self, machine: Machine, work: Callable[..., Any], *args: Any) -> Any:
        cores = machine.cores / self._processes(machine)
        cores = int(cores) if cores >= 1 else int(1e4 * cores) / 1e4  # as Ray counts them
        return self._connection.start(machine, cores, work, self._order, *args)

    def _hear(self) -> Iterator[list[Outcome]]:
        """Wait for messages; what they bring."""
        tasks = {task: node for node in self._nodes.values()
                 for task in (node.joining, *node.tasks) if task is not None}
        if not tasks:
            time.sleep(_INTERVAL)
        for task in self._connection.ready([*tasks], _INTERVAL):
            node = tasks[task]
            if self._nodes.get(node.machine.node) is not node:  # it was refused meanwhile
                continue
            try:
                message = self._connection.next(task)
            except StopIteration:
                node.tasks.pop(task, None)
            except Exception as error:  # whatever Ray reports, the task is gone
                self._task_died(node, task, error)
            else:
                if isinstance(message, Hello):
                    self._joined(node, message)
                elif isinstance(message, News):
                    yield self._received(node, node.tasks[task], message)

    def _received(
        self, node: Node, task: RayTask, news: News
    ) -> list[Outcome]:
        others = len(self._ready()) - 1
        fresh = self._dispatcher.returned(node.name, news.results, time.monotonic(), others)
        for result in news.results:
            with suppress(ValueError):
                task.keys.remove(result.key)
        if news.results:
            seconds = news.seconds / len(news.results)
            self._seconds += (seconds - self._seconds) * (_WEIGHT if self._seconds else 1.0)
            self._deaths.pop(node.name, None)
        node.items += sum(outcome.amount.items for outcome in fresh)
        node.cpu_seconds += news.cpu_seconds
        task.running, task.amount = news.running, news.amount
        return fresh

    def _joined(self, node: Node, hello: Hello) -> None:
        for line in hello.lines:
            self._say(f"{node.name}: {line}")
        if hello.problem:
            self._refuse(node, hello.problem)
            return
        node.joining, node.since = None, time.monotonic()
        self._say(f"{node.name} takes part: {hello.machine}, {self._processes(node.machine)} "
                  "processes")

    # --- machines ---------------------------------------------------------------------------

    def _look_for_machines(self, now: float) -> None:
        if now < self._next_look:
            return
        self._next_look = now + _LOOK
        alive = {machine.node: machine for machine in self._connection.machines()}
        for key in self._nodes.keys() - alive.keys():
            name, count = self._nodes[key].name, self._leave(self._nodes[key])
            self._say(f"{name} was lost; others do what it had ({count})")
        for key in alive.keys() - self._nodes.keys() - self._refused.keys():
            machine = alive[key]
            self._nodes[key] = Node(machine, self._start(machine, inside.join), now)
        if alive.keys() - self._refused.keys():
            self._lonely_since = now
        elif alive and not self._nodes:
            raise ClusterError(
                f"no machine of the cluster can do this; {next(iter(self._refused.values()))}"
            )
        elif now - self._lonely_since > _LONELY:
            self._lonely_since = now
            self._say("the cluster has no machine that can work; waiting for one")

    def _task_died(
        self, node: Node, task: Any, error: Exception
    ) -> None:
        """Others do what a task had, unless its machine is of no use at all."""
        self._deaths[node.name] += 1
        if self._connection.is_from_task(error) or self._deaths[node.name] >= _MOST_DEATHS:
            self._refuse(node, reason_of(error))
            return
        if task in node.tasks:
            count = self._dispatcher.lost(node.name, node.tasks.pop(task).keys)
            self._say(f"a process of {node.name} was lost ({reason_of(error)}); others do what it "
                      f"had ({count})")
        else:  # it joins again
            self._leave(node)
        self._next_look = 0.0  # the whole machine may be gone

    def _refuse(self, node: Node, problem: str) -> None:
        self._leave(node)
        self._refused[node.machine.node] = why = f"{node.name} is refused: {problem}"
        self._say(why)

    def _leave(self, node: Node) -> int:
        """Count on a machine no more; what it has done and cost is remembered."""
        del self._nodes[node.machine.node]
        count = 0
        for task in node.tasks.values():
            count += self._dispatcher.lost(node.name, task.keys)
        self._end_tasks(node)
        facts = self._with_lost(node.facts(time.monotonic()))
        self._lost[node.name] = replace(facts, state="lost", rate=0.0)
        return count

    def _with_lost(self, facts: MachineFacts) -> MachineFacts:
        """The same, with what was done there before the machine was lost."""
        before = self._lost.get(facts.name)
        return facts if before is None else replace(
            facts, done=facts.done + before.done,
            cpu_seconds=facts.cpu_seconds + before.cpu_seconds,
            core_seconds=facts.core_seconds + before.core_seconds,
        )

    def _end_tasks(self, node: Node) -> None:
        for task, what in node.tasks.items():
            if what.keys:  # else it ends by itself, and its process may do another one by now
                self._connection.cancel(task)
        node.tasks.clear()

    # --- looking ----------------------------------------------------------------------------

    def _say_line(self, note: str = "") -> None:
        """Tell people of the machines."""
        self._next_line = time.monotonic() + _LINE_INTERVAL
        line = self.machines().text(self._items)
        self._say(f"{line}; {note}" if note else line)

    def machines(self) -> ClusterFacts:
        """What each machine has done, how fast, what is left to do, and what it has cost."""
        now = time.monotonic()
        here = [self._with_lost(node.facts(now)) for node in self._nodes.values()]
        gone = self._lost.keys() - {facts.name for facts in here}
        machines = (*here, *(self._lost[name] for name in sorted(gone)))
        return ClusterFacts(machines, self._dispatcher.waiting(), self._price)

    def under_way(self) -> Amount:
        """A portion that two machines do counts once."""
        amounts: dict[str, Amount] = {}
        for node in self._nodes.values():
            for task in node.tasks.values():
                for key in task.keys[:1]:
                    amounts[key] = max(task.amount, amounts.get(key, Amount()))
        return Amount(sum(amount.items for amount in amounts.values()),
                      sum(amount.positions for amount in amounts.values()))

    def glances(self) -> list[Any]:
        return [game for node in self._nodes.values() for task in node.tasks.values()
                for game in task.running]

    def news(self) -> list[Any]:
        """Checks."""
        news, self._news = self._news, []
        return news

    def close(self) -> None:
        """Leave the cluster; people are told what was done."""
        if self._order is not None:
            again, late = self._dispatcher.again, self._dispatcher.late
            if again or late:
                self._say(f"{again} {self._items} were given to a second machine, {late} results "
                          "came late; each counts once")
            self._say_line()
            self._order = None
        self._connection.close()
