"""A studio in a process of its own, and what a page would ask it for."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.command import ROOT

BOTS = "tests/studio/bots.py"
OWN_GAME = "experiments/templates/rows.py"
KINDS_GAME = "tests/own_games/siege.py"
# Where the servers of all tests keep their games.
GAMES = tempfile.TemporaryDirectory(prefix="dlgo-games-")
# Seconds for what should come at once; other programs may hold the machine. What is broken fails
# its test within two minutes.
PATIENCE = 90.0

View = dict[str, Any]


class Studio:
    """A running server, asked over HTTP. Pages search in few tests only, because it depends on
    compilation when they begin."""

    def __init__(self, *options: str, games: str = GAMES.name, in_pages: bool = False) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "experiments.cli", "web", "--port", "0", "--no-browser",
             *([] if in_pages else ["--on-server"]), *options],
            cwd=ROOT, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "DLGO_GAMES_DIR": games},
        )
        assert self.process.stdout is not None
        silent = threading.Timer(PATIENCE, self.process.kill)
        silent.start()
        self.line = self.process.stdout.readline()
        silent.cancel()
        assert self.line, "the studio did not start"
        self.url = self.line.split()[-1]
        self.port = int(self.url.split(":")[2].partition("/")[0])

    def close(self) -> None:
        """End it as Ctrl-C does."""
        self.process.terminate()
        try:
            self.process.wait(60)
        finally:
            self.process.kill()
            self.process.stdout.close()

    def ask(
        self, path: str, body: Any = None, method: str | None = None, **headers: str
    ) -> tuple[int, Any]:
        """Status and answer; JSON where it is. A body that is not bytes is sent as JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        data = body
        if body is not None and not isinstance(body, bytes):
            data = json.dumps(body).encode()
        if body is not None:
            sent.setdefault("content-type", "application/json")
        try:
            connection.request(method or ("GET" if body is None else "POST"), path, data, sent)
            reply = connection.getresponse()
            text = reply.read()
            if reply.getheader("content-type") == "application/json":
                return reply.status, json.loads(text)
            return reply.status, text
        finally:
            connection.close()

    def new(self, game: str, black: str = "human", white: str = "human", **more: Any) -> str:
        """Start a game; its name."""
        status, answer = self.ask("/api/games", {
            "game": game, "black": black, "white": white, **more
        })
        assert status == 200, answer
        return answer["id"]

    def view(self, game: str) -> View:
        status, view = self.ask(f"/api/games/{game}")
        assert status == 200, view
        return view

    def move(self, game: str, text: str) -> tuple[int, Any]:
        return self.ask(f"/api/games/{game}/move", {"move": text})

    def connect(self, path: str, **options: Any) -> connect:
        """A WebSocket, as a context manager."""
        return connect(f"ws://127.0.0.1:{self.port}{path}", proxy=None, max_size=None, **options)

    @contextmanager
    def watching(self, game: str) -> Iterator[Watcher]:
        """Watch a game, as an open page does."""
        watcher = Watcher(self, f"/api/games/{game}/events")
        try:
            yield watcher
        finally:
            watcher.close()

    def wait(self, condition: Callable[[], Any], what: str) -> Any:
        """Wait until a condition holds; what it returned."""
        deadline = time.monotonic() + PATIENCE
        while not (value := condition()):
            assert time.monotonic() < deadline, f"{what} did not come about"
            time.sleep(0.05)
        return value


    def wait_for_quiet(self) -> None:
        """Wait until nothing is searched."""
        def is_quiet() -> bool:
            counts = self.ask("/api/status")[1]
            return counts["running"] == counts["waiting"] == 0

        self.wait(is_quiet, "quiet")


class Watcher:
    """A stream of events, read in the background; `sizes` are bytes of those that tell a view."""

    def __init__(self, studio: Studio, path: str, body: View | None = None) -> None:
        self.events: list[View] = []
        self.sizes: list[int] = []
        self._place = 0  # of the event that was waited for last
        self._news = threading.Condition()
        self._open = ExitStack()
        self._connection = self._open.enter_context(studio.connect(path))
        self._connection.send(json.dumps({"body": body}))
        self.answer = json.loads(self._connection.recv(PATIENCE))
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        view: View = {}
        with suppress(ConnectionClosed):
            for message in self._connection:
                event = json.loads(message)
                if "set" in event:  # what is new in a view
                    self.sizes.append(len(message))
                    tails = {key: [*view[key][:kept], *items]
                             for key, (kept, items) in event["tail"].items()}
                    event = view = {**view, **event["set"], **tails}
                with self._news:
                    self.events.append(event)
                    self._news.notify_all()

    def until(self, condition: Callable[[View], Any], what: str = "an event") -> View:
        """The first view for which a condition holds, from the one that was waited for last on.

        None is passed over: a state may last for a moment only.
        """
        deadline, place = time.monotonic() + PATIENCE, self._place
        with self._news:
            while True:
                while place < len(self.events):
                    if condition(self.events[place]):
                        self._place = place
                        return self.events[place]
                    place += 1
                left = deadline - time.monotonic()
                assert left > 0, f"{what} did not come; last: {self.events[-1:]}"
                self._news.wait(left)

    def until_end(self) -> list[View]:
        """All events, once the server has closed the stream."""
        self._reader.join(PATIENCE)
        assert not self._reader.is_alive(), "the stream did not end"
        return self.events

    def close(self) -> None:
        self._open.close()
