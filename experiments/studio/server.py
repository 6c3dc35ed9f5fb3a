"""The server of the studio: its table of routes, its files, and how it is run.

A view is a module with `routes(studio)` here, and a module of the same name in `static/`. Both
are named in a table: `_VIEWS` below, and `VIEWS` in `static/app.js`.
"""

from __future__ import annotations

import asyncio
import secrets
import socket
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from dlgo import DlgoError, browser
from dlgo.text import one_line
from engines.isolation.pool import EngineLimits
from experiments.studio import analyse, inside, play, review, watch
from experiments.studio.engines import Engines
from experiments.studio.errors import NotFound
from experiments.studio.folder import Folder
from experiments.studio.games import Games
from experiments.studio.ledgers import Ledgers
from experiments.studio.replies import json_reply
from experiments.studio.security import App, Guard, Rates
from experiments.studio.specs import Allowed
from experiments.studio.standings import Standings

# What serves a view each: `routes(studio)`.
_VIEWS = (play, analyse, review, inside, watch)

_TYPES = {
    ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml",
}
# Connections at once; of a connection, seconds for a request's head, and in silence.
_MOST_CONNECTIONS = 300
_HEAD_TIMEOUT = 10.0
# So many times these seconds a reader may take nothing of what is sent.
_STALLED_LOOKS = 2
DEFAULT_PORT = 8421


class Studio:
    """What the routes work with.

    Attributes:
        allowed: the games and engines that may be named.
        folder: what may be read and written.
        ledgers: those that may be read besides those in the folder.
        games: those in progress, and `engines`: their processes.
        standings: who rates ledgers.
        closing: set when the server ends.
    """

    def __init__(
        self, allowed: Allowed | None = None, limits: EngineLimits | None = None,
        folder: Folder | None = None, ledgers: Iterable[Path] = (),
    ) -> None:
        self.allowed = allowed or Allowed()
        self.folder = folder or Folder()
        self.ledgers = Ledgers(ledgers, self.folder, self.allowed)
        self.standings = Standings()
        self.engines = Engines(limits)
        self.games = Games(self.engines)
        self.closing = asyncio.Event()

    def close(self) -> None:
        """End all searches, processes and streams."""
        self.closing.set()
        self.games.close()
        self.standings.close()
        self.engines.close()


def make_app(
    studio: Studio, host: str = "127.0.0.1", token: str = "", rates: Rates | None = None
) -> App:
    """The whole application, for a server or a test."""
    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        studio.close()

    files = _files()

    async def file(request: Request) -> Response:
        name = request.path_params.get("name") or "index.html"
        if name not in files:
            raise NotFound("there is no such page")
        return Response(files[name], media_type=_TYPES["." + name.rpartition(".")[2]])

    routes = [route for view in _VIEWS for route in view.routes(studio)]
    app = Starlette(
        routes=[*routes, Route("/", file), Route("/{name:path}", file)],
        exception_handlers={DlgoError: _error, HTTPException: _http_error}, lifespan=lifespan,
    )
    return Guard(app, host, token, rates)


def _files() -> dict[str, bytes]:
    """The files of the page by name. They are read once: no request names a path of the disk."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for folder in (browser.FOLDER, Path(__file__).with_name("static"))
        for path in folder.rglob("*") if path.suffix in _TYPES
    }


async def _error(_: Request, error: Exception) -> Response:
    return json_reply({"error": one_line(str(error))}, getattr(error, "status", 400))


async def _http_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return json_reply({"error": str(error.detail)}, error.status_code)


class _Impatient(H11Protocol):
    """A connection that is closed if a request's head takes too long to come, or if its reader
    takes nothing of what is sent."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._idle_cycle: Any = self
        self._unsent = self._looks = 0
        self._look()

    def _look(self) -> None:
        if self.transport.is_closing():
            return
        cycle = self.cycle
        idle = cycle is None or cycle.response_complete
        if idle and self._idle_cycle is cycle:
            self.transport.abort()
            return
        unsent = self.transport.get_write_buffer_size()
        # While bytes wait, nothing is added to them: the same number means that none were taken.
        self._looks = self._looks + 1 if unsent and unsent == self._unsent else 0
        self._unsent = unsent
        if self._looks >= _STALLED_LOOKS:
            self.transport.abort()
            return
        # The same cycle, still idle at the next look, has been idle for the whole time.
        self._idle_cycle = cycle if idle else self
        self.loop.call_later(_HEAD_TIMEOUT, self._look)


class _Server(uvicorn.Server):
    """A server that ends its streams when it is asked to end."""

    def __init__(self, config: uvicorn.Config, studio: Studio, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._studio, self._ready = studio, ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._studio.close()
        await super().shutdown(sockets)


@dataclass(frozen=True)
class Address:
    """Where the server listens.

    Attributes:
        host, port: as they were asked for; port None: `DEFAULT_PORT`, or any that is free.
        token: what requests must carry; None: one is made up if others than this machine
            can ask.
    """

    host: str = "127.0.0.1"
    port: int | None = None
    token: str | None = None

    def open(self) -> socket.socket:
        """The socket. Raises DlgoError if it cannot be had."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        ports = [DEFAULT_PORT, 0] if self.port is None else [self.port]
        for port in ports:
            try:
                return socket.create_server((self.host.strip("[]"), port), family=family)
            except OSError as error:
                if port != ports[-1]:
                    continue
                raise DlgoError(
                    f"cannot listen at {self.host}, port {port}: {error.strerror or error}; "
                    "name another with --host or --port"
                ) from None
        raise AssertionError

    def needs_token(self) -> bool:
        """Whether others than this machine can ask."""
        return self.host.strip("[]") not in ("127.0.0.1", "localhost", "::1")


def serve(
    address: Address, studio: Studio, browser: bool, say: Callable[[str], None]
) -> None:
    """Serve until Ctrl-C, and close the studio then; `browser` says whether to open one.

    Raises:
        DlgoError: if the address cannot be used.
    """
    token = address.token
    if token is None:
        token = secrets.token_urlsafe(16) if address.needs_token() else ""
    listener = address.open()
    port = listener.getsockname()[1]
    shown = f"[{address.host}]" if ":" in address.host else address.host
    if address.host in ("0.0.0.0", "::"):
        shown = socket.gethostname()
    url = f"http://{shown}:{port}/" + (f"#token={token}" if token else "")

    def ready() -> None:
        say(f"The studio is at {url}")
        say("Ctrl-C ends it.")
        if browser:
            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()

    config = uvicorn.Config(
        make_app(studio, address.host, token), http=_Impatient, ws="none", loop="asyncio",
        lifespan="on", log_config=None, access_log=False, server_header=False, date_header=False,
        limit_concurrency=_MOST_CONNECTIONS, timeout_graceful_shutdown=2,
        log_level="critical",  # broken requests are answered, and of no interest to the console
    )
    try:
        _Server(config, studio, ready).run([listener])
    except KeyboardInterrupt:
        pass
    finally:
        studio.close()
        listener.close()


