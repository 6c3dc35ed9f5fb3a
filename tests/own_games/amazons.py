"""Amazons on 6x6: a queen moves, then shoots an arrow, which stays; who cannot move loses.

    cell = 6 * row + column, row 0 at the bottom;
    action = (36 * from + to) * 36 + arrow, 46,656 of them.
"""

from typing import NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec, GameState, Move, Point
from dlgo.jit import kernel
from dlgo.rng import below
from dlgo.zobrist import zobrist_table

N, CELLS = 6, 36
PIECES = zobrist_table(3, CELLS, stream="amazons pieces")
SIDES = zobrist_table(2, stream="amazons sides")
STEPS = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))
START = ((2, 0), (12, 0), (33, 1), (23, 1))  # cell, player
TURN, KEY = range(2)
ARROW = 2


class AmazonsState(NamedTuple):
    """board: int8[36], -1, a player's queen, or ARROW; words: int64[2] = turn, key."""

    board: np.ndarray
    words: np.ndarray


@kernel
def reset(state):
    for cell in range(CELLS):
        state.board[cell] = -1
    state.words[TURN] = state.words[KEY] = 0
    for cell, player in START:
        put(state, cell, player)


@kernel
def put(state, cell, piece):
    """Put a piece on an empty cell."""
    state.board[cell] = piece
    state.words[KEY] ^= PIECES[piece, cell]


@kernel
def copy_into(target, source):
    for cell in range(CELLS):
        target.board[cell] = source.board[cell]
    for i in range(2):
        target.words[i] = source.words[i]


@kernel
def to_move(state):
    return state.words[TURN]


@kernel
def next_cell(state, cell, step, hole):
    """The cell after `cell` in a direction if it is empty or `hole`, else -1."""
    row, col = cell // N + STEPS[step][0], cell % N + STEPS[step][1]
    if row < 0 or row >= N or col < 0 or col >= N:
        return -1
    cell = N * row + col
    return cell if state.board[cell] == -1 or cell == hole else -1


@kernel
def sees(state, start, end, hole):
    """Whether a queen on `start` reaches `end`."""
    for step in range(8):
        cell = next_cell(state, start, step, hole)
        while cell >= 0:
            if cell == end:
                return True
            cell = next_cell(state, cell, step, hole)
    return False


@kernel
def is_legal(state, action):
    start, end, arrow = action // CELLS // CELLS, action // CELLS % CELLS, action % CELLS
    return (
        state.board[start] == state.words[TURN] and sees(state, start, end, -1)
        and sees(state, end, arrow, start)
    )


@kernel
def visit(state, out, wanted):
    """Count the legal actions; write them into `out`, or return the one of number `wanted`."""
    n = 0
    for start in range(CELLS):
        if state.board[start] != state.words[TURN]:
            continue
        for step in range(8):
            end = next_cell(state, start, step, -1)
            while end >= 0:
                for flight in range(8):
                    arrow = next_cell(state, end, flight, start)
                    while arrow >= 0:
                        action = (CELLS * start + end) * CELLS + arrow
                        if n == wanted:
                            return action
                        if n < len(out):
                            out[n] = action
                        n += 1
                        arrow = next_cell(state, arrow, flight, start)
                end = next_cell(state, end, step, -1)
    return n


@kernel
def legal_actions(state, out):
    return visit(state, out, -1)


@kernel
def play(state, action):
    start, end, arrow = action // CELLS // CELLS, action // CELLS % CELLS, action % CELLS
    me = state.words[TURN]
    state.board[start] = -1
    state.words[KEY] ^= PIECES[me, start]
    put(state, end, me)
    put(state, arrow, ARROW)
    state.words[TURN] = 1 - me


@kernel
def key(state):
    return state.words[KEY] ^ SIDES[state.words[TURN]]


@kernel
def mobility(state, player):
    """How many cells the player's queens reach."""
    n = 0
    for start in range(CELLS):
        if state.board[start] == player:
            for step in range(8):
                cell = next_cell(state, start, step, -1)
                while cell >= 0:
                    n += 1
                    cell = next_cell(state, cell, step, -1)
    return n


@kernel
def terminal(state):
    return mobility(state, state.words[TURN]) == 0


@kernel
def result(state):
    return 1 if state.words[TURN] == 1 else -1  # who is to move has lost


@kernel
def piece(state, cell):
    return state.board[cell]


@kernel
def rollout(state, rng):
    nowhere = state.board[:0]
    while not terminal(state):
        play(state, visit(state, nowhere, below(rng, visit(state, nowhere, -1))))
    return result(state)


@kernel
def evaluate(state):
    me = state.words[TURN]
    return 20 * (mobility(state, me) - mobility(state, 1 - me))


kernels.implement(
    AmazonsState, reset=reset, copy_into=copy_into, to_move=to_move, is_legal=is_legal,
    legal_actions=legal_actions, play=play, key=key, terminal=terminal, result=result,
    piece=piece, rollout=rollout, evaluate=evaluate,
)


class Amazons(GameSpec):
    """A move names from, to and arrow: `C1-C4-B5`."""

    name = "amazons"
    title = "Amazons"
    opening_plies = 2
    num_actions = CELLS**3
    board_rows = board_cols = N
    piece_kinds = ("queen", "arrow")
    colour_symmetry = "rotate180"

    def new_kernel_state(self):
        state = AmazonsState(np.zeros(CELLS, np.int8), np.zeros(2, np.int64))
        reset(state)
        return state

    def move_of(self, action: int) -> Move:
        cells = int(action) // CELLS // CELLS, int(action) // CELLS % CELLS, int(action) % CELLS
        return Move.play(tuple(Point(cell // N + 1, cell % N + 1) for cell in cells))

    def action_of(self, move: Move) -> int | None:
        if not isinstance(move.place, tuple) or len(move.place) != 3:
            return None
        action = 0
        for point in move.place:
            if not isinstance(point, Point) or not (1 <= point.row <= N and 1 <= point.col <= N):
                return None
            action = CELLS * action + N * (point.row - 1) + point.col - 1
        return action

    def last_cell(self, state: GameState) -> Point | None:
        return state.last_move.place[1] if state.last_move and state.last_move.is_play else None

    def why_illegal(self, state: GameState, move: Move) -> str:
        return "a queen moves over empty cells, and then its arrow does"
