"""The count at the end of a game of Go, compiled: the owner of each point, and the margin.

Area scoring (chapter 3.2 of the book): every stone on the board counts as alive, and an empty
region belongs to a colour if it touches only that colour. `kernel.py` registers these functions;
`scoring.py` counts by other rules, and with dead stones.
"""

from __future__ import annotations

import numpy as np

from dlgo.games.go.board import BLACK, EMPTY, HALF_KOMI, N_EMPTY, SIZE, WHITE, GoState
from dlgo.jit import kernel

# A flood fill marks each empty point with its owner; 0 is not yet visited.
NOBODYS, BLACKS, WHITES = 1, 2, 3


@kernel
def area_difference(state: GoState) -> int:
    """Black's area minus White's: stones, and empty regions that touch one colour only."""
    color = state.color
    width = state.info[SIZE] + 2
    n_empty = state.info[N_EMPTY]
    stones = surrounded = 0
    for point in range(width, len(color) - width):
        if color[point] == BLACK:
            stones += 1
        elif color[point] == WHITE:
            stones -= 1
    # Most empty points of a finished game are single: only the others need a flood fill.
    crowded = False
    for i in range(n_empty):
        point = state.empties[i]
        black = white = False
        for step in (1, -1, width, -width):
            near = color[point + step]
            black |= near == 0
            white |= near == 1
            crowded |= near == EMPTY
        surrounded += (1 if black else 0) - (1 if white else 0)
    return stones + (_surrounded(state) if crowded else surrounded)


@kernel
def _surrounded(state: GoState) -> int:
    """Black's empty points minus White's; writes the owner of each into `scratch[0]`."""
    color = state.color
    width = state.info[SIZE] + 2
    owner, region = state.scratch[0], state.scratch[1]
    owner[:] = 0
    total = 0
    for start in range(width, len(color) - width):
        if color[start] == EMPTY and not owner[start]:
            owner[start] = NOBODYS
            region[0] = start
            n_points, done = 1, 0
            black = white = False
            while done < n_points:
                point = np.int64(region[done])
                done += 1
                for step in (1, -1, width, -width):
                    near = color[point + step]
                    black |= near == 0
                    white |= near == 1
                    if near == EMPTY and not owner[point + step]:
                        owner[point + step] = NOBODYS
                        region[n_points] = point + step
                        n_points += 1
            if black != white:
                total += n_points if black else -n_points
                for i in range(n_points):
                    owner[region[i]] = BLACKS if black else WHITES
    return total


@kernel
def ownership(state: GoState, out: np.ndarray) -> None:
    """Area: a stone owns its point; an empty region belongs to its neighbours if they have one
    colour."""
    _surrounded(state)
    size = state.info[SIZE]
    owner = state.scratch[0]
    for row in range(size):
        for col in range(size):
            point = (row + 1) * (size + 2) + col + 1
            black = state.color[point] == BLACK or owner[point] == BLACKS
            white = state.color[point] == WHITE or owner[point] == WHITES
            out[row, col] = (1 if black else 0) - (1 if white else 0)


@kernel
def margin(state: GoState) -> float:
    """Black's area minus White's and komi."""
    return area_difference(state) - 0.5 * state.info[HALF_KOMI]


@kernel
def result(state: GoState) -> int:
    points = margin(state)
    return 1 if points > 0 else (-1 if points < 0 else 0)
