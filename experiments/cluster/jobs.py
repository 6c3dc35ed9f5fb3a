"""Portions of work on a cluster: AlphaZero's self-play, generated games, imports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from engines.jobs.protocol import Amount, Jobs, Outcome, Portion, Source, Tell
from experiments.cluster import parcels
from experiments.cluster.connection import Connection
from experiments.cluster.dispatcher import Dispatcher
from experiments.cluster.inside import SentPortion
from experiments.cluster.tasks import Cluster

# Parcels that are kept for portions to come: the networks of the latest iterations.
_MOST_PARCELS = 8


class _Packed(Source[SentPortion]):
    """Portions as they are sent, each with references to its files.

    Args:
        source: of the portions.
        put: makes a reference to a parcel, which each machine fetches once.
    """

    def __init__(self, source: Source[Portion], put: Callable[[bytes], Any]) -> None:
        self._source, self._put = source, put
        self._parcels: dict[Path, tuple[str, Any]] = {}

    def take(self, count: int) -> list[SentPortion]:
        return [SentPortion(portion, tuple(map(self._parcel, portion.needs)))
                for portion in self._source.take(count)]

    def _parcel(self, need: Path) -> tuple[str, Any]:
        """The parcel with a file or folder: its digest, and a reference to it."""
        if need not in self._parcels:
            content = parcels.pack([need])
            self._parcels[need] = parcels.digest_of(content), self._put(content)
            for old in [*self._parcels][:-_MOST_PARCELS]:
                del self._parcels[old]
        return self._parcels[need]

    def finished(self, results: list[Any]) -> None:
        self._source.finished(results)

    def wanted(self, item: SentPortion) -> bool:
        return self._source.wanted(item.portion)

    def remaining(self) -> int:
        return self._source.remaining()

    def is_open(self) -> bool:
        return self._source.is_open()


class ClusterJobs(Jobs):
    """Does portions on all machines of a cluster.

    Files and folders that portions need are sent to each machine once, and again when their
    content has changed: the network of an iteration, not one for each portion.

    Args:
        address: see `Connection`.
        say: tells people a line.
        specs: of games and engines: the files that they name are sent along.
        workers: processes on each machine; one a core by default.
        verify_share: the share of portions that two machines do, to be compared by the digest of
            what they return.
        price: of a core for an hour, to say what the work has cost.
        items: what the portions' amounts count.

    Raises:
        DlgoError: if Ray is not installed; ClusterError: if the cluster cannot be reached.
    """

    def __init__(
        self, address: str, say: Callable[[str], None], specs: Iterable[str] = (),
        workers: int | None = None, verify_share: float = 0.0, price: float | None = None,
        items: str = "games",
    ) -> None:
        self._connection = Connection(address)
        self._cluster = Cluster(
            self._connection, parcels.pack_named(specs), str(Path.cwd()), say, None, workers,
            price, items,
        )
        self._say, self._share = say, verify_share
        self._dispatcher: Dispatcher[SentPortion] | None = None

    def run_source(
        self, source: Source[Portion], tell: Tell = lambda amount: None
    ) -> Iterator[Outcome]:
        dispatcher = self._dispatcher = Dispatcher(
            _Packed(source, self._connection.put), lambda item: item.portion.key, _differ,
            self._share,
        )
        done = Amount()

        def look() -> None:
            tell(done.plus(self._cluster.amount()))

        with closing(self._cluster.run(dispatcher, look, source.note)) as batches:
            for batch in batches:
                for result, item, name in batch:
                    if result.error is not None:
                        raise result.error
                    done = done.plus(result.value.amount)
                    yield replace(result.value, portion=item.portion, worker=name)
                self._tell_differences(dispatcher)
        self._tell_differences(dispatcher)
        tell(done)

    def _tell_differences(self, dispatcher: Dispatcher[SentPortion]) -> None:
        for row in dispatcher.compared:
            if row.difference:
                self._say(f"{row.slot}: {row.worker} and {row.other} do not agree "
                          f"({row.difference}); is one of them a machine of another kind, or a "
                          "bad one?")
        dispatcher.compared.clear()

    def close(self) -> None:
        if self._dispatcher is not None:
            self._cluster.say_line(self._dispatcher)
            self._dispatcher = None
        self._connection.close()


def _differ(one: Outcome, other: Outcome) -> str:
    """Whether two machines have made different things, as far as these have digests."""
    digests = [getattr(outcome.value, "digest", None) for outcome in (one, other)]
    return "" if digests[0] == digests[1] else "other games"
