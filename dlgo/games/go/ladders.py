"""Ladders: can a chain be chased to its death by one atari after another?

The attacker plays one of the last two liberties, which puts the chain in atari; the defender
runs at the last liberty or captures one of the attackers that is in atari itself; and so on.
Each answer is forced, so the tree is narrow but deep: it ends when the chain is captured, or
has three liberties. Encoders use the outcome as a feature of moves (chapter 10 of the book:
ladder capture and ladder escape).

Reading is exact for ladders in this sense, with the simple ko rule; it does not know whether
losing the chain matters.
"""

from __future__ import annotations

import numpy as np

from dlgo import kernels
from dlgo.api import GameState, Move
from dlgo.games.go.board import (
    EMPTY,
    NUMBER_SHIFT,
    SIZE,
    SUM_MASK,
    SUM_SHIFT,
    in_atari,
    is_playable,
    place,
)
from dlgo.games.go.kernel import point_of
from dlgo.jit import kernel as compiled

# A ladder across a 25x25 board takes fewer plies; a reading that is deeper counts as escape.
MAX_PLIES = 120


def is_ladder_capture(state: GameState, move: Move) -> bool:
    """Whether `move` attacks some chain that cannot escape from the ladder it begins.

    The chain must have two liberties before the move.

    Args:
        state: the position; the mover is the attacker.
        move: a legal play.
    """
    return _read(state, move, _captures_by_ladder)


def is_ladder_escape(state: GameState, move: Move) -> bool:
    """Whether `move` saves an own chain in atari from capture and from any ladder after it.

    Args:
        state: the position; the mover is the defender.
        move: a legal play.
    """
    return _read(state, move, _escapes_ladder)


def _read(state: GameState, move: Move, reader) -> bool:
    if not move.is_play or not state.is_valid_move(move):
        return False
    states = kernels.make_batch(state.kernel_state, MAX_PLIES + 2)
    kernels.copy_into(kernels.row(states, 0), state.kernel_state)
    point = point_of(state.game.size, state.game.action_of(move))
    moves = np.zeros((MAX_PLIES + 2, 1 + state.game.size**2), np.int64)
    count, index = np.zeros(MAX_PLIES + 2, np.int64), np.zeros(MAX_PLIES + 2, np.int64)
    return bool(reader(states, moves, count, index, point, state.next_player.index))


@compiled
def liberties_of(state, stone, out):
    """Write up to three different liberties of a stone's chain into `out`; return how many."""
    width = state.info[SIZE] + 2
    start = np.int64(state.chain[stone])
    walk = start
    n = 0
    while True:
        for step in (1, -1, width, -width):
            near = walk + step
            if state.color[near] != EMPTY:
                continue
            known = False
            for i in range(n):
                known |= out[i] == near
            if not known:
                out[n] = near
                n += 1
                if n == 3:
                    return 3
        walk = np.int64(state.link[walk])
        if walk == start:
            return n


@compiled
def _captures_by_ladder(states, moves, count, index, point, attacker):
    before = kernels.row(states, 0)
    width = before.info[SIZE] + 2
    for step in (1, -1, width, -width):
        prey = point + step
        if before.color[prey] != 1 - attacker or liberties_of(before, prey, moves[0]) != 2:
            continue
        after = kernels.row(states, 1)
        kernels.copy_into(after, before)
        place(after, point, attacker)
        if _captured(states, moves, count, index, prey, attacker, False):
            return True
    return False


@compiled
def _escapes_ladder(states, moves, count, index, point, defender):
    before = kernels.row(states, 0)
    size = before.info[SIZE]
    for action in range(size * size):
        prey = point_of(size, action)
        # Once for each chain in atari: at the stone that names it.
        if before.color[prey] != defender or before.chain[prey] != prey:
            continue
        if not in_atari(before, prey):
            continue
        after = kernels.row(states, 1)
        kernels.copy_into(after, before)
        place(after, point, defender)
        if not _captured(states, moves, count, index, prey, 1 - defender, True):
            return True
    return False


@compiled
def _captured(states, moves, count, index, prey, attacker, attacker_first):
    """Whether the prey falls, from the state in row 1 of the batch.

    A depth-first search of the forced moves, the recursion written as a loop: `moves[ply]`
    are the `count[ply]` moves to try, the first `index[ply]` of which have been. An attacker's
    node is true if one of its moves is; a defender's is false if one of its moves is.
    """
    ply = 1
    arriving = True
    captured = False
    while True:
        attacks = (ply % 2 == 1) == attacker_first
        state = kernels.row(states, ply)
        settled = False
        if arriving:
            index[ply] = 0
            settled, captured = _list_moves(state, moves[ply], count, ply, prey, attacker, attacks)
        else:
            settled = captured == attacks  # the move just tried does what the mover wants
        player = attacker if attacks else 1 - attacker
        arriving = False
        while not settled and not arriving and index[ply] < count[ply]:
            point = moves[ply, index[ply]]
            index[ply] += 1
            if is_playable(state, point, player):
                after = kernels.row(states, ply + 1)
                kernels.copy_into(after, state)
                place(after, point, player)
                arriving = True
        if arriving:
            ply += 1
            continue
        if not settled:
            captured = not attacks  # no move did it
        if ply == 1:
            return captured
        ply -= 1


@compiled
def _list_moves(state, out, count, ply, prey, attacker, attacks):
    """Settle a node at a glance, or list the moves to try. Returns (settled, captured)."""
    if state.color[prey] != 1 - attacker:
        return True, True
    liberties = liberties_of(state, prey, out)
    if attacks:
        count[ply] = 2
        if liberties == 2 and ply < MAX_PLIES:
            return False, False
        return True, liberties < 2
    if liberties > 1 or ply >= MAX_PLIES:
        return True, False
    # Run at the last liberty, or take an attacker that is in atari.
    count[ply] = 1 + _counter_captures(state, prey, attacker, out[1:])
    return False, False


@compiled
def _counter_captures(state, prey, attacker, out):
    """Last liberties of attacking chains beside the prey that are in atari; returns how many."""
    width = state.info[SIZE] + 2
    start = np.int64(state.chain[prey])
    stone = start
    n = 0
    while True:
        for step in (1, -1, width, -width):
            near = stone + step
            if state.color[near] != attacker or not in_atari(state, state.chain[near]):
                continue
            word = state.liberties[state.chain[near]]
            liberty = ((word >> SUM_SHIFT) & SUM_MASK) // (word >> NUMBER_SHIFT)
            known = False
            for i in range(n):
                known |= out[i] == liberty
            if not known:
                out[n] = liberty
                n += 1
        stone = np.int64(state.link[stone])
        if stone == start:
            return n
