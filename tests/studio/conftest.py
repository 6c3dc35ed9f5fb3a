"""One studio and one window for all tests: each takes seconds to start, and so do engines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tests.studio.client import BOTS, KINDS_GAME, OWN_GAME, Studio

if TYPE_CHECKING:
    from tests.studio.browser import Page

LEDGERS = ("tour", "empty", "old", "broken", "trap", "sample")


def pytest_itemcollected(item: pytest.Item) -> None:
    if "window" in getattr(item, "fixturenames", ()):
        item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A server that has been started with the tests' bots, games from outside, and ledgers that
    nobody has written yet."""
    with started(tmp_path_factory) as server:
        yield server


@contextmanager
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """Such a server."""
    folder = tmp_path_factory.mktemp("ledgers")
    ledgers = {name: folder / f"{name}.sqlite" for name in LEDGERS}
    options = [text for path in ledgers.values() for text in ("--ledger", str(path))]
    server = Studio("--allow", BOTS, "--allow", OWN_GAME, "--allow", KINDS_GAME, "--searches", "2",
                    *options)
    server.ledgers = ledgers
    try:
        yield server
    finally:
        server.close()


@pytest.fixture(scope="session")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A window of Chromium, for all files."""
    from tests.studio.browser import Page

    window = Page(tmp_path_factory.mktemp("downloads"))
    yield window
    window.driver.quit()


@pytest.fixture(scope="module")
def page(studio: Studio, window: Page) -> Iterator[Page]:
    """The window, at this file's server, whose pages have nothing stored; it leaves before the
    server ends."""
    window.studio = studio
    window.driver.get(studio.url)
    window.driver.execute_script("localStorage.clear()")
    window.driver.get("about:blank")
    yield window
    window.driver.get("about:blank")
    window.errors()  # forgets them
