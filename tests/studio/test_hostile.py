"""A thousand hostile requests: no traceback, no file outside, the server alive, memory steady."""

from __future__ import annotations

import json
import random
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.command import ROOT
from tests.studio.client import Studio
from tests.studio.conftest import started

WORDS = (
    "..", "%2e%2e", "%2e%2e%2f", "etc", "passwd", "api", "games", "load", "events", "\\", "%00",
    "<script>", "positions", "-1", "1e9", "ledgers", "tour.sqlite", "open", "x" * 300,
    "analysis?engine=x.py:Y", "file?form=../x", "replay?slot=%27%20OR%201=1--", "%ff%fe", "~root",
)
POSTS = (
    "games", "games/load?name=%3Cscript%3E", "games/none/move", "games/none/copy", "inside/search",
    "ledgers/tour.sqlite/open", "ledgers/none/open", "setup",
)
VALUES = (
    None, True, -1, 1e308, [], {}, "", "\0", "../" * 40, "<img src=x onerror=alert(1)>",
    "go:size=99", "my_bot.py:X", "gtp:command=touch hacked", "' OR 1=1; DROP TABLE games; --",
    "x" * 5000, [[[[]]]], "\ud800", "go:size=1e999",
)
KEYS = ("game", "black", "white", "seed", "delay", "engine", "paths", "plies", "move", "slot")


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A server of its own: its memory is looked at."""
    with started(tmp_path_factory) as server:
        yield server


def resident(pid: int) -> int:
    """Kilobytes of memory that a process has in use."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))


def names(folder: Path) -> set[str]:
    """What is in a folder; other tests may make caches there meanwhile."""
    caches = {".hypothesis", ".pytest_cache", ".ruff_cache", "__pycache__"}
    return {path.name for path in folder.iterdir()} - caches


class Attacker:
    """Sends one hostile request after another, each of a random kind."""

    def __init__(self, studio: Studio, seed: int) -> None:
        self.studio, self.draw = studio, random.Random(seed)
        self.kinds: tuple[Callable[[], tuple[int, object]], ...] = (
            self.path, self.junk, self.values, self.other_site, self.large, self.frame, self.reader,
        )

    def attack(self) -> None:
        kind = self.draw.choice(self.kinds)
        status, answer = kind()
        assert status == 0 or 400 <= status < 500, (kind.__name__, status, answer)
        text = str(answer)
        assert "Traceback" not in text and "internal error" not in text, text
        assert "root:" not in text

    def path(self) -> tuple[int, object]:
        parts = [self.draw.choice(WORDS) for _ in range(self.draw.randrange(2, 6))]
        return self.raw(b"GET /api/%s HTTP/1.1\r\nHost: localhost\r\n\r\n"
                        % "/".join(parts).encode())

    def junk(self) -> tuple[int, object]:
        data = self.draw.randbytes(self.draw.randrange(3000))
        kind = self.draw.choice(("application/json", "application/octet-stream", "text/plain"))
        path = f"/api/{self.draw.choice(POSTS)}"
        return self.studio.ask(path, data, content_type=kind)

    def values(self) -> tuple[int, object]:
        body = {key: self.draw.choice(VALUES) for key in self.draw.sample(KEYS, 4)}
        body["game"] = self.draw.choice(VALUES)
        return self.studio.ask(f"/api/{self.draw.choice(POSTS)}", json.dumps(body).encode())

    def other_site(self) -> tuple[int, object]:
        headers = self.draw.choice((
            {"host": "evil.example"}, {"origin": "http://evil.example"}, {"origin": "null"},
            {"sec_fetch_site": "cross-site"}, {"host": "localhost@evil.example"},
        ))
        return self.studio.ask(self.draw.choice(("/", "/api/setup", "/api/ledgers")), **headers)

    def large(self) -> tuple[int, object]:
        data = b"(;" * (130 * 1024 + self.draw.randrange(1000))
        return self.studio.ask("/api/games/load?name=x", data,
                               content_type="application/octet-stream")

    def frame(self) -> tuple[int, object]:
        head = b"POST /api/games HTTP/1.1\r\nHost: localhost\r\n"
        return self.raw(self.draw.choice((
            self.draw.randbytes(200) + b"\r\n\r\n", b"\x16\x03\x01\x02\x00", b"GET\r\n\r\n",
            b"GET / HTTP/9.9\r\n\r\n", b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n",
            head + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
            head + b"Content-Length: -5\r\n\r\n", head + b"Content-Length: 9\r\n\r\n{",
            head + b"Content-Length: 4\r\nContent-Length: 9\r\n\r\n{}{}",
            head + b"X: " + b"a" * 70_000 + b"\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            b"GET /api/ledgers HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
            b"Connection: upgrade\r\nSec-WebSocket-Key: x\r\nOrigin: http://evil\r\n\r\n\x81\xff",
        )))

    def reader(self) -> tuple[int, object]:
        """Open a stream and leave without reading it."""
        with socket.create_connection(("127.0.0.1", self.studio.port), timeout=60) as connection:
            name = self.draw.choice(("none", "tour.sqlite"))
            connection.sendall(
                b"GET /api/ledgers/%s/events HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
                b"Connection: upgrade\r\nSec-WebSocket-Version: 13\r\n"
                b"Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n" % name.encode())
        return 0, ""

    def raw(self, data: bytes) -> tuple[int, object]:
        """Send bytes; the status of the answer, or 0 if none comes soon."""
        with socket.create_connection(("127.0.0.1", self.studio.port), timeout=60) as connection:
            try:
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
                connection.settimeout(0.5)
                answer = connection.recv(65536)
            except (TimeoutError, ConnectionError):
                return 0, ""
        return int(answer.split()[1]) if answer.startswith(b"HTTP/1.1 ") else 0, answer


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_a_thousand_hostile_requests(studio: Studio) -> None:
    places = (ROOT, studio.ledgers["tour"].parent)
    before = [names(place) for place in places]
    attacker = Attacker(studio, 11)
    for _ in range(500):
        attacker.attack()
    memory = resident(studio.process.pid)  # the first game file loads 40 MB
    for _ in range(500):
        attacker.attack()
    assert resident(studio.process.pid) < memory + 4_000, "more than 8 kB for each request"
    assert [names(place) for place in places] == before
    assert not Path("/tmp/hacked").exists() and not (ROOT / "hacked").exists()
    studio.wait_for_quiet()
    game = studio.new("tictactoe")
    assert studio.move(game, "B2") == (200, {})
    assert studio.process.poll() is None
