"""Something that changes, and those who follow it over streams that may be silent for long."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import Any, TypeVar

# Seconds after which a silent stream says that it lives.
HEARTBEAT = 15.0

T = TypeVar("T")
View = dict[str, Any]


class Changes:
    """Counts the changes of something and wakes its readers. It belongs to one event loop.

    Attributes:
        version: how many changes there have been.
    """

    def __init__(self) -> None:
        self.version = 0
        self._changed = asyncio.Event()

    def tell(self) -> None:
        """Something has changed."""
        self.version += 1
        self._changed.set()
        self._changed = asyncio.Event()

    async def follow(self, view: Callable[[], T], shown: int = -1) -> AsyncIterator[T | None]:
        """The view after every change; None when nothing has happened for a while.

        A slow reader misses views, but never the last one.

        Args:
            view: what there is to see now.
            shown: the version that the reader knows; -1: none, so the first view comes at once.
        """
        while True:
            if shown != self.version:
                shown = self.version
                yield view()
                continue
            try:
                await asyncio.wait_for(self._changed.wait(), HEARTBEAT)
            except TimeoutError:
                yield None


async def news_of(views: AsyncIterator[View | None]) -> AsyncIterator[View | None]:
    """Of each view what differs from the one before, for a page that keeps what it was told.

    Events are `{"set": new values by their keys, "tail": of lists (elements that stay, those that
    follow)}`.
    """
    before: View = {}
    async with aclosing(views):
        async for view in views:
            if view is None:
                yield None
                continue
            event: View = {"set": {}, "tail": {}}
            for key, value in view.items():
                old = before.get(key)
                if isinstance(value, list) and old:
                    pairs = enumerate(zip(old, value, strict=False))
                    kept = next((i for i, (one, other) in pairs if one != other),
                                min(len(old), len(value)))
                    if kept < max(len(old), len(value)):
                        event["tail"][key] = kept, value[kept:]
                elif key not in before or value != old:
                    event["set"][key] = value
            before = view
            yield event


async def silence() -> AsyncIterator[None]:
    """Nothing but signs of life: for a stream that has told all, which a page would open anew."""
    while True:
        await asyncio.sleep(HEARTBEAT)
        yield None
