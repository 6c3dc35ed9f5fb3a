"""What a game does beside listening: thinking, counting, waiting. Of each kind one at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from dlgo.text import error_text


class Tasks:
    """Tasks by name. One that ends in an exception, a fault of ours, is told of by `say`."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def start(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        """Begin something, in place of what has this name."""
        self.stop(name)
        task = self._tasks[name] = asyncio.create_task(work)
        task.add_done_callback(self._tell_fault)

    def stop(self, name: str) -> None:
        """End what has this name, unless it is what asks for it."""
        task = self._tasks.pop(name, None)
        if task is not None and task is not asyncio.current_task():
            task.cancel()

    async def wait(self, name: str) -> None:
        """Until what has this name has ended; at once if there is nothing."""
        if name in self._tasks:
            await asyncio.wait([self._tasks[name]])

    def close(self) -> None:
        """End all."""
        for name in list(self._tasks):
            self.stop(name)

    def _tell_fault(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and task.exception() is not None:
            self._say(f"internal error: {error_text(task.exception())}")
