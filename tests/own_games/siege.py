"""Siege on 5x5: pieces of three kinds; a player who takes the other's king has won.

    cell = 5 * row + column, row 0 at the bottom; action = 25 * from + to.

A king goes one step in any direction, a rook any way along a row or column, a soldier one step
straight ahead, or diagonally ahead to take. A soldier on the last row becomes a rook. After 60
plies, and where a player cannot move, the game is a draw.
"""

from typing import ClassVar, NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec, GameState, Move, Point
from dlgo.jit import kernel
from dlgo.rng import below
from dlgo.zobrist import zobrist_table

N, CELLS, LONGEST = 5, 25, 60
KING, ROOK, SOLDIER = 0, 2, 4  # piece = kind + player
PIECES = zobrist_table(6, CELLS, stream="siege pieces")
SIDES = zobrist_table(2, stream="siege sides")
PLIES = zobrist_table(LONGEST + 1, stream="siege plies")
START = ((ROOK, 0), (KING, 2), (ROOK, 4), (SOLDIER, 6), (SOLDIER, 7), (SOLDIER, 8))
WORTH = (0, 50, 10)
TURN, PLY, WINNER, KEY = range(4)


class SiegeState(NamedTuple):
    """board: int8[25], -1 or a piece; words: int64[4] = turn, plies, winner or -1, key."""

    board: np.ndarray
    words: np.ndarray


@kernel
def reset(state):
    for cell in range(CELLS):
        state.board[cell] = -1
    state.words[TURN] = state.words[PLY] = state.words[KEY] = 0
    state.words[WINNER] = -1
    for kind, cell in START:
        put(state, cell, kind)
        put(state, CELLS - 1 - cell, kind + 1)


@kernel
def put(state, cell, piece):
    """Put a piece on a cell, or -1 to empty it, in place of what stands there."""
    if state.board[cell] >= 0:
        state.words[KEY] ^= PIECES[state.board[cell], cell]
    state.board[cell] = piece
    if piece >= 0:
        state.words[KEY] ^= PIECES[piece, cell]


@kernel
def copy_into(target, source):
    for cell in range(CELLS):
        target.board[cell] = source.board[cell]
    for i in range(4):
        target.words[i] = source.words[i]


@kernel
def to_move(state):
    return state.words[TURN]


@kernel
def is_legal(state, action):
    start, end, me = action // CELLS, action % CELLS, state.words[TURN]
    moved, taken = state.board[start], state.board[end]
    if moved < 0 or moved % 2 != me or start == end or (taken >= 0 and taken % 2 == me):
        return False
    up, right = end // N - start // N, end % N - start % N
    if moved - me == KING:
        return abs(up) <= 1 and abs(right) <= 1
    if moved - me == SOLDIER:
        return up == 1 - 2 * me and abs(right) == (taken >= 0)
    if up != 0 and right != 0:
        return False
    distance = max(abs(up), abs(right))
    for i in range(1, distance):
        if state.board[start + (N * up + right) // distance * i] >= 0:
            return False
    return True


@kernel
def legal_actions(state, out):
    n = 0
    for start in range(CELLS):
        if state.board[start] >= 0 and state.board[start] % 2 == state.words[TURN]:
            for action in range(CELLS * start, CELLS * (start + 1)):
                if is_legal(state, action):
                    out[n] = action
                    n += 1
    return n


@kernel
def play(state, action):
    start, end, me = action // CELLS, action % CELLS, state.words[TURN]
    moved = state.board[start]
    if state.board[end] - (1 - me) == KING:
        state.words[WINNER] = me
    if moved - me == SOLDIER and end // N == (0 if me else N - 1):
        moved = ROOK + me
    put(state, end, moved)
    put(state, start, -1)
    state.words[TURN] = 1 - me
    state.words[PLY] += 1


@kernel
def key(state):
    return state.words[KEY] ^ SIDES[state.words[TURN]] ^ PLIES[state.words[PLY]]


@kernel
def can_move(state):
    for action in range(CELLS * CELLS):
        if is_legal(state, action):
            return True
    return False


@kernel
def terminal(state):
    return state.words[WINNER] >= 0 or state.words[PLY] == LONGEST or not can_move(state)


@kernel
def result(state):
    return 0 if state.words[WINNER] < 0 else 1 - 2 * state.words[WINNER]


@kernel
def piece(state, cell):
    return state.board[cell]


@kernel
def extra_planes(state, out, first):
    kernels.fill_plane(out, first, state.words[PLY] / LONGEST)


@kernel
def rollout(state, rng):
    while not terminal(state):
        chosen, n = 0, 0
        for start in range(CELLS):
            if state.board[start] >= 0 and state.board[start] % 2 == state.words[TURN]:
                for action in range(CELLS * start, CELLS * (start + 1)):
                    if is_legal(state, action):
                        n += 1
                        if below(rng, n) == 0:  # each of n with the same chance
                            chosen = action
        play(state, chosen)
    return result(state)


@kernel
def evaluate(state):
    total = 0
    for cell in range(CELLS):
        if state.board[cell] >= 0:
            sign = 1 if state.board[cell] % 2 == state.words[TURN] else -1
            total += sign * WORTH[state.board[cell] // 2]
    return total


kernels.implement(
    SiegeState, reset=reset, copy_into=copy_into, to_move=to_move, is_legal=is_legal,
    legal_actions=legal_actions, play=play, key=key, terminal=terminal, result=result,
    piece=piece, extra_planes=extra_planes, rollout=rollout, evaluate=evaluate,
)


class Siege(GameSpec):
    """A move names from and to: `B2-B3`."""

    name = "siege"
    title = "Siege"
    opening_plies = 2
    num_actions = CELLS * CELLS
    board_rows = board_cols = N
    piece_kinds = ("king", "rook", "soldier")
    extra_planes = ("plies played, of 60, everywhere",)
    colour_symmetry = "rotate180"
    symmetry_names = ("identity", "mirror")
    examples: ClassVar = {"A1-A5 D4-D3 A5-C5": 1}

    def new_kernel_state(self):
        state = SiegeState(np.zeros(CELLS, np.int8), np.zeros(4, np.int64))
        reset(state)
        return state

    def move_of(self, action: int) -> Move:
        start, end = (Point(cell // N + 1, cell % N + 1) for cell in divmod(int(action), CELLS))
        return Move.play((start, end))

    def action_of(self, move: Move) -> int | None:
        if not isinstance(move.place, tuple) or len(move.place) != 2:
            return None
        action = 0
        for point in move.place:
            if not isinstance(point, Point) or not (1 <= point.row <= N and 1 <= point.col <= N):
                return None
            action = CELLS * action + N * (point.row - 1) + point.col - 1
        return action

    def why_illegal(self, state: GameState, move: Move) -> str:
        return "no piece of yours goes there"

    def render(self, state: GameState) -> str:
        return f"{super().render(state)}\nply {state.kernel_state.words[PLY]} of {LONGEST}"
