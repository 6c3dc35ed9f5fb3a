"""Knightthrough on NxN: knights go ahead, never back; the last row wins.

    cell = N * row + column, row 0 at the bottom; action = N * N * from + to.
"""

from typing import ClassVar, NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec, GameState, Move, Point
from dlgo.jit import kernel
from dlgo.rng import below
from dlgo.specs import Option
from dlgo.zobrist import zobrist_table

MEN = zobrist_table(2, 64, stream="knightthrough men")
SIDES = zobrist_table(2, stream="knightthrough sides")
TURN, WINNER, KEY, SIZE, LEFT_0, LEFT_1 = range(6)


class KnightthroughState(NamedTuple):
    """board: int8[N * N], -1 or a player; words: int64[6], see above."""

    board: np.ndarray
    words: np.ndarray


@kernel
def reset(state):
    n, words = state.words[SIZE], state.words
    words[TURN] = words[KEY] = 0
    words[WINNER] = -1
    words[LEFT_0] = words[LEFT_1] = 2 * n
    for cell in range(n * n):
        state.board[cell] = 0 if cell < 2 * n else 1 if cell >= n * (n - 2) else -1
        if state.board[cell] >= 0:
            words[KEY] ^= MEN[state.board[cell], cell]


@kernel
def copy_into(target, source):
    for i in range(source.board.shape[0]):
        target.board[i] = source.board[i]
    for i in range(6):
        target.words[i] = source.words[i]


@kernel
def to_move(state):
    return state.words[TURN]


@kernel
def is_legal(state, action):
    n, me = state.words[SIZE], state.words[TURN]
    start, end = action // (n * n), action % (n * n)
    up, right = end // n - start // n, end % n - start % n
    if up * (1 - 2 * me) < 1 or abs(up * right) != 2:
        return False
    return state.board[start] == me and state.board[end] != me


@kernel
def legal_actions(state, out):
    n, count = state.words[SIZE], 0
    for start in range(n * n):
        if state.board[start] == state.words[TURN]:
            for end in range(start - 2 * n - 1, start + 2 * n + 2):
                if 0 <= end < n * n and is_legal(state, n * n * start + end):
                    out[count] = n * n * start + end
                    count += 1
    return count


@kernel
def play(state, action):
    n, words = state.words[SIZE], state.words
    start, end, me = action // (n * n), action % (n * n), words[TURN]
    if state.board[end] == 1 - me:
        words[KEY] ^= MEN[1 - me, end]
        words[LEFT_0 + 1 - me] -= 1
    state.board[start] = -1
    state.board[end] = me
    words[KEY] ^= MEN[me, start] ^ MEN[me, end]
    if end // n == (0 if me else n - 1) or words[LEFT_0 + 1 - me] == 0:
        words[WINNER] = me
    words[TURN] = 1 - me


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
    n = state.words[SIZE]
    while not terminal(state):
        start, end = below(rng, n * n), below(rng, n * n)
        if is_legal(state, n * n * start + end):
            play(state, n * n * start + end)
    return result(state)


@kernel
def evaluate(state):
    n, total = state.words[SIZE], 0
    for cell in range(n * n):
        if state.board[cell] == 0:
            total += 20 + cell // n
        elif state.board[cell] == 1:
            total -= 20 + n - 1 - cell // n
    return total * (1 - 2 * state.words[TURN])


kernels.implement(
    KnightthroughState, reset=reset, copy_into=copy_into, to_move=to_move, is_legal=is_legal,
    legal_actions=legal_actions, play=play, key=key, terminal=terminal, result=result,
    piece=piece, rollout=rollout, evaluate=evaluate,
)


class Knightthrough(GameSpec):
    """A move names from and to: `B2-C4`."""

    name = "knightthrough"
    title = "Knightthrough"
    opening_plies = 2
    options = (Option("size", 6, "cells on a side", low=4, high=8),)
    symmetry_names = ("identity", "mirror")
    colour_symmetry = "rotate180"
    examples: ClassVar = {"A2-B4": 1, "A1-B3 A3-B1": -1}

    def __init__(self, **settings):
        super().__init__(**settings)
        self.board_rows = self.board_cols = self.settings["size"]
        self.num_actions = self.board_rows**4
        if self.board_rows != 4:
            self.examples = {}

    def new_kernel_state(self):
        n = self.board_rows
        state = KnightthroughState(np.zeros(n * n, np.int8), np.zeros(6, np.int64))
        state.words[SIZE] = n
        reset(state)
        return state

    def move_of(self, action: int) -> Move:
        n = self.board_rows
        cells = divmod(int(action), n * n)
        return Move.play(tuple(Point(cell // n + 1, cell % n + 1) for cell in cells))

    def action_of(self, move: Move) -> int | None:
        n = self.board_rows
        if not isinstance(move.place, tuple) or len(move.place) != 2:
            return None
        action = 0
        for point in move.place:
            if not isinstance(point, Point) or not (1 <= point.row <= n and 1 <= point.col <= n):
                return None
            action = n * n * action + n * (point.row - 1) + point.col - 1
        return action

    def why_illegal(self, state: GameState, move: Move) -> str:
        return "a man goes ahead as a knight does"
