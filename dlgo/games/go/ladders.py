"""Ladders: can a chain be captured by a series of ataris?

The attacker plays one of the last two liberties, which puts the chain in atari; the defender
runs at the last liberty or captures one of the attackers that is in atari itself; and so on.
Each answer is forced, so the tree is narrow but deep: it ends when the chain is captured, or
has three liberties. The `alphago` encoder uses the outcome as a feature of moves (chapter 13
of the book: ladder capture and ladder escape).

Reading is exact for ladders in this sense, with the simple ko rule; it does not consider whether
the loss of the chain matters.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.games.go import board
from dlgo.games.go.board import GoState
from dlgo.games.go.tactics import last_liberty
from dlgo.jit import inline_kernel
from dlgo.jit import kernel as compiled

# A ladder across a 25x25 board takes fewer plies; a reading that is deeper counts as escape.
MAX_PLIES = 120


class LadderScratch(NamedTuple):
    """Scratch of one reading: a position for every ply, and the moves to try there.

    states: batch of MAX_PLIES + 2 boards without history;
    moves: int64[MAX_PLIES + 2, size * size + 1];
    counts, indices: int64[MAX_PLIES + 2], the number of moves at each ply, and the index of the
        next one to try.
    """

    states: board.GoState
    moves: np.ndarray
    counts: np.ndarray
    indices: np.ndarray


def new_scratch(size: int) -> LadderScratch:
    """Scratch for readings on boards of `size` lines, by one thread."""
    plies = MAX_PLIES + 2
    return LadderScratch(
        kernels.make_batch(board.new_state(size, 0, 1), plies),
        np.zeros((plies, 1 + size * size), np.int64),
        np.zeros(plies, np.int64),
        np.zeros(plies, np.int64),
    )


@compiled
def attack_succeeds(
    scratch: LadderScratch, state: GoState, prey: int, point: int, attacker: int,
) -> bool:
    """Whether playing on `point`, one of the prey's two liberties, captures it in a ladder.

    `point` must be playable for the attacker. `liberties_of(state, prey, scratch.moves[0])`
    has been called.
    """
    liberties = scratch.moves[0]
    if _runs_free(state, liberties[0] + liberties[1] - point, point):
        return False
    successor = kernels.row(scratch.states, 1)
    board.copy_board(successor, state)
    board.place(successor, point, attacker)
    return _captured(scratch, prey, attacker, False)


@compiled
def defence_succeeds(
    scratch: LadderScratch, state: GoState, prey: int, point: int, defender: int,
) -> bool:
    """Whether playing on `point` saves the prey, in atari now, from capture and ladders."""
    successor = kernels.row(scratch.states, 1)
    board.copy_board(successor, state)
    board.place(successor, point, defender)
    return not _captured(scratch, prey, 1 - defender, True)


@inline_kernel
def _runs_free(state: GoState, liberty: int, blocked: int) -> bool:
    """Whether a chain that is left with this one liberty gets three by playing there.

    Then no ladder follows, and it need not be played out. `blocked` is the point that the attacker
    plays first.
    """
    width = state.info[board.SIZE] + 2
    n = 0
    for step in (1, -1, width, -width):
        n += state.color[liberty + step] == board.EMPTY and liberty + step != blocked
    return n >= 3


@compiled
def liberties_of(state: GoState, stone: int, out: np.ndarray) -> int:
    """Write up to three different liberties of a stone's chain into `out`; return how many."""
    width = state.info[board.SIZE] + 2
    start = np.int64(state.chain[stone])
    walk = start
    n = 0
    while True:
        for step in (1, -1, width, -width):
            near = walk + step
            if state.color[near] != board.EMPTY:
                continue
            listed = False
            for i in range(n):
                listed |= out[i] == near
            if not listed:
                out[n] = near
                n += 1
                if n == 3:
                    return 3
        walk = np.int64(state.link[walk])
        if walk == start:
            return n


@compiled
def _captured(scratch: LadderScratch, prey: int, attacker: int, attacker_first: bool) -> bool:
    """Whether the prey falls, from the state in row 1 of the batch.

    A depth-first search of the forced moves, the recursion written as a loop: `moves[ply]`
    are the `counts[ply]` moves to try, the first `indices[ply]` of which have been tried. An
    attacker's node is true if one of its moves is; a defender's is false if one of its moves is.
    """
    states, moves, counts, indices = scratch.states, scratch.moves, scratch.counts, scratch.indices
    ply = 1
    arriving = True
    captured = False
    while True:
        attacks = (ply % 2 == 1) == attacker_first
        state = kernels.row(states, ply)
        settled = False
        if arriving:
            indices[ply] = 0
            settled, captured = _list_moves(
                state, moves[ply], counts, ply, prey, attacker, attacks)
        else:
            settled = captured == attacks  # the move just tried succeeds for the mover
        player = attacker if attacks else 1 - attacker
        arriving = False
        while not settled and not arriving and indices[ply] < counts[ply]:
            point = moves[ply, indices[ply]]
            indices[ply] += 1
            if attacks and _runs_free(state, moves[ply, 0] + moves[ply, 1] - point, point):
                continue
            if board.is_playable(state, point, player):
                successor = kernels.row(states, ply + 1)
                board.copy_board(successor, state)
                board.place(successor, point, player)
                arriving = True
        if arriving:
            ply += 1
            continue
        if not settled:
            captured = not attacks  # no move succeeded
        if ply == 1:
            return captured
        ply -= 1


@compiled
def _list_moves(
    state: GoState, out: np.ndarray, counts: np.ndarray, ply: int, prey: int, attacker: int,
    attacks: bool,
) -> tuple[bool, bool]:
    """Decide a node at once, or list the moves to try. Returns (settled, captured)."""
    if state.color[prey] != 1 - attacker:
        return True, True
    liberties = liberties_of(state, prey, out)
    if attacks:
        counts[ply] = 2
        if liberties == 2 and ply < MAX_PLIES:
            return False, False
        return True, liberties < 2
    if liberties > 1 or ply >= MAX_PLIES:
        return True, False
    # Run at the last liberty, or take an attacker that is in atari.
    counts[ply] = 1 + counter_captures(state, prey, attacker, out[1:])
    return False, False


@compiled
def counter_captures(state: GoState, prey: int, attacker: int, out: np.ndarray) -> int:
    """Last liberties of attacking chains beside the prey that are in atari; returns how many."""
    width = state.info[board.SIZE] + 2
    start = np.int64(state.chain[prey])
    stone = start
    n = 0
    while True:
        for step in (1, -1, width, -width):
            near = stone + step
            if state.color[near] != attacker or not board.in_atari(state, state.chain[near]):
                continue
            liberty = last_liberty(state, state.chain[near])
            listed = False
            for i in range(n):
                listed |= out[i] == liberty
            if not listed:
                out[n] = liberty
                n += 1
        stone = np.int64(state.link[stone])
        if stone == start:
            return n
