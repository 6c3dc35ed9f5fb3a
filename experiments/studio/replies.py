"""Requests, answers, errors and views between pages and the server."""

from __future__ import annotations

import asyncio
import json
import math
import os
import sys
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import aclosing
from itertools import takewhile
from pathlib import Path
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import Response

from dlgo.errors import DlgoError
from dlgo.faults import unforeseen
from dlgo.files import relative_path
from dlgo.readers import read_json
from dlgo.specs import check_number
from dlgo.text import one_line

# Bytes of a request's body: more than any game that the studio takes; seconds for it to arrive.
MOST_BYTES = 256 * 1024
_BODY_TIMEOUT = 10.0

View = dict[str, Any]
Events = AsyncGenerator[View, None]
_folders: list[str] = []


class StudioError(DlgoError):
    """A request that cannot be served; `status` is the HTTP status of the answer, `allow` are the
    methods that its address takes."""

    def __init__(self, text: str, status: int = 400, allow: str = "") -> None:
        super().__init__(text)
        self.status, self.allow = status, allow


def json_reply(value: Any, status: int = 200) -> Response:
    """An answer in JSON."""
    return Response(json_text(value), status, media_type="application/json")


def file_reply(data: bytes, media_type: str, name: str) -> Response:
    """A file for the browser to save; its name gets the date and time."""
    stem, _, ending = name.rpartition(".")
    name = f"{stem}-{time.strftime('%Y-%m-%d-%H%M')}.{ending}"
    return Response(data, media_type=media_type, headers={
        "content-disposition": f'attachment; filename="{name}"'})


def hide_folders(folders: Iterable[Path]) -> None:
    """From now on, errors show files in these folders by their names alone."""
    for folder in folders:
        names = {str(folder), str(folder.resolve()), relative_path(folder)} - {"/", "."}
        _folders.extend(f"{name}{os.sep}" for name in names)
    _folders.sort(key=len, reverse=True)


def error_words(error: Exception) -> str:
    """What a page may read of an error: one line, without this machine's folders."""
    text = str(error)
    for folder in _folders:
        text = text.replace(folder, "")
    return one_line(text)


def error_view(error: Exception) -> View:
    """An error as one line, `error`, and its HTTP `status`. An unforeseen one goes to the console,
    too: no traceback reaches a browser."""
    if isinstance(error, DlgoError):
        return {"error": error_words(error), "status": getattr(error, "status", 400)}
    print(f"dlgo: internal error: {one_line(repr(error))}", file=sys.stderr)
    words, is_ours = unforeseen(error)
    if not is_ours:
        words = f"internal error: {type(error).__name__}; the server's console says more"
    return {"error": words, "status": 500}


def error_reply(error: Exception, headers: Headers) -> Response:
    """An error as one line: a sentence if a person has typed the address, which the `headers` of
    the request say, else JSON."""
    words, status = error_view(error).values()
    reply = json_reply({"error": words}, status)
    if "text/html" in headers.get("accept", ""):
        sentence = f"{words[:1].upper()}{words[1:]}.\n"
        reply = Response(sentence, status, media_type="text/plain")
    if allow := getattr(error, "allow", ""):
        reply.headers["allow"] = allow
    return reply


def json_text(value: Any) -> str:
    """JSON on one line; NaN and infinities become null."""
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


async def read_body(request: Request, most: int = MOST_BYTES) -> bytes:
    """The body of a request. Raises StudioError if it is too large or does not come in time."""
    too_large = StudioError(f"a request has at most {most // 1024} KiB", 413)
    if int(request.headers.get("content-length", 0)) > most:
        raise too_large
    body = bytearray()
    try:
        async with asyncio.timeout(_BODY_TIMEOUT):
            async for part in request.stream():
                body += part
                if len(body) > most:
                    raise too_large
    except TimeoutError:
        raise StudioError(f"the request was incomplete after {_BODY_TIMEOUT:g} s") from None
    except ClientDisconnect:
        raise StudioError("the request was interrupted") from None
    return bytes(body)


async def read_object(request: Request) -> View:
    """The JSON object that a request carries. Raises StudioError if it is something else."""
    # A page of another site cannot send this type unasked.
    if not request.headers.get("content-type", "").startswith("application/json"):
        raise StudioError("send JSON (content-type: application/json)")
    return json_object(await read_body(request))


def json_object(data: bytes | str) -> View:
    """The object that JSON describes. Raises StudioError if it is something else."""
    try:
        value = read_json(data)
    except ValueError:
        raise StudioError("the request is not JSON") from None
    if not isinstance(value, dict):
        raise StudioError("the request is not a JSON object")
    return value


def text_of(body: View, key: str, default: str | None = None) -> str:
    """A text of the request. Raises StudioError if there is none."""
    value = body.get(key, default)
    if not isinstance(value, str) or len(value) > 1000:
        raise StudioError(f"{key} must be a text of at most 1,000 characters")
    return value


def number_of(body: Mapping[str, Any], key: str, default: float, low: float, high: float) -> float:
    """A number of the request within its range. Raises StudioError otherwise."""
    return check_number(body.get(key, default), key, float, low, high, StudioError)


def whole_of(body: View, key: str, default: int, high: int) -> int:
    """A whole number of the request from 0 to `high`. Raises StudioError otherwise."""
    return int(check_number(body.get(key, default), key, int, 0, high, StudioError))


def query_number(request: HTTPConnection, key: str, default: int) -> int:
    """A whole number of the address, not negative. Raises StudioError if it is something else."""
    text = request.query_params.get(key) or default
    return int(check_number(text, key, int, 0, error=StudioError))


class Changes:
    """Counts changes (`version`) and wakes their readers. It belongs to one event loop."""

    def __init__(self) -> None:
        self.version = 0
        self._changed = asyncio.Event()

    def tell(self) -> None:
        """Count a change."""
        self.version += 1
        self._changed.set()
        self._changed = asyncio.Event()

    async def follow(self, view: Callable[[], View]) -> Events:
        """The view now and after every change.

        A slow reader misses views, but never the last one.
        """
        version = -1
        while True:
            if version != self.version:
                version = self.version
                yield view()
                continue
            await self._changed.wait()


async def news_of(views: Events) -> Events:
    """The difference of each view from the one before, for a page that keeps the last view.

    Events are `{"set": new values by their keys, "tail": of lists (elements that stay, those that
    follow)}`.
    """
    previous: View = {}
    async with aclosing(views):
        async for view in views:
            event: View = {"set": {}, "tail": {}}
            for key, value in view.items():
                old = previous.get(key)
                if key in previous and value == old:
                    continue
                if isinstance(value, list) and old:
                    pairs = zip(old, value, strict=False)
                    n_same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
                    event["tail"][key] = n_same, value[n_same:]
                else:
                    event["set"][key] = value
            previous = view
            yield event


async def kept_open(events: Events) -> Events:
    """Events, then the `problem` if one ended them, then nothing: a page would reopen a finished
    stream."""
    try:
        async with aclosing(events):
            async for event in events:
                yield event
    except DlgoError as error:
        yield {"problem": error_words(error), "final": True}
    await asyncio.Event().wait()
