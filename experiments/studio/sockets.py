"""Streams of events over WebSockets, as many as a browser has tabs.

A browser opens at most six connections to a server for requests, all its tabs together, and a
stream keeps one busy, so six open games would stop every page. It opens some two hundred
WebSockets. So a page asks for a stream over a WebSocket, in its first message:

    {"path": "/api/games/ID/events", "token": null, "body": an object, or null for GET}

This request is then checked and answered as it would be over HTTP. The first message of the answer
is `{"status": 200}`, or an error with its status; each further one is an event.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import Any
from urllib.parse import unquote

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dlgo.readers import MALFORMED, read_json
from experiments.studio.replies import json_text

# Seconds for the first message to arrive.
_REQUEST_TIMEOUT = 10.0
# Headers of the WebSocket that the request is checked by.
_KEPT = (b"host", b"origin", b"sec-fetch-site")


async def answer_socket(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer the request that a WebSocket carries, by `app`."""
    await receive()
    await send({"type": "websocket.accept"})
    request = await _request(receive)
    path, _, query = request["path"].partition("?")
    body, status = request.get("body"), 200
    headers = [(name, value) for name, value in scope["headers"] if name in _KEPT]
    headers.append((b"content-type", b"application/json"))
    headers.append((b"authorization", f"Bearer {request.get('token')}".encode("ascii", "replace")))
    inner: Scope = {
        "type": "http", "asgi": {"version": "3.0", "spec_version": "2.3"}, "http_version": "1.1",
        "method": "GET" if body is None else "POST", "scheme": "http", "path": unquote(path),
        "raw_path": path.encode(), "query_string": query.encode(), "root_path": "",
        "headers": headers, "server": scope.get("server"), "client": scope.get("client"),
    }
    unread = True

    async def read() -> Message:
        """The body of the request; then that the page has left, once it has."""
        nonlocal unread
        if unread:
            unread = False
            return {"type": "http.request", "body": json_text(body).encode()}
        while (await receive())["type"] != "websocket.disconnect":
            pass
        return {"type": "http.disconnect"}

    async def write(message: Message) -> None:
        nonlocal status
        text = message.get("body", b"").decode("utf-8", "replace")
        if message["type"] == "http.response.start":
            status = message["status"]
            text = json_text({"status": status}) if status == 200 else ""
        elif status != 200:
            text = text and json_text({"status": status} | json.loads(text))
        else:  # an event; signs of life are the WebSocket's own
            text = text.removeprefix("data: ").strip() if text.startswith("data: ") else ""
        if text:
            with suppress(OSError, RuntimeError):  # the page has left
                await send({"type": "websocket.send", "text": text})

    await app(inner, read, write)
    with suppress(OSError, RuntimeError):
        await send({"type": "websocket.close", "code": 1000})


async def _request(receive: Receive) -> dict[str, Any]:
    """The first message; one that names nothing, if it does not come in time or is nonsense."""
    try:
        async with asyncio.timeout(_REQUEST_TIMEOUT):
            request = read_json((await receive()).get("text") or "")
        if isinstance(request["path"], str) and request["path"].isascii():
            return request
    except (TimeoutError, *MALFORMED):
        pass
    return {"path": "/api/"}
