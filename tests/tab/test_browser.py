"""A tab in Chromium: from a disk and from a host, alone, as people use it."""

from __future__ import annotations

import functools
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from xml.etree import ElementTree

import pytest

from dlgo import get_game
from experiments.tab.site import make_tab, write_folder, write_single
from tests.studio.browser import Page
from tests.studio.test_films import Keys, Pieces, image, slow_down
from tests.studio.test_lecture import open_dialog, saved
from tests.tab.worker import needs_node

pytestmark = [pytest.mark.browser, pytest.mark.slow, needs_node[0]]

# Counts what workers send.
COUNT = """
window.messagesOfWorkers = 0;
window.Worker = class extends Worker {
  constructor(address) {
    super(address);
    this.addEventListener("message", () => { window.messagesOfWorkers++; });
  }
};
"""
OWN_GAMES = Path(__file__).parents[1] / "own_games"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tab, in a folder whose name browsers must quote."""
    folder = tmp_path_factory.mktemp("tab") / "Spiele für alle"
    tab = make_tab(["connect4", "tictactoe"], ["random", "mcts", "alphabeta", "solver"],
                   lambda _: None)
    write_folder(tab, folder)
    write_single(tab, folder / "single.html")
    return folder


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    page = Page(tmp_path, {"performance": "ALL"})
    yield page
    page.driver.quit()


@contextmanager
def served(folder: Path, policy: str, everywhere: bool = True) -> Iterator[str]:
    """The address of a folder's host, which sends a content security policy: with all files, or
    with pages only. Browsers keep the other files for ten minutes, as hosts like to tell them, and
    pages not at all: of two that were written within a second, this host sends the first."""
    class Handler(SimpleHTTPRequestHandler):
        def end_headers(self) -> None:
            if everywhere or self.path.endswith((".html", "/")):
                self.send_header("Content-Security-Policy", policy)
            page = self.path.endswith((".html", "/"))
            self.send_header("Cache-Control", "no-store" if page else "max-age=600")
            super().end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)),
    ) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def play_a_move(page: Page, address: str) -> None:
    """Start a game against an engine, move, and wait for its answer."""
    page.driver.get(f"{address}#/play")
    page.see("document.querySelectorAll('.game-card').length", "games")
    page.press("Start the game")
    page.see_text("Your turn")
    page.click_cell(1)
    page.see_turns(2)
    assert page.errors() == []


def requests(page: Page) -> set[str]:
    """The addresses that the page has asked for since it began."""
    messages = (json.loads(entry["message"])["message"]
                for entry in page.driver.get_log("performance"))
    return {message["params"]["request"]["url"] for message in messages
            if message["method"] == "Network.requestWillBeSent"}


@pytest.mark.parametrize("name", ["index.html", "single.html"])
def test_it_plays_from_a_disk_and_asks_nobody(page: Page, folder: Path, name: str) -> None:
    play_a_move(page, (folder / name).as_uri())
    home = folder.as_uri()
    assert all(url.startswith((home, "blob:", "data:")) for url in requests(page))


def test_pictures_show_pieces_at_rest(page: Page, folder: Path) -> None:
    page.driver.get(f"{(folder / 'index.html').as_uri()}#/play")
    page.driver.execute_script("localStorage.setItem('dlgo-analyse-figures', 'no');"
                               "localStorage.setItem('dlgo-analyse-heat', 'none')")
    slow_down(page, 0.02)
    page.driver.get(f"{(folder / 'single.html').as_uri()}#/analyse/game=connect4&moves=4 3 4")
    page.see_pieces(3, "the game")
    page.keys(Keys.ARROW_LEFT)
    page.see_pieces(2, "the position before")
    open_dialog(page)
    assert not page.driver.find_element("id", "film").is_displayed()
    looks = Pieces(get_game("connect4"), ElementTree.parse(saved(page, "SVG", "svg")).getroot())
    cells = [-1] * 42
    cells[3], cells[2] = 0, 1
    open_dialog(page)
    with image.open(saved(page, "PNG", "png")) as picture:
        assert looks.check(picture, cells) == ""


def test_it_plays_without_a_network_below_any_path(page: Page, folder: Path) -> None:
    with served(folder.parent, "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'") as host:
        address = f"{host}/{folder.name}/"
        play_a_move(page, address)
        assert all(url.startswith((host, "blob:", "data:")) for url in requests(page))
        page.driver.execute_cdp_cmd("Network.enable", {})
        page.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {
            "offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})
        page.click_cell(2)
        page.see_turns(4)


def test_pages_may_have_the_strictest_policy(page: Page, folder: Path) -> None:
    """A worker has the policy of its own file: pages need no permission for WebAssembly."""
    with served(folder, "default-src 'self'", everywhere=False) as host:
        play_a_move(page, f"{host}/index.html")


def test_a_host_that_forbids_webassembly_is_told_what_to_permit(page: Page, folder: Path) -> None:
    with served(folder, "default-src 'self'") as host:
        page.driver.get(f"{host}/index.html#/play")
        page.see("document.querySelectorAll('.game-card').length", "games")
        page.press("Start the game")
        page.see_message("script-src 'self' 'wasm-unsafe-eval'", bad=True)


def test_files_of_two_exports_are_not_mixed(page: Page, tmp_path: Path) -> None:
    first, second = (make_tab([game], ["random"], lambda _: None)
                     for game in ("connect4", "tictactoe"))
    write_folder(first, tmp_path / "tab")
    with served(tmp_path / "tab", "default-src 'self'", everywhere=False) as host:
        play_a_move(page, f"{host}/index.html")
        write_folder(second, tmp_path / "tab")
        page.driver.get("about:blank")
        page.driver.get(f"{host}/index.html#/play")
        page.find("input[value='tictactoe']")
        # A page that is open while its files are replaced has loaded none of its games yet.
        write_folder(first, tmp_path / "tab")
        page.press("Start the game")
        page.see_message("load this page again", bad=True)


def test_a_search_stops_at_once(page: Page, folder: Path) -> None:
    page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": COUNT})
    page.driver.get(f"{(folder / 'index.html').as_uri()}#/analyse/game=connect4&moves=4")
    page.see("Number(document.querySelector('.engine-view').dataset.look) > 5", "an analysis")
    page.press("Stop")
    messages = page.driver.execute_async_script("""
        const done = arguments[0], counts = [];
        const note = () => counts.push(window.messagesOfWorkers);
        for (const after of [100, 600]) setTimeout(note, after);
        setTimeout(() => done(counts), 700);""")
    assert messages[0] == messages[1] > 5


@pytest.mark.parametrize("name", ["knightthrough", "amazons", "siege"])
def test_an_own_game_is_played_from_one_file(page: Page, tmp_path: Path, name: str) -> None:
    file = tmp_path / f"{name}.html"
    game = str(OWN_GAMES / f"{name}.py")
    write_single(make_tab([game], ["random", "mcts"], lambda _: None), file)
    page.driver.get(file.as_uri())
    page.see("document.querySelectorAll('.game-card').length", "games")
    page.choose("#player-black", "mcts:sims=100")
    page.choose("#player-white", "mcts:sims=100")
    page.press("Start the game")
    page.see("document.querySelectorAll('.moves li').length > 2", "moves of the engines")
    assert page.errors() == []
