"""Perft: how many move sequences of a given length a game has, counted by its rules.

Published counts exist for many games; a rule that is wrong anywhere near the start shows in
them. A game that ends early is not extended.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from dlgo import GameSpec, GameState


@dataclass(frozen=True)
class PerftRow:
    """One depth: sequences of that length and the time it took to count them."""

    depth: int
    count: int
    seconds: float


def perft_counts(game: GameSpec, depth: int, state: GameState | None = None) -> Iterator[PerftRow]:
    """Count the sequences of 1 to `depth` moves (0: just the position itself)."""
    start = (state or GameState.new_game(game)).kernel_state
    game.perft(start, min(depth, 1))  # compile before the clock runs
    for plies in range(min(depth, 1), depth + 1):
        began = time.perf_counter()
        count = game.perft(start, plies)
        yield PerftRow(plies, count, time.perf_counter() - began)
