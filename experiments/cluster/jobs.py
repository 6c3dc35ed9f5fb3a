"""Tasks on a cluster: games of tournaments, AlphaZero's self-play, generated games, imports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from engines.jobs.protocol import Amount, Jobs, Outcome, Source, Workplace
from experiments.arena.games import GameTable
from experiments.arena.machines import ClusterFacts
from experiments.arena.provenance import version_text
from experiments.cluster import parcels
from experiments.cluster.connection import Connection
from experiments.cluster.dispatcher import Dispatcher
from experiments.cluster.inside import Order, SentTask
from experiments.cluster.sent_launches import send
from experiments.cluster.tasks import Cluster

# Parcels that are kept for tasks to come: the networks of the latest iterations.
_MOST_PARCELS = 8


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
        address: see `Connection`.
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
        self, address: str, say: Callable[[str], None], specs: Iterable[str] = (),
        workers: int | None = None, verify_share: float = 0.0, price: float | None = None,
        items: str = "games",
    ) -> None:
        self._connection = Connection(address)
        self._say, self._specs, self._share = say, tuple(specs), verify_share
        self._workers, self._price, self._items = workers, price, items
        self._cluster: Cluster | None = None
        self._dispatcher: Dispatcher[Any] | None = None
        self._news: list[Any] = []

    def prepare(self, workplace: Workplace, say: Callable[[str], None]) -> None:
        """Each machine prepares itself when it joins."""
        self.workplace, self._say, self._cluster = workplace, say, None

    def _new_cluster(self) -> Cluster:
        workplace, specs, launches = self.workplace, self._specs, {}
        if isinstance(workplace, GameTable):
            specs = (*workplace.plan.entrants, *workplace.plan.games)
            launches, workplace = send(workplace.launches), replace(workplace, launches={})
        order = Order(
            version_text(), parcels.pack_named(specs), str(Path.cwd()), workplace, launches
        )
        return Cluster(
            self._connection, order, self._say, self._workers, self._price, self._items,
            Packer(self._connection.put).sent,
        )

    def rounds(self, source: Source[Any]) -> Iterator[list[Outcome]]:
        cluster = self._cluster = self._cluster or self._new_cluster()
        table = self.workplace if isinstance(self.workplace, GameTable) else None
        dispatcher = self._dispatcher = Dispatcher(
            source, lambda task: task.key, self.workplace.differs, self._share,
            table.plan.seed if table else 0, self.workplace.is_repeatable,
        )
        with closing(cluster.run(dispatcher, source.note)) as rounds:
            for outcomes in rounds:
                yield outcomes
                self._take_checks(dispatcher, told=table is None)
        self._take_checks(dispatcher, told=table is None)

    def _take_checks(self, dispatcher: Dispatcher[Any], told: bool) -> None:
        """Keep what comparisons have shown for the ledger; where there is none, tell people."""
        for row in dispatcher.compared:
            if not told:
                self._news.append(row)
            elif row.difference:
                self._say(f"{row.slot}: {row.worker} and {row.other} do not agree "
                          f"({row.difference}); is one of them a machine of another kind, or a "
                          "bad one?")
        dispatcher.compared.clear()

    def under_way(self) -> Amount:
        return self._cluster.amount()

    def glances(self) -> list[Any]:
        return self._cluster.running()

    def machines(self) -> ClusterFacts | None:
        return self._cluster.facts(self._dispatcher)

    def news(self) -> list[Any]:
        """Checks and speeds."""
        news, self._news = self._news + self._cluster.speeds, []
        self._cluster.speeds = []
        return news

    def close(self) -> None:
        if self._dispatcher is not None:
            self._cluster.say_line(self._dispatcher)
            again, late = self._dispatcher.again, self._dispatcher.late
            if again or late:
                self._say(f"{again} {self._items} were given to a second machine, {late} results "
                          "came late; each counts once")
            self._dispatcher = None
        self._connection.close()
