"""How quick the studio is: its start, an engine's answer to a click, many pages at once.

    python -m experiments.bench.studio [--clients 20] [--seconds 10] [--chromium]

A server is started as `dlgo web` starts it, and asked over HTTP as pages ask it:

* ready: wall seconds from the command to the line with the address; the second start.
* answer: wall milliseconds from sending a person's move to the view with the reply of
  `mcts:sims=1000` on Go 9x9, over 20 moves after the first: the median, and the slowest.
* updates: looks a second at an analysis of the same engine that one page receives, asked for 60,
  and the simulations that are searched meanwhile.
* drawn: the same in Chromium without a window (`--chromium`; needs selenium, Chromium and its
  driver): looks that the page was sent, looks that it drew, each in a frame of its own, and frames.
* clients: as many pages play 9x9 at once, each moving when it has its answer: answers a second
  of all together, and the wall milliseconds of an answer, with what is waited for a free engine.

Pages are threads of this program, which take part of the CPU time that is measured.
"""

from __future__ import annotations

import http.client
import json
import random
import statistics
import subprocess
import sys
import threading
import time
from typing import Any

import click

from dlgo.errors import DlgoError
from experiments.bench.studio_drawing import measure_drawing
from experiments.command import run
from experiments.number import Number

_SPEC = "mcts:sims=1000"


class Server:
    """A studio of its own."""

    def __init__(self) -> None:
        began = time.perf_counter()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "experiments.cli", "web", "--port", "0", "--no-browser"],
            stdout=subprocess.PIPE, text=True,
        )
        line = self._process.stdout.readline()
        self.ready = time.perf_counter() - began
        self.port = int(line.rpartition(":")[2].strip().rstrip("/"))

    def close(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.wait()
        self._process.stdout.close()


class Page:
    """What a page does: it asks, and reads a stream."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._http = http.client.HTTPConnection("127.0.0.1", port, timeout=600)

    def ask(self, path: str, body: Any = None) -> dict[str, Any]:
        """The answer to a request."""
        data = None if body is None else json.dumps(body)
        for attempt in (0, 1):  # the server closes connections that have been silent
            try:
                self._http.request("GET" if data is None else "POST", path, data,
                                   {"content-type": "application/json"})
                return json.loads(self._http.getresponse().read())
            except ConnectionError:
                self._http.close()
                if attempt:
                    raise
        raise AssertionError

    def events(self, path: str) -> Any:
        """The events of a stream, without end."""
        stream = http.client.HTTPConnection("127.0.0.1", self._port, timeout=600)
        stream.request("GET", path)
        for line in stream.getresponse():
            if line.startswith(b"data: "):
                yield json.loads(line[6:])

    def look(self, game: str, seconds: float) -> tuple[int, float, int]:
        """Read an analysis, after its first second: looks, wall seconds, simulations."""
        began = first = None
        for event in self.events(f"/api/games/{game}/analysis?engine={_SPEC}&rate=60"):
            now = time.perf_counter()
            began = began or now
            if first is None and now - began > 1:
                first, start = event, now
            elif first is not None and now - start > seconds:
                simulations = event["cost"]["simulations"] - first["cost"]["simulations"]
                return event["look"] - first["look"], now - start, simulations
        raise DlgoError("the analysis has ended early")

    def play(self, moves: int, seed: int, until: float = float("inf")) -> list[float]:
        """Play against the engine; wall seconds of its answers, the first left out."""
        draw, waits = random.Random(seed), []
        game = self.ask("/api/games", {"game": "go9", "black": "human", "white": _SPEC})["id"]
        began = time.perf_counter()
        for view in self.events(f"/api/games/{game}/events"):
            if view["plies"] and view["yourTurn"]:
                waits.append(time.perf_counter() - began)
            if view["position"]["over"] or len(waits) > moves or time.perf_counter() > until:
                break
            if view["yourTurn"]:
                places = [move for move in view["position"]["moves"] if move["path"]]
                move = draw.choice(places or view["position"]["moves"])
                began = time.perf_counter()
                self.ask(f"/api/games/{game}/move", {"move": move["text"]})
        return waits[1:]


@click.command()
@click.option("--clients", type=Number(int, 1, 100), default=20, show_default=True,
              help="Pages that play at once.")
@click.option("--seconds", type=Number(float, 1, 600), default=10.0, show_default=True,
              help="Length of a measurement.")
@click.option("--chromium", is_flag=True, help="Count also what a page in Chromium draws.")
def main(clients: int, seconds: float, chromium: bool) -> None:
    """Measure the studio: start, answers, updates, many pages at once."""
    Server().close()
    server = Server()
    try:
        click.echo(f"ready    {server.ready:.2f} s")
        waits = Page(server.port).play(20, 1)
        click.echo(f"answer   median {1e3 * statistics.median(waits):.0f} ms, "
                   f"slowest {1e3 * max(waits):.0f} ms")
        page = Page(server.port)
        game = page.ask("/api/games", {"game": "go9", "black": "human", "white": "human"})["id"]
        looks, wall, simulations = page.look(game, seconds)
        click.echo(f"updates  {looks / wall:.1f} a second, {simulations / wall:,.0f} simulations")
        if chromium:
            drawing = measure_drawing(server.port, game, seconds)
            click.echo(f"drawn    {drawing.drawn:.1f} a second of {drawing.sent:.1f} sent, in "
                       f"{drawing.frames:.1f} frames")
        every: list[float] = []
        until = time.perf_counter() + seconds
        threads = [
            threading.Thread(
                target=lambda seed: every.extend(Page(server.port).play(10_000, seed, until)),
                args=(seed,),
            )
            for seed in range(clients)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        waited = (f", median {1e3 * statistics.median(every):.0f} ms, "
                  f"slowest {1e3 * max(every):.0f} ms") if every else ""
        click.echo(f"clients  {clients}: {len(every) / seconds:.1f} answers a second{waited}")
    finally:
        server.close()


if __name__ == "__main__":
    run(main)
