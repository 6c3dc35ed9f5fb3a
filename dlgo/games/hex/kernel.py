"""The rules of Hex, compiled. Registered with `dlgo.kernels`.

Player 0 (red) wins by joining bottom and top with a chain, player 1 (blue) by joining left and
right. A full board joins exactly one pair of sides, so there are no draws (Gale 1979). With the
swap rule, the first reply may be to take over the first stone: it moves to its mirror image, which
is to blue what the cell was to red.

The board is one flat array with a border, where the four sides lie as stones of their owners. A row
is half a cell to the left of the row below. Points of a 2x2 board (# red, = blue):

    .63  #64  #65  .66       point = (row + 1) * WIDTH + column + 1, WIDTH = 21, row 0 at the bottom
      =42   43   44  =45     STEPS lead to the neighbours: right, upper right, upper left,
        =21   22   23  =24   left, lower left, lower right
          . 0  # 1  # 2  . 3

A stone is `4 * (player + 1)` plus a label: LOW if its chain touches the bottom (blue: the left),
HIGH if it touches the top (right). A chain gets its label once, so a move takes constant time on
average. Whose stone has both labels has won.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.jit import inline_kernel, kernel
from dlgo.rng import below
from dlgo.zobrist import zobrist_table

MAX_SIZE = 19
WIDTH = MAX_SIZE + 2
NEIGHBOURS = (0, 1), (1, 1), (1, 0), (0, -1), (-1, -1), (-1, 0)  # rows up, columns to the right
STEPS = tuple(rise * WIDTH + run for rise, run in NEIGHBOURS)
LOW, HIGH, BOTH = 1, 2, 3
NOBODY = -1

STONES = zobrist_table(2, WIDTH**2, stream="hex stones")
SIDE = int(zobrist_table(stream="hex side"))
FILLINGS = 16  # of `evaluate`; bit i of a point's word is its colour in filling i
COLOURS = zobrist_table(WIDTH**2, stream="hex fillings")

# Indices into `words`: the options, then the position.
SIZE, SWAP, TURN, WINNER, N_STONES, KEY = range(6)


class HexState(NamedTuple):
    """words: int64[6], see above; board: int8[WIDTH ** 2]; chain: int16[size ** 2], scratch."""

    words: np.ndarray
    board: np.ndarray
    chain: np.ndarray


@kernel
def reset(state: HexState) -> None:
    board, end = state.board, state.words[SIZE] + 1
    board[:] = 0
    for i in range(1, end):
        board[i], board[end * WIDTH + i] = 4 | LOW, 4 | HIGH
        board[i * WIDTH], board[i * WIDTH + end] = 8 | LOW, 8 | HIGH
    state.words[TURN:] = 0
    state.words[WINNER] = NOBODY


@kernel
def copy_into(target: HexState, source: HexState) -> None:
    for i in range(len(source.words)):
        target.words[i] = source.words[i]
    for i in range(len(source.board)):
        target.board[i] = source.board[i]


@kernel
def to_move(state: HexState) -> int:
    return state.words[TURN]


@inline_kernel
def point_of(state: HexState, cell: int) -> int:
    row = cell // state.words[SIZE]
    return (row + 1) * WIDTH + cell - row * state.words[SIZE] + 1


@inline_kernel
def can_swap(state: HexState) -> bool:
    words = state.words
    return words[SWAP] != 0 and words[N_STONES] == 1 and words[TURN] == 1


@kernel
def is_legal(state: HexState, action: int) -> bool:
    if action == state.words[SIZE] ** 2:
        return can_swap(state)
    return state.board[point_of(state, action)] == 0


@kernel
def legal_actions(state: HexState, out: np.ndarray) -> int:
    size, n, action = state.words[SIZE], 0, 0
    for row in range(1, size + 1):
        for point in range(row * WIDTH + 1, row * WIDTH + size + 1):
            if state.board[point] == 0:
                out[n] = action
                n += 1
            action += 1
    if can_swap(state):
        out[n] = action
        n += 1
    return n


@inline_kernel
def label_at(state: HexState, point: int, player: int) -> int:
    """The sides that a stone of `player` on this point touches, itself or by its neighbours."""
    label = 0
    for step in STEPS:
        neighbour = state.board[point + step]
        if neighbour >> 2 == player + 1:
            label |= neighbour & BOTH
    return label


@kernel
def forced_actions(state: HexState, out: np.ndarray) -> int:
    """An action that wins at once, or that stops the opponent from it, if there is one."""
    n, me = legal_actions(state, out), state.words[TURN]
    stop = NOBODY
    for i in range(0 if can_swap(state) else n):
        point = point_of(state, out[i])
        if label_at(state, point, me) == BOTH:
            out[0] = out[i]
            return 1
        if label_at(state, point, 1 - me) == BOTH:
            stop = out[i]
    if stop != NOBODY:
        out[0] = stop
    return 1 if stop != NOBODY else n


@kernel
def play(state: HexState, action: int) -> None:
    words = state.words
    player = words[TURN]
    if action == words[SIZE] ** 2:
        cell = 0
        while state.board[point_of(state, cell)] == 0:
            cell += 1
        point = point_of(state, cell)
        state.board[point] = 0
        words[KEY] ^= STONES[0, point]
        put(state, (words[SIZE] + 1) * (WIDTH + 1) - point % WIDTH * WIDTH - point // WIDTH, 1)
    else:
        put(state, point_of(state, action), player)
        words[N_STONES] += 1
    words[TURN] = 1 - player
    words[KEY] ^= SIDE


@kernel
def put(state: HexState, point: int, player: int) -> None:
    """Put a stone on the board, and label its chain."""
    board, chain = state.board, state.chain
    label = label_at(state, point, player)
    board[point] = 4 * (player + 1) | label
    state.words[KEY] ^= STONES[player, point]
    if label == BOTH:
        state.words[WINNER] = player
    chain[0], n = point, 1 if label in (LOW, HIGH) else 0
    while n > 0:
        n -= 1
        cell = chain[n]
        for step in STEPS:
            if board[cell + step] == 4 * (player + 1):
                board[cell + step] |= label
                chain[n] = cell + step
                n += 1


@kernel
def terminal(state: HexState) -> bool:
    return state.words[WINNER] != NOBODY


@kernel
def result(state: HexState) -> int:
    return 1 - 2 * state.words[WINNER]


@kernel
def key(state: HexState) -> int:
    return state.words[KEY]


@kernel
def piece(state: HexState, cell: int) -> int:
    return (state.board[point_of(state, cell)] >> 2) - 1


@kernel
def extra_planes(state: HexState, out: np.ndarray, first: int) -> None:
    if can_swap(state):
        kernels.fill_plane(out, first, 1.0)


@kernel
def rollout(state: HexState, rng: np.ndarray) -> int:
    return heavy_rollout(state, rng, state.words, state.board[:0])


@kernel
def heavy_rollout(
    state: HexState, rng: np.ndarray, actions: np.ndarray, first_players: np.ndarray,
) -> int:
    """Fill the board at random, as far as the winner depends on it.

    Stones after the end change nothing, so a random game may go on until the board is full. Then a
    line between red and blue leads from the lower left corner to another one; the player whose
    other side it reaches has won. Only the cells along this line get a stone here, in `board`.
    """
    words, board = state.words, state.board
    while words[SWAP] and words[N_STONES] == words[TURN]:  # a swap is possible, now or next
        action = below(rng, words[SIZE] ** 2 + 1)
        if is_legal(state, action):
            play(state, action)
    empty = words[SIZE] ** 2 - words[N_STONES]  # cells without a stone
    red = (empty + 1 - words[TURN]) // 2  # those that red gets
    # On one side of the line is `point`, which is red, on the other its neighbour in direction k.
    point, k = 0, 2
    while words[WINNER] == NOBODY:
        k = k - 1 if k > 0 else 5
        ahead = point + STEPS[k]
        if board[ahead] == 0:
            board[ahead] = 4 if below(rng, empty) < red else 8
            empty -= 1
            red -= board[ahead] == 4
            if len(first_players) > 0:
                cell = (ahead // WIDTH - 1) * words[SIZE] + ahead % WIDTH - 1
                if first_players[cell] == NOBODY:
                    first_players[cell] = (board[ahead] >> 2) - 1
        if board[ahead] >> 2 == 1:
            point, k = ahead, (k + 2) % 6
        if board[ahead] & HIGH:
            words[WINNER] = (board[ahead] >> 2) - 1
    return result(state)


@kernel
def evaluate(state: HexState) -> int:
    """How many of some fillings of the board the player to move wins, as a share of 9,000.

    The fillings are always the same, so that positions compare well. Each counts twice, the second
    time turned by half: a turned position has the same value.
    """
    board, last = state.board, (state.words[SIZE] + 1) * (WIDTH + 1)
    total = 0
    for trial in range(2 * FILLINGS):
        turned, point, ahead, k, stone = trial >= FILLINGS, 0, 0, 0, 0
        end = LOW if turned else HIGH
        while stone & end == 0:  # the line of `heavy_rollout`
            point, k, stone = ahead, (k + 2) % 6, 0
            # In a loop of its own, which processors predict: in a browser this takes half the time.
            while stone >> 2 != 1 and stone & end == 0:
                k = k - 1 if k > 0 else 5
                ahead = point + STEPS[k]
                stone = board[last - ahead if turned else ahead]
                if stone == 0:
                    stone = 4 + 4 * (COLOURS[ahead] >> trial % FILLINGS & 1)
        total += 3 - 2 * (stone >> 2)
    return (1 - 2 * state.words[TURN]) * total * 9000 // (2 * FILLINGS)


kernels.implement(
    HexState, reset=reset, copy_into=copy_into, to_move=to_move, legal_actions=legal_actions,
    forced_actions=forced_actions, is_legal=is_legal, play=play, terminal=terminal, result=result,
    key=key, piece=piece, rollout=rollout, heavy_rollout=heavy_rollout, evaluate=evaluate,
    extra_planes=extra_planes,
)
