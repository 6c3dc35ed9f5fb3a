"""Self-play during learning (`ahead`).

While the network learns from the games of an iteration, workers play the games of the next one with
the previous network, which is one iteration older than without `ahead`. The choice of the network
does not depend on the clock.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

from engines.alphazero.tasks import Tell

# Seconds between two checks while waiting.
_INTERVAL = 0.2


class _ClosedError(Exception):
    """Raised in the thread to end it."""


class GamesAhead:
    """Games that are played in a thread."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1)
        self._games: Future[Any] | None = None
        self._closed = False
        self._progress = 0, 0

    def begin(self, play: Callable[..., Any], *arguments: Any) -> None:
        """Call `play` in the thread; its last argument receives the progress."""
        self._games = self._thread.submit(play, *arguments, self._tell)

    def _tell(self, done: int, of: int) -> None:
        if self._closed:
            raise _ClosedError
        self._progress = done, of

    def finish(self, tell: Tell) -> None:
        """Wait until the games are finished; an error in the thread is raised here."""
        while self._games is not None:
            if wait([self._games], _INTERVAL).done:
                self._games.result()
                self._games = None
            tell(*self._progress)

    def close(self) -> None:
        """End the games, finished or not."""
        self._closed = True
        self._thread.shutdown()
