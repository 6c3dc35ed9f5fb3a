"""Othello on NxN: a cell to play on, or a pass (action N * N) where no play is legal.

    cell = N * row + column, row 0 at the bottom.
"""

from typing import ClassVar, NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec, GameState, Move
from dlgo.jit import kernel
from dlgo.rng import below
from dlgo.specs import Option
from dlgo.zobrist import zobrist_table

STONES = zobrist_table(2, 64, stream="othello stones")
SIDES = zobrist_table(2, stream="othello sides")
PASSED = zobrist_table(3, stream="othello passes")
STEPS = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))
TURN, PASSES, KEY, SIZE = range(4)


class OthelloState(NamedTuple):
    """board: int8[N * N], -1 or a player; words: int64[4], see above."""

    board: np.ndarray
    words: np.ndarray


@kernel
def reset(state):
    n, words = state.words[SIZE], state.words
    for cell in range(n * n):
        state.board[cell] = -1
    words[TURN] = words[PASSES] = words[KEY] = 0
    low, high = n // 2 - 1, n // 2
    for row, col, player in ((low, low, 1), (high, high, 1), (low, high, 0), (high, low, 0)):
        state.board[n * row + col] = player
        words[KEY] ^= STONES[player, n * row + col]


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
def turned(state, cell, down, right):
    """How many stones a play on `cell` turns in a direction."""
    n, me = state.words[SIZE], state.words[TURN]
    row, col, count = cell // n + down, cell % n + right, 0
    while 0 <= row < n and 0 <= col < n and state.board[n * row + col] == 1 - me:
        count += 1
        row += down
        col += right
    if 0 <= row < n and 0 <= col < n and state.board[n * row + col] == me:
        return count
    return 0


@kernel
def can_play(state, cell):
    if state.board[cell] != -1:
        return False
    for down, right in STEPS:
        if turned(state, cell, down, right) > 0:
            return True
    return False


@kernel
def is_legal(state, action):
    cells = state.board.shape[0]
    if action < cells:
        return can_play(state, action)
    for cell in range(cells):
        if can_play(state, cell):
            return False
    return True


@kernel
def legal_actions(state, out):
    n = 0
    for cell in range(state.board.shape[0]):
        if can_play(state, cell):
            out[n] = cell
            n += 1
    if n == 0:
        out[0] = state.board.shape[0]
        n = 1
    return n


@kernel
def play(state, action):
    words, n = state.words, state.words[SIZE]
    me = words[TURN]
    if action == n * n:
        words[PASSES] += 1
    else:
        words[PASSES] = 0
        for down, right in STEPS:
            for i in range(1, turned(state, action, down, right) + 1):
                cell = action + i * (n * down + right)
                state.board[cell] = me
                words[KEY] ^= STONES[0, cell] ^ STONES[1, cell]
        state.board[action] = me
        words[KEY] ^= STONES[me, action]
    words[TURN] = 1 - me


@kernel
def key(state):
    return state.words[KEY] ^ SIDES[state.words[TURN]] ^ PASSED[state.words[PASSES]]


@kernel
def terminal(state):
    return state.words[PASSES] == 2


@kernel
def margin(state):
    total = 0
    for cell in range(state.board.shape[0]):
        total += (state.board[cell] == 0) - (state.board[cell] == 1)
    return total


@kernel
def result(state):
    return min(1, max(-1, margin(state)))


@kernel
def piece(state, cell):
    return state.board[cell]


@kernel
def extra_planes(state, out, first):
    kernels.fill_plane(out, first, state.words[PASSES])


@kernel
def rollout(state, rng):
    while not terminal(state):
        chosen, n = state.board.shape[0], 0
        for cell in range(state.board.shape[0]):
            if can_play(state, cell):
                n += 1
                if below(rng, n) == 0:  # each of n plays with the same chance
                    chosen = cell
        play(state, chosen)
    return result(state)


@kernel
def evaluate(state):
    return 10 * margin(state) * (1 - 2 * state.words[TURN])


kernels.implement(
    OthelloState, reset=reset, copy_into=copy_into, to_move=to_move, is_legal=is_legal,
    legal_actions=legal_actions, play=play, key=key, terminal=terminal, result=result,
    margin=margin, piece=piece, extra_planes=extra_planes, rollout=rollout, evaluate=evaluate,
)


class Othello(GameSpec):
    """A stone must enclose others, which change colour; more stones win."""

    name = "othello"
    title = "Othello"
    opening_plies = 4
    options = (Option("size", 8, "cells on a side", low=4, high=8),)
    extra_planes = ("passes in succession, everywhere",)
    symmetry_names = ("identity", "rotate180", "transpose", "antitranspose")
    examples: ClassVar = {"A2 A3 B4 C1 A4 pass B1 A1 D2 C4 D4 pass D1 D3 pass pass": 1}

    def __init__(self, **settings):
        super().__init__(**settings)
        if self.settings["size"] % 2:
            raise ValueError("size is odd; write an even number of cells")
        self.board_rows = self.board_cols = self.settings["size"]
        self.pass_action = self.board_rows**2
        self.num_actions = self.pass_action + 1
        if self.board_rows != 4:
            self.examples = {}

    def new_kernel_state(self):
        n = self.board_rows
        state = OthelloState(np.zeros(n * n, np.int8), np.zeros(4, np.int64))
        state.words[SIZE] = n
        reset(state)
        return state

    def why_illegal(self, state: GameState, move: Move) -> str:
        return "there is a legal play" if move.is_pass else "it encloses no stone"

    def render(self, state: GameState) -> str:
        passes, board = state.kernel_state.words[PASSES], super().render(state)
        return f"{board}\npasses: {passes}" if passes else board
