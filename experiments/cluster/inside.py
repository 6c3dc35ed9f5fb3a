"""What runs inside a task of Ray on a machine of a cluster.

A process of Ray does one task after the other, and keeps its files and the worker that plays its
games. That worker belongs to the same pool as on one machine, so a bot that crashes or hangs loses
its own game. Other work is done in Ray's process.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from dlgo.errors import DlgoError
from dlgo.own_packages import ROOT
from dlgo.system.processes import cpu_of_tree
from dlgo.text import error_text
from engines.jobs import Executor, Inline, Processes
from engines.jobs.protocol import ListSource, Workplace
from engines.jobs.worker import Result
from experiments.arena.entrants import Entrant, entrants_of
from experiments.arena.games import GameTable
from experiments.arena.provenance import machine_text, version_text
from experiments.cluster import parcels

# Parcels that a process keeps unpacked: the networks of the latest iterations.
_MOST_PARCELS = 8


@dataclass(frozen=True)
class Order:
    """The data that a machine needs to do tasks."""

    version: str  # of the client's code; a machine with another version is rejected
    files: bytes  # parcel of the files that specifications name, relative to `folder`
    folder: str
    workplace: Workplace
    bots: Mapping[str, bytes] = field(default_factory=dict)  # parcels of entrants with launches


class SentOrder(NamedTuple):
    """An order on its way; the list keeps Ray from fetching it where it is known already."""

    key: str
    reference: list[Any]


class SentTask(NamedTuple):
    """A task on its way, with (digest, Ray's reference) of the parcel of each of its `needs`."""

    task: Any
    parcels: tuple[tuple[str, Any], ...] = ()


class Hello(NamedTuple):
    """What the first task on a machine returns."""

    machine: str  # processor and cores
    problem: str = ""  # why it cannot do the work
    lines: tuple[str, ...] = ()  # for people


class Report(NamedTuple):
    """The result of further tasks; CPU seconds include the process and all its children."""

    results: list[Result]
    seconds: float
    cpu_seconds: float


class Place:
    """A process of Ray that does the tasks of an order. Raises DlgoError if it cannot."""

    def __init__(self, order: Order) -> None:
        self._folder = parcels.own_folder("dlgo-task-")
        self._parcels: dict[str, Path] = {}
        self._cpu = 0.0
        if version_text() != order.version:
            raise DlgoError(
                f"it has dlgo {version_text()}, not {order.version}; install the same there"
            )
        # Processes that are started import what this one does, from wherever it is.
        home = str(ROOT)
        # Files that travelled are found where they are now, even if this machine has the others.
        paths = [str(Path(entry).absolute()) for entry in sys.path]
        sys.path[:] = [home, *(path for path in paths if path not in (home, order.folder))]
        # Else each of them would load the program of Ray's worker.
        vars(sys.modules["__main__"]).pop("__file__", None)
        os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)
        parcels.unpack(order.files, self._folder / "files")
        os.chdir(self._folder / "files")
        workplace = order.workplace
        if isinstance(workplace, GameTable):
            launches = parcels.unpack_bots(
                order.bots, workplace.launches, workplace.plan.games if workplace.plan else (),
                self._folder / "bots",
            )
            workplace = replace(workplace, launches=launches)
        # Games have a process of their own, whatever engines do to it.
        self._jobs: Executor = Processes(1) if isinstance(workplace, GameTable) else Inline()
        self._jobs.workplace = workplace

    def warm_up(self) -> Hello:
        """Check the entrants, and compile what they need."""
        table, lines = self._jobs.workplace, []
        if not isinstance(table, GameTable):
            return Hello(machine_text())
        _check_entrants(table)
        table.prepare(lines.append)
        return Hello(machine_text(), "", tuple(lines))

    def do(self, items: Sequence[SentTask]) -> Report:
        """Do tasks."""
        start = time.monotonic()
        tasks = ListSource([self._unpacked(item) for item in items])
        results = [
            Result(outcome.task.key, outcome.value, outcome.error, outcome.amount)
            for outcomes in self._jobs.rounds(tasks) for outcome in outcomes
        ]
        before = self._cpu
        self._cpu = max(self._cpu, cpu_of_tree(os.getpid()))
        return Report(results, time.monotonic() - start, self._cpu - before)

    def _unpacked(self, sent: SentTask) -> Any:
        """A task whose needs lie here."""
        if not sent.parcels:
            return sent.task
        import ray

        for digest, reference in sent.parcels:
            folder = self._parcels.pop(digest, None)
            if folder is None:
                folder = self._folder / digest
                parcels.unpack(ray.get(reference), folder)
            self._parcels[digest] = folder  # the latest one used is the last one
        for old in [*self._parcels][: -max(_MOST_PARCELS, len(sent.parcels))]:
            shutil.rmtree(self._parcels.pop(old), ignore_errors=True)
        return replace(sent.task, needs=tuple(
            self._parcels[digest] / need.name
            for (digest, _), need in zip(sent.parcels, sent.task.needs, strict=True)
        ))

    def close(self) -> None:
        """End the worker, and remove the files."""
        self._jobs.close()
        os.chdir("/")
        shutil.rmtree(self._folder, ignore_errors=True)


_places: dict[str, Place] = {}


def _place(order: SentOrder) -> Place:
    import ray

    if order.key not in _places:
        while _places:
            _places.popitem()[1].close()
        _places[order.key] = Place(ray.get(order.reference[0]))
    return _places[order.key]


def join(order: SentOrder) -> Hello:
    """The first task on a machine: whether it can do the work, with everything compiled."""
    try:
        return _place(order).warm_up()
    except Exception as error:
        problem = str(error) if isinstance(error, DlgoError) else error_text(error)
        return Hello(machine_text(), problem)


def do(order: SentOrder, items: Sequence[SentTask]) -> Report:
    """Do tasks of an order."""
    return _place(order).do(items)


def _check_entrants(table: GameTable) -> None:
    """Raises DlgoError if an external engine differs from the one on the client's machine."""
    theirs = {
        text: entrant for text in table.plan.entrants
        if (entrant := Entrant.of(text)).is_outside and text not in table.launches
    }
    ours = entrants_of([entrant.spec for entrant in theirs.values()]) if theirs else {}
    for text, entrant in theirs.items():
        here = ours[entrant.spec][0]
        if here != text:
            raise DlgoError(
                f"{entrant.spec} has another version there ({Entrant.of(here).version}, not "
                f"{entrant.version}), or it cannot be loaded; is a package missing?"
            )
