"""What runs inside a task on a machine of a cluster.

A process of Ray does one task after the other, and keeps its files and the worker that plays its
games. That worker belongs to the arena's own executor, so a bot that crashes or hangs loses its
game here as anywhere. Other work is done in Ray's process.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import dlgo
from dlgo.errors import DlgoError
from dlgo.specs import split_version
from dlgo.text import error_text
from engines.jobs.inline import steps
from engines.jobs.protocol import Amount, ListSource, Outcome, Portion, failure
from engines.programs.processes import cpu_of_tree
from experiments.arena import executor
from experiments.arena.launch import Launches
from experiments.arena.limits import Limits
from experiments.arena.provenance import machine_text, version_text
from experiments.arena.referee import GameTask
from experiments.arena.running import RunningGame
from experiments.cluster import parcels, sent_launches
from experiments.cluster.dispatcher import Result
from experiments.cluster.sent_launches import SentLaunch

# Seconds between two messages of a task.
_INTERVAL = 0.5
# Parcels that a process keeps unpacked: the networks of the latest iterations.
_MOST_PARCELS = 8


@dataclass(frozen=True)
class Games:
    """What a machine has to know to play games of a tournament.

    Attributes:
        entrants: of the plan, with versions.
        warm: games with all entrants: what they need is compiled before the first game.
        limits: for every game. setup: see `executor.play_tasks`.
        launches: of untrusted entrants.
    """

    entrants: tuple[str, ...]
    warm: tuple[GameTask, ...]
    limits: Limits
    setup: str | None
    launches: Mapping[str, SentLaunch] = field(default_factory=dict)


@dataclass(frozen=True)
class Order:
    """What a machine has to know to do tasks.

    Attributes:
        version: of the code of whoever asks; a machine with another one is refused.
        files: parcel of the files that specifications name.
        folder: to which their names are relative, where they come from.
        games: of a tournament; None for portions of work.
    """

    version: str
    files: bytes
    folder: str
    games: Games | None = None


class SentOrder(NamedTuple):
    """An order on its way.

    Attributes:
        key: its name. reference: Ray's reference to the `Order`, in a list, so that only a process
            that does not have the order yet fetches it.
    """

    key: str
    reference: list[Any]


class SentPortion(NamedTuple):
    """A portion on its way.

    Attributes:
        portion: its needs lie where the command was typed.
        parcels: of each need: (digest, Ray's reference).
    """

    portion: Portion
    parcels: tuple[tuple[str, Any], ...]


class Hello(NamedTuple):
    """The first message of a machine.

    Attributes:
        machine: processor and cores.
        problem: why it cannot do the work; "" if it can.
        rate: what its processor was measured to do (`experiments/arena/reference.py`); 0: nothing.
        lines: for people.
    """

    machine: str
    problem: str = ""
    rate: float = 0.0
    lines: tuple[str, ...] = ()


class News(NamedTuple):
    """A message of a task.

    Attributes:
        results: what has ended since the last message.
        seconds: since the last message.
        cpu_seconds: of the process and all that it has started, since its last message.
        running: the game in progress. amount: how far a portion is.
    """

    results: list[Result]
    seconds: float
    cpu_seconds: float
    running: list[RunningGame] = []
    amount: Amount = Amount()


class Place:
    """A process of Ray that does the tasks of an order.

    Raises:
        DlgoError: if it cannot.
    """

    def __init__(self, order: Order) -> None:
        self._order = order
        self._folder = parcels.own_folder("dlgo-task-")
        self._parcels: dict[str, Path] = {}
        self._pool: executor.Pool | None = None
        self._launches: Launches = {}
        self._cpu = 0.0
        if version_text() != order.version:
            raise DlgoError(
                f"it has dlgo {version_text()}, not {order.version}; install the same there"
            )
        # Processes that are started import what this one does, from wherever it is.
        home = str(Path(dlgo.__file__).resolve().parents[1])
        # Files that travelled are found where they are now, even if this machine has the others.
        paths = [str(Path(entry).absolute()) for entry in sys.path]
        sys.path[:] = [home, *(path for path in paths if path not in (home, order.folder))]
        # Else each of them would load the program of Ray's worker.
        vars(sys.modules["__main__"]).pop("__file__", None)
        os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)
        files = Path(self._folder, "files")
        parcels.unpack(order.files, files)
        os.chdir(files)
        if order.games is not None:
            self._launches = sent_launches.unpack(
                order.games.launches, [task.game for task in order.games.warm],
                Path(self._folder, "bots"),
            )

    def warm_up(self) -> Hello:
        """Check the entrants, compile what they need, and measure the processor."""
        from experiments.arena.reference import measured_rate

        games, lines = self._order.games, []
        if games is None:
            return Hello(machine_text())
        _check_entrants(games)
        executor.warm_up(games.warm, lines.append, games.setup, games.limits, self._launches)
        return Hello(machine_text(), "", measured_rate(), tuple(lines))

    def play(self, tasks: list[GameTask]) -> Iterator[News]:
        """Play games, by one worker process."""
        games = self._order.games
        if self._pool is None:
            self._pool = executor.Pool(1, games.limits, games.setup, self._launches)
        results, since = [], time.monotonic()
        for records in self._pool.play(ListSource(tasks)):
            results += [Result(record.slot, record) for record in records]
            if time.monotonic() - since >= _INTERVAL:
                running = self._pool.running_games()
                yield News(results, time.monotonic() - since, self._new_cpu(), running)
                results, since = [], time.monotonic()
        yield News(results, time.monotonic() - since, self._new_cpu())

    def work(self, sent: SentPortion) -> Iterator[News]:
        """Do a portion."""
        portion, done, since = sent.portion, Amount(), time.monotonic()
        began = since
        try:
            portion = replace(portion, needs=self._unpacked(sent))
            work = steps(portion)
            while True:
                done = done.plus(next(work))
                if time.monotonic() - since >= _INTERVAL:
                    since = time.monotonic()
                    yield News([], 0.0, self._new_cpu(), amount=done)
        except StopIteration as end:
            result = Result(portion.key, Outcome(None, end.value, amount=done))
        except Exception as error:  # told in one line
            result = Result(portion.key, error=failure(error))
        yield News([result], time.monotonic() - began, self._new_cpu())

    def _unpacked(self, sent: SentPortion) -> tuple[Path, ...]:
        """The needs of a portion where they lie here."""
        import ray

        for digest, reference in sent.parcels:
            folder = self._parcels.pop(digest, None)
            if folder is None:
                folder = Path(self._folder, digest)
                parcels.unpack(ray.get(reference), folder)
            self._parcels[digest] = folder  # the latest one used is the last one
        for old in [*self._parcels][: -max(_MOST_PARCELS, len(sent.parcels))]:
            shutil.rmtree(self._parcels.pop(old), ignore_errors=True)
        return tuple(
            self._parcels[digest] / need.name
            for (digest, _), need in zip(sent.parcels, sent.portion.needs, strict=True)
        )

    def _new_cpu(self) -> float:
        """CPU seconds since this was asked last."""
        before = self._cpu
        with suppress(OSError, ValueError):  # no /proc
            self._cpu = max(self._cpu, cpu_of_tree(os.getpid()))
        return self._cpu - before

    def close(self) -> None:
        """End the worker, and remove the files."""
        if self._pool is not None:
            self._pool.shut_down(gently=False)
        os.chdir("/")
        shutil.rmtree(self._folder, ignore_errors=True)


_places: dict[str, Place] = {}


def _place(order: SentOrder) -> Place:
    """This process, made ready for an order."""
    import ray

    if order.key not in _places:
        while _places:
            _places.popitem()[1].close()
        _places[order.key] = Place(ray.get(order.reference[0]))
    return _places[order.key]


def join(order: SentOrder) -> Iterator[Hello]:
    """The first task on a machine: whether it can do the work, with everything compiled."""
    try:
        yield _place(order).warm_up()
    except Exception as error:
        problem = str(error) if isinstance(error, DlgoError) else error_text(error)
        yield Hello(machine_text(), problem)


def do(order: SentOrder, items: Sequence[GameTask] | Sequence[SentPortion]) -> Iterator[News]:
    """A task: some games, or portions."""
    place = _place(order)
    if isinstance(items[0], SentPortion):
        for portion in items:
            yield from place.work(portion)
    else:
        yield from place.play(list(items))


def _check_entrants(games: Games) -> None:
    """Raises DlgoError if an engine from outside is not the same as where the plan was made."""
    from experiments.arena.entrants import entrants_of, is_outside

    theirs = [
        entrant for entrant in games.entrants
        if is_outside(entrant) and entrant not in games.launches
    ]
    ours = entrants_of([split_version(entrant)[0] for entrant in theirs]) if theirs else {}
    for entrant in theirs:
        spec, digest = split_version(entrant)
        here = ours[spec][0]
        if here != entrant:
            raise DlgoError(
                f"{spec} is not the same there: version {split_version(here)[1]}, not {digest}, or "
                "it cannot be loaded (a package that is missing?)"
            )
