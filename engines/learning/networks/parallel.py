"""One network, asked by several threads: a batch is cut into as many parts.

So several threads work on one search tree (`one_tree=yes`): the tree gives its leaves in batches,
virtual losses keep them apart, and every thread answers for a part of each batch. All wait for the
slowest, and nothing depends on which is first: the same seed gives the same game. (Chaslot, Winands
and van den Herik 2008 let threads go their own ways in a shared tree, which is faster by what they
do not wait, and never plays the same game twice.)
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from engines.learning.networks.fastest import load_chosen
from engines.learning.networks.runtimes import NetworkRuntime, load_runtime


def load_parallel(name: str, kind: str, batch: int, threads: int) -> NetworkRuntime:
    """The model `name`, for several threads that each ask about `batch` positions.

    All are of the same kind, also if `auto` is asked for and what it measures cannot be kept. See
    `load_chosen`.
    """
    first = load_chosen(name, kind, batch)
    others = [load_runtime(name, first.kind) for _ in range(threads - 1)]
    return ParallelRuntime([first, *others]) if others else first


class ParallelRuntime(NetworkRuntime):
    """Several runtimes of the same network, a thread for each."""

    def __init__(self, runtimes: Sequence[NetworkRuntime]) -> None:
        super().__init__(runtimes[0].card)
        self.heads, self.kind = runtimes[0].heads, runtimes[0].kind
        self._runtimes = runtimes
        # The caller is one of the threads.
        self._pool = ThreadPoolExecutor(len(runtimes) - 1)

    def evaluate(self, planes: np.ndarray) -> dict[str, np.ndarray]:
        parts = np.array_split(planes, min(len(self._runtimes), len(planes)))
        others = [
            self._pool.submit(runtime.evaluate, part)
            for runtime, part in zip(self._runtimes[1:], parts[1:], strict=False)
        ]
        answers = [self._runtimes[0].evaluate(parts[0]), *(other.result() for other in others)]
        return {name: np.concatenate([part[name] for part in answers]) for name in answers[0]}
