"""Hex on NxN: who joins the own two sides wins: x bottom and top, o left and right.

    cell = N * row + column, row 0 at the bottom; an action is a cell. The neighbours of a cell are
    those beside, above and below it, and two diagonal ones: up and left, down and right.
"""

from typing import NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec, GameState, Move
from dlgo.jit import kernel
from dlgo.rng import below
from dlgo.specs import Option
from dlgo.zobrist import zobrist_table

STONES = zobrist_table(2, 81, stream="hex stones")
SIDES = zobrist_table(2, stream="hex sides")
STEPS = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1))
TURN, WINNER, KEY, SIZE = range(4)


class HexState(NamedTuple):
    """board: int8[N * N], -1 or a player; words: int64[4], see above; todo, seen: scratch."""

    board: np.ndarray
    words: np.ndarray
    todo: np.ndarray
    seen: np.ndarray


@kernel
def reset(state):
    for cell in range(state.board.shape[0]):
        state.board[cell] = -1
    state.words[TURN] = state.words[KEY] = 0
    state.words[WINNER] = -1


@kernel
def copy_into(target, source):
    for i in range(source.board.shape[0]):
        target.board[i] = source.board[i]
    for i in range(4):
        target.words[i] = source.words[i]


@kernel
def to_move(state):
    return state.words[TURN]


@kernel
def is_legal(state, action):
    return state.board[action] == -1


@kernel
def legal_actions(state, out):
    n = 0
    for cell in range(state.board.shape[0]):
        if state.board[cell] == -1:
            out[n] = cell
            n += 1
    return n


@kernel
def joins(state, cell):
    """Whether the chain of a stone touches both sides of its player."""
    n, player = state.words[SIZE], state.board[cell]
    for i in range(n * n):
        state.seen[i] = 0
    state.todo[0] = cell
    state.seen[cell] = 1
    count, low, high = 1, False, False
    while count > 0:
        count -= 1
        row, col = state.todo[count] // n, state.todo[count] % n
        along = row if player == 0 else col
        low = low or along == 0
        high = high or along == n - 1
        for up, right in STEPS:
            r, c = row + up, col + right
            if 0 <= r < n and 0 <= c < n:
                other = n * r + c
                if state.board[other] == player and state.seen[other] == 0:
                    state.seen[other] = 1
                    state.todo[count] = other
                    count += 1
    return low and high


@kernel
def play(state, action):
    me = state.words[TURN]
    state.board[action] = me
    state.words[KEY] ^= STONES[me, action]
    if joins(state, action):
        state.words[WINNER] = me
    state.words[TURN] = 1 - me


@kernel
def key(state):
    return state.words[KEY] ^ SIDES[state.words[TURN]]


@kernel
def terminal(state):
    return state.words[WINNER] >= 0


@kernel
def result(state):
    return 1 - 2 * state.words[WINNER]


@kernel
def piece(state, cell):
    return state.board[cell]


@kernel
def rollout(state, rng):
    while not terminal(state):
        cell = below(rng, state.board.shape[0])
        if is_legal(state, cell):
            play(state, cell)
    return result(state)


@kernel
def evaluate(state):
    return 0


kernels.implement(
    HexState, reset=reset, copy_into=copy_into, to_move=to_move, is_legal=is_legal,
    legal_actions=legal_actions, play=play, key=key, terminal=terminal, result=result,
    piece=piece, rollout=rollout, evaluate=evaluate,
)


class Hex(GameSpec):
    """A move is a cell."""

    name = "hex"
    title = "Hex"
    opening_plies = 2
    options = (Option("size", 5, "cells on a side", low=2, high=9),)
    symmetry_names = ("identity", "rotate180")
    colour_symmetry = "transpose"

    def __init__(self, **settings):
        super().__init__(**settings)
        self.board_rows = self.board_cols = self.settings["size"]
        self.num_actions = self.board_rows**2

    def new_kernel_state(self):
        n = self.num_actions
        state = HexState(*(np.zeros(size, np.int64) for size in (n, 4, n, n)))
        state.words[SIZE] = self.board_rows
        reset(state)
        return state

    def same_position(self, one, other):
        return np.array_equal(one.board, other.board) and np.array_equal(one.words, other.words)

    def why_illegal(self, state: GameState, move: Move) -> str:
        return "the cell is taken"
