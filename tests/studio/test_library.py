"""The list of all games that a server keeps: found, continued, saved as files, deleted."""

from __future__ import annotations

import io
import json
import os
import secrets
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest

from dlgo import GameState, get_game
from experiments.play.game_file import SavedGame
from experiments.studio.game import Game
from experiments.studio.kept import KeptGames, snapshot
from experiments.studio.library import results_of
from experiments.studio.specs import HUMAN, Allowed
from tests.studio.browser import Page
from tests.studio.client import GAMES, Studio, View

RAW = {"content_type": "application/octet-stream"}
NOW = 1_790_000_000
NAMES = ("mcts:sims=20", "random", HUMAN)


def listed(studio: Studio, **query: object) -> View:
    status, answer = studio.ask(f"/api/library?{urlencode(query)}")
    assert status == 200, answer
    return answer


def loaded(studio: Studio, player: str, result: str = "") -> str:
    sgf = f"(;GM[1]SZ[5]KM[7]PB[{player}]PW[Bea]RE[{result}];B[bb];W[cc];B[bc])"
    return studio.ask("/api/games/load?name=a.sgf", sgf.encode(), **RAW)[1]["id"]


def kept(studio: Studio, *games: str) -> None:
    """Wait until games are on the disk."""
    for game in games:
        path = Path(GAMES.name, f"{game}.json")
        studio.wait(path.exists, "the file")


@pytest.fixture(scope="module")
def thousand(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a thousand games, one an hour, of three kinds, each with 60 turns or so."""
    folder = tmp_path_factory.mktemp("thousand") / "games"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DLGO_GAMES_DIR", str(folder))
        store = KeptGames(Allowed())
        for spec, players in (("go:size=9", NAMES[:2][::-1]), ("connect4", (HUMAN, NAMES[0])),
                              ("tictactoe", (HUMAN, HUMAN))):
            state = GameState.new_game(get_game(spec))
            for number in range(60):
                moves = [move for move in state.legal_moves() if move.is_play]
                if moves and not state.is_over():
                    state = state.apply_move(moves[(7 * number) % len(moves)])
            game = Game(SavedGame(state), players, SimpleNamespace(progress=lambda owner: None))
            store.write(game.id, *snapshot(game))
    samples = sorted(path.read_text() for path in folder.iterdir())
    for path in folder.iterdir():
        path.unlink()
    for number in range(1000):
        path = folder / f"{secrets.token_urlsafe(12)}.json"
        path.write_text(samples[number % 3])
        os.utime(path, (NOW - 3600 * number,) * 2)
    return folder


def test_a_thousand_games_are_listed_at_once(
    thousand: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DLGO_GAMES_DIR", str(thousand))
    store, start = KeptGames(Allowed()), time.process_time()
    assert len(store.summaries()) == 1000
    assert time.process_time() - start < 1
    assert {summary["turns"] for summary in store.summaries().values()} > {60}


@pytest.mark.parametrize(("over", "winner", "yours", "result", "expected"), [
    (False, None, [0], "", "unfinished"), (None, None, [], "", ""),
    (True, None, [0], "draw: the board is full", "finished draw"),
    (True, 0, [0], "black wins", "finished first won"),
    (True, 0, [1], "black wins", "finished first lost"),
    (True, 1, [0, 1], "white wins", "finished second"), (True, None, [], "B+3.5", "finished"),
])
def test_results(over: bool, winner: int, yours: list[int], result: str, expected: str) -> None:
    summary = {"over": over, "winner": winner, "yours": yours, "result": result}
    assert results_of(summary) == set(expected.split())


def test_games_are_found_saved_and_deleted(studio: Studio) -> None:
    first, second = loaded(studio, "Zoe Quince"), loaded(studio, "Quince", "B+2")
    third = studio.new("connect4", white="mcts:sims=20")
    assert studio.move(first, "D4") == (200, {})
    kept(studio, first, second, third)
    studio.wait(lambda: listed(studio, player="zoe quince")["games"][0]["turns"] == 4, "the move")
    now = int(time.time())
    for query, names in (
        ({"player": "quince"}, {first, second}), ({"player": " ZOE q"}, {first}),
        ({"player": "quince", "title": "Go"}, {first, second}),
        ({"player": "quince", "title": "Hex"}, set()),
        ({"player": "quince", "result": "unfinished"}, {first}),
        ({"player": "quince", "result": "finished"}, {second}),
        ({"player": "quince", "since": now - 3600, "until": now + 3600}, {first, second}),
        ({"player": "quince", "until": now - 3600}, set()),
        ({"player": "quince", "since": now + 3600}, set()),
    ):
        assert set(listed(studio, **query)["ids"]) == names, query
    found = listed(studio, player="quince")
    assert found["total"] == 2 and {"Go", "Connect Four"} <= set(found["titles"])
    dates = [game["date"] for game in found["games"]]
    assert dates == sorted(dates, reverse=True)
    game = found["games"][found["ids"].index(first)]
    assert game["sample"]["cells"].count(-1) == 21 and found["infos"][game["game"]]["rows"] == 5
    assert third in listed(studio, player="MCTS")["ids"]

    saved = {name: studio.ask(f"/api/games/{name}/file")[1] for name in (first, second)}
    assert studio.ask("/api/library/files", {"ids": [first]}) == (200, saved[first])
    archive = zipfile.ZipFile(io.BytesIO(
        studio.ask("/api/library/files", {"ids": [first, second, third]})[1]))
    contents = {name: archive.read(name) for name in archive.namelist()}
    assert sorted(name.rpartition(".")[2] for name in contents) == ["sgf", "sgf", "txt"]
    assert {*saved.values()} < {*contents.values()}

    assert studio.ask("/api/library/delete", {"ids": [first]}) == (200, {})
    assert listed(studio, player="quince")["ids"] == [second]
    assert studio.ask(f"/api/games/{first}")[0] == 404
    assert studio.ask("/api/library/files", {"ids": [first]})[0] == 404
    assert not Path(GAMES.name, f"{first}.json").exists()


def test_a_deleted_game_is_not_kept_again(studio: Studio) -> None:
    game = studio.new("tictactoe", black="random", white="random", delay=0)
    with studio.watching(game) as watcher:
        watcher.until(lambda view: view["position"]["over"], "the end")
        studio.view(game)  # what a request may have changed is kept a second later
        assert studio.ask("/api/library/delete", {"ids": [game]}) == (200, {})
    time.sleep(1.5)
    assert not Path(GAMES.name, f"{game}.json").exists()


@pytest.mark.parametrize("ids", [None, [], "x", [7], ["x"] * 1001, {}])
@pytest.mark.parametrize("path", ["files", "delete"])
def test_names_that_are_none_are_refused(studio: Studio, path: str, ids: object) -> None:
    assert studio.ask(f"/api/library/{path}", {"ids": ids})[0] == 400


@pytest.mark.parametrize("name", ["../" * 5 + "etc/passwd", "x", "", "A" * 16, "\0" * 16])
def test_names_lead_to_no_other_files(studio: Studio, name: str) -> None:
    assert studio.ask("/api/library/files", {"ids": [name]})[0] == 404
    assert studio.ask("/api/library/delete", {"ids": [name]}) == (200, {})


def test_files_that_are_damaged_or_of_older_versions(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DLGO_GAMES_DIR", str(tmp_path / "games"))
    game = Game(SavedGame(GameState.new_game(get_game("go:size=5"))), (HUMAN, "random"),
                SimpleNamespace(progress=lambda owner: None))
    store = KeptGames(Allowed())
    store.write(game.id, *snapshot(game))
    path = tmp_path / "games" / f"{game.id}.json"
    whole = json.loads(path.read_text())
    del whole["summary"]
    path.write_text(json.dumps(whole))
    os.utime(path, (NOW, NOW))
    summary = store.summaries()[game.id]
    assert [summary[key] for key in ("title", "names", "turns", "result", "date")] == [
        "Go", [HUMAN, "random"], 0, "", NOW]
    for text in ("", "{", '{"summary": 7,\n', "[]", "\xff"):
        path.write_text(text)
        os.utime(path, (NOW + 1 + len(text),) * 2)
        assert store.summaries() == {}, text


def test_looking_at_a_game_changes_no_date(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DLGO_GAMES_DIR", str(tmp_path / "games"))
    engines = SimpleNamespace(progress=lambda owner: None)
    game = Game(SavedGame(GameState.new_game(get_game("connect4")).apply_move("4")),
                (HUMAN, "random"), engines, clock="5+3")
    KeptGames(Allowed()).write(game.id, *snapshot(game))
    path, store = tmp_path / "games" / f"{game.id}.json", KeptGames(Allowed())
    os.utime(path, (NOW, NOW))
    store.write(game.id, *snapshot(store.read(game.id, engines)))
    assert path.stat().st_mtime == NOW


@pytest.fixture
def library(thousand: Path, window: Page) -> Iterator[Page]:
    server = Studio(games=str(thousand))
    window.studio = server
    window.go("play")
    yield window
    window.driver.get("about:blank")
    window.errors()
    server.close()


def test_a_thousand_games_in_a_page(library: Page) -> None:
    from selenium.webdriver.common.keys import Keys

    page, rows = library, "document.querySelectorAll('.library tbody tr').length"
    page.press("Your games")
    page.see_text("1 to 20 of 1,000", ".library .finished-head")
    assert page.see(f"{rows} === 20") and page.count(".library tbody svg.board") == 20
    page.see_text("You", ".library tbody")
    assert page.nameless() == []
    page.keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    page.see_text("21 to 40 of 1,000", ".library .finished-head")
    page.keys("Connect", on=".library [type=search]")
    page.see_text("No games are found", ".library")
    page.keys(*(Keys.BACKSPACE for _ in "Connect"), on=".library [type=search]")
    page.see_text("1 to 20 of 1,000", ".library .finished-head")
    page.choose(".library select", "Tic-tac-toe")
    page.see_text("1 to 20 of 333", ".library .finished-head")
    page.keys(Keys.SPACE, on=".library tbody tr:nth-child(2) input")
    page.see_text("1 game chosen", ".library")
    page.press("Save")
    page.see_message("Saved as tic-tac-toe-")
    page.saved("tic-tac-toe-*.txt").unlink()
    page.press("Choose all")
    page.see_text("333 games chosen", ".library")
    page.press("Save")
    page.see_message("Saved as games-")
    assert len(zipfile.ZipFile(page.saved("games-*.zip")).namelist()) == 333
    page.press("Delete")
    page.driver.switch_to.alert.dismiss()
    page.press("Delete")
    alert = page.driver.switch_to.alert
    assert alert.text == "Delete 333 games? This cannot be undone."
    alert.accept()
    page.see_message("333 games deleted")
    page.see_text("No games are found", ".library")
    page.choose(".library select", "")
    page.see_text("1 to 20 of 667", ".library .finished-head")
    page.click(".library tbody tr:nth-child(2) td:last-child a")
    page.see("location.hash.startsWith('#/play/')", "the game")
    page.find(".stage svg.board")
    assert page.errors() == []
