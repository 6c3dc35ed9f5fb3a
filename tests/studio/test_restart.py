"""A server that is killed and started again: open games go on where they were."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from types import SimpleNamespace

import pytest

from dlgo import GameState, get_game
from experiments.play.game_file import SavedGame
from experiments.studio.game import Game
from experiments.studio.kept import KeptGames, snapshot
from experiments.studio.replies import StudioError
from experiments.studio.specs import HUMAN, Allowed
from tests.studio.browser import Page
from tests.studio.client import BOTS, GAMES, Studio, View

KEPT = ("history", "sides", "names", "plies", "position", "delay", "yourTurn", "ended")
SGF = b"(;GM[1]SZ[9]KM[7]PB[Ann]PW[Bea];B[cc]C[a start];W[gg](;B[gc])(;B[cg]))"


def test_open_games_go_on(window: Page) -> None:
    server = Studio()
    try:
        window.studio = server
        game = server.new("connect4", white="mcts:sims=20", clock="5+3")
        window.go(f"play/{game}")
        window.click_cell(3)
        window.see_turns(2)
        sides = {"content_type": "application/octet-stream"}
        read = server.ask("/api/games/load?name=a.sgf", SGF, **sides)[1]["id"]
        lost = server.new("draughts")
        for move in ("11-15", "22-18", "15x22", "resign"):
            assert server.move(lost, move) == (200, {})
        games = [game, read, lost]
        for name in games:  # it takes milliseconds
            path, turns = Path(GAMES.name, f"{name}.json"), len(server.view(name)["history"])
            server.wait(lambda path=path, turns=turns: path.exists() and len(
                json.loads(path.read_text())["records"]) == turns, "the file")
        before = [parts(server.view(name)) for name in games]
        file = server.ask(f"/api/games/{read}/file")[1]
        server.process.kill()  # as kill -9
        server.process.wait()
        server = Studio("--port", str(server.port))
        window.studio = server
        assert [parts(server.view(name)) for name in games] == before
        assert server.ask(f"/api/games/{read}/file")[1] == file and b"a start" in file
        window.see_text("Your turn")
        window.click_cell(3)  # in the page that was open
        window.see_turns(4)
        assert stat.S_IMODE(Path(GAMES.name).stat().st_mode) == 0o700
    finally:
        window.driver.get("about:blank")
        window.errors()
        server.close()


def test_a_kept_game_that_cannot_be_continued_says_why(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DLGO_GAMES_DIR", str(tmp_path / "games"))
    engines, bot = SimpleNamespace(progress=lambda owner: None), f"{BOTS}:First"
    start = SavedGame(GameState.new_game(get_game("tictactoe")))
    game = Game(start, (HUMAN, bot), engines)
    KeptGames(Allowed([BOTS])).write(game.id, *snapshot(game))
    assert KeptGames(Allowed([BOTS])).read(game.id, engines).players == (HUMAN, bot)
    kept, path = KeptGames(Allowed()), tmp_path / "games" / f"{game.id}.json"
    with pytest.raises(StudioError, match=f"--allow '{bot}'"):
        kept.read(game.id, engines)
    whole = json.loads(path.read_text()) | {"players": [HUMAN, "oldengine:sims=5"]}
    path.write_text(json.dumps(whole))  # an engine of another version
    read = kept.read(game.id, engines)
    assert read.players == (HUMAN, HUMAN) and "oldengine" in read.read.notes[0]
    moved = {"plies": 1, "player": 0, "text": "B2"}
    changes = ({"records": [moved]}, {"records": [{**moved, "new": 1}]}, {"players": []},
               {"clocks": None}, {"file": None})
    for text in ("", json.dumps(whole)[:200], "[" * 100_000, *(
        json.dumps(whole | change) for change in changes
    )):
        path.write_text(text)
        with pytest.raises(StudioError, match="this game cannot be continued|damaged"):
            kept.read(game.id, engines)
    assert kept.read("A" * 16, engines) is None


def parts(view: View) -> View:
    """What must be the same after a restart."""
    return {key: view[key] for key in KEPT} | {"left": (view["clock"] or {}).get("left")}


def test_an_address_stays_while_the_server_is_away(window: Page) -> None:
    server = Studio()
    try:
        window.studio = server
        game = server.new("tictactoe")
        assert server.move(game, "B2") == (200, {})
        window.driver.get(f"{server.url}#/course")
        window.find(".preset-card")
        server.process.kill()
        server.process.wait()
        go = "location.hash = arguments[0]"
        window.driver.execute_script(go, f"#/play/{game}")
        window.see_message("the server does not answer", bad=True)
        window.driver.execute_script(go, f"#/analyse/{game}")
        for _ in range(2):
            window.see_message("the server does not answer", bad=True)
        assert window.count(".toast") == 1
        server = Studio("--port", str(server.port))
        window.studio = server
        window.see_text("After B2")  # of the view that was asked for, not of the one before
        assert window.driver.current_url.endswith(f"#/analyse/{game}")
    finally:
        window.driver.get("about:blank")
        window.errors()
        server.close()
