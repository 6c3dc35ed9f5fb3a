"""How long a network takes in the games of a worker."""

from __future__ import annotations

import time
from typing import Any


class Timed:
    """A leaf evaluator that measures how long its answers take.

    Attributes:
        seconds: wall-clock time of all answers; those of a guide, which are part of a compiled
            search, are not measured.
    """

    history = 0

    def __init__(self, evaluator: Any) -> None:
        self._evaluator = evaluator
        self.seconds = 0.0

    def evaluate(self, leaves: Any, n: int) -> Any:
        start = time.perf_counter()
        answer = self._evaluator.evaluate(leaves, n)
        self.seconds += time.perf_counter() - start
        return answer

    def guide(self) -> Any:
        return self._evaluator.guide()
