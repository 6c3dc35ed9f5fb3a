"""How fast this processor is: half a second of random games of Connect Four, by CPU time."""

from __future__ import annotations

import statistics
import time

from dlgo import GameState, get_game, kernels
from dlgo.rng import make_rng

_ROUNDS, _SECONDS, _BATCH = 5, 0.1, 2000


def measured_rate() -> float:
    """Random games a CPU second on one thread: the median of five measurements of 0.1 s."""
    game = get_game("connect4")
    start = GameState.new_game(game).kernel_state
    work, rng = game.scratch_state(start), make_rng(1)
    kernels.rollouts(start, work, rng, 1)  # compiled
    rates = []
    for _ in range(_ROUNDS):
        played, begun = 0, time.thread_time()
        while (spent := time.thread_time() - begun) < _SECONDS:
            kernels.rollouts(start, work, rng, _BATCH)
            played += _BATCH
        rates.append(played / spent)
    return statistics.median(rates)
