"""Three nodes of a cluster on this machine, as `ray.cluster_utils` makes them."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from dlgo.system import processes

_frozen: set[int] = set()


def freeze(node: Any) -> None:
    """Stop a node's raylet and all that it has started, as a machine that hangs."""
    raylet = node.all_processes["raylet"][0].process.pid
    for pid in {raylet} | processes.descendants(raylet):
        _frozen.add(pid)
        processes.send(pid, signal.SIGSTOP)


def thaw() -> None:
    """Let all frozen nodes go on."""
    while _frozen:
        processes.send(_frozen.pop(), signal.SIGCONT)


@contextmanager
def small_cluster(nodes: int = 3) -> Iterator[Any]:
    """A head with no cores for games, and some nodes with one core each."""
    pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False}
    )
    try:
        for _ in range(nodes):
            cluster.add_node(num_cpus=1)
        yield cluster
    finally:
        cluster.shutdown()
        while _frozen:  # nobody else can end them
            processes.send(_frozen.pop(), signal.SIGKILL)
