"""What runs on each machine of a cluster: it takes in work, and its processes do it.

An `Agent` is asked again and again to `exchange` new work for results, and answers within a
fraction of a second, whatever its processes do: whoever does not answer is in trouble. The games of
a tournament are played by the arena's own executor, so a bot that crashes or hangs loses its game
here as anywhere; other work is done by `engines.jobs.Processes`.
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import dlgo
from dlgo.errors import DlgoError
from dlgo.records.ledger import GameRecord
from dlgo.specs import split_version
from dlgo.text import error_text
from engines.jobs.protocol import Amount, Outcome, Portion
from engines.programs.processes import cpu_of_tree
from experiments.arena.launch import Launches
from experiments.arena.limits import Limits
from experiments.arena.provenance import machine_text, version_text
from experiments.arena.referee import GameTask
from experiments.arena.running import RunningGame
from experiments.cluster import parcels, sent_launches
from experiments.cluster.dispatcher import Result, Ticket
from experiments.cluster.sent_launches import SentLaunch

# How the folders of agents are called.
_PREFIX = "dlgo-agent-"
# Games in progress that are passed on, and seconds between two looks at them.
_RUNNING_SHOWN, _RUNNING_INTERVAL = 8, 1.0
# Seconds between two looks at the CPU time of all processes.
_CPU_INTERVAL = 1.0


@dataclass(frozen=True)
class GamesOrder:
    """What an agent has to know to play games of a tournament.

    Attributes:
        entrants: of the plan, with versions.
        warm: (game, entrant): what is compiled and loaded before the first game.
        limits: for every game. setup: see `executor.play_tasks`.
        files: parcel of the files that games and entrants name.
        folder: to which their names are relative, where they come from.
        launches: of entrants that nobody vouches for.
    """

    entrants: tuple[str, ...]
    warm: tuple[GameTask, ...]
    limits: Limits
    setup: str | None
    files: bytes
    folder: str
    launches: Mapping[str, SentLaunch] = field(default_factory=dict)


@dataclass(frozen=True)
class WorkOrder:
    """What an agent has to know to do portions of work.

    Attributes:
        files, folder: as of a `GamesOrder`.
    """

    files: bytes
    folder: str


@dataclass(frozen=True)
class Hello:
    """Who an agent is.

    Attributes:
        version: of its code, with the digest of games and engines.
        machine: processor and cores.
        problem: why it cannot do the work; "" if it can, as far as is known.
    """

    version: str
    machine: str
    problem: str = ""


@dataclass(frozen=True)
class News:
    """What an agent has to tell.

    Attributes:
        ready: whether it has warmed up and takes work.
        results: what is done.
        amounts: how far what is under way is.
        running: games in progress.
        lines: for people.
        problem: why it does no more work; "" if it does.
        rate: what its processor was measured to do (`experiments/arena/reference.py`), told once;
            0: nothing new.
        cpu_seconds: of the agent and all its processes, since it began.
    """

    ready: bool
    results: list[Result]
    amounts: dict[str, Amount]
    running: list[RunningGame]
    lines: list[str]
    problem: str = ""
    rate: float = 0.0
    cpu_seconds: float = 0.0


class _Feed:
    """The work that an agent has and has not begun, as a source for the processes."""

    def __init__(self) -> None:
        self._items: deque[Any] = deque()
        self._closed = False

    def add(self, items: list[Any]) -> None:
        self._items.extend(items)

    def take(self, count: int) -> list[Any]:
        return [self._items.popleft() for _ in range(min(count, len(self._items)))]

    def finished(self, results: list[Any]) -> None:
        pass

    def wanted(self, item: Any) -> bool:
        return True

    def remaining(self) -> int:
        return len(self._items)

    def is_open(self) -> bool:
        return not self._closed

    def close(self) -> None:
        self._closed = True


class Agent:
    """Does work on its machine.

    Args:
        order: what kind of work.
        workers: processes.
        version: of the code of whoever asks; another one is refused.
    """

    def __init__(self, order: GamesOrder | WorkOrder, workers: int, version: str) -> None:
        self._order, self._workers = order, workers
        self._folder = parcels.own_folder(_PREFIX)
        self._parcels: dict[str, Path] = {}
        self._attempts: dict[str, int] = {}
        self._portions: dict[str, Portion] = {}
        self._feed = _Feed()
        self._news = threading.Condition()
        self._results: list[Result] = []
        self._lines: list[str] = []
        self._running: list[RunningGame] = []
        self._next_look = self._next_cpu = self._cpu = 0.0
        self._rate = 0.0
        self._launches: Launches = {}
        self._ready = False
        self._amounts: Callable[[], Mapping[str, Amount]] = dict
        self._problem = self._prepare(version)

    def _prepare(self, version: str) -> str:
        """Get files and paths right; what is wrong, or ""."""
        if version_text() != version:
            return f"it has dlgo {version_text()}, not {version}; install the same there"
        # Processes that are started import what this one does, from wherever it is.
        home = Path(dlgo.__file__).resolve().parents[1]
        # Files that travelled are found where they are now, even if this machine has the others.
        paths = [str(Path(entry).absolute()) for entry in sys.path]
        sys.path[:] = [str(home), *(path for path in paths if path != self._order.folder)]
        # Else each of them would load the program of Ray's worker.
        vars(sys.modules["__main__"]).pop("__file__", None)
        os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)
        folder = Path(self._folder, "files")
        try:
            parcels.unpack(self._order.files, folder)
            os.chdir(folder)
            if isinstance(self._order, GamesOrder):
                _check_entrants(self._order)
                games = [task.game for task in self._order.warm]
                self._launches = sent_launches.unpack(
                    self._order.launches, games, Path(self._folder, "bots"))
        except Exception as error:
            return str(error) if isinstance(error, DlgoError) else error_text(error)
        return ""

    def hello(self) -> Hello:
        """Who it is; from now on it gets ready."""
        if not self._problem:
            threading.Thread(target=self._serve, daemon=True).start()
        return Hello(version_text(), machine_text(), self._problem)

    def exchange(
        self, tickets: list[Ticket], sent: Mapping[str, Any], patience: float,
        keep: frozenset[str],
    ) -> News:
        """Take in work; give back what is done.

        Args:
            tickets: what is to be done besides.
            sent: parcels that it has not got yet, by digest: Ray's references.
            patience: seconds to wait for something to tell.
            keep: parcels that are still in use.
        """
        self._receive(sent, keep)
        with self._news:
            for ticket in tickets:
                self._attempts[ticket.key] = ticket.attempt
            self._feed.add([self._at_home(ticket.item) for ticket in tickets])
            # Processes send results one by one; an answer for each would keep the other side busy.
            self._news.wait_for(self._is_urgent, patience)
            results, self._results = self._results, []
            lines, self._lines = self._lines, []
            rate, self._rate = self._rate, 0.0
            return News(self._ready, results, dict(self._amounts()), self._running, lines,
                        self._problem, rate, self._cpu_seconds())

    def _cpu_seconds(self) -> float:
        """CPU time so far; looked up now and then only."""
        if time.monotonic() >= self._next_cpu:
            self._next_cpu = time.monotonic() + _CPU_INTERVAL
            try:
                self._cpu = max(self._cpu, cpu_of_tree(os.getpid()))
            except (OSError, ValueError):  # no /proc: the processes under way are not known
                self._cpu = sum(os.times()[:4])
        return self._cpu

    def _is_urgent(self) -> bool:
        """Whether an answer must not wait: something is wrong, or there is nothing left to do."""
        hungry = self._results and not self._feed.remaining()
        return bool(self._problem or self._lines or hungry)

    def _receive(self, sent: Mapping[str, Any], keep: frozenset[str]) -> None:
        for digest in self._parcels.keys() - keep:
            shutil.rmtree(self._parcels.pop(digest), ignore_errors=True)
        if sent:
            import ray

            for digest, content in zip(sent, ray.get(list(sent.values())), strict=True):
                folder = Path(self._folder, digest)
                parcels.unpack(content, folder)
                self._parcels[digest] = folder

    def _at_home(self, item: Any) -> Any:
        """An item with its files where they lie here: a need is (digest of the parcel)/(name)."""
        if not isinstance(item, Portion):
            return item
        here = tuple(self._parcels[str(need.parent)] / need.name for need in item.needs)
        return replace(item, needs=here)

    def _serve(self) -> None:
        try:
            if isinstance(self._order, GamesOrder):
                self._play(self._order)
            else:
                self._work()
        except Exception as error:
            with self._news:
                self._problem = str(error) if isinstance(error, DlgoError) else error_text(error)
                self._news.notify()

    def _play(self, order: GamesOrder) -> None:
        from experiments.arena import executor
        from experiments.arena.reference import measured_rate

        executor.warm_up(order.warm, self._say, order.setup, order.limits, self._launches)
        self._rate = measured_rate()
        self._ready = True
        batches = executor.play_tasks(
            self._feed, self._workers, order.limits, order.setup, self._look,
            self._launches,
        )
        with closing(batches):
            for records in batches:
                self._bring(Result(record.slot, 0, record) for record in records)

    def _work(self) -> None:
        from engines.jobs import Processes

        self._ready = True
        with Processes(self._workers) as jobs:
            self._amounts = jobs.under_way
            for outcome in jobs.outcomes(self._feed):
                self._bring([_result_of(outcome)])

    def _bring(self, results: Iterator[Result] | list[Result]) -> None:
        with self._news:
            for result in results:
                attempt = self._attempts.pop(result.key, 0)
                self._results.append(result._replace(attempt=attempt))
            self._news.notify()

    def _say(self, line: str) -> None:
        with self._news:
            self._lines.append(line)
            self._news.notify()

    def _look(self, games: Callable[[], list[RunningGame]]) -> None:
        if time.monotonic() >= self._next_look:
            self._next_look = time.monotonic() + _RUNNING_INTERVAL
            self._running = games()[:_RUNNING_SHOWN]


def _result_of(outcome: Outcome) -> Result:
    return Result(outcome.portion.key, 0, replace(outcome, portion=None), outcome.error)


def _check_entrants(order: GamesOrder) -> None:
    """Raises DlgoError if an engine from outside is not the same as where the plan was made."""
    from experiments.arena.entrants import entrants_of, is_outside

    theirs = [
        entrant for entrant in order.entrants
        if is_outside(entrant) and entrant not in order.launches
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


def records_differ(one: GameRecord, other: GameRecord) -> str:
    """What differs between two playings of a game; "" if nothing that a seed decides does."""
    names = ("result", "moves", "opening", "seed", "failure")
    return ", ".join(name for name in names if getattr(one, name) != getattr(other, name))
