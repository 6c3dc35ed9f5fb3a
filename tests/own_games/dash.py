"""Dash: on 5x5, men step ahead or diagonally ahead, and capture diagonally.

A man that reaches the last row leaves the board and scores a point. A captured man goes back to
its player's hand and may enter on an empty cell of the first row. First to 3 points wins; a player
without moves passes; after 80 plies the points decide.
Actions: 3 * cell + direction (0 left, 1 ahead, 2 right), 75 + column to enter, 80 to pass.
"""
from typing import NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec, GameState, Move, Point
from dlgo.jit import kernel
from dlgo.rng import below
from dlgo.zobrist import zobrist_table

N, CELLS, MOST, GOAL = 5, 25, 80, 3
MEN = zobrist_table(2, CELLS, stream="dash men")
HANDS = zobrist_table(2, 6, stream="dash hands")
POINTS = zobrist_table(2, 6, stream="dash points")
SIDES = zobrist_table(2, stream="dash sides")
PLIES = zobrist_table(MOST + 1, stream="dash plies")
TURN, PLY, KEY, HAND, POINT = 0, 1, 2, 3, 5
PASS = 80


class DashState(NamedTuple):
    """board: int8[25], -1 or player; words: int64[7] = turn, plies, key, hands, points."""

    board: np.ndarray
    words: np.ndarray


@kernel
def reset(state):
    for cell in range(CELLS):
        state.board[cell] = -1
    for i in range(7):
        state.words[i] = 0
    for col in range(N):
        put(state, col, 0)
        put(state, CELLS - 1 - col, 1)


@kernel
def put(state, cell, player):
    state.board[cell] = player
    state.words[KEY] ^= MEN[player, cell]


@kernel
def lift(state, cell):
    state.words[KEY] ^= MEN[state.board[cell], cell]
    state.board[cell] = -1


@kernel
def copy_into(target, source):
    for cell in range(CELLS):
        target.board[cell] = source.board[cell]
    for i in range(7):
        target.words[i] = source.words[i]


@kernel
def to_move(state):
    return state.words[TURN]


@kernel
def target_of(player, action):
    """The cell that a step leads to, -1 beyond the side, CELLS beyond the last row."""
    cell = action // 3
    col = cell % N + action % 3 - 1
    row = cell // N + 1 - 2 * player
    if col < 0 or col >= N:
        return -1
    if row < 0 or row >= N:
        return CELLS
    return N * row + col


@kernel
def can(state, action):
    player = state.words[TURN]
    if action >= 75:
        cell = action - 75 + (CELLS - N) * player
        return state.words[HAND + player] > 0 and state.board[cell] < 0
    if state.board[action // 3] != player:
        return False
    target = target_of(player, action)
    if target < 0:
        return False
    if target == CELLS:
        return action % 3 == 1
    if action % 3 == 1:
        return state.board[target] < 0
    return state.board[target] != player


@kernel
def stuck(state):
    for action in range(PASS):
        if can(state, action):
            return False
    return True


@kernel
def is_legal(state, action):
    if action == PASS:
        return stuck(state)
    return can(state, action)


@kernel
def legal_actions(state, out):
    n = 0
    for action in range(PASS):
        if can(state, action):
            out[n] = action
            n += 1
    if n == 0:
        out[0] = PASS
        n = 1
    return n


@kernel
def play(state, action):
    words = state.words
    player = words[TURN]
    words[PLY] += 1
    words[TURN] = 1 - player
    if action == PASS:
        return
    if action >= 75:
        words[HAND + player] -= 1
        put(state, action - 75 + (CELLS - N) * player, player)
        return
    target = target_of(player, action)
    lift(state, action // 3)
    if target == CELLS:
        words[POINT + player] += 1
        return
    if state.board[target] >= 0:
        lift(state, target)
        words[HAND + 1 - player] += 1
    put(state, target, player)


@kernel
def key(state):
    words = state.words
    return (words[KEY] ^ SIDES[words[TURN]] ^ HANDS[0, words[HAND]] ^ HANDS[1, words[HAND + 1]]
            ^ POINTS[0, words[POINT]] ^ POINTS[1, words[POINT + 1]] ^ PLIES[words[PLY]])


@kernel
def terminal(state):
    words = state.words
    return words[POINT] >= GOAL or words[POINT + 1] >= GOAL or words[PLY] >= MOST


@kernel
def result(state):
    return min(1, max(-1, state.words[POINT] - state.words[POINT + 1]))


@kernel
def piece(state, cell):
    return state.board[cell]


@kernel
def extra_planes(state, out, first):
    words = state.words
    kernels.fill_plane(out, first, words[HAND] / 5)
    kernels.fill_plane(out, first + 1, words[HAND + 1] / 5)
    kernels.fill_plane(out, first + 2, words[POINT] / GOAL)
    kernels.fill_plane(out, first + 3, words[POINT + 1] / GOAL)
    kernels.fill_plane(out, first + 4, words[PLY] / MOST)


@kernel
def rollout(state, rng):
    while not terminal(state):
        n = 0
        for action in range(PASS):
            if can(state, action):
                n += 1
        if n == 0:
            play(state, PASS)
            continue
        index = below(rng, n)
        for action in range(PASS):
            if can(state, action):
                if index == 0:
                    play(state, action)
                    break
                index -= 1
    return result(state)


@kernel
def evaluate(state):
    words = state.words
    total = 300 * (words[POINT] - words[POINT + 1])
    for cell in range(CELLS):
        if state.board[cell] == 0:
            total += 10 + 5 * (cell // N)
        elif state.board[cell] == 1:
            total -= 10 + 5 * (N - 1 - cell // N)
    return total * (1 - 2 * words[TURN])


kernels.implement(
    DashState, reset=reset, copy_into=copy_into, to_move=to_move, is_legal=is_legal,
    legal_actions=legal_actions, play=play, key=key, terminal=terminal, result=result,
    piece=piece, extra_planes=extra_planes, rollout=rollout, evaluate=evaluate,
)


class Dash(GameSpec):
    """`B1=left` steps, or leaves the board and scores; `C1=in` enters."""

    name = "dash"
    title = "Dash"
    opening_plies = 2
    num_actions = 81
    board_rows = board_cols = N
    pass_action = PASS
    symmetry_names = ("identity", "mirror")
    extra_planes = ("men in the first hand, of 5", "men in the second hand, of 5",
                    "points of the first, of 3", "points of the second, of 3", "plies, of 80")

    def new_kernel_state(self) -> DashState:
        state = DashState(np.zeros(CELLS, np.int8), np.zeros(7, np.int64))
        reset(state)
        return state

    def map_move(self, move, to):
        if move.is_pass:
            return move
        if isinstance(move.place, tuple) and not isinstance(move.place, Point):
            point, word = move.place
            if to(Point(1, 1)).col != 1:
                word = {"left": "right", "right": "left"}.get(word, word)
            return Move.play((to(point), word))
        return Move.play(to(move.place))

    def move_of(self, action: int) -> Move:
        action = int(action)
        if action == PASS:
            return Move.pass_turn()
        if action >= 75:
            return Move.play((Point(1, action - 74), "in"))
        start = Point(action // 3 // N + 1, action // 3 % N + 1)
        return Move.play((start, ("left", "ahead", "right")[action % 3]))

    def action_of(self, move: Move) -> int | None:
        if move.is_pass:
            return PASS
        place = move.place
        if not isinstance(place, tuple) or isinstance(place, Point) or len(place) != 2:
            return None
        point, word = place
        if not isinstance(point, Point) or not (1 <= point.row <= N and 1 <= point.col <= N):
            return None
        if word == "in":
            return 74 + point.col if point.row == 1 else None
        if word not in ("left", "ahead", "right"):
            return None
        return 3 * (N * (point.row - 1) + point.col - 1) + ("left", "ahead", "right").index(word)

    def why_illegal(self, state: GameState, move: Move) -> str:
        return "no man can go there"

    def render(self, state: GameState) -> str:
        words = state.kernel_state.words
        return (f"{super().render(state)}\nin hand: {words[HAND]} and {words[HAND + 1]}, "
                f"points: {words[POINT]} and {words[POINT + 1]}, ply {words[PLY]}")
