"""The mock of the server, for all tests here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.online.mock_server import MockServer


@pytest.fixture
def server() -> Iterator[MockServer]:
    from tests.online.mock_server import MockServer  # needs websockets; the tests skip without

    server = MockServer()
    yield server
    server.close()
