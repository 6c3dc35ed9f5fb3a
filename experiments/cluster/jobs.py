"""Portions of work on a cluster: AlphaZero's self-play, generated games, imports."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from engines.jobs.protocol import Amount, Jobs, ListSource, Outcome, Portion, Tell
from experiments.cluster import parcels
from experiments.cluster.agent import WorkOrder
from experiments.cluster.connection import Connection
from experiments.cluster.crew import LINE_INTERVAL, PATIENCE, Crew
from experiments.cluster.dispatcher import Dispatcher


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

    Raises:
        DlgoError: if Ray is not installed; ClusterError: if the cluster cannot be reached.
    """

    def __init__(
        self, address: str, say: Callable[[str], None], specs: Iterable[str] = (),
        workers: int | None = None, verify_share: float = 0.0, patience: float = PATIENCE,
    ) -> None:
        connection = Connection(address)
        order = WorkOrder(parcels.pack_named(specs), str(Path.cwd()))
        self._crew = Crew(connection, order, say, workers, patience)
        self._connection, self._say, self._share = connection, say, verify_share
        self._sent: dict[str, Any] = {}
        self._next_line = time.monotonic() + LINE_INTERVAL

    def run(self, portions: Iterable[Portion], tell: Tell = lambda amount: None
            ) -> Iterator[Outcome]:
        originals = {portion.key: portion for portion in portions}
        digests: dict[Path, str] = {}
        sent: dict[str, Any] = {}
        for path in {need: None for portion in originals.values() for need in portion.needs}:
            parcel = parcels.pack([path])
            digests[path] = digest = parcels.digest_of(parcel)
            sent[digest] = self._sent.get(digest) or self._connection.put(parcel)
        self._sent = sent
        away = [
            replace(portion, needs=tuple(Path(digests[need], need.name) for need in portion.needs))
            for portion in originals.values()
        ]
        dispatcher = Dispatcher(
            ListSource(away), lambda portion: portion.key, _differ, self._share
        )
        done = Amount()

        def look() -> None:
            tell(done.plus(self._crew.amount()))
            if time.monotonic() >= self._next_line:
                self._next_line = time.monotonic() + LINE_INTERVAL
                self._say(f"portions by machine: {self._crew.line()}; {dispatcher.waiting()} wait")

        for batch in self._crew.run(dispatcher, sent, look):
            for result, _, name in batch:
                if result.error is not None:
                    raise result.error
                done = done.plus(result.value.amount)
                yield replace(result.value, portion=originals[result.key], worker=name)
            self._tell_differences(dispatcher)
        self._tell_differences(dispatcher)
        tell(done)

    def _tell_differences(self, dispatcher: Dispatcher[Portion]) -> None:
        for row in dispatcher.compared:
            if row.difference:
                self._say(f"{row.key}: {row.worker} and {row.other} do not agree ({row.difference})"
                          "; is one of them a machine of another kind, or a bad one?")
        dispatcher.compared.clear()

    def close(self) -> None:
        self._crew.close()


def _differ(one: Outcome, other: Outcome) -> str:
    """Whether two machines have made different things, as far as these have digests."""
    digests = [getattr(outcome.value, "digest", None) for outcome in (one, other)]
    return "" if digests[0] == digests[1] else "other games"
