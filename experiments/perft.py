"""Perft: how many move sequences of a given length a game has, counted by its rules.

Published counts exist for many games; a rule that is wrong anywhere near the start shows in
them. A game that ends early is not extended.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dlgo import GameSpec, GameState, kernels


@dataclass(frozen=True)
class PerftRow:
    """One depth: sequences of that length and the time it took to count them."""

    depth: int
    count: int
    seconds: float


def perft_counts(game: GameSpec, depth: int, state: GameState | None = None) -> Iterator[PerftRow]:
    """Count the sequences of 1 to `depth` plies (0: just the position itself).

    Args:
        game: the game.
        depth: the longest sequences.
        state: where to start; the start position by default.
    """
    start = (state or GameState.new_game(game)).kernel_state
    batch = kernels.make_batch(game.scratch_state(start, room=depth + 1), depth + 1)
    kernels.copy_into(kernels.row(batch, 0), start)
    actions = np.zeros((depth + 1, game.num_actions), np.int64)
    counts, tried = np.zeros(depth + 1, np.int64), np.zeros(depth + 1, np.int64)
    kernels.perft(batch, 1, actions, counts, tried) if depth else None  # compile before the clock
    for plies in range(min(depth, 1), depth + 1):
        began = time.perf_counter()
        count = int(kernels.perft(batch, plies, actions, counts, tried))
        yield PerftRow(plies, count, time.perf_counter() - began)
