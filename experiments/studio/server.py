"""The server of the studio: its table of routes, its files, and how it is run.

A view is a module with `routes(studio)` here, and a module of the same name in `static/`. Both
are named in a table: `_VIEWS` below, and `NAMES` in `static/views.js`.
"""

from __future__ import annotations

import os
import re
import secrets
import socket
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route

from dlgo import DlgoError, browser
from dlgo.text import one_line
from engines.isolation.pool import EngineLimits
from experiments.studio import (
    analyse,
    counting,
    course,
    film,
    inside,
    judging,
    library,
    play,
    review,
    train,
    tree,
    watch,
)
from experiments.studio.engines import Engines
from experiments.studio.games import Games
from experiments.studio.in_page import Programs
from experiments.studio.judging import Judges
from experiments.studio.ledgers import Ledgers
from experiments.studio.replies import MOST_BYTES, StudioError, error_reply, hide_folders
from experiments.studio.security import LOCAL, WORKER_POLICY, Guard
from experiments.studio.specs import Allowed
from experiments.studio.standings import Standings

_VIEWS = (
    play, library, counting, analyse, tree, review, train, inside, judging, course, watch, film)

_TYPES = {
    ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml",
}
_MOST_CONNECTIONS = 300
_PORT = 8421
_TOKEN = re.compile(r"[\w.~-]+", re.ASCII)  # as static/api.js finds it in an address


class Studio:
    """The state that all routes share."""

    def __init__(
        self, allowed: Allowed | None = None, limits: EngineLimits | None = None,
        ledgers: Sequence[Path] = (), puzzles: Sequence[Path] = (), pages_search: bool = False,
    ) -> None:
        self.allowed = allowed or Allowed()
        self.ledgers = Ledgers(ledgers)
        self.puzzles = train.Puzzles(puzzles)
        own = [Path(spec.partition(".py")[0]) for spec in self.allowed.specs] + [*ledgers, *puzzles]
        # A user without a home has the name `~` there.
        hide_folders([Path(os.path.expanduser("~")), Path(__file__).parents[2], *(  # noqa: PTH111
            path.absolute().parent for path in [*own, Path("here")]
        )])
        self.standings = Standings()
        self.engines = Engines(limits)
        self.programs = Programs(pages_search)
        self.judges = Judges(self.engines)
        self.games = Games(self.engines, self.allowed)

    def close(self) -> None:
        """End all searches and processes."""
        self.games.close()
        self.standings.close()
        self.engines.close()


def make_app(
    studio: Studio, host: str = "127.0.0.1", token: str = "",
    ready: Callable[[], None] = lambda: None,
) -> Guard:
    """The whole application, for a server or a test; `ready` is called when it begins."""
    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        ready()
        yield
        studio.close()

    # They are read once: no request names a path of the disk.
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for folder in (browser.FOLDER, Path(__file__).with_name("static"))
        for path in folder.rglob("*") if path.suffix in _TYPES
    }

    async def file(request: Request) -> Response:
        name = request.path_params.get("name") or "index.html"
        if script := studio.programs.scripts.get(name):
            return Response(script, media_type=_TYPES[".js"], headers=WORKER_POLICY)
        if name not in files:
            raise refused(request)
        return Response(files[name], media_type=_TYPES[Path(name).suffix])

    routes = [route for view in _VIEWS for route in view.routes(studio)]

    def refused(request: Request) -> StudioError:
        """Why nothing is at an address, or not for this method."""
        path, method = one_line(request.url.path[:80]), one_line(request.method[:20])
        methods = {
            one for route in routes if route.matches(request.scope)[0] is Match.PARTIAL
            for one in getattr(route, "methods", None) or ()}
        if (path[1:] or "index.html") in files:
            methods = {"GET", "HEAD"}
        if methods:
            allow = ", ".join(sorted(methods))
            return StudioError(f"{path} does not take {method} requests", 405, allow)
        return StudioError(f"there is no page {path}; the studio begins at /", 404)

    async def error_answer(request: Request, error: Exception) -> Response:
        if isinstance(error, HTTPException):  # Starlette's: no route takes the method
            error = refused(request)
        return error_reply(error, request.headers)

    app = Starlette(
        routes=[*routes, Route("/", file), Route("/{name:path}", file)], lifespan=lifespan,
        exception_handlers={
            DlgoError: error_answer, HTTPException: error_answer, Exception: error_answer,
        },
    )
    app.state.guard = Guard(app, host, token, studio.games.is_link)
    return app.state.guard


def needs_token(host: str) -> bool:
    """Whether other machines can reach a server at this address."""
    return host.strip("[]") not in LOCAL


def _listen(host: str, port: int | None) -> socket.socket:
    """A socket at the address; without a port, at `_PORT` or any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for number in (_PORT, 0) if port is None else (port,):
        try:
            return socket.create_server((host.strip("[]"), number), family=family)
        except OSError as error:
            problem = (error.strerror or str(error)).partition(" (while")[0]
    raise DlgoError(
        f"cannot listen on {host}, port {number}: {problem}; name another with --host or --port")


def serve(
    studio: Studio, host: str, port: int | None, token: str | None, open_browser: bool,
    log: Callable[[str], None],
) -> None:
    """Serve until Ctrl-C, then close the studio.

    Requests must carry `token`; None: a new one, if other machines can connect. Raises DlgoError if
    the address cannot be used, or if a token cannot be part of it.
    """
    if token is None:
        token = secrets.token_urlsafe(16) if needs_token(host) else ""
    elif not _TOKEN.fullmatch(token):
        raise DlgoError(f"--token {token!r}: use letters, digits, '.', '_', '~' and '-' only")
    listener = _listen(host, port)
    address = f"[{host}]" if ":" in host else host
    if host in ("0.0.0.0", "::"):
        address = socket.gethostname()
    url = f"http://{address}:{listener.getsockname()[1]}/" + (f"#token={token}" if token else "")

    def ready() -> None:
        log(f"The studio is at {url}")
        log("Press Ctrl-C to stop it.")
        if open_browser:
            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()

    config = uvicorn.Config(
        make_app(studio, host, token, ready), http="h11", loop="asyncio",
        ws_max_size=MOST_BYTES, ws_per_message_deflate=False,
        lifespan="on", log_config=None, access_log=False, server_header=False, date_header=False,
        limit_concurrency=_MOST_CONNECTIONS, timeout_graceful_shutdown=1,
        log_level="critical",  # broken requests are answered, and of no interest to the console
    )
    try:
        uvicorn.Server(config).run([listener])
    except KeyboardInterrupt:
        pass
    finally:
        studio.close()
        listener.close()
