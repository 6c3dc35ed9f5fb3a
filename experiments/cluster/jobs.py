"""Portions of work on a cluster: AlphaZero's self-play, generated games, imports."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from engines.jobs.protocol import Amount, Jobs, Outcome, Portion, Source, Tell
from experiments.cluster import parcels
from experiments.cluster.agent import WorkOrder
from experiments.cluster.connection import Connection
from experiments.cluster.crew import LINE_INTERVAL, PATIENCE, Crew
from experiments.cluster.dispatcher import Dispatcher


class _Away(Source[Portion]):
    """Portions as they are sent: their files are named by parcels, which hold them.

    Args:
        source: of the portions.
        put: makes a reference to a parcel, which each machine fetches once.
        parcels: references by digest. When one is added, those are dropped that no portion needs
            any more.

    Attributes:
        under_way: gives the portions that may still be sent, as they are sent.
    """

    under_way: Callable[[], Iterable[Portion]]

    def __init__(
        self, source: Source[Portion], put: Callable[[bytes], Any], parcels: dict[str, Any]
    ) -> None:
        self._source, self._put, self._parcels = source, put, parcels
        self._digests: dict[Path, str] = {}
        self._away: dict[str, Portion] = {}

    def take(self, count: int) -> list[Portion]:
        portions = self._source.take(count)
        self._away |= {portion.key: portion for portion in portions}
        before = len(self._parcels)
        sent = [
            replace(portion, needs=tuple(Path(self._parcel(need), need.name)
                                         for need in portion.needs))
            for portion in portions
        ]
        if len(self._parcels) > before:
            needed = {str(need.parent) for portion in (*sent, *self.under_way())
                      for need in portion.needs}
            for digest in self._parcels.keys() - needed:
                del self._parcels[digest]
        return sent

    def _parcel(self, need: Path) -> str:
        """The digest of the parcel with a file or folder."""
        digest = self._digests.get(need)
        if digest is None or digest not in self._parcels:
            parcel = parcels.pack([need])
            digest = self._digests[need] = parcels.digest_of(parcel)
            if digest not in self._parcels:
                self._parcels[digest] = self._put(parcel)
        return digest

    def brought(self, key: str) -> Portion:
        """The portion of a result, as the source gave it."""
        return self._away.pop(key)

    def finished(self, results: list[Any]) -> None:
        self._source.finished(results)

    def wanted(self, item: Portion) -> bool:
        return self._source.wanted(item)

    def remaining(self) -> int:
        return self._source.remaining()

    def is_open(self) -> bool:
        return self._source.is_open()


class ClusterJobs(Jobs):
    """Does portions on all machines of a cluster. The agents live until it is closed.

    Files and folders that portions need are sent to each machine once, and again when their
    content has changed: the network of an iteration, not one for each portion.

    Args:
        address: see `Connection`.
        say: tells people a line.
        specs: of games and engines: the files that they name are sent along.
        workers: processes on each machine; one a core by default.
        verify_share: the share of portions that two machines do, to be compared by the digest of
            what they return.
        patience: seconds without an answer after which a machine is not counted on.
        price: of a core for an hour, to say what the work has cost.
        items: what the portions' amounts count.

    Raises:
        DlgoError: if Ray is not installed; ClusterError: if the cluster cannot be reached.
    """

    def __init__(
        self, address: str, say: Callable[[str], None], specs: Iterable[str] = (),
        workers: int | None = None, verify_share: float = 0.0, patience: float = PATIENCE,
        price: float | None = None, items: str = "games",
    ) -> None:
        connection = Connection(address)
        order = WorkOrder(parcels.pack_named(specs), str(Path.cwd()))
        self._crew = Crew(connection, order, say, workers, patience)
        self._connection, self._say, self._share = connection, say, verify_share
        self._price, self._items = price, items
        self._parcels: dict[str, Any] = {}
        self._dispatcher: Dispatcher[Portion] | None = None
        self._next_line = time.monotonic() + LINE_INTERVAL

    def run_source(
        self, source: Source[Portion], tell: Tell = lambda amount: None
    ) -> Iterator[Outcome]:
        away = _Away(source, self._connection.put, self._parcels)
        dispatcher = Dispatcher(away, lambda portion: portion.key, _differ, self._share)
        away.under_way = dispatcher.items
        self._dispatcher = dispatcher
        done = Amount()

        def look() -> None:
            tell(done.plus(self._crew.amount()))
            if time.monotonic() >= self._next_line:
                self._next_line = time.monotonic() + LINE_INTERVAL
                self._say("; ".join(filter(None, [self._line(dispatcher), source.note()])))

        for batch in self._crew.run(dispatcher, self._parcels, look):
            for result, _, name in batch:
                if result.error is not None:
                    raise result.error
                done = done.plus(result.value.amount)
                yield replace(result.value, portion=away.brought(result.key), worker=name)
            self._tell_differences(dispatcher)
        self._tell_differences(dispatcher)
        tell(done)

    def _tell_differences(self, dispatcher: Dispatcher[Portion]) -> None:
        for row in dispatcher.compared:
            if row.difference:
                self._say(f"{row.key}: {row.worker} and {row.other} do not agree ({row.difference})"
                          "; is one of them a machine of another kind, or a bad one?")
        dispatcher.compared.clear()

    def _line(self, dispatcher: Dispatcher[Portion]) -> str:
        return self._crew.facts(dispatcher, self._price).text(self._items)

    def close(self) -> None:
        if self._dispatcher is not None:
            self._say(self._line(self._dispatcher))
            self._dispatcher = None
        self._crew.close()


def _differ(one: Outcome, other: Outcome) -> str:
    """Whether two machines have made different things, as far as these have digests."""
    digests = [getattr(outcome.value, "digest", None) for outcome in (one, other)]
    return "" if digests[0] == digests[1] else "other games"
