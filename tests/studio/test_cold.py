"""A machine on which nothing is compiled yet: the page comes at once, engines say what they do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.studio.browser import Page
from tests.studio.client import Studio

GAME = {"game": "draughts", "white": "mcts:sims=50"}


@pytest.fixture
def cold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Studio]:
    monkeypatch.setenv("DLGO_CACHE_DIR", str(tmp_path))
    server = Studio("--searches", "2")
    yield server
    server.close()


def test_compiling_is_said_done_early_and_never_charged(
    cold: Studio, window: Page, tmp_path: Path
) -> None:
    assert cold.ask("/api/setup")[0] == 200
    assert not [*tmp_path.rglob("*.code")]  # the first page needs no rules
    assert cold.ask("/api/prepare", GAME) == (200, {})
    game = cold.new(**GAME, clock="5+3")
    with cold.watching(game) as watcher:
        window.studio = cold
        window.go(f"play/{game}")
        window.see("document.querySelector('main progress')?.checkVisibility()", "the bar")
        window.see_text("compiles its code, once on this machine")
        first = watcher.until(lambda view: view["engine"])["engine"]
        assert first["phase"] in ("starting", "compiling") and first["seconds"] == 0
        cold.move(game, "11-15")
        view = watcher.until(lambda view: view["plies"] == 2, "an answer")
        told = [event["engine"] for event in watcher.events if event["engine"]]
    counts = [engine["compiled"] for engine in told if engine["phase"] == "compiling"]
    assert len({*counts}) > 5 and counts == sorted(counts)
    assert view["history"][1]["cpu"] < 1  # 50 simulations
    assert cold.ask("/api/status")[1]["processes"] == 1  # what was warmed up plays
    window.see_turns(2)
    window.go("analyse/game=connectn%3Acols%3D9&moves=")
    window.see_text("compiles its code, once on this machine", ".bar-text")
    window.driver.get("about:blank")
    window.errors()
