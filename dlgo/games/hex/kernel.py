"""The rules of Hex, compiled. Registered with `dlgo.kernels`.

Players put a stone on any empty cell. Player 0 (red) wins by joining the top and the bottom with a
chain, player 1 (blue) by joining left and right. A full board joins exactly one pair of sides, so
there are no draws (Gale 1979). With the swap rule the second player may, as the first reply, take
over the first stone: it moves to its mirror image, which is to the second player what it was to the
first, and player 0 moves next.

The board is one flat array with a border, in which the four sides lie as stones of their owners.
Each row is half a cell to the left of the row below. Cells of a 3x3 board (# red, = blue border):

    .20  #21  #22  #23  .24
      =15   16   17   18  =19        point = (row + 1) * width + col + 1,  width = size + 2,
        =10   11   12   13  =14      row 0 at the bottom; the neighbours of a point are
          = 5    6    7    8  = 9    + 1, + width + 1, + width, - 1, - width - 1, - width
            . 0  # 1  # 2  # 3  . 4  (right, upper right, upper left, ...)

A stone is `4 * (player + 1)` plus a label: 1 if its chain touches the bottom (for blue: the left),
2 if it touches the top (right). Who puts a stone where both labels meet has won. A chain gets
a label once in a game, so a move takes constant time on average, without a search.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.jit import inline_kernel, kernel
from dlgo.rng import below
from dlgo.zobrist import zobrist_table

MAX_SIZE = 19
LOW, HIGH = 1, 2  # labels
NOBODY = -1
CORNER = 12  # between sides of both players

STONES = zobrist_table(2, (MAX_SIZE + 2) ** 2, stream="hex stones")
SIDE = int(zobrist_table(stream="hex side"))
FILLINGS = 16  # of `evaluate`; bit i of a word of COLOURS tells who has the point in filling i
COLOURS = zobrist_table((MAX_SIZE + 2) ** 2, stream="hex fillings")

# Indices into `words`: first the options, then the position.
SIZE, SWAP, TURN, WINNER, N_STONES, KEY = range(6)


class HexState(NamedTuple):
    """A position.

    words: int64[6] = cells on a side, whether the swap rule holds (0 or 1); whose turn, winner,
        stones on the board, key.
    board: int8[(size + 2) ** 2], the content of each point.
    scratch: int16[size ** 2], not part of the position.
    """

    words: np.ndarray
    board: np.ndarray
    scratch: np.ndarray


@kernel
def reset(state):
    words, board = state.words, state.board
    board[:] = 0
    board[0] = board[-1] = CORNER
    width = words[SIZE] + 2
    for i in range(1, width - 1):
        board[i] = 4 | LOW
        board[(width - 1) * width + i] = 4 | HIGH
        board[i * width] = 8 | LOW
        board[i * width + width - 1] = 8 | HIGH
    words[TURN] = words[N_STONES] = words[KEY] = 0
    words[WINNER] = NOBODY


@kernel
def copy_into(target, source):
    for i in range(len(source.words)):
        target.words[i] = source.words[i]
    for i in range(len(source.board)):
        target.board[i] = source.board[i]


@kernel
def to_move(state):
    return state.words[TURN]


@inline_kernel
def point_of(state, cell):
    size = state.words[SIZE]
    row = cell // size
    return (row + 1) * (size + 2) + cell - row * size + 1


@inline_kernel
def steps(state):
    """From a point to its neighbours, anticlockwise from the right."""
    width = state.words[SIZE] + 2
    return (1, width + 1, width, -1, -width - 1, -width)


@inline_kernel
def can_swap(state):
    """Whether the first stone, which is still alone, has not changed hands."""
    words = state.words
    return words[SWAP] != 0 and words[N_STONES] == 1 and words[TURN] == 1


@kernel
def is_legal(state, action):
    if action == state.words[SIZE] ** 2:
        return can_swap(state)
    return state.board[point_of(state, action)] == 0


@kernel
def legal_actions(state, out):
    size, n, action = state.words[SIZE], 0, 0
    for row in range(1, size + 1):
        for point in range(row * (size + 2) + 1, row * (size + 2) + size + 1):
            if state.board[point] == 0:
                out[n] = action
                n += 1
            action += 1
    if can_swap(state):
        out[n] = action
        n += 1
    return n


@inline_kernel
def label_of(state, point, player):
    """The sides that a stone of `player` on this point touches, by itself or by its neighbours."""
    label = 0
    for step in steps(state):
        there = state.board[point + step]
        if there >> 2 == player + 1:
            label |= there & 3
    return label


@kernel
def forced_actions(state, out):
    """An action that wins, or those that stop the opponent from winning at once."""
    n = legal_actions(state, out)
    if can_swap(state):
        return n
    threat = NOBODY
    for i in range(n):
        point = point_of(state, out[i])
        if label_of(state, point, state.words[TURN]) == LOW | HIGH:
            out[0] = out[i]
            return 1
        if label_of(state, point, 1 - state.words[TURN]) == LOW | HIGH:
            threat = out[i]
    if threat == NOBODY:
        return n
    out[0] = threat
    return 1


@kernel
def play(state, action):
    words = state.words
    player = words[TURN]
    if action == words[SIZE] ** 2:
        take_over(state)
    else:
        put(state, point_of(state, action), player)
        words[N_STONES] += 1
    words[TURN] = 1 - player
    words[KEY] ^= SIDE


@inline_kernel
def take_over(state):
    """The only stone becomes player 1's, mirrored so that left and right become its sides."""
    size = state.words[SIZE]
    width = size + 2
    cell = 0
    while state.board[point_of(state, cell)] == 0:
        cell += 1
    point = point_of(state, cell)
    state.board[point] = 0
    state.words[KEY] ^= STONES[0, point]
    put(state, (size + 1 - point % width) * width + size + 1 - point // width, 1)


@kernel
def put(state, point, player):
    """Put a stone on the board, and label its chain."""
    board, chain = state.board, state.scratch
    state.words[KEY] ^= STONES[player, point]
    label = label_of(state, point, player)
    board[point] = 4 * (player + 1) | label
    if label == LOW | HIGH:
        state.words[WINNER] = player
    elif label:
        chain[0], n = point, 1
        while n > 0:
            n -= 1
            here = chain[n]
            for step in steps(state):
                if board[here + step] == 4 * (player + 1):
                    board[here + step] |= label
                    chain[n] = here + step
                    n += 1


@kernel
def terminal(state):
    return state.words[WINNER] != NOBODY


@kernel
def result(state):
    return 1 - 2 * state.words[WINNER]


@kernel
def key(state):
    return state.words[KEY]


@kernel
def piece(state, cell):
    return (state.board[point_of(state, cell)] >> 2) - 1


@kernel
def extra_planes(state, out, first):
    if can_swap(state):
        kernels.fill_plane(out, first, 1.0)


@kernel
def rollout(state, rng):
    """Fills the board at random, as far as the winner depends on it.

    Stones after the end change nothing, so a random game may go on until the board is full. Red
    and blue then meet in a line that begins at the lower left corner, between the bottom and the
    left side. Whose other side it reaches first has won, and only cells along this line count.
    Afterwards `board` holds their stones; `words` is as before, but for the winner.
    """
    start_filling(state, rng)
    # The line has `point` of red on one side, and its neighbour of blue in direction k.
    around = steps(state)
    point, k = 0, 2
    while state.words[WINNER] == NOBODY:
        k = k - 1 if k > 0 else 5
        ahead = point + around[k]
        player = filled(state, ahead, rng)
        if player == 0:
            point, k = ahead, (k + 2) % 6
        if state.board[ahead] & HIGH:
            state.words[WINNER] = player
    return result(state)


@kernel
def heavy_rollout(state, rng, actions, played):
    """Like `rollout`, but fills the whole board, so that `played` learns the owner of each cell."""
    start_filling(state, rng)
    for cell in range(state.words[SIZE] ** 2):
        point = point_of(state, cell)
        if state.board[point] == 0:
            player = filled(state, point, rng)
            if played[cell] == NOBODY:
                played[cell] = player
    return rollout(state, rng)


@inline_kernel
def start_filling(state, rng):
    """Play while a swap is possible, and count the stones that all and that red will get."""
    words = state.words
    while words[SWAP] and words[N_STONES] == words[TURN]:
        action = below(rng, words[SIZE] ** 2 + 1)
        if is_legal(state, action):
            play(state, action)
    state.scratch[0] = words[SIZE] ** 2 - words[N_STONES]
    state.scratch[1] = (state.scratch[0] + 1 - words[TURN]) // 2


@inline_kernel
def filled(state, point, rng):
    """Who has a point of the full board; it gets a stone now if it has none."""
    board, left = state.board, state.scratch
    if board[point] == 0:
        board[point] = 4 if below(rng, left[0]) < left[1] else 8
        left[0] -= 1
        left[1] -= 2 - (board[point] >> 2)
    return (board[point] >> 2) - 1


@kernel
def evaluate(state):
    """The share of fillings of the board that the player to move wins, -9,000 to 9,000.

    The fillings are always the same, so neighbouring positions compare well. Each is tried from the
    lower left corner and, turned by half, from the upper right one: a turned position is worth as
    much.
    """
    board, around = state.board, steps(state)
    total, last = 0, len(board) - 1
    for trial in range(FILLINGS):
        for turn in range(2):
            point, k, there = 0, 2, 0
            while there & (LOW if turn else HIGH) == 0:
                k = k - 1 if k > 0 else 5
                ahead = point + around[k]
                there = board[last - ahead if turn else ahead]
                if there == 0:
                    there = 4 if COLOURS[ahead] >> trial & 1 else 8
                if there >> 2 == 1:
                    point, k = ahead, (k + 2) % 6
            total += 3 - 2 * (there >> 2)
    return (1 - 2 * state.words[TURN]) * total * 9000 // (2 * FILLINGS)


kernels.implement(
    HexState, reset=reset, copy_into=copy_into, to_move=to_move, legal_actions=legal_actions,
    forced_actions=forced_actions, is_legal=is_legal, play=play, terminal=terminal, result=result,
    key=key, piece=piece, rollout=rollout, heavy_rollout=heavy_rollout, evaluate=evaluate,
    extra_planes=extra_planes,
)
