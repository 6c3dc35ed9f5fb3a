"""A cluster that cannot be reached is one line, at once."""

from __future__ import annotations

import socket

import pytest

from experiments.cluster.connection import ClusterError, Connection
from tests.conftest import one_line_error

services = pytest.importorskip("ray._private.services", reason="needs Ray")


@pytest.mark.skipif(services.get_node_ip_address().startswith("127."),
                    reason="this machine has no address but loopback")
def test_a_head_that_listens_on_loopback_alone_is_told() -> None:
    """Ray looks for it at the machine's other address, where nothing answers."""
    with socket.create_server(("127.0.0.1", 0)) as head:
        port = head.getsockname()[1]
        with one_line_error(ClusterError, f"{services.get_node_ip_address()}:{port}"):
            Connection(f"127.0.0.1:{port}")
