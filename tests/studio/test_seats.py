"""Links with a seat: what each page may do, also after a restart and without the token."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest
from starlette.routing import Route, WebSocketRoute

from experiments.studio import server as studio_server
from tests.studio.client import BOTS, GAMES, Studio, Watcher
from tests.studio.test_security import first_answer

GAME = "/api/games/{id}"
# Every request that changes a game or works for it, and a body that its maker may send; then the
# seats that may send it, too: of a player to move, of one who is not, of a watcher.
CHANGES: dict[str, tuple[dict[str, Any], str]] = {
    "move": ({"move": "C3"}, "mover"), "now": ({}, "mover"), "hint": ({}, "mover"),
    "undo": ({}, "other"), "pause": ({"paused": False}, "mover other"),
    "speed": ({"delay": 1}, "mover other"), "count": ({}, "mover other"),
    "players": ({"white": "random"}, ""), "rematch": ({}, ""), "invite": ({"seat": "white"}, ""),
    "copy": ({}, ""), "tree": ({"node": 0, "move": "C1"}, ""),
    "guess": ({"plies": 0, "move": "C1"}, ""),
}
STREAMS = {"events": "mover other watch", "analysis": "", "exact": "", "review": ""}
KEPT = ("history", "sides", "paused", "delay", "problem", "count", "hint", "thinking", "plies")


def invite(studio: Studio, game: str, *seats: str) -> list[str]:
    """The names of the links."""
    for seat in seats:
        status, answer = studio.ask(f"/api/games/{game}/invite", {"seat": seat})
        assert status == 200, answer
    return [answer["links"][seat] for seat in seats]


def paths(kind: type, method: str = "") -> set[str]:
    """The routes below a game."""
    routes = [route for view in studio_server._VIEWS for route in view.routes(MagicMock())]
    return {route.path.removeprefix(f"{GAME}/") for route in routes if isinstance(route, kind)
            and route.path.startswith(f"{GAME}/") and (not method or method in route.methods)}


@pytest.mark.parametrize("seat", ["mover", "other", "watch"])
def test_every_route_that_changes_a_game_is_tried_from_each_seat(studio: Studio, seat: str) -> None:
    assert paths(Route, "POST") == set(CHANGES) and paths(WebSocketRoute) == set(STREAMS)
    game = studio.new("tictactoe")
    black, white, watch = invite(studio, game, "black", "white", "watch")
    for link, move in ((black, "A1"), (white, "B2")):
        assert studio.move(link, move) == (200, {})
    name = {"mover": black, "other": white, "watch": watch}[seat]
    before = studio.view(game)
    for path, (body, seats) in CHANGES.items():
        status, answer = studio.ask(f"/api/games/{name}/{path}", body)
        if seat not in seats.split():
            assert status == 403, (path, answer)
        elif path in ("now", "count"):  # no engine thinks, and this is not Go
            assert status == 400, (path, answer)
        else:
            assert status == 200, (path, answer)
        if status == 200:
            break
        after = studio.view(game)
        assert [after[key] for key in KEPT] == [before[key] for key in KEPT], path
    assert (status == 200) == (seat != "watch")
    for path, seats in STREAMS.items():
        answer = first_answer(studio, f"/api/games/{name}/{path}?engine=random", "{}")
        assert answer["status"] == (200 if seat in seats.split() else 403), (path, answer)
    for path, status in (("", 200), ("/positions/1", 200), ("/file", 200), ("/tree", 403),
                         ("/territory", 403), ("/address?engine=mcts", 403)):
        assert studio.ask(f"/api/games/{name}{path}")[0] == status, path


@pytest.mark.parametrize("path", [path for path, (_, seats) in CHANGES.items() if seats])
def test_a_player_does_what_the_seat_allows(studio: Studio, path: str) -> None:
    body, seats = CHANGES[path]
    for seat in seats.split():
        game = studio.new("tictactoe")
        links = invite(studio, game, "black", "white")
        for link, move in zip(links, ("A1", "B2"), strict=True):
            assert studio.move(link, move) == (200, {})
        status, answer = studio.ask(f"/api/games/{links[seat == 'other']}/{path}", body)
        refused = {"now": "no engine is thinking", "count": "after two passes"}.get(path)
        assert refused in answer["error"] if refused else status == 200, (path, seat, answer)


def test_each_player_plays_one_side(studio: Studio) -> None:
    game = studio.new("tictactoe")
    (white,) = invite(studio, game, "white")
    assert (studio.view(game)["yours"], studio.view(white)["yours"]) == ([0], [1])
    assert studio.view(game)["links"] == {"white": white} and studio.view(white)["links"] == {}
    assert game not in json.dumps(studio.view(white))
    for mover, waits, move in ((game, white, "A1"), (white, game, "B2"), (game, white, "C1")):
        for text in (move, "resign"):
            assert studio.move(waits, text) == (403, {"error": "it is the other player's turn"})
        assert studio.view(mover)["yourTurn"] and not studio.view(waits)["yourTurn"]
        assert studio.move(mover, move) == (200, {})
    status, answer = studio.ask(f"/api/games/{white}/undo", {})
    assert status == 403 and "the other player has moved" in answer["error"]
    assert studio.ask(f"/api/games/{game}/undo", {}) == (200, {})
    assert studio.view(white)["plies"] == 2
    status, answer = studio.ask(f"/api/games/{game}/players", {"white": "random"})
    assert status == 403 and "given away" in answer["error"]
    assert studio.ask(f"/api/games/{game}/players", {"black": "random"})[0] == 200


def test_without_an_invitation_one_page_plays_both_sides(studio: Studio) -> None:
    game = studio.new("tictactoe")
    (watch,) = invite(studio, game, "watch")
    assert studio.view(game)["yours"] == [0, 1] and studio.view(watch)["yours"] == []
    for move in ("A1", "B2", "C1"):
        assert studio.move(game, move) == (200, {})
    for _ in range(2):
        assert studio.ask(f"/api/games/{game}/undo", {}) == (200, {})
    assert studio.ask(f"/api/games/{game}/tree", {"node": 0, "move": "C3"})[0] == 200


def test_nobody_pauses_the_clock_of_another(studio: Studio) -> None:
    game = studio.new("tictactoe", clock="5+3")
    assert studio.ask(f"/api/games/{game}/pause", {"paused": True}) == (200, {})
    (white,) = invite(studio, game, "white")
    for name in (game, white):
        assert studio.ask(f"/api/games/{name}/pause", {"paused": False}) == (200, {})
        for step in (False, True):
            assert studio.ask(f"/api/games/{name}/pause", {"paused": True, "step": step})[0] == 403
    assert not studio.view(game)["paused"]


def test_who_only_watches_starts_no_clock_and_no_engine(studio: Studio) -> None:
    timed = studio.new("tictactoe", clock="5+3")
    engines = studio.new("tictactoe", black="random", white="random", delay=0)
    assert studio.move(timed, "A1") == (200, {})
    for game in (timed, engines):
        (watch,) = invite(studio, game, "watch")
        with studio.watching(watch) as watcher:
            view = watcher.until(lambda view: "plies" in view)
            assert not view["thinking"] and (view["clock"] or {}).get("running") is None
            with studio.watching(game):
                watcher.until(lambda view: view["position"]["over"] or (
                    view["clock"] and view["clock"]["running"] == 1), "the clock or the engines")


def test_a_hint_is_shown_to_who_asked(studio: Studio) -> None:
    game = studio.new("tictactoe")
    (white,) = invite(studio, game, "white")
    assert studio.ask(f"/api/games/{game}/hint", {"engine": f"{BOTS}:First"}) == (200, {})
    studio.wait(lambda: studio.view(game)["hint"], "the hint")
    assert studio.view(white)["hint"] is None


def test_a_withdrawn_link_opens_nothing(studio: Studio) -> None:
    game = studio.new("tictactoe")
    first, watch = invite(studio, game, "white", "watch")
    assert invite(studio, game, "white") == [first]
    watcher = Watcher(studio, f"/api/games/{first}/events")
    closed = {"seat": "white", "open": False}
    assert studio.ask(f"/api/games/{game}/invite", closed)[1] == {"links": {"watch": watch}}
    assert watcher.until_end()[-1]["status"] == 404
    watcher.close()
    assert studio.ask(f"/api/games/{first}")[0] == 404
    assert studio.view(game)["yours"] == [0, 1]
    assert invite(studio, game, "white") != [first]
    assert studio.ask(f"/api/games/{game}/invite", {"seat": "third"})[0] == 400


def test_a_seat_outlives_the_server_and_needs_no_token() -> None:
    secret, host = {"authorization": "Bearer secret"}, ("--token", "secret")
    server = Studio(*host)
    try:
        new = {"game": "tictactoe", "black": "human", "white": "human"}
        assert server.ask("/api/games", new)[0] == 403
        game = server.ask("/api/games", new, **secret)[1]["id"]
        seats = [server.ask(f"/api/games/{game}/invite", {"seat": seat}, **secret)[1]["links"][seat]
                 for seat in ("white", "watch")]
        kept = Path(GAMES.name, f"{game}.json")
        server.wait(lambda: kept.exists() and all(seat in kept.read_text() for seat in seats),
                    "the file")
        server.process.kill()
        server.process.wait()
        server = Studio("--port", str(server.port), *host)
        white, watch = seats
        assert server.ask(f"/api/games/{white}")[1]["guest"] == "white"
        assert server.ask(f"/api/games/{game}")[0] == 403
        assert server.ask(f"/api/games/{game}/move", {"move": "A1"}, **secret)[0] == 200
        assert server.move(watch, "B2")[0] == 403
        assert server.move(white, "B2") == (200, {})
        for name, status in ((white, 200), (watch, 200), (game, 403), ("A" * 16, 403)):
            answer = first_answer(server, f"/api/games/{name}/events", "{}")
            assert answer["status"] == status, name
        for path in ("/api/setup", "/api/status", "/api/library", "/api/ledgers", "/api/games/x",
                     f"/api/games/{'x' * 5000}", f"/api/games/../{white}", f"/api/{white}"):
            assert server.ask(path)[0] in (403, 404, 414), path
        for path in ("games", "games/load", "positions", f"games/{white}/copy",
                     f"games/{white}/rematch", "library/files", "library/delete"):
            assert server.ask(f"/api/{path}", {"ids": [game], "from": white})[0] == 403, path
    finally:
        server.close()


def test_names_of_links_are_not_alike(studio: Studio) -> None:
    game = studio.new("tictactoe")
    names = sorted([game, *invite(studio, game, "black", "white", "watch")])
    assert all(a[:4] != b[:4] and len(a) == 16 for a, b in pairwise(names))
