"""The cluster that `--cluster` names: joined or started here, its machines, tasks on them."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dlgo
from dlgo.errors import DlgoError
from dlgo.extras import require_extra
from dlgo.text import error_text
from engines.programs.processes import core_count

# Seconds in which the head of a cluster must take a connection.
_CONNECT_TIMEOUT = 5.0


class ClusterError(DlgoError):
    """A cluster that cannot be reached, or on which nothing can be done."""


@dataclass(frozen=True)
class Machine:
    """A node of the cluster.

    Attributes:
        node: Ray's name of it.
        name: how people and ledgers call it: its host, and the beginning of Ray's name.
        cores: how many of them Ray may use.
    """

    node: str
    name: str
    cores: int


class Connection:
    """A connection to a cluster. There is one in a process at a time.

    Args:
        address: "local" starts Ray on this machine alone; "auto" finds the cluster that this
            machine belongs to; else HOST:PORT of the cluster's head.

    Raises:
        DlgoError: if Ray is not installed; ClusterError: if the cluster cannot be reached.
    """

    def __init__(self, address: str) -> None:
        require_extra("cluster", "--cluster", "ray")
        self.address = address
        if address not in ("local", "auto"):
            _check_address(address)
        for name in ("RAY_USAGE_STATS_ENABLED", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"):
            os.environ.setdefault(name, "0")
        import ray

        self._ray = ray
        # Ray prints pages about every machine that dies, whatever its settings say of logs.
        with suppress(AttributeError):
            ray._private.worker.print_to_stdstream = lambda *_, **__: None
        options: dict[str, Any] = {"address": address}
        if address == "local":
            options |= {"num_cpus": core_count(), "include_dashboard": False}
        if address != "local":
            _check_address_of_ray(address)
        self._ours = not ray.is_initialized()
        if self._ours:
            # Workers where nothing is installed look where this program lies: it may be a folder
            # that all machines share. Their version is compared in any case.
            home = str(Path(dlgo.__file__).resolve().parents[1])
            try:
                ray.init(
                    **options, log_to_driver=False, logging_level=logging.ERROR,
                    job_config=ray.job_config.JobConfig(_py_driver_sys_path=[home]),
                )
            except Exception as error:
                raise ClusterError(
                    f"no Ray cluster at {address} ({error_text(error)}); start one with `ray start "
                    "--head`, join it here with `ray start --address HOST:6379`, or use --cluster "
                    "local"
                ) from None

    def machines(self) -> list[Machine]:
        """Those that live and have cores to offer."""
        return [
            Machine(node["NodeID"], f"{node['NodeManagerHostname']}:{node['NodeID'][:6]}",
                    int(node["Resources"]["CPU"]))
            for node in self._ray.nodes()
            if node["Alive"] and node["Resources"].get("CPU", 0) >= 1
        ]

    def start(self, machine: Machine, cores: float, work: Callable[..., Any], *args: Any) -> Any:
        """Begin a task on a machine. Gives Ray's generator of references to what it yields.

        Args:
            cores: that the task takes.
            work: a generator function at the top level of a module.
            args: its arguments. References inside of lists stay references.
        """
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        remote = self._ray.remote(work).options(
            num_cpus=cores, max_retries=0, num_returns="streaming",
            scheduling_strategy=NodeAffinitySchedulingStrategy(machine.node, soft=False),
        )
        return remote.remote(*args)

    def put(self, value: Any) -> Any:
        """A reference to a value: each machine fetches it once."""
        return self._ray.put(value)

    def ready(self, tasks: list[Any], timeout: float) -> list[Any]:
        """Those of the tasks that have yielded something or ended. Waits for the first of them."""
        if not tasks or not self._ray.wait(tasks, timeout=timeout, fetch_local=False)[0]:
            return []
        return self._ray.wait(tasks, num_returns=len(tasks), timeout=0, fetch_local=False)[0]

    def next(self, task: Any) -> Any:
        """What a task has yielded. Raises StopIteration at its end, or the error that ended it."""
        return self._ray.get(next(task))

    def is_from_task(self, error: Exception) -> bool:
        """Whether the code of a task has raised this; else its process is gone."""
        return isinstance(error, self._ray.exceptions.RayTaskError)

    def cancel(self, task: Any) -> None:
        """End a task and its process."""
        with suppress(Exception):  # it may have ended, and the cluster too
            self._ray.cancel(task, force=True)

    def close(self) -> None:
        """Leave the cluster; end it if it was started here."""
        if self._ours:
            with suppress(Exception):
                self._ray.shutdown()


def _check_address(address: str) -> None:
    host, _, port = address.rpartition(":")
    if "://" in address or not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise ClusterError(
            f"--cluster {address!r} is not an address; write HOST:PORT of the head (6379 is "
            "usual), auto or local"
        )
    _reach(address, "is `ray start --head` running there?")


def _check_address_of_ray(address: str) -> None:
    """Ray does not use the loopback address of this machine, even where that is asked for: a head
    that listens there alone would be waited for, without a word."""
    from ray._private import services

    used = None
    with suppress(Exception):  # Ray itself says what is wrong
        used = services.canonicalize_bootstrap_address(address)
    if used not in (None, address):
        host = used.rpartition(":")[0]
        _reach(used, f"Ray uses that address for {address}; is its head on it, as by `ray start "
                     f"--head --node-ip-address {host}`?")


def _reach(address: str, remedy: str) -> None:
    """Raises ClusterError if nothing takes a connection."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=_CONNECT_TIMEOUT).close()
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ClusterError(f"nothing answers at {address} ({reason}); {remedy}") from None
