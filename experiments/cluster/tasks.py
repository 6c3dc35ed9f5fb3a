"""Tasks on the machines of a cluster, as whoever hands them out sees them.

Each machine first does one task that says whether it can do the work (`inside.join`). Then each of
its cores has a task under way and one that waits. What a dead task had is given out again, and
machines that join are found every other second.
"""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from dlgo.errors import DlgoError
from dlgo.records.speeds import Speed
from dlgo.text import error_text
from engines.jobs.protocol import Amount, Outcome
from experiments.arena.machines import ClusterFacts, MachineFacts
from experiments.cluster import inside
from experiments.cluster.connection import ClusterError, Connection, Machine
from experiments.cluster.dispatcher import Dispatcher
from experiments.cluster.inside import Hello, News, Order, SentOrder, SentTask

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

_order_numbers = itertools.count()


@dataclass
class _Task:
    """A task under way.

    Attributes:
        keys: of its items.
        running, amount: what it does now.
    """

    keys: list[str]
    running: list[Any] = field(default_factory=list)
    amount: Amount = Amount()


@dataclass
class _Node:
    """A machine and what is known of it.

    Attributes:
        joining: its first task; None once that has ended.
        tasks: under way, by Ray's generator.
        items: games (or files) that it has brought.
        began: when its first task was started. since: when that ended.
    """

    machine: Machine
    joining: Any
    began: float
    tasks: dict[Any, _Task] = field(default_factory=dict)
    items: int = 0
    since: float = 0.0
    cpu_seconds: float = 0.0

    @property
    def name(self) -> str:
        return self.machine.name

    def facts(self, now: float) -> MachineFacts:
        """What it does and has cost."""
        done = self.items + sum(task.amount.items for task in self.tasks.values())
        return MachineFacts(
            self.name, "ready" if self.since else "starting", done,
            done / max(now - self.since, 1.0) if self.since else 0.0,
            sum(len(task.keys) for task in self.tasks.values()),
            self.cpu_seconds, (now - self.began) * self.machine.cores,
        )


class Cluster:
    """Does work by tasks on all machines of a cluster.

    Args:
        connection: to the cluster.
        order: what machines have to know.
        say: tells people a line.
        workers: processes on each machine; one a core by default.
        price: of a core for an hour, to say what the work has cost.
        items: what the work counts, for lines about it.
        pack: makes of a task what is sent.

    Attributes:
        speeds: of machines that were measured; whoever reads them clears the list.
    """

    def __init__(
        self, connection: Connection, order: Order, say: Callable[[str], None],
        workers: int | None = None, price: float | None = None, items: str = "games",
        pack: Callable[[Any], Any] = SentTask,
    ) -> None:
        self._connection, self._say, self._workers = connection, say, workers
        self._bundles, self._price, self._items = order.workplace.bundles, price, items
        self._pack = pack
        self._order = SentOrder(str(next(_order_numbers)), [connection.put(order)])
        self._nodes: dict[str, _Node] = {}
        self._refused: dict[str, str] = {}
        self._lost: dict[str, MachineFacts] = {}
        self._deaths: Counter[str] = Counter()  # of tasks since a machine has brought something
        self._next_look, self._lonely_since = 0.0, time.monotonic()
        self._next_line = time.monotonic() + _LINE_INTERVAL
        self._seconds = 0.0  # of a game
        self.speeds: list[Speed] = []

    def run(
        self, dispatcher: Dispatcher[Any], note: Callable[[], str] = str
    ) -> Iterator[list[Outcome]]:
        """Do all that a dispatcher has: several times a second, what has ended.

        Args:
            note: gives what lines about the machines say besides.

        Raises:
            ClusterError: if no machine can do the work.
        """
        try:
            while True:
                now = time.monotonic()
                self._look_for_machines(dispatcher, now)
                if not self._hand_out(dispatcher, now) and dispatcher.is_done(len(self._ready())):
                    break
                yield from self._hear(dispatcher)
                yield []
                if now >= self._next_line:
                    self.say_line(dispatcher, note())
            if unchecked := dispatcher.unchecked():
                self._say(
                    f"{unchecked} of those that --verify-share chose could not be checked: a "
                    "second machine is needed, or a third where two differ"
                )
        finally:
            self.stop()

    def _ready(self) -> list[_Node]:
        return [node for node in self._nodes.values() if node.since]

    def _hand_out(self, dispatcher: Dispatcher[Any], now: float) -> bool:
        """Give tasks to all machines that have room. Whether any was given."""
        ahead = _AHEAD if self._bundles and self._workers is None else 1
        total = sum(self._processes(node.machine) for node in self._ready())
        any_given = False
        for node in self._ready():
            processes = self._processes(node.machine)
            while len(node.tasks) < ahead * processes:
                size = 1
                if self._bundles and self._seconds:
                    share = dispatcher.waiting() // (2 * ahead * total)
                    size = max(1, min(share, int(_TASK_SECONDS / self._seconds)))
                idle = len(node.tasks) < processes
                items = dispatcher.assign(node.name, size, now, idle)
                if not items:
                    break
                any_given = True
                task = self._start(node.machine, inside.do, [*map(self._pack, items)])
                node.tasks[task] = _Task([dispatcher.key_of(item) for item in items])
        return any_given

    def _processes(self, machine: Machine) -> int:
        return self._workers or machine.cores

    def _start(self, machine: Machine, work: Callable[..., Any], *args: Any) -> Any:
        cores = machine.cores / self._processes(machine)
        cores = int(cores) if cores >= 1 else int(1e4 * cores) / 1e4  # as Ray counts them
        return self._connection.start(machine, cores, work, self._order, *args)

    def _hear(self, dispatcher: Dispatcher[Any]) -> Iterator[list[Outcome]]:
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
                self._task_died(node, task, dispatcher, error)
            else:
                if isinstance(message, Hello):
                    self._joined(node, message, dispatcher)
                elif isinstance(message, News):
                    yield self._received(node, node.tasks[task], message, dispatcher)

    def _received(
        self, node: _Node, task: _Task, news: News, dispatcher: Dispatcher[Any]
    ) -> list[Outcome]:
        others = len(self._ready()) - 1
        fresh = dispatcher.returned(node.name, news.results, time.monotonic(), others)
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

    def _joined(self, node: _Node, hello: Hello, dispatcher: Dispatcher[Any]) -> None:
        for line in hello.lines:
            self._say(f"{node.name}: {line}")
        if hello.problem:
            self._refuse(node, hello.problem, dispatcher)
            return
        node.joining, node.since = None, time.monotonic()
        self._say(f"{node.name} takes part: {hello.machine}, {self._processes(node.machine)} "
                  "processes")
        if hello.rate:
            self.speeds.append(Speed(node.name, hello.machine, hello.rate))

    # --- machines ---------------------------------------------------------------------------

    def _look_for_machines(self, dispatcher: Dispatcher[Any], now: float) -> None:
        if now < self._next_look:
            return
        self._next_look = now + _LOOK
        alive = {machine.node: machine for machine in self._connection.machines()}
        for key in self._nodes.keys() - alive.keys():
            name, count = self._nodes[key].name, self._leave(self._nodes[key], dispatcher)
            self._say(f"{name} was lost; others do what it had ({count})")
        for key in alive.keys() - self._nodes.keys() - self._refused.keys():
            machine = alive[key]
            self._nodes[key] = _Node(machine, self._start(machine, inside.join), now)
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
        self, node: _Node, task: Any, dispatcher: Dispatcher[Any], error: Exception
    ) -> None:
        """Others do what a task had, unless its machine is of no use at all."""
        self._deaths[node.name] += 1
        if self._connection.is_from_task(error) or self._deaths[node.name] >= _MOST_DEATHS:
            self._refuse(node, _reason(error), dispatcher)
            return
        if task in node.tasks:
            count = dispatcher.lost(node.name, node.tasks.pop(task).keys)
            self._say(f"a process of {node.name} was lost ({_reason(error)}); others do what it "
                      f"had ({count})")
        else:  # it joins again
            self._leave(node, dispatcher)
        self._next_look = 0.0  # the whole machine may be gone

    def _refuse(self, node: _Node, problem: str, dispatcher: Dispatcher[Any]) -> None:
        self._leave(node, dispatcher)
        self._refused[node.machine.node] = why = f"{node.name} is refused: {problem}"
        self._say(why)

    def _leave(self, node: _Node, dispatcher: Dispatcher[Any]) -> int:
        """Count on a machine no more; what it has done and cost is remembered."""
        del self._nodes[node.machine.node]
        count = 0
        for task in node.tasks.values():
            count += dispatcher.lost(node.name, task.keys)
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

    # --- looking ----------------------------------------------------------------------------

    def say_line(self, dispatcher: Dispatcher[Any], note: str = "") -> None:
        """Tell people of the machines."""
        self._next_line = time.monotonic() + _LINE_INTERVAL
        line = self.facts(dispatcher).text(self._items)
        self._say(f"{line}; {note}" if note else line)

    def facts(self, dispatcher: Dispatcher[Any]) -> ClusterFacts:
        """What each machine has done, how fast, what is left to do, and what it has cost."""
        now = time.monotonic()
        here = [self._with_lost(node.facts(now)) for node in self._nodes.values()]
        gone = self._lost.keys() - {facts.name for facts in here}
        machines = (*here, *(self._lost[name] for name in sorted(gone)))
        return ClusterFacts(machines, dispatcher.waiting(), self._price)

    def amount(self) -> Amount:
        """How far what is under way is; a portion that two do counts once."""
        amounts: dict[str, Amount] = {}
        for node in self._nodes.values():
            for task in node.tasks.values():
                for key in task.keys[:1]:
                    amounts[key] = max(task.amount, amounts.get(key, Amount()))
        return Amount(sum(amount.items for amount in amounts.values()),
                      sum(amount.positions for amount in amounts.values()))

    def running(self) -> list[Any]:
        """Games in progress on all machines."""
        return [game for node in self._nodes.values() for task in node.tasks.values()
                for game in task.running]

    def stop(self) -> None:
        """End what is under way."""
        for node in self._nodes.values():
            self._end_tasks(node)

    def _end_tasks(self, node: _Node) -> None:
        for task, what in node.tasks.items():
            if what.keys:  # else it ends by itself, and its process may do another one by now
                self._connection.cancel(task)
        node.tasks.clear()


def _reason(error: Exception) -> str:
    """What Ray says, in one line."""
    if isinstance(error, DlgoError):
        return str(error)
    if "ModuleNotFoundError" in str(error) or "ImportError" in str(error):
        lines = [line for line in str(error).splitlines() if "Error: " in line]
        return f"dlgo cannot be loaded there ({lines[-1].strip()}); install the same version there"
    first = str(error).strip().partition("\n")[0]
    return first[:150] or error_text(error)
