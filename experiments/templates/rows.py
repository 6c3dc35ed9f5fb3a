"""Rows and Columns: a player who fills a row or column scores a point and plays again.

    dlgo check rows.py                                 # tests the rules
    dlgo play rows.py                                  # you against MCTS
    dlgo tournament --ledger rows.sqlite --game rows.py --pairs 20 \
        --engine random --engine mcts:sims=100 --engine alphabeta:depth=4

The rules come first: functions compiled by Numba over a state of arrays. `RowsAndColumns` is the
face that people see. docs/add_a_game.md explains each part.

    6 7 8      cell = 3 * row + column, row 0 at the bottom;
    3 4 5      an action is the cell to fill.
    0 1 2
"""

from typing import ClassVar, NamedTuple

import numpy as np

from dlgo import kernels, symmetry
from dlgo.api import GameSpec, GameState, Move, Point
from dlgo.jit import kernel
from dlgo.rng import below
from dlgo.zobrist import zobrist_table

CELLS = 9
LINES = (0o7, 0o70, 0o700, 0o111, 0o222, 0o444)  # rows and columns as sets of cells
STONES = zobrist_table(2, CELLS, stream="rows stones")
LEADS = zobrist_table(2 * len(LINES) + 1, stream="rows leads")
SIDES = zobrist_table(2, stream="rows sides")
STONES_0, STONES_1, TURN, LEAD, KEY = range(5)


class RowsState(NamedTuple):
    """words: int64[5] = stones of player 0, of player 1, whose turn, lead of player 0, key."""

    words: np.ndarray


@kernel
def reset(state):
    state.words[:] = 0


@kernel
def copy_into(target, source):
    for i in range(5):
        target.words[i] = source.words[i]


@kernel
def to_move(state):
    return state.words[TURN]


@kernel
def is_legal(state, action):
    return (state.words[STONES_0] | state.words[STONES_1]) >> action & 1 == 0


@kernel
def legal_actions(state, out):
    n = 0
    for cell in range(CELLS):
        out[n] = cell  # the next one overwrites it unless it is legal
        n += is_legal(state, cell)
    return n


@kernel
def play(state, action):
    words = state.words
    player = words[TURN]
    words[player] |= 1 << action
    words[KEY] ^= STONES[player, action]
    words[TURN] = 1 - player
    filled = words[STONES_0] | words[STONES_1]
    for line in LINES:
        if line >> action & 1 and filled & line == line:
            words[LEAD] += 1 - 2 * player
            words[TURN] = player


@kernel
def key(state):
    return state.words[KEY] ^ LEADS[state.words[LEAD] + len(LINES)] ^ SIDES[state.words[TURN]]


@kernel
def terminal(state):
    return state.words[STONES_0] | state.words[STONES_1] == (1 << CELLS) - 1


@kernel
def result(state):
    return min(1, max(-1, state.words[LEAD]))


@kernel
def piece(state, cell):
    return (state.words[STONES_0] >> cell & 1) + 2 * (state.words[STONES_1] >> cell & 1) - 1


@kernel
def extra_planes(state, out, first):
    kernels.fill_plane(out, first, state.words[LEAD] / len(LINES))


@kernel
def rollout(state, rng):
    while not terminal(state):
        cell = below(rng, CELLS)
        if is_legal(state, cell):
            play(state, cell)
    return result(state)


@kernel
def evaluate(state):
    return 100 * state.words[LEAD] * (1 - 2 * state.words[TURN])


kernels.implement(
    RowsState, reset=reset, copy_into=copy_into, to_move=to_move, is_legal=is_legal,
    legal_actions=legal_actions, play=play, key=key, terminal=terminal, result=result,
    piece=piece, extra_planes=extra_planes, rollout=rollout, evaluate=evaluate,
)


class RowsAndColumns(GameSpec):
    """A move is a cell of the 3x3 board, `A1` to `C3`."""

    name = "rows"
    title = "Rows and Columns"
    opening_plies = 2  # random plies before a rated game, so that games differ
    num_actions = CELLS
    board_rows = board_cols = 3
    extra_planes = ("the first player's lead, of 6, everywhere",)
    symmetry_names = symmetry.SQUARE  # a turned or mirrored game is the same game
    examples: ClassVar = {"A1 A2 B1 B2 A3 C1 C2 B3 C3": 1}  # a finished game: black has won

    def new_kernel_state(self) -> RowsState:
        return RowsState(np.zeros(5, np.int64))  # as `reset` leaves it

    def move_of(self, action: int) -> Move:
        return Move.play(Point(int(action) // 3 + 1, int(action) % 3 + 1))

    def action_of(self, move: Move) -> int | None:
        row, col = move.point or (0, 0)
        return 3 * (row - 1) + col - 1 if 1 <= row <= 3 and 1 <= col <= 3 else None

    def why_illegal(self, state: GameState, move: Move) -> str:
        return "there is no such cell" if self.action_of(move) is None else "the cell is taken"

    def render(self, state: GameState) -> str:
        return f"{super().render(state)}\nlead of x: {state.kernel_state.words[LEAD]}"
