"""The agents of a cluster, as the one who hands out the work sees them.

An agent is asked for an `exchange` at all times. One that does not answer for long is not counted
on: others get its work, and it is welcome when it answers again. One that has died is started
again, if its machine lives. New machines are looked for every other second.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dlgo.errors import DlgoError
from dlgo.records.speeds import Speed
from dlgo.text import error_text
from engines.jobs.protocol import Amount, Outcome, Portion
from experiments.arena.machines import ClusterFacts, MachineFacts
from experiments.arena.provenance import version_text
from experiments.arena.running import RunningGame
from experiments.cluster.agent import GamesOrder, Hello, News, WorkOrder
from experiments.cluster.connection import ClusterError, Connection, Machine
from experiments.cluster.dispatcher import Dispatcher, Result

# Seconds for which an agent collects what it has to tell, at most so many; and machines from which
# on it collects for longer, so that answers do not keep us too busy.
_EXCHANGE, _LONGEST_EXCHANGE, _FEW_MACHINES = 0.5, 1.0, 80
# Seconds between two looks at the machines.
_LOOK = 2.0
# Seconds without an answer after which an agent is not counted on; while it starts, so many.
PATIENCE, _START_PATIENCE = 20.0, 120.0
# Seconds of work that an agent is sent ahead.
WORK_AHEAD = 2.0
# An agent that dies so often without bringing anything is not started again.
_MOST_DEATHS = 3
# Seconds between two lines about the machines.
LINE_INTERVAL = 30.0
# Seconds without any machine before somebody is told.
_LONELY = 10.0


def exchange_seconds(machines: int) -> float:
    """Seconds for which an agent collects before it answers."""
    return min(_LONGEST_EXCHANGE, _EXCHANGE * max(1.0, machines / _FEW_MACHINES))


@dataclass
class Member:
    """An agent and what is known of it.

    Attributes:
        machine: where it is.
        state: "starting", "ready", "silent" (it does not answer).
        done: results it has brought that count. items: games (or files) in them.
        began: when its agent was started. since: when it became ready.
        cpu_seconds: of its agent.
        processor: what it has.
        running: games in progress there. amounts: how far its portions are.
    """

    machine: Machine
    agent: Any
    reference: Any
    asked: float
    state: str = "starting"
    greeted: bool = False
    done: int = 0
    items: int = 0
    began: float = 0.0
    since: float = 0.0
    processor: str = ""
    cpu_seconds: float = 0.0
    running: list[RunningGame] = field(default_factory=list)
    amounts: dict[str, Amount] = field(default_factory=dict)
    parcels: set[str] = field(default_factory=set)

    @property
    def name(self) -> str:
        return self.machine.name

    def rate(self, now: float) -> float:
        """Results a second."""
        return self.done / max(now - self.since, 1.0) if self.since else 0.0

    def facts(self, now: float, held: int) -> MachineFacts:
        """What it does and has cost."""
        done = self.items
        if self.state == "ready":  # what a silent one had is done by others
            done += sum(amount.items for amount in self.amounts.values())
        return MachineFacts(
            self.name, self.state, done, done / max(now - self.since, 1.0) if self.since else 0.0,
            held, self.cpu_seconds, (now - self.began) * self.machine.cores,
        )


class Crew:
    """All agents of a cluster.

    Args:
        connection: to the cluster; closed with the crew.
        order: what the agents do.
        say: tells people a line.
        workers: processes on each machine; one a core by default.
        patience: seconds without an answer after which an agent is not counted on.

    Attributes:
        members: by Ray's name of their machine.
    """

    def __init__(
        self, connection: Connection, order: GamesOrder | WorkOrder, say: Callable[[str], None],
        workers: int | None = None, patience: float = PATIENCE,
    ) -> None:
        self._connection, self._say = connection, say
        self._workers, self._patience = workers, patience
        self._is_games = isinstance(order, GamesOrder)
        self._order = connection.put(order)
        self._version = version_text()
        self.members: dict[str, Member] = {}
        self._refused: dict[str, str] = {}
        self._deaths: dict[str, int] = {}
        self._next_look = 0.0
        self._lonely_since = time.monotonic()
        self._parcels: Mapping[str, Any] = {}
        self._speeds: list[Speed] = []
        self._lost: dict[str, MachineFacts] = {}

    # --- one piece of work ------------------------------------------------------------------

    def run(
        self, dispatcher: Dispatcher[Any], parcels: Mapping[str, Any] | None = None,
        look: Callable[[], None] = lambda: None,
    ) -> Iterator[list[tuple[Result, Any, str]]]:
        """Do all that a dispatcher has: (result, item, name of the machine), some at a time.

        Args:
            parcels: what portions need, by digest: references.
            look: called several times a second.

        Raises:
            ClusterError: if no machine can do the work.
        """
        self._parcels = {} if parcels is None else parcels
        for member in self.members.values():
            member.amounts, member.running = {}, []
        while True:
            now = time.monotonic()
            self._look_for_machines(now)
            if self._ask_all(dispatcher, now) and dispatcher.is_done(len(self._ready())):
                if unchecked := dispatcher.unchecked():
                    self._say(
                        f"{unchecked} of those that --verify-share chose could not be checked: a "
                        "second machine is needed, or a third where two differ"
                    )
                return
            yield from self._hear(dispatcher)
            look()

    def _ready(self) -> list[Member]:
        return [member for member in self.members.values() if member.state == "ready"]

    def _ask_all(self, dispatcher: Dispatcher[Any], now: float) -> bool:
        """Ask everybody who has answered. Whether nobody was given anything."""
        nothing = True
        for member in self.members.values():
            if member.reference is not None or not member.greeted:
                continue
            tickets = []
            if member.state == "ready":
                held = dispatcher.held_by(member.name)
                room = self._room(member, now) - held
                if room > 0:
                    tickets = dispatcher.assign(member.name, room, now, idle=not held)
                    nothing = nothing and not tickets
            needed = {
                str(need.parent) for ticket in tickets if isinstance(ticket.item, Portion)
                for need in ticket.item.needs
            }
            keep = frozenset(self._parcels)
            member.parcels &= keep
            sent = {digest: self._parcels[digest] for digest in needed - member.parcels}
            member.parcels |= needed
            member.reference = member.agent.exchange.remote(
                tickets, sent, exchange_seconds(len(self.members)), keep
            )
            member.asked = now
        return nothing

    def _room(self, member: Member, now: float) -> int:
        """How many items an agent may hold."""
        cores = self._workers or member.machine.cores
        least = 2 * cores if self._is_games else cores
        return max(least, cores + int(WORK_AHEAD * member.rate(now)))

    def _hear(self, dispatcher: Dispatcher[Any]) -> Iterator[list[tuple[Result, Any, str]]]:
        """Wait for an answer; what the answers bring."""
        waiting = [m.reference for m in self.members.values() if m.reference is not None]
        if waiting:
            self._connection.wait(waiting, _EXCHANGE)
        else:
            time.sleep(_EXCHANGE)
        ended = set(self._connection.ended(waiting, 0))
        now = time.monotonic()
        for node, member in [*self.members.items()]:
            if member.reference in ended:
                reference, member.reference = member.reference, None
                try:
                    answer = self._connection.get(reference)
                    if not isinstance(answer, Hello | News):
                        raise ClusterError("it sent nonsense")
                except Exception as error:  # whatever Ray reports, the agent is gone
                    self._bury(node, dispatcher, error)
                    continue
                fresh = self._answered(node, member, answer, dispatcher, now)
                if fresh:
                    yield fresh
            elif member.state != "silent" and now - member.asked > (
                self._patience if member.greeted else max(self._patience, _START_PATIENCE)
            ):
                member.state = "silent"
                count = dispatcher.lost(member.name)
                self._say(f"{member.name} does not answer; others do what it had ({count})")

    def _answered(
        self, node: str, member: Member, answer: Hello | News, dispatcher: Dispatcher[Any],
        now: float,
    ) -> list[tuple[Result, Any, str]]:
        if isinstance(answer, Hello):
            member.greeted, member.processor = True, answer.machine
            if answer.problem:
                self._refuse(node, answer.problem, dispatcher)
            else:
                self._say(f"{member.name} takes part: {answer.machine}, "
                          f"{self._workers or member.machine.cores} processes")
            return []
        if answer.rate:
            self._speeds.append(Speed(member.name, member.processor, answer.rate))
        for line in answer.lines:
            self._say(f"{member.name}: {line}")
        others = sum(other is not member for other in self._ready())
        fresh = dispatcher.returned(member.name, answer.results, now, others)
        member.done += len(fresh)
        member.items += sum(_items(result) for result, _ in fresh)
        member.running, member.amounts = answer.running, answer.amounts
        member.cpu_seconds = answer.cpu_seconds
        if fresh:
            self._deaths.pop(node, None)
        if answer.problem:
            self._refuse(node, answer.problem, dispatcher)
        elif answer.ready and member.state != "ready":
            if member.state == "silent":
                self._say(f"{member.name} answers again")
            else:
                member.since = now
            member.state = "ready"
        return [(result, item, member.name) for result, item in fresh]

    # --- machines ---------------------------------------------------------------------------

    def _look_for_machines(self, now: float) -> None:
        if now < self._next_look:
            return
        self._next_look = now + _LOOK
        alive = {machine.node: machine for machine in self._connection.machines()}
        for node, machine in alive.items():
            if node not in self.members and node not in self._refused:
                agent = self._connection.start_agent(
                    machine, self._order, self._workers or machine.cores, self._version
                )
                self.members[node] = Member(
                    machine, agent, agent.hello.remote(), now, began=now
                )
        if alive.keys() - self._refused.keys():
            self._lonely_since = now
        elif alive and not self.members:
            raise ClusterError(
                f"no machine of the cluster can do this; {next(iter(self._refused.values()))}"
            )
        elif now - self._lonely_since > _LONELY:
            self._lonely_since = now
            self._say("the cluster has no machine that can work; waiting for one")

    def _bury(self, node: str, dispatcher: Dispatcher[Any], error: Exception) -> None:
        """An agent has died: others do its work, and it starts again unless that is hopeless."""
        member = self._leave(node)
        count = dispatcher.lost(member.name)
        self._deaths[node] = self._deaths.get(node, 0) + 1
        if self._deaths[node] >= _MOST_DEATHS or not member.greeted and _is_import(error):
            self._refused[node] = why = f"{member.name} is refused: {_reason(error)}"
            self._say(why)
        else:
            self._say(f"{member.name} was lost ({_reason(error)}); others do what it had ({count})")

    def _refuse(self, node: str, problem: str, dispatcher: Dispatcher[Any]) -> None:
        member = self._leave(node)
        dispatcher.lost(member.name)
        self._refused[node] = why = f"{member.name} is refused: {problem}"
        self._say(why)

    def _leave(self, node: str) -> Member:
        """End an agent; what it has done and cost is remembered."""
        member = self.members.pop(node)
        self._connection.kill(member.agent)
        member.amounts, member.state = {}, "lost"
        self._lost[member.name] = self._with_lost(member.facts(time.monotonic(), 0))
        return member

    def _with_lost(self, facts: MachineFacts) -> MachineFacts:
        """The same, with what agents did there that are lost."""
        before = self._lost.get(facts.name)
        return facts if before is None else replace(
            facts, done=facts.done + before.done,
            cpu_seconds=facts.cpu_seconds + before.cpu_seconds,
            core_seconds=facts.core_seconds + before.core_seconds,
        )

    def facts(self, dispatcher: Dispatcher[Any], price: float | None = None) -> ClusterFacts:
        """What each machine has done, how fast, what is left to do, and what it has cost.

        Args:
            price: of a core for an hour, if it is known.
        """
        now = time.monotonic()
        here = [
            self._with_lost(member.facts(now, dispatcher.held_by(member.name)))
            for member in self.members.values()
        ]
        gone = self._lost.keys() - {facts.name for facts in here}
        return ClusterFacts(
            (*here, *(replace(self._lost[name], rate=0.0) for name in sorted(gone))),
            dispatcher.waiting(), price,
        )

    def amount(self) -> Amount:
        """How far what is under way is; a portion that two do counts once."""
        amounts: dict[str, Amount] = {}
        for member in self.members.values():
            for key, amount in member.amounts.items():
                amounts[key] = max(amount, amounts.get(key, Amount()))
        total = Amount()
        for amount in amounts.values():
            total = total.plus(amount)
        return total

    def running(self) -> list[RunningGame]:
        """Games in progress on all machines, as far as they are passed on."""
        return [game for member in self.members.values() for game in member.running]

    def new_speeds(self) -> list[Speed]:
        """The machines that were measured since this was asked last."""
        speeds, self._speeds = self._speeds, []
        return speeds

    def close(self) -> None:
        """End all agents, and leave the cluster."""
        for member in self.members.values():
            self._connection.kill(member.agent)
        self.members.clear()
        self._connection.close()


def _items(result: Result) -> int:
    """Games (or files) of a result; a game of a tournament is one."""
    return result.value.amount.items if isinstance(result.value, Outcome) else 1


def _is_import(error: Exception) -> bool:
    return "ModuleNotFoundError" in str(error) or "ImportError" in str(error)


def _reason(error: Exception) -> str:
    """The last line of what Ray says, which is the error itself."""
    if isinstance(error, DlgoError):
        return str(error)
    if _is_import(error):
        lines = [line for line in str(error).splitlines() if "Error: " in line]
        return f"dlgo cannot be loaded there ({lines[-1].strip()}); install the same version there"
    first = str(error).strip().partition("\n")[0]
    return first[:150] or error_text(error)
