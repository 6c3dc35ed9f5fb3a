"""The check of every request: where it comes from.

A page of any other site can make a browser send requests here, and a name under an attacker's
control can be made to mean this machine (DNS rebinding). So the `Host` must be an address that
was meant, and an `Origin`, if there is one, must be this server's own. Beyond this machine's own
addresses, a token is asked for as well. Starlette's `TrustedHostMiddleware` knows no `[::1]`.
"""

from __future__ import annotations

import hmac
import ipaddress
import re
import socket
from collections.abc import Callable
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dlgo.text import one_line
from experiments.studio.replies import StudioError, error_reply

LOCAL = ("localhost", "127.0.0.1", "::1")
# What a `Host` may be: a name or an address, and a port.
_ADDRESS = re.compile(r"(?:\[(?P<ipv6>[0-9a-f:.]+)\]|(?P<name>[a-z0-9_.-]+))(?::\d{1,5})?")
_GAME = re.compile(r"/api/games/([^/]+)(?:/|$)")
# Characters of an address. Python reads no number of more than 4,300 digits.
_LONGEST_PATH = 1000
_HEADERS = {
    b"content-security-policy": (
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
        b"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"cache-control": b"no-store",
}
# For the worker of a page: it compiles programs, and reaches nothing but its page.
WORKER_POLICY = {
    "content-security-policy": "default-src 'none'; script-src 'wasm-unsafe-eval'"}


class Guard:
    """An ASGI application before another: it refuses requests of others.

    `host` is the address served; requests to the interface must carry `token`, if there is one.
    Those of a game need none if they name it by a link, as `is_link` tells.
    """

    def __init__(
        self, app: ASGIApp, host: str, token: str, is_link: Callable[[str], bool],
    ) -> None:
        self._app, self._host, self._token = app, host.strip("[]").lower(), token
        self._is_link = is_link

    def check_token(self, path: str, answer: str) -> None:
        """Raise StudioError if the server has a token and the `answer` of a request is another."""
        if not self._token or hmac.compare_digest(
            answer.encode(errors="replace"), self._token.encode()
        ):
            return
        game = _GAME.match(path)
        if game is None or not self._is_link(game[1]):
            raise StudioError(
                "this server needs a token; open the address that `dlgo web` printed", 403)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":  # its first message has the token
            try:
                self._check_source(scope)
            except StudioError:
                await send({"type": "websocket.close"})
                return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*(_HEADERS | dict(message.get("headers", ()))).items()]
            await send(message)

        app: Any = self._app
        try:
            self._check(scope)
        except StudioError as error:
            app = error_reply(error, Headers(scope=scope))
        await app(scope, receive, answer)

    def _check(self, scope: Scope) -> None:
        self._check_source(scope)
        if scope["path"].startswith("/api/"):
            authorization = Headers(scope=scope).get("authorization", "")
            self.check_token(scope["path"], authorization.removeprefix("Bearer "))

    def _check_source(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        if not self._is_own_host(host):
            raise StudioError(
                f"this server does not accept the host name {one_line(host[:80])!r}", 403)
        if origin is not None and origin.partition("://")[2].lower() != host.lower():
            raise StudioError(f"requests from {one_line(origin[:80])!r} are refused", 403)
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise StudioError("requests from pages of other sites are refused", 403)
        if len(scope["path"]) > _LONGEST_PATH:
            raise StudioError(f"an address has at most {_LONGEST_PATH:,} characters", 414)

    def _is_own_host(self, host: str) -> bool:
        parts = _ADDRESS.fullmatch(host.lower())
        if parts is None:
            return False
        name = parts["ipv6"] or parts["name"]
        if name in (*LOCAL, self._host, socket.gethostname().lower()):
            return True
        try:
            own, requested = ipaddress.ip_address(self._host), ipaddress.ip_address(name)
        except ValueError:
            return False
        # Served on all addresses: a plain address is not a name that others could point here.
        return own.is_unspecified and bool(requested)
