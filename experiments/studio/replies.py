"""Requests read and answers written, in one way for all views."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncIterator
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from dlgo.errors import DlgoError
from dlgo.text import one_line
from experiments.studio.errors import StudioError, TooMany

# Streams of all pages together.
_MOST_STREAMS = 100
_open_streams = 0


def json_reply(value: Any, status: int = 200) -> Response:
    """An answer in JSON."""
    return Response(json_text(value), status, media_type="application/json")


def json_text(value: Any) -> str:
    """JSON on one line; numbers that JSON does not have become null."""
    try:
        return json.dumps(value, allow_nan=False, separators=(",", ":"))
    except ValueError:
        return json.dumps(_plain(value), allow_nan=False, separators=(",", ":"))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


async def read_object(request: Request) -> dict[str, Any]:
    """The JSON object that a request carries.

    Raises:
        StudioError: if it is something else.
    """
    if not request.headers.get("content-type", "").startswith("application/json"):
        raise StudioError("send JSON (content-type: application/json)")
    try:
        value = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise StudioError("the request is not JSON") from None
    if not isinstance(value, dict):
        raise StudioError("the request is not a JSON object")
    return value


def text_of(given: dict[str, Any], key: str, default: str | None = None) -> str:
    """A text of the request. Raises StudioError if there is none."""
    value = given.get(key, default)
    if not isinstance(value, str) or len(value) > 1000:
        raise StudioError(f"{key} must be a text")
    return value


def number_of(
    given: dict[str, Any], key: str, default: float, low: float, high: float
) -> float:
    """A number of the request within its range. Raises StudioError otherwise."""
    value = given.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise StudioError(f"{key} must be a number from {low:g} to {high:g}")
    return value


def query_number(request: Request, key: str, default: int) -> int:
    """A whole number of the address, not negative. Raises StudioError if it is something else."""
    text = request.query_params.get(key) or str(default)
    if not (text.isascii() and text.isdigit() and len(text) <= 10):
        raise StudioError(f"{key} must be a whole number")
    return int(text)


def event_stream(
    events: AsyncIterator[dict[str, Any] | None], closing: asyncio.Event
) -> Response:
    """Events as they come ("server-sent events"); None only says that the stream lives.

    The stream ends when the reader leaves or `closing` is set, and `events` is closed then.

    Raises:
        TooMany: if too many streams are open.
    """
    if _open_streams >= _MOST_STREAMS:
        raise TooMany(f"{_MOST_STREAMS} pages watch this server already; close one")

    async def lines() -> AsyncIterator[str]:
        global _open_streams
        _open_streams += 1
        end = asyncio.create_task(closing.wait())
        following: asyncio.Task[Any] | None = None
        try:
            while True:
                following = asyncio.ensure_future(anext(events))
                await asyncio.wait((following, end), return_when=asyncio.FIRST_COMPLETED)
                if not following.done():
                    break
                try:
                    event = following.result()
                except StopAsyncIteration:
                    break
                except DlgoError as error:
                    yield f"data: {json_text({'error': one_line(str(error))})}\n\n"
                    break
                yield ": alive\n\n" if event is None else f"data: {json_text(event)}\n\n"
        finally:
            _open_streams -= 1
            end.cancel()
            if following is not None and not following.done():
                following.cancel()
                await asyncio.wait((following,))
            await events.aclose()

    return StreamingResponse(lines(), media_type="text/event-stream")
