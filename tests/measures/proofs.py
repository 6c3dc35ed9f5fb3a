"""Exact results of late positions by a search that shares nothing with the engines.

Depth-first proof-number search (Nagai 2002) over all legal moves, without any evaluation. It
decides whether a player can get at least some result within some plies, whatever the other does.
"""

from __future__ import annotations

import numba
import numpy as np
from numba import types

from dlgo import GameState, kernels

INFINITE = 1 << 40
# Makes the keys of a position after different numbers of plies different.
PLY = 0x9E3779B97F4A7C15 - (1 << 64)


@numba.njit
def _numbers(state, ply, most_plies, player, least, table):
    """How many positions are still to be decided, at least: for a proof, and to refute it."""
    if kernels.terminal(state):
        result = (1 - 2 * player) * kernels.result(state)
        return (0, INFINITE) if result >= least else (INFINITE, 0)
    if ply == most_plies:
        return INFINITE, 0
    key = kernels.key(state) ^ PLY * ply
    return table.get(key, (1, 1))


@numba.njit
def _search(states, actions, ply, limits, player, least, table):
    """Search the position in row `ply` until a number reaches its limit; note both in `table`."""
    state, child = kernels.row(states, ply), kernels.row(states, ply + 1)
    n = kernels.legal_actions(state, actions[ply])
    mine = 0 if kernels.to_move(state) == player else 1  # whom a single move is enough
    while True:
        # For the mover the move with the least number counts, for the other the sum of all.
        best, least_number, second, others_number, total = 0, INFINITE, INFINITE, 0, 0
        for i in range(n):
            kernels.copy_into(child, state)
            kernels.play(child, actions[ply, i])
            numbers = _numbers(child, ply + 1, len(actions), player, least, table)
            total = min(total + numbers[1 - mine], INFINITE)
            if numbers[mine] < least_number:
                best, second, least_number = i, least_number, numbers[mine]
                others_number = numbers[1 - mine]
            else:
                second = min(second, numbers[mine])
        if least_number >= limits[mine] or total >= limits[1 - mine] or not least_number * total:
            numbers = (least_number, total) if mine == 0 else (total, least_number)
            table[kernels.key(state) ^ PLY * ply] = numbers
            return numbers
        one, all_others = min(limits[mine], second + 1), limits[1 - mine] - total + others_number
        kernels.copy_into(child, state)
        kernels.play(child, actions[ply, best])
        child_limits = (one, all_others) if mine == 0 else (all_others, one)
        _search(states, actions, ply + 1, child_limits, player, least, table)


def gets(state: GameState, player: int, least: int, most_plies: int = 60) -> bool:
    """Whether a player (0 or 1) gets at least a result, 1 (a win), 0 or -1, within some plies."""
    if state.is_over() or least == -1:
        return least == -1 or (1 - 2 * player) * state.result() >= least
    first = state.game.scratch_state(state.kernel_state, most_plies + 1)
    states = kernels.make_batch(first, most_plies + 1)
    kernels.copy_into(kernels.row(states, 0), state.kernel_state)
    actions = np.zeros((most_plies, state.game.num_actions), np.int64)
    table = numba.typed.Dict.empty(types.int64, types.UniTuple(types.int64, 2))
    limits = INFINITE, INFINITE
    return _search(states, actions, 0, limits, player, least, table)[0] == 0
