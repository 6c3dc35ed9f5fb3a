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
# COUNT[mask]: the number of bits in a nine-bit set.
COUNT = np.array([mask.bit_count() for mask in range(FULL + 1)])
# PICK[mask, i]: the i-th lowest bit of a nine-bit set (by itself, not its number).
PICK = np.array([
    ([bit for bit in (1 << cell for cell in range(CELLS)) if mask & bit] + [0] * CELLS)[:CELLS]
    for mask in range(FULL + 1)
])

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
def reset(state: TicTacToeState) -> None:
    words = state.words
    words[MARKS_0] = 0
    words[MARKS_1] = 0
    words[TURN] = 0
    words[WINNER] = NOBODY
    words[KEY] = 0


@kernel
def copy_into(target: TicTacToeState, source: TicTacToeState) -> None:
    for i in range(5):
        target.words[i] = source.words[i]


@kernel
def to_move(state: TicTacToeState) -> int:
    return state.words[TURN]


@kernel
def is_legal(state: TicTacToeState, action: int) -> bool:
    return ((state.words[MARKS_0] | state.words[MARKS_1]) >> action) & 1 == 0


@kernel
def legal_actions(state: TicTacToeState, out: np.ndarray) -> int:
    marked = state.words[MARKS_0] | state.words[MARKS_1]
    n = 0
    for cell in range(CELLS):
        if (marked >> cell) & 1 == 0:
            out[n] = cell
            n += 1
    return n


@kernel
def play(state: TicTacToeState, action: int) -> None:
    words = state.words
    player = words[TURN]
    words[player] |= 1 << action
    words[KEY] ^= STONES[player, action] ^ SIDE
    if WINS[words[player]]:
        words[WINNER] = player
    words[TURN] = 1 - player


@kernel
def terminal(state: TicTacToeState) -> bool:
    words = state.words
    return words[WINNER] != NOBODY or words[MARKS_0] | words[MARKS_1] == FULL


@kernel
def result(state: TicTacToeState) -> int:
    winner = state.words[WINNER]
    return 0 if winner == NOBODY else 1 - 2 * winner


@kernel
def key(state: TicTacToeState) -> int:
    return state.words[KEY]


@kernel
def piece(state: TicTacToeState, cell: int) -> int:
    for player in range(2):
        if (state.words[player] >> cell) & 1:
            return player
    return kernels.NOBODY


@kernel
def rollout(state: TicTacToeState, rng: np.ndarray) -> int:
    words = state.words
    if words[WINNER] != NOBODY:
        return 1 - 2 * words[WINNER]
    own, opponent = words[words[TURN]], words[1 - words[TURN]]
    sign = 1 - 2 * words[TURN]
    while own | opponent != FULL:
        free = FULL & ~(own | opponent)
        own |= PICK[free, below(rng, COUNT[free])]
        if WINS[own]:
            return sign
        own, opponent = opponent, own
        sign = -sign
    return 0


@kernel
def evaluate(state: TicTacToeState) -> int:
    """Ten points for each line that only one player can still complete, by marks in it."""
    words = state.words
    own, opponent = words[words[TURN]], words[1 - words[TURN]]
    total = 0
    for line in LINES:
        if opponent & line == 0:
            total += 10 * COUNT[own & line]
        if own & line == 0:
            total -= 10 * COUNT[opponent & line]
    return total


kernels.implement(
    TicTacToeState, reset=reset, copy_into=copy_into, to_move=to_move,
    legal_actions=legal_actions, is_legal=is_legal, play=play, terminal=terminal,
    result=result, key=key, piece=piece, rollout=rollout, evaluate=evaluate,
)
