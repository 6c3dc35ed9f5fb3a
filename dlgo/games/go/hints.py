"""A Go player's expectation of a move before any reading, for the first visits of a search.

Every reason adds imagined games to a move, won or lost ones, as in MoGo (Gelly and Silver 2007) and
michi. A search with RAVE starts from these and soon outweighs them. Registered with `dlgo.kernels`
by `kernel.py`.
"""

from __future__ import annotations

import numpy as np

from dlgo.games.go.board import BORDER, EMPTY, LAST, NOWHERE, SIZE, TURN, WHITE, GoState, in_atari
from dlgo.games.go.patterns import matches_pattern
from dlgo.games.go.tactics import is_self_atari
from dlgo.jit import inline_kernel, kernel

# Imagined games by reason. EVEN are half won, half lost, so that no reason alone is decisive.
EVEN = 10.0
CAPTURE, CAPTURE_STONE, SAVE, SAVE_STONE = 15.0, 3.0, 10.0, 2.0
SELF_ATARI, PATTERN, FIRST_LINE, THIRD_LINE, PASS = 12.0, 10.0, 10.0, 8.0, 15.0
# By distance from the last play, counted as dx + dy + max(dx, dy): touching, diagonal, ...
NEAR = np.array([0, 0, 12, 10, 8, 6, 4], np.float64)
# The line of a point does not matter if a stone is within this distance (in both directions).
ALONE = 3


@kernel
def hints(
    state: GoState, actions: np.ndarray, n: int, visits: np.ndarray, wins: np.ndarray,
) -> None:
    info = state.info
    size = info[SIZE]
    width = size + 2
    player = info[TURN]
    for i in range(n):
        action = actions[i]
        if action == size * size:
            visits[i] = EVEN + PASS
            wins[i] = 0.5 * EVEN
            continue
        row, col = action // size, action % size
        point = (row + 1) * width + col + 1
        extra_wins, extra_losses = _tactics(state, point, player, width)
        if matches_pattern(state, point, width):
            extra_wins += PATTERN
        extra_wins += _nearness(info[LAST], row, col, width)
        edge = min(min(row, size - 1 - row), min(col, size - 1 - col))
        if (edge == 0 or edge == 2) and _is_alone(state, row, col, size, width):
            if edge == 0:
                extra_losses += FIRST_LINE
            else:
                extra_wins += THIRD_LINE
        visits[i] = EVEN + extra_wins + extra_losses
        wins[i] = 0.5 * EVEN + extra_wins


@inline_kernel
def _tactics(state: GoState, point: int, player: int, width: int) -> tuple[float, float]:
    """Imagined wins and losses for captures, rescues and self-ataris."""
    wins = losses = 0.0
    risky = is_self_atari(state, point, player)
    for step in (1, -1, width, -width):
        near = point + step
        kind = state.color[near]
        if kind > WHITE or not in_atari(state, state.chain[near]):
            continue
        stones = min(state.n_stones[state.chain[near]], 10)
        if kind != player:
            wins += CAPTURE + CAPTURE_STONE * stones
        elif not risky:
            wins += SAVE + SAVE_STONE * stones
    if risky and wins == 0.0:
        losses += SELF_ATARI
    return wins, losses


@inline_kernel
def _nearness(last: int, row: int, col: int, width: int) -> float:
    if last == NOWHERE:
        return 0.0
    dx, dy = abs(last % width - 1 - col), abs(last // width - 1 - row)
    distance = dx + dy + max(dx, dy)
    return NEAR[distance] if distance < len(NEAR) else 0.0


@inline_kernel
def _is_alone(state: GoState, row: int, col: int, size: int, width: int) -> bool:
    """Whether there is no stone within `ALONE` lines of the point."""
    for y in range(max(0, row - ALONE), min(size, row + ALONE + 1)):
        for x in range(max(0, col - ALONE), min(size, col + ALONE + 1)):
            kind = state.color[(y + 1) * width + x + 1]
            if kind != EMPTY and kind != BORDER:
                return False
    return True
