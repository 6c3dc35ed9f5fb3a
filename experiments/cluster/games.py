"""The games of a tournament on a cluster."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from dlgo.errors import SpecError
from dlgo.records.ledger import Check, GameRecord
from dlgo.records.speeds import Speed
from engines.jobs.protocol import Source
from engines.registry import EngineSpec
from experiments.arena.entrants import is_outside
from experiments.arena.launch import Launches
from experiments.arena.limits import Limits
from experiments.arena.referee import GameTask
from experiments.arena.running import Look
from experiments.arena.schedule import Plan
from experiments.cluster import parcels
from experiments.cluster.connection import Connection
from experiments.cluster.dispatcher import Dispatcher
from experiments.cluster.inside import Games
from experiments.cluster.sent_launches import send
from experiments.cluster.tasks import Cluster


class ClusterGames:
    """Plays the games of a tournament on all machines of a cluster.

    Args:
        address: see `Connection`.
        workers: processes on each machine; one a core by default.
        verify_share: the share of games that two machines play, to be compared; only of games
            whose engines have counted budgets, since no other game goes the same way twice.
        price: of a core for an hour, to say what the games have cost.

    Raises:
        DlgoError: if Ray is not installed; ClusterError: if the cluster cannot be reached.
    """

    def __init__(
        self, address: str, workers: int | None = None, verify_share: float = 0.0,
        price: float | None = None,
    ) -> None:
        self._connection = Connection(address)
        self._workers, self._share, self._price = workers, verify_share, price
        self._checks: list[Check] = []
        self._cluster: Cluster | None = None

    def play(
        self, source: Source[GameTask], plan: Plan, warm: list[GameTask], limits: Limits,
        setup: str | None, look: Look, say: Callable[[str], None],
        launches: Launches | None = None,
    ) -> Iterator[list[GameRecord]]:
        """Play all games of a source; see `executor.play_tasks`.

        Args:
            plan: whose games they are.
            warm: games with all entrants that may play: what they need is compiled first.
            say: tells people a line.
        """
        cluster = self._cluster = Cluster(
            self._connection, parcels.pack_named((*plan.entrants, *plan.games)), str(Path.cwd()),
            say, Games(plan.entrants, tuple(warm), limits, setup, send(launches or {})),
            self._workers, self._price,
        )
        dispatcher = Dispatcher(
            source, lambda task: task.slot, records_differ, self._share, plan.seed, _is_repeatable
        )
        facts = functools.partial(cluster.facts, dispatcher)
        for batch in cluster.run(dispatcher, lambda: look(cluster.running, facts)):
            yield [replace(result.value, worker=name) for result, _, name in batch]
            self._take_checks(dispatcher)
        self._take_checks(dispatcher)
        cluster.say_line(dispatcher)
        counts = dispatcher.counts
        if counts.again or counts.late:
            say(f"{counts.again} games were given to a second machine, {counts.late} results came "
                "late; each game counts once")

    def _take_checks(self, dispatcher: Dispatcher[GameTask]) -> None:
        self._checks += dispatcher.compared
        dispatcher.compared.clear()

    def checks(self) -> list[Check]:
        """The games played twice since this was asked last."""
        checks, self._checks = self._checks, []
        return checks

    def speeds(self) -> list[Speed]:
        """The machines that were measured since this was asked last."""
        if self._cluster is None:
            return []
        speeds, self._cluster.speeds = self._cluster.speeds, []
        return speeds

    def close(self) -> None:
        """Leave the cluster."""
        self._connection.close()


def records_differ(one: GameRecord, other: GameRecord) -> str:
    """What differs between two playings of a game; "" if nothing that a seed decides does."""
    names = ("result", "moves", "opening", "seed", "failure")
    return ", ".join(name for name in names if getattr(one, name) != getattr(other, name))


def _is_repeatable(task: GameTask) -> bool:
    """Whether a game goes the same way whenever it is played."""
    return all(map(_is_counted, task.players))


@functools.cache
def _is_counted(entrant: str) -> bool:
    if is_outside(entrant) or entrant.startswith("gtp"):
        return False
    try:
        budget = EngineSpec.parse(entrant).budget
    except SpecError:  # known to the workers only
        return False
    return budget.cpu is None and budget.wall is None
