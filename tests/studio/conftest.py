"""One studio for all tests of a file: it takes a second to start."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.studio.client import BOTS, OWN_GAME, Studio


@pytest.fixture(scope="module")
def studio() -> Iterator[Studio]:
    """A server that has been started with the tests' bots and a game from outside."""
    server = Studio("--allow", BOTS, "--allow", OWN_GAME, "--searches", "2",
                    "--move-timeout", "4")
    yield server
    server.close()
