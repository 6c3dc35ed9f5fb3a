"""Analyses in workers of pages: the same figures as the server's, without a search there."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

import pytest

from dlgo import get_game
from dlgo.jit import cache_folder
from engines.registry import EngineSpec
from experiments.studio.in_page import COMPILE, Programs, home_of
from tests.command import ROOT
from tests.studio.browser import Page
from tests.studio.client import BOTS, OWN_GAME, Studio, View, Watcher

pytest.importorskip("selenium", reason="needs selenium")

GAME = "tictactoe"
ONCE, DEEPER, LONG = "supervised", "alphabeta:depth=2", "mcts"
EXACT, BROKEN = "alphabeta:depth=18,solve=yes", "mcts:c_uct=1.375"
# Notes whom the page asks for events, and what its workers tell it.
SPY = """
window.asked = [];
window.WebSocket = class extends WebSocket {
  constructor(address) {
    super(address);
    window.asked.push(new URL(address).pathname.split("/").at(-1));
  }
};
window.events = [];
window.Worker = class extends Worker {
  constructor(address) {
    super(address);
    this.addEventListener("message", ({ data }) => { if (data.event) events.push(data.event); });
  }
};
"""

needs_compiler = pytest.mark.skipif(
    find_spec("ziglang") is None, reason="needs ziglang: dlgo-suite[web]")


def compiled(engine: str, game: str = GAME) -> str:
    """Compile what a page needs for an engine, however long it takes; where the server has it."""
    family = EngineSpec.parse(engine).family
    home = home_of(game, family)
    subprocess.run([sys.executable, "-c", COMPILE, home, game, family], cwd=ROOT, check=True)
    return home


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A server with room for one search."""
    hold = tmp_path_factory.mktemp("hold") / "held"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DLGO_TEST_HOLD", str(hold))
        server = Studio("--allow", BOTS, "--searches", "1", in_pages=True)
    server.hold = hold
    try:
        yield server
    finally:
        hold.unlink(missing_ok=True)
        server.close()


@pytest.fixture
def page(server: Studio, window: Page) -> Iterator[Page]:
    window.studio = server
    added = window.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": SPY})
    window.driver.get("about:blank")
    yield window
    window.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)
    window.driver.get("about:blank")
    window.errors()


@contextmanager
def no_room(server: Studio) -> Iterator[None]:
    """The server's only search waits meanwhile."""
    server.hold.touch()
    path = f"/api/games/{server.new(GAME)}/analysis?engine={BOTS}:Patient"
    waiting = Watcher(server, path)
    waiting.until(lambda event: event["progress"]["phase"] == "thinking", "the held search")
    try:
        yield
    finally:
        server.hold.unlink()
        waiting.close()


def analyse(page: Page, engine: str) -> str:
    """Analyse a game of a few moves by an engine; its path."""
    game = page.studio.new(GAME)
    for move in ("B2", "A1"):
        page.studio.move(game, move)
    page.driver.get(f"{page.studio.url}icon.svg")
    page.driver.execute_script("localStorage.setItem(arguments[0], arguments[1])",
                               f"dlgo-analyse-{GAME} 0", engine)
    page.driver.get(f"{page.studio.url}#/analyse/{game}")
    return f"/api/games/{game}"


def figures(event: View) -> View:
    """What an event says, without its cost; sums of networks differ in their last digits."""
    text = json.dumps(event | {"look": 0, "cost": 0})
    return json.loads(text, parse_float=lambda number: round(float(number), 4))


@needs_compiler
@pytest.mark.slow
def test_a_page_searches_what_a_busy_server_cannot(server: Studio, page: Page) -> None:
    for engine in (ONCE, DEEPER, EXACT):
        compiled(engine)
    events, paths = {}, {}
    with no_room(server):
        for engine in (ONCE, DEEPER):
            paths[engine] = analyse(page, engine)
            page.see("window.events.some(({ final }) => final)", engine)
            page.see("document.querySelector('.engine-view').dataset.look", "the figures")
            events[engine] = page.driver.execute_script("return window.events.splice(0)")
        page.press("Exact values")
        page.see_text("Exact values of 7 of 7 moves")
        events[EXACT] = page.driver.execute_script("return window.events.slice(-1)")
    assert page.driver.execute_script("return window.asked") == [] and page.errors() == []
    for engine, path in paths.items():
        watcher = Watcher(server, f"{path}/analysis?engine={engine}")
        final = watcher.until(lambda event: event.get("final"), engine)
        own, other = figures(events[engine][-1]), figures(final)
        # Of equally good moves, alpha-beta may choose another.
        for key in ("black", "proven") if engine == DEEPER else other:
            assert own[key] == other[key], (engine, key)
        watcher.close()
    watcher = Watcher(server, f"{paths[DEEPER]}/exact")
    watcher.until(lambda event: event.get("exact") == events[EXACT][0]["exact"], "the same values")
    watcher.close()


@needs_compiler
@pytest.mark.slow
def test_a_worker_can_compile_and_reaches_nothing(server: Studio) -> None:
    home = compiled(ONCE)
    path = f"/api/games/{server.new(GAME)}/place?engine={ONCE}"
    assert server.ask(path)[1]["home"] == home
    policies = {}
    for name in ("", f"{home}worker.js"):
        with urllib.request.urlopen(f"{server.url}{name}", timeout=60) as answer:
            policies[name] = answer.headers.get_all("content-security-policy")
    page, worker = policies.values()
    assert worker == ["default-src 'none'; script-src 'wasm-unsafe-eval'"]
    assert len(page) == 1 and "wasm" not in page[0]


@needs_compiler
@pytest.mark.slow
def test_a_page_searches_for_hints(server: Studio, page: Page) -> None:
    game = server.new("connect4")
    for move in "414242":
        server.move(game, move)
    view = server.view(game)
    adviser = view["strongest"]
    compiled(adviser, "connect4")
    with no_room(server):
        page.driver.get(f"{server.url}#/play/{game}")
        page.press("Hint")
        page.see_text(f"Hint from {view['called'][adviser]}", ".hint-box")
        page.see_text("has proved a win for red", ".side .bar-text")
        assert server.view(game)["hint"] is None and server.view(game)["assisted"]
        server.move(game, "4")
        page.see("document.querySelector('.hint-box').hidden", "no hint")
    assert page.errors() == []


@needs_compiler
@pytest.mark.slow
def test_a_hidden_page_searches_once_it_is_shown(server: Studio, page: Page) -> None:
    compiled(LONG)
    driver = page.driver
    window = driver.get_window_rect()
    driver.minimize_window()
    try:
        analyse(page, LONG)
        page.see("window.events.length", "the figures of the first moment")
        time.sleep(1)
        assert driver.execute_script("return [document.hidden, events.length]") == [True, 1]
    finally:
        driver.set_window_rect(**window)
    page.see("window.events.length > 1", "more figures")


@needs_compiler
@pytest.mark.slow
def test_a_worker_that_fails_leaves_the_search_to_the_server(server: Studio, page: Page) -> None:
    file = cache_folder() / home_of(GAME, BROKEN)
    file.write_text(json.dumps({"worker": "throw new Error('broken on purpose');"}))
    try:
        analyse(page, BROKEN)
        page.see("Number(document.querySelector('.engine-view')?.dataset.look) > 0", "figures")
    finally:
        file.unlink()
    assert page.driver.execute_script("return [window.asked, window.events]") == [["analysis"], []]
    said = [entry["message"] for entry in page.driver.get_log("browser")]
    assert len([line for line in said if "The server searches" in line]) == 1
    assert any("broken on purpose" in line for line in said)


def test_the_server_searches_by_bots_and_from_positions(server: Studio, page: Page) -> None:
    path = analyse(page, f"{BOTS}:First")
    page.see("document.querySelector('.engine-view')?.dataset.look", "figures")
    assert page.driver.execute_script("return [window.asked, window.events]") == [["analysis"], []]
    assert server.ask(f"{path}/place?engine={BOTS}:First") == (200, {})
    setup = b"(;GM[1]FF[4]SZ[5]AB[aa])"
    game = server.ask("/api/games/load?name=x.sgf", setup,
                      content_type="application/octet-stream")[1]["id"]
    page.driver.get(f"{server.url}#/analyse/{game}")
    page.see("document.querySelector('.engine-view')?.dataset.look > 2", "figures")
    assert page.driver.execute_script("return [window.asked, window.events]") == [
        ["analysis", "analysis"], []]
    assert not [entry for entry in page.driver.get_log("browser")
                if "The server searches" in entry["message"]]


def test_what_is_not_compiled_for_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Programs, "_find", lambda *_: None)

    def is_compiled(game: str, spec: str, wanted: bool = True) -> bool:
        programs = Programs(wanted)
        assert programs.home(get_game(game), spec) is None
        return bool(programs._homes)

    monkeypatch.setitem(sys.modules, "ziglang", None)
    assert not is_compiled(GAME, "mcts")
    monkeypatch.setattr("experiments.studio.in_page.find_spec", lambda _: True)
    assert is_compiled(GAME, "mcts") and not is_compiled(GAME, "mcts", wanted=False)
    assert not is_compiled(GAME, f"{BOTS}:First") and not is_compiled(OWN_GAME, "mcts")
    assert not is_compiled(GAME, 'puct:agent="mcts:sims=5"')
