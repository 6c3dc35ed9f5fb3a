"""Streams of events over WebSockets, as many as a browser has tabs.

A browser opens at most six connections to a server for requests, all its tabs together, and a
stream of server-sent events keeps one busy, so six open games would stop every page. It opens some
two hundred WebSockets.

The page's first message is `{"token": a text or null, "body": an object or null}`. The first answer
is `{"status": 200}`, or an error with its status; each further one is an event.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from experiments.studio.replies import Events, StudioError, View, error_view, json_object, json_text

# Seconds for the first message to arrive.
_REQUEST_TIMEOUT = 10.0
# Streams of all pages together.
_MOST_STREAMS = 100
_open_streams = 0


def stream_route(
    path: str, events: Callable[[WebSocket, View], Awaitable[Events]]
) -> WebSocketRoute:
    """A route that sends `events(socket, body)` to each page until it leaves, and closes them then.

    Errors become the last message.
    """

    async def answer(socket: WebSocket) -> None:
        with suppress(OSError, RuntimeError, WebSocketDisconnect):  # the page has left
            await socket.accept()
            try:
                await _send(socket, await events(socket, await _body(socket)))
            except Exception as error:
                await socket.send_text(json_text(error_view(error)))
            await socket.close()

    return WebSocketRoute(path, answer)


async def _body(socket: WebSocket) -> View:
    """The object that the first message carries. Raises StudioError if it is none, or the token is
    wrong."""
    try:
        async with asyncio.timeout(_REQUEST_TIMEOUT):
            message = await socket.receive()
    except TimeoutError:
        raise StudioError(f"there was no request after {_REQUEST_TIMEOUT:g} s") from None
    request = json_object(message.get("text") or "")
    socket.app.state.guard.check_token(socket.url.path, str(request.get("token")))
    body = request.get("body") or {}
    if not isinstance(body, dict):
        raise StudioError("the request is not a JSON object")
    return body


async def _send(socket: WebSocket, events: Events) -> None:
    global _open_streams
    if _open_streams >= _MOST_STREAMS:
        raise StudioError(f"{_MOST_STREAMS} pages of this server are open, its limit; close one",
                          429)

    async def send_all() -> None:
        await socket.send_text(json_text({"status": 200}))
        async with aclosing(events):
            async for event in events:
                await socket.send_text(json_text(event))

    async def until_left() -> None:
        while (await socket.receive())["type"] != "websocket.disconnect":
            pass

    _open_streams += 1
    tasks = [asyncio.create_task(send_all()), asyncio.create_task(until_left())]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        _open_streams -= 1
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()
