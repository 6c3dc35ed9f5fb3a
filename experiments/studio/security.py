"""What stands before every request: where it comes from, how large it is, how often it comes.

A page of any other site can make a browser send requests here, and a name under an attacker's
control can be made to mean this machine (DNS rebinding). So the `Host` must be an address that
was meant, and an `Origin`, if there is one, must be this server's own. Beyond this machine's own
addresses, a token is asked for as well.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import json
import socket
import sys
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any

from dlgo.errors import DlgoError
from dlgo.text import one_line
from experiments.studio.errors import Refused, StudioError, TooLarge, TooMany

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

# Bytes of a request's body: more than any game that the studio takes.
MOST_BYTES = 256 * 1024
# Seconds in which a body must have come.
_BODY_TIMEOUT = 10.0
# Requests of one address: so many at once, and so many a second in the long run.
_BURST, _RATE = 1000, 300.0
# Addresses that are remembered.
_MOST_ADDRESSES = 1000

_LOCAL = ("localhost", "127.0.0.1", "::1")
_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


@dataclass
class Rates:
    """A bucket of requests for each address, which fills up again with time."""

    burst: float = _BURST
    rate: float = _RATE
    _buckets: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)

    def take(self, address: str) -> None:
        """Count a request. Raises TooMany if they come too fast."""
        now = time.monotonic()
        left, then = self._buckets.pop(address, (self.burst, now))
        left = min(self.burst, left + (now - then) * self.rate)
        self._buckets[address] = (max(left - 1, 0.0), now)
        if len(self._buckets) > _MOST_ADDRESSES:
            self._buckets.popitem(last=False)
        if left < 1:
            raise TooMany("too many requests; wait a second")


class Guard:
    """An ASGI application before another: it checks, limits, and turns errors into JSON.

    Args:
        app: the other.
        host: the address that is served.
        token: what requests to the interface must carry; "": nothing.
        rates: how often an address may ask.
    """

    def __init__(
        self, app: App, host: str = "127.0.0.1", token: str = "", rates: Rates | None = None
    ) -> None:
        self._app, self._host, self._token = app, host.strip("[]"), token
        self._rates = rates or Rates()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        started = False

        async def answer(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                own = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
                message["headers"] = [*message.get("headers", ()), *own]
            await send(message)

        try:
            self._check(scope)
            body = await _body(scope, receive)
            await self._app(scope, _replay(body, receive), answer)
        except DlgoError as error:
            if not started:
                await _send_error(answer, error)
        except Exception as error:  # no traceback reaches a browser
            print(f"dlgo: internal error: {one_line(repr(error))}", file=sys.stderr)
            if not started:
                await _send_error(answer, _internal(error))

    def _check(self, scope: Scope) -> None:
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        address = (scope.get("client") or ("", 0))[0]
        self._rates.take(address)
        host = headers.get(b"host", "")
        if not self._is_own_host(host):
            raise Refused(f"this server does not answer to the name {one_line(host[:80])!r}")
        origin = headers.get(b"origin")
        if origin is not None and origin.partition("://")[2].lower() != host.lower():
            raise Refused(f"requests from {one_line(origin[:80])!r} are not answered")
        if headers.get(b"sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise Refused("requests of other sites' pages are not answered")
        if scope["path"].startswith("/api/") and self._token:
            given = headers.get(b"authorization", "").removeprefix("Bearer ")
            if not hmac.compare_digest(given.encode(), self._token.encode()):
                raise Refused(
                    "this server asks for a token; open the address that `dlgo web` has printed"
                )

    def _is_own_host(self, host: str) -> bool:
        name = host.lower()
        name = name[1:].partition("]")[0] if name.startswith("[") else name.partition(":")[0]
        if name in (*_LOCAL, self._host.lower(), socket.gethostname().lower()):
            return True
        try:
            own, asked = ipaddress.ip_address(self._host), ipaddress.ip_address(name)
        except ValueError:
            return False
        # Served on all addresses: a plain address is not a name that somebody could point here.
        return own.is_unspecified and bool(asked)


async def _body(scope: Scope, receive: Receive) -> bytes:
    """The body of a request, which is read before anything is done with it.

    Raises:
        TooLarge: if it is larger than is read.
        StudioError: if it does not come in time.
    """
    if scope["method"] in ("GET", "HEAD"):
        return b""
    lengths = [value for name, value in scope["headers"] if name == b"content-length"]
    if any(not value.isdigit() or int(value) > MOST_BYTES for value in lengths):
        raise TooLarge(f"a request has at most {MOST_BYTES // 1024} KiB")
    parts: list[bytes] = []
    try:
        async with asyncio.timeout(_BODY_TIMEOUT):
            more = True
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise StudioError("the request was broken off")
                parts.append(message.get("body", b""))
                more = message.get("more_body", False)
                if sum(map(len, parts)) > MOST_BYTES:
                    raise TooLarge(f"a request has at most {MOST_BYTES // 1024} KiB")
    except TimeoutError:
        raise StudioError(f"the request did not come within {_BODY_TIMEOUT:g} s") from None
    return b"".join(parts)


def _replay(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives a body which has been read, then what comes after it."""
    given = False

    async def again() -> Message:
        nonlocal given
        if not given:
            given = True
            return {"type": "http.request", "body": body, "more_body": False}
        while (message := await receive())["type"] == "http.request":
            pass
        return message

    return again


def _internal(error: Exception) -> DlgoError:
    failure = StudioError(f"internal error: {type(error).__name__}; the server's console says more")
    failure.status = 500
    return failure


async def _send_error(send: Send, error: DlgoError) -> None:
    data = json.dumps({"error": one_line(str(error))}).encode()
    await send({
        "type": "http.response.start", "status": getattr(error, "status", 400), "headers": [
            (b"content-type", b"application/json"), (b"content-length", str(len(data)).encode()),
            (b"connection", b"close"),
        ],
    })
    await send({"type": "http.response.body", "body": data})
