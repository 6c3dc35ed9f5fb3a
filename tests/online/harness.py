"""A bridge in this process or in one of its own, for tests against the mock server."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dlgo.api import GameState, Move
from engines.base import Decision
from experiments.online.bridge import Bridge
from experiments.online.connection import Connection, Pauses
from experiments.online.terms import Terms
from tests.command import ROOT
from tests.online.mock_server import KEY, MockServer

# Silence and the lack of an echo mean something: they are longer than a busy machine is silent.
QUICK = Pauses(first=0.02, longest=0.1, ping=0.5, silence=60.0, echo=1.0, settle=0.02, retry=0.01)


class ScriptedPlayer:
    """Stands in for the engine, without a process: random moves, or what a test says."""

    spec = "scripted"

    def __init__(self) -> None:
        self.asked: list[tuple[str, int, float | None]] = []  # owner, number of moves, seconds
        self.choose_move: Callable[[str, GameState], Move] = self.random_move
        self.gate = threading.Event()  # it thinks until this is set
        self.gate.set()

    def random_move(self, owner: str, state: GameState) -> Move:
        """A sensible move, the same for the same number of moves; a pass late in the game."""
        moves = state.moves()
        late = len(moves) > state.game.size**2
        if late and moves[-1].is_pass:
            return Move.pass_turn()
        return random.Random(len(moves)).choice(state.sensible_moves())

    async def warm_up(self, sizes: tuple[int, ...]) -> None:
        pass

    async def prepare(self, owner: str, state: GameState) -> None:
        pass

    async def choose(
        self, owner: str, state: GameState, seconds: float | None, tries: int
    ) -> Decision:
        self.asked.append((owner, len(state.moves()), seconds))
        while not self.gate.is_set():
            await asyncio.sleep(0.002)
        return Decision(self.choose_move(owner, state))

    def close(self) -> None:
        pass


class Bot:
    """A bridge in a thread; `lines` is what it has said, `error` with what it has ended."""

    def __init__(self, server: MockServer, terms: Terms | None = None, key: str = KEY,
                 greeting: str = "", pauses: Pauses = QUICK) -> None:
        self.lines: list[str] = []
        self.player = ScriptedPlayer()
        self.error: BaseException | None = None
        self._ready = threading.Event()
        self._what = (server, terms or Terms(sizes=(5, 9), most_handicap=0), key, greeting, pauses)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        assert self._ready.wait(120)

    def _run(self) -> None:
        try:
            asyncio.run(self._main())
        except BaseException as error:
            self.error = error

    async def _main(self) -> None:
        server, terms, key, greeting, pauses = self._what
        connection = Connection(server.url, key, "bot", self.lines.append, pauses)
        self.bridge = Bridge(
            connection, self.player, terms, self.lines.append, pauses, greeting)
        self._loop = asyncio.get_running_loop()
        self._ready.set()
        await self.bridge.run()

    def call(self, function: Callable[[], Any]) -> None:
        """Call it in the bridge's thread."""
        self._loop.call_soon_threadsafe(function)

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    def join(self) -> None:
        self._thread.join(120)
        assert not self.alive

    def close(self) -> None:
        if self.alive:
            self.call(self.bridge.stop)
        self.join()

    def has_said(self, part: str) -> bool:
        return any(part in line for line in list(self.lines))


def start_process(server: MockServer, folder: Path, *options: str) -> subprocess.Popen[str]:
    """`dlgo ogs` in a process of its own; what it says goes to the file `out`."""
    (folder / "key").touch(0o600)
    (folder / "key").write_text(f"{KEY}\n")
    with (folder / "out").open("a") as out:
        return subprocess.Popen(
            [sys.executable, "-m", "experiments.cli", "ogs", f"--server={server.url}",
             f"--key-file={folder / 'key'}", "--seed=1", *options],
            stdin=subprocess.DEVNULL, stdout=out, stderr=out, cwd=ROOT, text=True,
        )
