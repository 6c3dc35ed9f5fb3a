"""How many legal positions a small Go board has, counted with the rules that games use.

Points are decided one after another, undecided ones being empty: a stone is put down by the
same function that sets up handicaps and diagrams, which refuses it if any chain loses its
last liberty. Every part of a legal position is legal itself (removing stones only adds
liberties), so a refusal rules out everything below, and each leaf is one legal position.

John Tromp's counts (OEIS A094777): 1, 57, 12675, 24318165, 414295148741 for 1x1 to 5x5.
"""

from __future__ import annotations

import numpy as np

from dlgo import GameState, get_game, kernels
from dlgo.games.go.board import BLACK
from dlgo.games.go.kernel import point_of, put_stone
from dlgo.jit import kernel as compiled


def count_legal_positions(size: int) -> int:
    """The number of legal positions of a board of `size` lines; 4 takes seconds, 5 days."""
    start = GameState.new_game(get_game("go", size=size)).kernel_state
    points = size * size
    states = kernels.make_batch(start, points + 1)
    kernels.copy_into(kernels.row(states, 0), start)
    return int(_count(states, points, np.zeros(points + 1, np.int64)))


@compiled
def _count(states, points, choice):
    """Depth-first over all boards: `choice[i]` is what is tried next at point i (0 to 2)."""
    size = 0
    while size * size < points:
        size += 1
    total = 0
    i = 0
    choice[0] = 0
    while i >= 0:
        if i == points:
            total += 1
            i -= 1
            continue
        tried = choice[i]
        choice[i] += 1
        if tried == 3:
            i -= 1
            continue
        after = kernels.row(states, i + 1)
        kernels.copy_into(after, kernels.row(states, i))
        # 0 leaves the point empty, 1 and 2 put a stone of either colour there.
        if tried == 0 or put_stone(after, point_of(size, i), BLACK + tried - 1):
            i += 1
            choice[i] = 0
    return total
