"""The rules of tic-tac-toe, compiled. Registered with `dlgo.kernels`.

    6 7 8      cell = 3 * row + column, row 0 at the bottom;
    3 4 5      an action is the cell to mark.
    0 1 2
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.jit import kernel
from dlgo.rng import below
from dlgo.zobrist import zobrist_table

CELLS = 9
FULL = 0b111_111_111
LINES = (0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)

STONES = zobrist_table(2, CELLS, stream="tictactoe stones")
SIDE = int(zobrist_table(1, stream="tictactoe side")[0])

# WINS[mask] tells whether the nine-bit set of marks holds a line.
WINS = np.array([any(mask & line == line for line in LINES) for mask in range(FULL + 1)])

# Indices into the state's words.
MARKS_0, MARKS_1, TURN, WINNER, KEY = range(5)
NOBODY = 2


class TicTacToeState(NamedTuple):
    """words: int64[5] = marks of player 0, of player 1, whose turn, winner, key."""

    words: np.ndarray


def new_state() -> TicTacToeState:
    """Arrays for one position, not yet reset."""
    return TicTacToeState(np.zeros(5, np.int64))


@kernel
def reset(state):
    words = state.words
    words[MARKS_0] = 0
    words[MARKS_1] = 0
    words[TURN] = 0
    words[WINNER] = NOBODY
    words[KEY] = 0


@kernel
def copy_into(target, source):
    for i in range(5):
        target.words[i] = source.words[i]


@kernel
def to_move(state):
    return state.words[TURN]


@kernel
def is_legal(state, action):
    return ((state.words[MARKS_0] | state.words[MARKS_1]) >> action) & 1 == 0


@kernel
def legal_actions(state, out):
    marked = state.words[MARKS_0] | state.words[MARKS_1]
    n = 0
    for cell in range(CELLS):
        if (marked >> cell) & 1 == 0:
            out[n] = cell
            n += 1
    return n


@kernel
def play(state, action):
    words = state.words
    player = words[TURN]
    words[player] |= 1 << action
    words[KEY] ^= STONES[player, action] ^ SIDE
    if WINS[words[player]]:
        words[WINNER] = player
    words[TURN] = 1 - player


@kernel
def terminal(state):
    words = state.words
    return words[WINNER] != NOBODY or words[MARKS_0] | words[MARKS_1] == FULL


@kernel
def result(state):
    winner = state.words[WINNER]
    return 0 if winner == NOBODY else 1 - 2 * winner


@kernel
def key(state):
    return state.words[KEY]


@kernel
def rollout(state, rng):
    words = state.words
    marks_0, marks_1, player = words[MARKS_0], words[MARKS_1], words[TURN]
    if words[WINNER] != NOBODY:
        return 1 - 2 * words[WINNER]
    while marks_0 | marks_1 != FULL:
        free = FULL & ~(marks_0 | marks_1)
        count = 0
        rest = free
        while rest:
            rest &= rest - 1
            count += 1
        for _ in range(below(rng, count)):  # drop the lowest free cells; the next is the pick
            free &= free - 1
        cell = free & -free
        if player == 0:
            marks_0 |= cell
            if WINS[marks_0]:
                return 1
        else:
            marks_1 |= cell
            if WINS[marks_1]:
                return -1
        player = 1 - player
    return 0


@kernel
def evaluate(state):
    """Ten points for each line that only one player can still complete, by marks in it."""
    words = state.words
    own, other = words[words[TURN]], words[1 - words[TURN]]
    total = 0
    for line in LINES:
        if other & line == 0:
            total += 10 * _count(own & line)
        if own & line == 0:
            total -= 10 * _count(other & line)
    return total


@kernel
def _count(mask):
    n = 0
    while mask:
        mask &= mask - 1
        n += 1
    return n


kernels.implement(
    TicTacToeState, reset=reset, copy_into=copy_into, to_move=to_move,
    legal_actions=legal_actions, is_legal=is_legal, play=play, terminal=terminal,
    result=result, key=key, rollout=rollout, evaluate=evaluate,
)
