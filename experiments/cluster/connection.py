"""The cluster that `--cluster` names: joined or started here, its machines, tasks on them."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from dlgo.errors import DlgoError
from dlgo.extras import require_extra
from dlgo.own_packages import ROOT
from dlgo.system.processes import core_count
from dlgo.text import error_text

# Seconds in which the head of a cluster must take a connection.
_CONNECT_TIMEOUT = 5.0


class ClusterError(DlgoError):
    """A cluster that cannot be reached, or on which nothing can be done."""


class Machine(NamedTuple):
    """A node of the cluster."""

    node: str  # Ray's name of it
    name: str  # for people and ledgers: its host, and the beginning of Ray's name
    cores: int  # how many of them Ray may use


class Connection:
    """A connection to a cluster. There is one in a process at a time.

    Args:
        address: "local" starts Ray on this machine alone; "auto" finds the cluster that this
            machine belongs to; else HOST:PORT of the cluster's head.

    Raises DlgoError if Ray is not installed, ClusterError if the cluster cannot be reached.
    """

    def __init__(self, address: str) -> None:
        require_extra("cluster", "--cluster", "ray")
        if address not in ("local", "auto"):
            _check_address(address)
        for name in ("RAY_USAGE_STATS_ENABLED", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"):
            os.environ.setdefault(name, "0")
        import ray

        self._ray = ray
        # Ray prints pages about every machine that dies, whatever its settings say of logs.
        with suppress(AttributeError):
            ray._private.worker.print_to_stdstream = lambda *_, **__: None
        self._ours = not ray.is_initialized()
        if not self._ours:
            return
        options: dict[str, Any] = {}
        if address == "local":
            options = {"num_cpus": core_count(), "include_dashboard": False}
        # Workers where nothing is installed look where this program lies: it may be a folder that
        # all machines share. Their version is compared in any case.
        home = str(ROOT)
        try:
            ray.init(
                address, **options, log_to_driver=False, logging_level=logging.ERROR,
                job_config=ray.job_config.JobConfig(_py_driver_sys_path=[home]),
            )
        except Exception as error:
            raise ClusterError(
                f"no Ray cluster found at {address} ({error_text(error)}); start one with `ray "
                "start --head`, join one with `ray start --address HOST:6379`, or use --cluster "
                "local"
            ) from None

    def machines(self) -> list[Machine]:
        """The live machines that have cores."""
        return [
            Machine(node["NodeID"], f"{node['NodeManagerHostname']}:{node['NodeID'][:6]}",
                    int(node["Resources"]["CPU"]))
            for node in self._ray.nodes()
            if node["Alive"] and node["Resources"].get("CPU", 0) >= 1
        ]

    def start(self, machine: Machine, cores: float, work: Callable[..., Any], *args: Any) -> Any:
        """Begin a task that takes some cores of a machine; returns Ray's reference to its result.
        `work` is a function at the top level of a module. References inside of lists stay
        references."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        on_machine = NodeAffinitySchedulingStrategy(machine.node, soft=False)
        remote = self._ray.remote(work).options(
            num_cpus=cores, max_retries=0, scheduling_strategy=on_machine
        )
        return remote.remote(*args)

    def put(self, value: Any) -> Any:
        """A reference to a value: each machine fetches it once."""
        return self._ray.put(value)

    def ready(self, tasks: list[Any], timeout: float) -> list[Any]:
        """The tasks that have ended. Waits for the first of them."""
        if not tasks or not self._ray.wait(tasks, timeout=timeout, fetch_local=False)[0]:
            return []
        return self._ray.wait(tasks, num_returns=len(tasks), timeout=0, fetch_local=False)[0]

    def result(self, task: Any) -> Any:
        """The value that a task has returned. Raises the error that ended it."""
        return self._ray.get(task)

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
            f"--cluster {address!r} is not an address; write HOST:PORT of the head (port 6379 by "
            "default), auto or local"
        )
    try:
        socket.create_connection((host, int(port)), timeout=_CONNECT_TIMEOUT).close()
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ClusterError(f"no answer from {address} ({reason}); run `ray start --head` on that "
                           "machine, and check the port") from None
