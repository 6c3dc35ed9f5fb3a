"""Heavy rollouts: random games in which both players make the obvious moves (MoGo; Gelly et al.
2006).

Each move is the first of these that exists; 1 and 2 are searched near the last move only:

1. capture the stones just played, if they are in atari; save own stones that the last move
   put in atari, by a capture beside them or by running,
2. a point around the last move whose neighbourhood is one of the 3x3 patterns,
3. any point that is not an own eye and, mostly, not a self-atari.

The first two are sometimes skipped, so that their mistakes do not decide all games. Registered with
`dlgo.kernels` by `kernel.py`.
"""

from __future__ import annotations

import numpy as np

from dlgo.bits import int64
from dlgo.games.go import board
from dlgo.games.go.board import GoState
from dlgo.games.go.patterns import matches_pattern
from dlgo.games.go.tactics import capture_beside, is_self_atari, last_liberty
from dlgo.jit import inline_kernel
from dlgo.kernels import NOBODY
from dlgo.rng import below, uniform

# A rollout that is longer than this (cycles longer than a ko) is scored in its last position.
MOVES_PER_POINT = 3
# Probabilities of searching for a kind of move, and of rejecting a self-atari.
ATARI_CHANCE = 0.9
PATTERN_CHANCE = 0.95
REFUSE_CHANCE = 0.9


@inline_kernel
def play_heavily(state: GoState, rng: np.ndarray, first_players: np.ndarray) -> None:
    """Play the game to its end. `first_players` gets the first player of each action."""
    info = state.info
    size = info[board.SIZE]
    width = size + 2
    player = info[board.TURN]
    last = info[board.LAST]
    for _ in range(MOVES_PER_POINT * size * size):
        if info[board.PASSES] >= 2:
            break
        point = int64(board.NOWHERE)
        if last != board.NOWHERE:
            point = heavy_move(state, last, player, rng)
        if point == board.NOWHERE:
            point = random_point(state, player, rng, REFUSE_CHANCE)
        if point == board.NOWHERE:
            info[board.PASSES] += 1
            info[board.KO] = board.NOWHERE
        else:
            board.place(state, point, player)
            info[board.PASSES] = 0
            action = (point // width - 1) * size + point % width - 1
            if first_players[action] == NOBODY:
                first_players[action] = player
        last = point
        player = 1 - player


@inline_kernel
def heavy_move(state: GoState, last: int, player: int, rng: np.ndarray) -> int:
    """A move that answers the stone just played on `last`, or NOWHERE."""
    color, chain = state.color, state.chain
    width = state.info[board.SIZE] + 2
    candidates = 0
    pick = int64(board.NOWHERE)
    if uniform(rng) < ATARI_CHANCE:
        if color[last] == 1 - player and board.in_atari(state, chain[last]):
            point = last_liberty(state, chain[last])
            if board.is_playable(state, point, player):
                pick, candidates = point, 1
        for step in (1, -1, width, -width):
            near = last + step
            if color[near] != player or not board.in_atari(state, chain[near]):
                continue
            point = capture_beside(state, chain[near], player)
            if point == board.NOWHERE or not board.is_playable(state, point, player):
                point = last_liberty(state, chain[near])
                if not board.is_playable(state, point, player):
                    continue
                if is_self_atari(state, point, player):
                    continue
            candidates += 1
            if below(rng, candidates) == 0:
                pick = point
        if candidates:
            return pick
    if uniform(rng) < PATTERN_CHANCE:
        for step in (
            1, -1, width, -width, width + 1, width - 1, -width + 1, -width - 1,
        ):
            point = last + step
            if (
                color[point] == board.EMPTY and matches_pattern(state, point, width)
                and board.is_playable(state, point, player)
                and not is_self_atari(state, point, player)
            ):
                candidates += 1
                if below(rng, candidates) == 0:
                    pick = point
    return pick


@inline_kernel
def random_point(state: GoState, player: int, rng: np.ndarray, refuse: float) -> int:
    """A random playable point that is not an own eye, or NOWHERE.

    Rejected points are swapped to the end of the list of empty points, so that each is tried at
    most once and the choice among the others is uniform.

    Args:
        refuse: the probability of rejecting a self-atari.
    """
    empties, slot = state.empties, state.slot
    remaining = state.info[board.N_EMPTY]
    while remaining > 0:
        i = below(rng, remaining)
        point = int64(empties[i])
        if (
            board.is_playable(state, point, player) and not board.is_eye(state, point, player)
            and not (
                refuse > 0.0 and is_self_atari(state, point, player) and uniform(rng) < refuse
            )
        ):
            return point
        remaining -= 1
        last_empty = empties[remaining]
        empties[i] = last_empty
        slot[last_empty] = i
        empties[remaining] = point
        slot[point] = remaining
    return int64(board.NOWHERE)
