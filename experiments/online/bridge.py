"""All games of a bot on the server."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dlgo.errors import DlgoError
from dlgo.system.machine import is_open_to_others
from dlgo.text import excerpt, number_of
from experiments.online import protocol
from experiments.online.connection import Connection, Pauses
from experiments.online.game import OnlineGame
from experiments.online.player import OnlinePlayer
from experiments.online.protocol import Challenge, Message, ProtocolError
from experiments.online.terms import Terms

# Seconds within which an accepted challenge becomes a game, and counts as one.
_BECOMES_A_GAME = 60.0
# Requests by REST that fail are made so often.
_TRIES = 3
_GAME_EVENT = re.compile(r"game/([0-9]{1,15})/(.+)", re.ASCII)
# Characters of an API key, and the rights of others to read its file.
_LONGEST_KEY = 1000


class Bridge:
    """A bot. It says `greeting`, if any, at the start of a game; `log` prints a line."""

    def __init__(
        self, connection: Connection, player: OnlinePlayer, terms: Terms,
        log: Callable[[str], None], pauses: Pauses, greeting: str = "",
    ) -> None:
        self.games: dict[int, OnlineGame] = {}  # those that have not ended, by number
        self.closing = False  # whether it ends as soon as all games have
        self._connection, self._player, self._terms = connection, player, terms
        self._log, self._pauses, self._greeting = log, pauses, greeting
        self._expected: dict[int, float] = {}  # accepted challenges, and until when they count
        self._answering: set[asyncio.Task[None]] = set()
        self._end = asyncio.Event()

    async def run(self) -> None:
        """Play until `interrupt` or `stop` has ended it. Raises DlgoError if the engine cannot
        play, or the server cannot be reached or refuses the key at the start. Later nothing of that
        ends it."""
        connecting = asyncio.create_task(
            self._connection.run(self._get_ready, self._open, self._receive)
        )
        ending = asyncio.create_task(self._end.wait())
        try:
            await asyncio.wait([connecting, ending], return_when=asyncio.FIRST_COMPLETED)
            if connecting.done():
                connecting.result()
        finally:
            for game in self.games.values():
                game.close()
            for task in (connecting, ending, *self._answering):
                task.cancel()
            await asyncio.gather(connecting, ending, return_exceptions=True)
            self._player.close()

    def interrupt(self) -> None:
        """Accept no new games and stop after the last one; called again, stop now."""
        if self.closing or not self.games:
            self.stop()
            return
        self.closing = True
        self._log(f"no new games; {number_of(len(self.games), 'game')} under way. Ctrl-C again "
                  "ends at once: they stay open on the server, and the same command continues them")
        self._send_config()

    def stop(self) -> None:
        """Stop now; the games stay open on the server."""
        self._end.set()

    # --- what the server says ---

    async def _get_ready(self) -> None:
        self._log(f"preparing {self._player.spec}")
        await self._player.warm_up(self._terms.sizes)

    def _open(self) -> None:
        """A new connection: tell who we are; the server names the games by itself."""
        self._log("connected as {1} ({0})".format(*self._connection.bot))
        self._send_config()
        for game in self.games.values():
            game.connect()

    def _send_config(self) -> None:
        config = self._terms.as_config(self._connection.bot, self.closing)
        self._connection.send("bot/config", config)

    def _receive(self, message: Message) -> None:
        try:
            self._handle(message)
        except ProtocolError as error:
            self._log(f"{message.name}: {error}")
        self._forget_finished()

    def _handle(self, message: Message) -> None:
        event = _GAME_EVENT.fullmatch(message.name)
        if event:
            game = self.games.get(int(event[1]))
            if game is not None:
                game.receive(event[2], message.data)
        elif message.name == "ERROR":
            self._log(f"the server says: {excerpt(str(message.data), 200)}")
        elif message.name in ("active_game", "notification"):
            if not isinstance(message.data, dict):
                raise ProtocolError(f"{str(message.data)[:60]!r} is no game and no notification")
            if message.name == "active_game":
                self._take_active_game(message.data)
            elif message.data.get("type") == "challenge":
                self._take_challenge(protocol.parse_challenge(message.data))

    def _take_active_game(self, data: dict[str, Any]) -> None:
        id = int(protocol.number(data, "id"))
        over = data.get("phase") == protocol.FINISHED
        if id in self.games and over:
            self.games[id].connect()  # it tells the result
        if id in self.games or over:
            return
        if self._expected:
            del self._expected[next(iter(self._expected))]
        game = self.games[id] = OnlineGame(
            id, self._connection, self._player, lambda text: self._log(f"game {id}: {text}"),
            self._pauses, self._greeting, self._forget_finished,
        )
        game.connect()

    def _forget_finished(self) -> None:
        for id in [id for id, game in self.games.items() if game.finished]:
            del self.games[id]
        if self.closing and not self.games and not self._end.is_set():
            self._log("all games have ended")
            self.stop()

    # --- challenges ---

    def _take_challenge(self, challenge: Challenge) -> None:
        if challenge.id in self._expected:
            return
        now = time.monotonic()
        self._expected = {id: end for id, end in self._expected.items() if end > now}
        games = len(self.games) + len(self._expected)
        refusal = self._terms.refusal(challenge, games, self.closing)
        if not refusal:
            self._expected[challenge.id] = now + _BECOMES_A_GAME
        task = asyncio.create_task(self._answer(challenge, refusal))
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    async def _answer(self, challenge: Challenge, refusal: str) -> None:
        who, path = f"challenge of {challenge.player[1]}", f"me/challenges/{challenge.id}"
        done, data = "accepted", {}
        if refusal:
            done = "declined"
            data = {"delete": True, "message": refusal,
                    "rejection_details": {"message": refusal, "details": {}}}
            self._log(f"{who} declined: {refusal}")
        else:
            path += "/accept"
        for tries in range(1, _TRIES + 1):
            try:
                await self._connection.post(path, data)
                break
            except DlgoError as error:
                if tries == _TRIES:
                    self._expected.pop(challenge.id, None)
                    self._log(f"{who} cannot be {done}: {error}")
                    return
                await asyncio.sleep(self._pauses.first * tries)
        if not refusal:
            self._log(f"{who} accepted")


def play_online(
    server: str, key: str, username: str, player: Callable[[], OnlinePlayer], terms: Terms,
    greeting: str, log: Callable[[str], None],
) -> None:
    """Run a bot on the server until Ctrl-C. `username` is "" if the key is enough.
    Raises DlgoError if it cannot begin, KeyboardInterrupt at the end, if games stay open."""
    def tell(text: str) -> None:
        log(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {text.replace(key, '(key)')}")

    async def run() -> int:
        connection = Connection(server, key, username, tell, Pauses())
        bridge = Bridge(connection, player(), terms, tell, Pauses(), greeting)
        loop = asyncio.get_running_loop()
        for number, handle in ((signal.SIGINT, bridge.interrupt), (signal.SIGTERM, bridge.stop)):
            # The loop's own handlers are not on all systems.
            signal.signal(number, lambda *_, act=handle: loop.call_soon_threadsafe(act))
        await bridge.run()
        return len(bridge.games)

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        left_open = asyncio.run(run())
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if left_open:
        raise KeyboardInterrupt(
            f"stopped; {number_of(left_open, 'game')} open on the server: the same command "
            "continues them"
        )


def read_key(file: Path | None, variable: str, note: Callable[[str], None]) -> str:
    """The API key of a bot: from a file or a variable of the environment, never from the command
    line, which all users can see. The variable is removed, so that no engine's process inherits it.
    `note` prints a line, if other users of this machine can read the file.

    Raises DlgoError, which does not show it, if there is none, or something that cannot be one.
    """
    typed, where = os.environ.pop(variable, ""), f"variable {variable}"
    if file is not None:
        where = f"key file {file}"
        try:
            with file.open("rb") as opened:
                if is_open_to_others(os.fstat(opened.fileno())):
                    note(f"note: other users can read {where}: chmod 600 {file}")
                typed = opened.read(_LONGEST_KEY + 1).decode("utf-8", "replace")
        except OSError as error:
            raise DlgoError(f"{where} cannot be read: {error.strerror}") from None
    key = typed.strip()
    if not key:
        raise DlgoError(
            f"there is no API key: {where} is empty; create a key on the bot's profile page and "
            f"name its file with --key-file, or set {variable}"
        )
    if len(key) > _LONGEST_KEY or not key.isascii() or not key.isprintable() or " " in key:
        raise DlgoError(f"{where} does not contain an API key: it must be one word")
    return key
