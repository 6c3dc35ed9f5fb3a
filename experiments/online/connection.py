"""The connection to the server: reopened whenever it is lost.

Messages that the server has not had when a connection breaks are gone. Games send
important messages again after the server has sent their state.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from dlgo import __version__
from dlgo.errors import DlgoError
from dlgo.text import duration, error_text, excerpt
from experiments.online.protocol import Message, ProtocolError, format_message, parse_message

# Bytes of a message: a long game has tens of thousands.
_LONGEST_MESSAGE = 1 << 22
# Seconds for the server to say who we are, and to answer a request by REST.
_ANSWER = 20.0
_AUTHENTICATE = 1  # the number of that request
_LONGEST_REPLY = 1 << 16


class WrongKey(DlgoError):
    """The server does not accept the API key."""


class _Lost(Exception):
    """The connection is broken."""


@dataclass(frozen=True)
class Pauses:
    """Wall seconds for which the bridge waits."""

    # Before the connection is opened again: the first time, and at most. In between they double,
    # and chance makes them half as long to half as long again.
    first: float = 1.0
    longest: float = 120.0
    stable: float = 30.0  # a connection that has lasted so long counts as a good one
    ping: float = 10.0  # between two pings
    silence: float = 35.0  # without any message, after which the connection counts as lost
    echo: float = 10.0  # for the server to confirm a move before we ask how the game stands
    settle: float = 1.0  # for the other player to go on marking dead stones
    retry: float = 0.5  # before an engine that has failed is started again


class Connection:
    """A connection, and who we are for the server. The API key is sent there, and never shown."""

    def __init__(
        self, server: str, key: str, username: str, log: Callable[[str], None], pauses: Pauses
    ) -> None:
        try:
            parts = urlsplit(server)
            good = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:
            good = False
        if not good or parts.path.strip("/"):
            raise DlgoError(
                f"server {excerpt(server, 80)!r} is not an address like https://online-go.com"
            )
        self.bot = (0, username)  # number and name of the account, once the server has told them
        self.epoch = 0  # how many connections there have been: the number of the present one
        self.is_open = False  # whether messages can be sent
        self._ready = False
        self._server, self._key, self._username = f"{parts.scheme}://{parts.netloc}", key, username
        self._log, self._pauses = log, pauses
        self._queue: asyncio.Queue[str] = asyncio.Queue()
        self._drift, self._latency = 0.0, 0.0

    def send(self, command: str, data: Any) -> bool:
        """Hand a message over to the present connection; False if there is none."""
        if self.is_open:
            self._queue.put_nowait(format_message(command, data))
        return self.is_open

    def server_time(self) -> float:
        """What the server's clock shows, in milliseconds since 1970."""
        return time.time() * 1000 - self._drift

    async def run(
        self, before: Callable[[], Any], on_open: Callable[[], None],
        on_message: Callable[[Message], None],
    ) -> None:
        """Keep a connection open until this is cancelled.

        `before` is awaited after the first authentication; what the server says waits. Raises
        DlgoError if the server cannot be reached at first, or refuses the key at first.
        """
        tries = 0
        while True:
            opened = time.monotonic()
            try:
                await self._once(before, on_open, on_message)
            except (_Lost, OSError, TimeoutError, UnicodeError) as error:  # of a host's name
                reason = str(error) if isinstance(error, _Lost) else error_text(error)
                if not self.bot[0]:
                    raise DlgoError(f"cannot reach {self._server}: {excerpt(reason)}") from None
            except WrongKey as error:
                if not self.bot[0]:
                    raise
                reason = str(error)  # it was right before: the server may not be itself today
            tries = 0 if time.monotonic() - opened > self._pauses.stable else tries + 1
            pause = min(self._pauses.first * 2 ** min(tries - 1, 20), self._pauses.longest)
            pause *= random.uniform(0.5, 1.5)
            self._log(f"connection lost ({excerpt(reason, 120)}); trying again in "
                      f"{duration(pause)}")
            await asyncio.sleep(pause)

    async def _once(
        self, before: Callable[[], Any], on_open: Callable[[], None],
        on_message: Callable[[Message], None],
    ) -> None:
        from websockets.asyncio.client import connect
        from websockets.exceptions import WebSocketException

        try:
            async with connect(
                f"ws{self._server.removeprefix('http')}", max_size=_LONGEST_MESSAGE,
                ping_interval=None, open_timeout=_ANSWER, close_timeout=1,
                user_agent_header=f"dlgo/{__version__}",
            ) as socket:
                await self._authenticate(socket)
                self.epoch += 1
                self._queue = asyncio.Queue()
                self.is_open = True
                writer = asyncio.create_task(self._write(socket))
                try:
                    if not self._ready:
                        await before()
                        self._ready = True
                    on_open()
                    while True:
                        async with asyncio.timeout(self._pauses.silence):
                            text = await socket.recv()
                        self._take(text, on_message)
                finally:
                    self.is_open = False
                    writer.cancel()
        except WebSocketException as error:
            raise _Lost(error_text(error)) from None
        except TimeoutError:
            raise _Lost("no message from the server") from None

    async def _authenticate(self, socket: Any) -> None:
        who = {"bot_username": self._username} if self._username else {}
        request = {
            "jwt": "", **who, "bot_apikey": self._key, "client": "dlgo",
            "client_version": __version__, "user_agent": f"dlgo/{__version__}",
        }
        await socket.send(format_message("authenticate", request, _AUTHENTICATE))
        answers: list[Message] = []
        async with asyncio.timeout(_ANSWER):
            while not answers or answers[-1].number != _AUTHENTICATE:
                self._take(await socket.recv(), answers.append)
        data = answers[-1].data
        if not isinstance(data, dict) or type(data.get("id")) is not int or not data["id"]:
            raise WrongKey(
                f"{self._server} does not accept this API key: create one on the bot's profile "
                "page, and check --username"
            )
        self.bot = (data["id"], excerpt(str(data.get("username", "?")), 40))

    def _take(self, text: str | bytes, on_message: Callable[[Message], None]) -> None:
        """Handle a message; a bad one does not end the connection."""
        try:
            message = parse_message(text)
            if message.name == "net/pong":
                self._measure(message.data)
            else:
                on_message(message)
        except ProtocolError as error:
            self._log(str(error))
        except Exception as error:  # a fault of ours must not lose the games of others
            self._log(f"internal error in handling a message of the server: {error_text(error)}")

    def _measure(self, data: Any) -> None:
        """Measure the offset of the server's clock from the answer to a ping."""
        if isinstance(data, dict) and all(
            type(data.get(key)) in (int, float) for key in ("client", "server")
        ):
            now = time.time() * 1000
            self._latency = max(now - data["client"], 0.0)
            self._drift = now - self._latency / 2 - data["server"]

    async def _write(self, socket: Any) -> None:
        queue, next_ping = self._queue, 0.0
        with contextlib.suppress(Exception):  # the reader hears of a lost connection, too
            while True:
                wait = next_ping - time.monotonic()
                if wait <= 0:
                    ping = {"client": round(time.time() * 1000), "drift": round(self._drift),
                            "latency": round(self._latency)}
                    await socket.send(format_message("net/ping", ping))
                    next_ping = time.monotonic() + self._pauses.ping
                    continue
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(wait):
                        text = await queue.get()
                    await socket.send(text)

    async def post(self, path: str, data: dict[str, Any]) -> None:
        """A request by REST, with the key. Raises DlgoError if it is refused or gets lost."""
        await asyncio.to_thread(self._post, path, data)

    def _post(self, path: str, data: dict[str, Any]) -> None:
        body = {**data, "apikey": self._key, "bot_id": self.bot[0]}
        request = urllib.request.Request(
            f"{self._server}/api/v1/{path}", json.dumps(body).encode(),
            {"Content-Type": "application/json", "User-Agent": f"dlgo/{__version__}"},
        )
        try:
            with urllib.request.urlopen(request, timeout=_ANSWER) as answer:
                answer.read(_LONGEST_REPLY)
        except urllib.error.HTTPError as error:
            with error:
                reply = error.read(_LONGEST_REPLY).decode("utf-8", "replace")
            raise DlgoError(f"{path}: {error.code} {excerpt(reply, 120)}") from None
        except (OSError, ValueError) as error:
            raise DlgoError(f"{path}: {error_text(error)}") from None
