"""Tasks on the machines of a Ray cluster (docs/cluster.md).

Ray hands tasks to machines, repeats what a lost process or machine had, and moves the files that
tasks need. This module hands tasks to Ray. A process of Ray does them one after the other; games
have a worker process of their own inside it, as on one machine, so that a bot which crashes or
hangs loses its own game. Ray is imported when a cluster is asked for; `cluster_files.py` packs what
travels.
"""

from __future__ import annotations

import functools
import logging
import os
import platform
import shutil
import socket
import sys
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from dlgo.digests import hex_digest
from dlgo.errors import DlgoError
from dlgo.extras import require_extra
from dlgo.own_packages import ROOT
from dlgo.plugins import folders_of_files
from dlgo.system.folders import own_folder
from dlgo.system.processes import core_count
from dlgo.text import error_text, number_of
from engines.jobs import Executor, Inline, Processes
from engines.jobs.protocol import ListSource, Outcome, Source, Workplace
from engines.jobs.worker import Result
from experiments.arena.entrants import Entrant, entrants_of
from experiments.arena.games import GameTable
from experiments.arena.provenance import version_text
from experiments.arena.schedule import CanonicalPlan
from experiments.cluster_files import files_of, pack, pack_bots, unpack, unpack_bots

# How often Ray repeats a task whose process or machine was lost.
_RETRIES = 3
# Seconds of short tasks that are sent together, and how many such tasks of Ray each core is given.
_BUNDLE_SECONDS, _AHEAD = 1.0, 2
# Weight of the latest bundle in the mean seconds of a short task.
_WEIGHT = 0.1
# Seconds to wait for a result, and between two looks at the machines.
_INTERVAL, _LOOK = 0.25, 2.0
# Seconds in which the head of a cluster must take a connection.
_CONNECT_TIMEOUT = 5.0
# Archives that are kept: the networks of the latest iterations.
_MOST_ARCHIVES = 8


class ClusterError(DlgoError):
    """A cluster that cannot be reached, or on which nothing can be done."""


def executor_on(
    cluster: str | None, log: Callable[[str], Any] = str, specs: Iterable[str] = (),
    workers: int | None = None,
) -> AbstractContextManager[Executor | None]:
    """The executor that `--cluster` asks for; None without a cluster. See `ClusterTasks`."""
    return nullcontext() if cluster is None else ClusterTasks(cluster, log, specs, workers)


class ClusterTasks(Executor):
    """Does tasks on all machines of a cluster.

    Args:
        address: "local" starts Ray on this machine alone; "auto" finds the cluster that this
            machine belongs to; else HOST:PORT of the cluster's head.
        log: prints a line.
        specs: of games and engines; the files that they name are sent along.
        workers: maximum number of tasks at a time; by default as many as there are cores.

    Raises DlgoError if Ray is not installed, ClusterError if the cluster cannot be reached.
    """

    def __init__(
        self, address: str, log: Callable[[str], object], specs: Iterable[str] = (),
        workers: int | None = None,
    ) -> None:
        self._ray, self._ours = _connect(address)
        self._log, self._specs, self._workers = log, tuple(specs), workers
        self._machines: dict[str, int] = {}  # name -> cores
        self._next_look = 0.0
        self._order: Any = None

    def prepare(self, workplace: Workplace, log: Callable[[str], None]) -> None:
        """Prepare this machine, which finds engines that cannot be built before games start."""
        self.workplace, self._log = workplace, log
        if isinstance(workplace, GameTable) and workplace.plan is not None:
            self._specs = (*workplace.plan.entrants, *workplace.plan.games)
        self._order = self._ray.put(self._new_order())  # first, as files may be missing
        workplace.prepare(log)

    def rounds(self, source: Source[Any]) -> Generator[list[Outcome], None, None]:
        self._order = self._order or self._ray.put(self._new_order())
        archive = functools.lru_cache(_MOST_ARCHIVES)(self._put_archive)  # files may change later
        remote = self._ray.remote(do).options(
            num_cpus=1, max_retries=_RETRIES, scheduling_strategy="SPREAD",
            runtime_env={"env_vars": {"PYTHONPATH": _import_path()}},
        )
        running: dict[Any, list[Any]] = {}  # Ray's reference -> tasks
        seconds = 0.0  # of a short task
        try:
            while True:
                cores = max(self._cores(), 1)
                limit = min(self._workers or _AHEAD * cores, _AHEAD * cores)
                while len(running) < limit:
                    size = 1
                    if self.workplace.bundles and seconds:
                        share = source.remaining() // (2 * limit)
                        size = max(1, min(share, int(_BUNDLE_SECONDS / seconds)))
                    tasks = source.take(size)
                    if not tasks:
                        break
                    bundle = [(task, [archive(path) for path in getattr(task, "needs", ())])
                              for task in tasks]
                    # A reference in a list is not fetched before the task asks for it.
                    running[remote.remote([self._order], bundle)] = tasks
                if not running and not source.is_open():
                    self._next_look = 0.0  # a machine may have been lost since the last look
                    self._cores()
                    return
                outcomes: list[Outcome] = []
                for reference in self._ended([*running]):
                    answer = self._answer(reference)
                    new = _outcomes(running.pop(reference), answer)
                    mean = answer.seconds / len(new)
                    seconds += (mean - seconds) * (_WEIGHT if seconds else 1.0)
                    source.finished([o.value for o in new if o.error is None])
                    outcomes += new
                yield outcomes
        finally:
            for reference in running:
                with suppress(Exception):  # it may have ended, and the cluster too
                    self._ray.cancel(reference, force=True)

    def _ended(self, references: list[Any]) -> list[Any]:
        if not references:
            time.sleep(_INTERVAL)
            return []
        if not self._ray.wait(references, timeout=_INTERVAL)[0]:
            return []
        return self._ray.wait(references, num_returns=len(references), timeout=0)[0]

    def _answer(self, reference: Any) -> Answer:
        """What a task of Ray has returned. Raises ClusterError."""
        try:
            answer = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            if isinstance(error, self._ray.exceptions.RayTaskError):
                raise ClusterError(f"a machine cannot do this work: {error_text(error.cause)}; "
                                   "install the same version of dlgo on all machines") from None
            text = str(error).strip().partition("\n")[0]
            raise ClusterError(f"a task was lost {_RETRIES + 1} times ({text}); run the same "
                               "command again to continue") from None
        if answer.problem:
            raise ClusterError(f"{answer.machine} cannot do this work: {answer.problem}")
        return answer

    def _cores(self) -> int:
        """How many cores the machines have; prints which machines joined and which were lost."""
        if time.monotonic() >= self._next_look:
            self._next_look = time.monotonic() + _LOOK
            machines = {
                _machine_name(node["NodeManagerHostname"], node["NodeID"]):
                int(node["Resources"]["CPU"])
                for node in self._ray.nodes()
                if node["Alive"] and node["Resources"].get("CPU", 0) >= 1
            }
            for name in self._machines.keys() - machines.keys():
                self._log(f"{name} was lost; other machines repeat its tasks")
            for name in machines.keys() - self._machines.keys():
                self._log(f"{name} joined, with {number_of(machines[name], 'core')}")
            if not machines and self._machines:
                self._log("no machine of the cluster is left; waiting for one")
            self._machines = machines
        return sum(self._machines.values())

    def _new_order(self) -> Order:
        here = Path.cwd()
        files = pack([here / path for path in files_of(self._specs)], here)
        bots = pack_bots(self.workplace.launches) if isinstance(self.workplace, GameTable) else {}
        return Order(version_text(), files, [str(here), *folders_of_files()], self.workplace, bots)

    def _put_archive(self, path: Path) -> tuple[str, Any]:
        content = pack([path])
        return hex_digest(content), [self._ray.put(content)]

    def close(self) -> None:
        """Leave the cluster; end it if it was started here."""
        if self._ours:
            with suppress(Exception):
                self._ray.shutdown()


def _connect(address: str) -> tuple[Any, bool]:
    """Ray, and whether it was this call that has connected it to the cluster."""
    require_extra("cluster", "--cluster", "ray")
    if address not in ("local", "auto"):
        _check_address(address)
    for name in ("RAY_USAGE_STATS_ENABLED", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"):
        os.environ.setdefault(name, "0")
    import ray

    if ray.is_initialized():
        return ray, False
    options: dict[str, Any] = {}
    if address == "local":
        options = {"num_cpus": core_count(), "include_dashboard": False}
    try:
        ray.init(address, **options, log_to_driver=False, logging_level=logging.ERROR)
    except Exception as error:
        raise ClusterError(
            f"no Ray cluster found at {address} ({error_text(error)}); start one with `ray "
            "start --head`, join one with `ray start --address HOST:6379`, or use --cluster "
            "local"
        ) from None
    return ray, True


def _check_address(address: str) -> None:
    host, _, port = address.rpartition(":")
    if "://" in address or not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise ClusterError(
            f"--cluster {address!r} is not an address; write HOST:PORT of the head (port 6379 by "
            "default), auto or local"
        )
    try:
        socket.create_connection((host, int(port)), timeout=_CONNECT_TIMEOUT).close()
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ClusterError(f"no answer from {address} ({reason}); run `ray start --head` on that "
                           "machine, and check the port") from None


def _import_path() -> str:
    """Where machines without an installation look for this code: all may share the folder."""
    return f"{ROOT}{os.pathsep}${{PYTHONPATH}}"


def _machine_name(host: str, node_id: str) -> str:
    return f"{host}:{node_id[:6]}"


def _outcomes(tasks: list[Any], answer: Answer) -> list[Outcome]:
    by_key = {task.key: task for task in tasks}
    return [Outcome(by_key[key], value, error, amount, answer.machine)
            for key, value, error, amount in answer.results]


# --- in a process of Ray ----------------------------------------------------------------------


@dataclass(frozen=True)
class Order:
    """The data that a machine needs to do tasks."""

    version: str  # of the code of the command
    files: bytes  # archive of the files that specifications name, relative to the first folder
    folders: Sequence[str]  # from which the command imports files that travel, or need not
    workplace: Workplace
    bots: Mapping[str, bytes]  # archives of entrants with launches


class Answer(NamedTuple):
    """The results of tasks, or the reason why this machine cannot do any."""

    machine: str
    problem: str = ""
    results: list[Result] = []
    seconds: float = 0.0


class Place:
    """A process of Ray that does the tasks of an order. Raises DlgoError if it cannot."""

    def __init__(self, order: Order) -> None:
        self._folder = own_folder("dlgo-task-")
        self._archives: dict[str, Path] = {}
        if version_text() != order.version:
            raise DlgoError(
                f"it has dlgo {version_text()}, not {order.version}; install the same there"
            )
        # Processes that are started import what this one does. Files that travelled are found where
        # they are now, even if this machine has those of the command.
        paths = [str(Path(entry).absolute()) for entry in sys.path]
        sys.path[:] = [str(ROOT), *(p for p in paths if p not in (str(ROOT), *order.folders))]
        os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)
        unpack(order.files, self._folder / "files")
        os.chdir(self._folder / "files")
        workplace = order.workplace
        self._executor: Executor = Inline()
        if isinstance(workplace, GameTable) and workplace.plan is not None:
            plan = workplace.plan
            _check_entrants(plan)
            launches = unpack_bots(order.bots, plan.launches, plan.games, self._folder / "bots")
            workplace = replace(workplace, plan=replace(plan, launches=launches))
            self._executor = Processes(1)
        self._executor.workplace = workplace

    def do(self, bundle: list[tuple[Any, list[tuple[str, Any]]]]) -> list[Result]:
        """Do tasks, each with the archives of its needs."""
        tasks = ListSource([self._unpacked(task, archives) for task, archives in bundle])
        return [
            Result(outcome.task.key, outcome.value, outcome.error, outcome.amount)
            for outcomes in self._executor.rounds(tasks) for outcome in outcomes
        ]

    def _unpacked(self, task: Any, archives: list[tuple[str, Any]]) -> Any:
        """A task whose needs lie here."""
        if not archives:
            return task
        import ray

        for digest, (reference,) in archives:
            folder = self._archives.pop(digest, None)
            if folder is None:
                folder = self._folder / digest
                unpack(ray.get(reference), folder)
            self._archives[digest] = folder  # the latest one used is the last one
        for digest in [*self._archives][: -max(_MOST_ARCHIVES, len(archives))]:
            shutil.rmtree(self._archives.pop(digest), ignore_errors=True)
        return replace(task, needs=tuple(
            self._archives[digest] / need.name
            for (digest, _), need in zip(archives, task.needs, strict=True)
        ))

    def close(self) -> None:
        """End the worker, and remove the files."""
        self._executor.close()
        os.chdir(self._folder.parent)
        shutil.rmtree(self._folder, ignore_errors=True)


_places: dict[str, Place] = {}


def do(order: list[Any], bundle: list[tuple[Any, list[tuple[str, Any]]]]) -> Answer:
    """The function that Ray calls: do tasks of the order behind a reference."""
    import ray

    machine = _machine_name(platform.node(), ray.get_runtime_context().get_node_id())
    (reference,) = order
    try:
        if reference.hex() not in _places:
            while _places:
                _places.popitem()[1].close()
            _places[reference.hex()] = Place(ray.get(reference))
        start = time.monotonic()
        results = _places[reference.hex()].do(bundle)
    except DlgoError as error:
        return Answer(machine, str(error))
    return Answer(machine, "", results, time.monotonic() - start)


def _check_entrants(plan: CanonicalPlan) -> None:
    """Raises DlgoError if an external engine differs from the one on the machine of the command."""
    for text in plan.entrants:
        entrant = Entrant.of(text)
        if not entrant.is_outside or text in plan.launches:
            continue
        here = entrants_of([entrant.spec])[entrant.spec]
        if here.text != text:
            raise DlgoError(
                f"{entrant.spec} has another version there ({here.version}, not "
                f"{entrant.version}), or it cannot be loaded; is a package missing?"
            )
