"""Nothing from outside is trusted: addresses, sizes, names, files, specifications."""

from __future__ import annotations

import http.client
import json
import socket
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus

from experiments.studio.replies import MOST_BYTES
from experiments.studio.server import needs_token
from tests.command import assert_one_line, dlgo_here
from tests.studio.client import BOTS, Studio

RAW = {"content_type": "application/octet-stream"}


@pytest.mark.parametrize("token", ["", "a b", "a\x19"])
def test_a_token_that_no_address_can_hold_is_refused(
    token: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert_one_line(dlgo_here(capfd, "web", "--token", token), f"--token {token!r}")


@pytest.mark.parametrize("headers", [
    {"host": "evil.example"}, {"host": "localhost.evil.example:80"}, {"host": ""},
    {"host": "169.254.1.1"}, {"origin": "http://evil.example"}, {"origin": "null"},
    {"origin": "http://localhost:1"}, {"sec_fetch_site": "cross-site"},
    {"host": "localhost:80:evil"}, {"host": "localhost@evil.example"}, {"host": "[::1]evil"},
    {"host": "localhost/evil"}, {"host": "localhost:"},
])
@pytest.mark.parametrize("path", ["/", "/api/setup", "/api/games"])
def test_other_sites_are_not_answered(
    studio: Studio, headers: dict[str, str], path: str
) -> None:
    body = {"game": "go"} if path == "/api/games" else None
    status, answer = studio.ask(path, body, **headers)
    assert status == 403 and set(answer) == {"error"}


def test_its_own_pages_are_answered(studio: Studio) -> None:
    for name in ("localhost", "127.0.0.1", "[::1]"):
        host = f"{name}:{studio.port}"
        assert studio.ask("/", host=host, origin=f"http://{host}")[0] == 200


# What is asked for with GET; {game} is a game of tic-tac-toe.
ASKED = [
    "/../setup.py", "/..%2f..%2fetc/passwd", "/%2e%2e/server.py", "//etc/passwd", "/boards",
    "/boards/", "/static/app.js", "/etc/passwd%00.js", "/server.py", "/api/games/../../etc",
    "/api/games/%2e%2e%2f/file", "/api/none", "/api/games/{game}/positions/-1",
    *(f"/api/{path}/{'9' * 5000}" for path in ("games/{game}/positions", "train/connect4")),
    *(f"/api/games/{{game}}/review/{rest}" for rest in (
        "99?engine=mcts", "-1?engine=mcts", "file?engine=mcts&form=exe",
        "file?engine=mcts&form=sgf", "0?engine=gtp:command=ls")),
    *(f"/api/ledgers/{rest}" for rest in (
        "..%2ftour.sqlite/games",
        "%2fetc%2fpasswd/games", "tour.sqlite%00/games", "tour.sqlite-wal/games",
        "tour.sqlite/games?offset=-1", "tour.sqlite/games?offset=1e9")),
]
STREAMS = [
    *(f"/api/games/{{game}}/analysis?{query}" for query in (
        "", "engine=", "engine=nope", "engine=my_bot.py:X", "engine=gtp:command=ls",
        "engine=mcts&plies=-1", "engine=mcts&plies=99", "engine=mcts&plies=1e9")),
    *(f"/api/games/{{game}}/review{query}" for query in (
        "", "?engine=", "?engine=nope", "?engine=my_bot.py:X")),
    "/api/ledgers/none.sqlite/events", "/api/ledgers/mine.pdn/events", "/api/games/none/events",
]
GAMES = [
    b"", b"{", b"[]", b"null", b'"game"', b"\xff\xfe", b"[" * 100_000, b'{"game": NaN}',
    b'{"game": ["go"]}', b'{"game": null}', b'{"game": "go:size=1e999"}', b'{"game": "go:size=-1"}',
    b'{"game": "go", "black": 7}', b'{"game": "go", "seed": "x"}', b'{"game": "go", "seed": -1}',
    b'{"game": "go", "seed": 1.5}', b'{"game": "go", "delay": 1e99}', b'{"game": ""}',
    b'{"game": "' + b"x" * 5000 + b'"}', b'{"game": "go\\u0000"}',
]
SEARCHES = [
    {"engine": "mcts"}, {"engine": f"{BOTS}:First"}, {"engine": "gtp:command=ls"}, {"engine": ""},
    {"engine": "textbook-mcts:sims=100000"}, {"engine": "textbook-mcts:wall=5"}, {},
    {"engine": "textbook-alphabeta:nodes=10"}, {"engine": "textbook-alphabeta:depth=99"},
    {"engine": "minimax"}, {"engine": "textbook-puct:model=/etc/passwd"}, {"engine": 7},
    *({"engine": "textbook-mcts"} | more for more in (
        {"seed": -1}, {"moves": "A1 A1"}, {"moves": ["A1"]}, {"moves": "x" * 30000},
        {"game": "no.py"}, {"game": None}, {"from": "nothing"}, {"moves": "A1 B1 A2 B2 A3"})),
]
PATHS = [None, "A1", [["A1", "A1"]], [[["A1"]]], [[]] * 101, [["A1"] * 6000], [[7]], {"a": 1}]


def test_nonsense_is_refused_in_one_line(studio: Studio) -> None:
    game = studio.new("tictactoe")
    requests: list[tuple[str, object]] = [(path.format(game=game), None) for path in ASKED]
    requests += [("/api/games", body) for body in GAMES]
    requests += [("/api/inside/positions", {"game": "tictactoe", "paths": p}) for p in PATHS]
    requests += [(f"/api/ledgers/{name}.sqlite/open", {"slot": "x"}) for name in ("tour", "none")]
    for path, body in requests:
        status, answer = studio.ask(path, body)
        assert status in (400, 403, 404, 405, 414), (path, body, answer)
        assert set(answer) == {"error"} and "\n" not in answer["error"], (path, body, answer)
        for word in ("Traceback", "internal", "root:"):
            assert word not in answer["error"], (path, body, answer)
    streams: list[tuple[str, object]] = [(path.format(game=game), None) for path in STREAMS]
    streams += [("/api/inside/search", {"game": "tictactoe", **asked}) for asked in SEARCHES]
    for path, body in streams:
        answer = first_answer(studio, path, json.dumps({"body": body}))
        assert answer["status"] in (400, 403, 404), (path, body, answer)
        assert set(answer) == {"status", "error"} and "\n" not in answer["error"]
        assert "internal" not in answer["error"], (path, body, answer)
    form = studio.ask("/api/games", b'{"game": "go"}', content_type="text/plain")
    assert form[0] == 400  # which a page of another site can send


@pytest.mark.parametrize(("method", "path", "status", "words"), [
    ("GET", "/play/7", 404, "there is no page /play/7; the studio begins at /"),
    ("GET", "/api/nothing", 404, "there is no page /api/nothing; the studio begins at /"),
    ("POST", "/api/nothing", 404, "there is no page /api/nothing; the studio begins at /"),
    ("POST", "/", 405, "/ does not take POST requests"),
    ("DELETE", "/app.js", 405, "/app.js does not take DELETE requests"),
    ("GET", "/api/film", 405, "/api/film does not take GET requests"),
    ("PUT", "/api/setup", 405, "/api/setup does not take PUT requests"),
    ("BREW", "/api/games", 405, "/api/games does not take BREW requests"),
])
def test_an_odd_address_is_answered_in_words(
    studio: Studio, method: str, path: str, status: int, words: str
) -> None:
    assert studio.ask(path, method=method) == (status, {"error": words})
    person = studio.ask(path, method=method, accept="text/html,*/*;q=0.8")
    assert person == (status, f"{words[:1].upper()}{words[1:]}.\n".encode())


@pytest.mark.parametrize(("method", "path", "allow"), [
    ("POST", "/", "GET, HEAD"), ("DELETE", "/app.js", "GET, HEAD"), ("GET", "/api/film", "POST"),
    ("PUT", "/api/setup", "GET, HEAD"), ("GET", "/api/nothing", None),
])
def test_a_refused_method_is_answered_with_those_that_are_allowed(
    studio: Studio, method: str, path: str, allow: str | None
) -> None:
    with closing(http.client.HTTPConnection("127.0.0.1", studio.port, timeout=60)) as connection:
        connection.request(method, path)
        assert connection.getresponse().getheader("allow") == allow


def test_a_person_reads_why_a_host_is_refused(studio: Studio) -> None:
    status, answer = studio.ask("/", host="evil.example", accept="text/html")
    assert status == 403
    assert answer == b"This server does not accept the host name 'evil.example'.\n"


def first_answer(studio: Studio, path: str, message: str | bytes) -> dict[str, Any]:
    """What a WebSocket is answered first."""
    with studio.connect(path) as opened:
        opened.send(message)
        return json.loads(opened.recv(timeout=60))


def test_streams_are_checked_as_requests_are(studio: Studio) -> None:
    game = studio.new("tictactoe")
    path = f"/api/games/{game}/events"
    assert first_answer(studio, path, "{}") == {"status": 200}
    for message in (
        "", "{", "[]", "null", '{"body": 1}', '{"body": "x"}', "[" * 100_000, b"{}",
    ):
        answer = first_answer(studio, path, message)
        assert set(answer) == {"status", "error"} and answer["status"] == 400, (message, answer)
    for origin in ("http://evil.example", "null", "http://localhost:1"):
        with pytest.raises(InvalidStatus, match="403"), studio.connect(path, origin=origin):
            pass
    with pytest.raises(InvalidStatus, match="403"), studio.connect("/api/none"):
        pass
    assert studio.ask(path)[0] == 404  # there is no other way to a stream


def test_large_bodies_are_refused(studio: Studio) -> None:
    assert studio.ask("/api/games/load", b"x" * (MOST_BYTES + 1), **RAW)[0] == 413
    assert studio.ask("/api/games/load", b"x", content_length="99999999999", **RAW)[0] == 413


def test_a_body_that_does_not_say_its_size_is_refused_when_it_grows(studio: Studio) -> None:
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    head = (b"POST /api/games/load HTTP/1.1\r\nHost: localhost\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n")
    with socket.create_connection(("127.0.0.1", studio.port), timeout=60) as connection:
        connection.sendall(head)
        for _ in range(MOST_BYTES // 0x10000 + 1):
            connection.sendall(chunk)
        assert connection.recv(100).startswith(b"HTTP/1.1 413")


@pytest.mark.parametrize("spec", [
    "my_bot.py:Greedy", "/etc/passwd.py", "os:system", "engines.bots:BotEngine",
    f"./{BOTS}/../other.py:X", "gtp:command=touch /tmp/hacked", "supervised:model=/etc",
    "alphazero:model=../../secret", 'puct:agent="gtp:command=ls"', "puct:prior=/tmp/x",
    'puct:agent="my_bot.py:X"',
])
def test_engines_from_outside_are_refused_unless_allowed(studio: Studio, spec: str) -> None:
    status, answer = studio.ask("/api/games", {"game": "go", "black": "human", "white": spec})
    assert status == 403 and "--allow" in answer["error"], answer
    game = studio.new("go:size=5")
    assert studio.ask(f"/api/games/{game}/players", {"white": spec})[0] == 403
    assert studio.ask(f"/api/games/{game}/hint", {"engine": spec})[0] == 403


def test_a_file_cannot_bring_its_own_game_or_engine(studio: Studio, tmp_path: Path) -> None:
    trap, sign = tmp_path / "trap.py", tmp_path / "sprung"
    trap.write_text(f"import pathlib; pathlib.Path({str(sign)!r}).touch()\n")
    for data in (
        f"game: {trap}:X\n1 2\n", f"game: connect4\nwhite: {trap}:X\n4\n",
        f"(;GM[1]SZ[9]GC[dlgo go{trap}:X];B[aa])", f"(;GM[1]SZ[9]PB[{trap}:X];B[aa])",
        f'[Event "x"]\n[Black "{trap}:X"]\n1. 11-15 *',
        "game: connect4\nwhite: gtp:command=ls\n4\n",
    ):
        status, answer = studio.ask("/api/games/load?name=x", data.encode(), **RAW)
        if status == 200:
            assert set(studio.view(answer["id"])["sides"]) == {"human"}
        else:
            assert "--allow" in answer["error"], answer
    assert not sign.exists()


def test_scripts_in_names_stay_text(studio: Studio) -> None:
    name = "<script>alert(1)</script>"
    status, answer = studio.ask(
        f"/api/games/load?name={name.replace('<', '%3C')}", b"(;GM[1]SZ[9];B[zz])", **RAW
    )
    assert status == 400 and "script" in answer["error"]
    data = f"(;GM[1]SZ[9]PB[{name}]C[{name}];B[aa])".encode()
    status, answer = studio.ask("/api/games/load?name=a.sgf", data, **RAW)
    assert status == 200
    assert studio.view(answer["id"])["sides"] == ["human", "human"]


@pytest.mark.parametrize("data", [
    b"", b"(;", b"(;GM[1]SZ[99])", b"\0" * 1000, b"1. 11-99 *", b"game: go\nZ9", b"(" * 50_000,
    b"(;" + b";B[aa]" * 6000 + b")", b"\x80PNG",
])
def test_broken_files_are_refused_in_one_line(studio: Studio, data: bytes) -> None:
    status, answer = studio.ask("/api/games/load?name=x", data, **RAW)
    assert 400 <= status < 500 and "\n" not in answer["error"], answer


def test_every_answer_forbids_scripts_of_others(studio: Studio) -> None:
    with socket.create_connection(("127.0.0.1", studio.port), timeout=60) as connection:
        connection.sendall(b"GET /no HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        head = b"".join(iter(lambda: connection.recv(4096), b"")).decode().lower()
    assert "content-security-policy: default-src 'none'; script-src 'self'" in head
    assert "x-content-type-options: nosniff" in head


def test_another_address_needs_a_token() -> None:
    assert needs_token("0.0.0.0") and needs_token("192.168.0.7")
    assert not needs_token("127.0.0.1") and not needs_token("::1")
    server = Studio("--host", "0.0.0.0")
    try:
        assert socket.gethostname() in server.url
        token = server.url.partition("#token=")[2]
        assert len(token) >= 20
        assert server.ask("/api/status")[0] == 403 and server.ask("/app.js")[0] == 200
        assert server.ask("/api/status", authorization="Bearer wrong")[0] == 403
        for given, status in (("wrong", 403), (token, 404)):
            message = json.dumps({"token": given})
            assert first_answer(server, "/api/games/none/events", message)["status"] == status
        assert server.ask("/api/status", authorization=f"Bearer {token}")[0] == 200
    finally:
        server.close()
