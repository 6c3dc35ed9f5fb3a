"""The rules of Connect Four, compiled, on the bitboards of `board.py`. Registered with
`dlgo.kernels`. An action is a column, 0 to 6.
"""

from __future__ import annotations

import numpy as np

from dlgo import kernels
from dlgo.games.connect4 import board
from dlgo.games.connect4.board import ConnectFourState
from dlgo.games.connect4.features import move_features
from dlgo.jit import kernel
from dlgo.rng import below
from dlgo.zobrist import zobrist_table

CENTRE_FIRST = (3, 2, 4, 1, 5, 0, 6)

STONES = zobrist_table(2, board.COLS * board.STRIDE, stream="connect4 stones")
SIDE = int(zobrist_table(1, stream="connect4 side")[0])

# All 69 lines of four, for the static evaluation.
FOURS = np.array([
    sum(1 << (board.STRIDE * (col + i * dc) + row + i * dr) for i in range(4))
    for dc, dr in ((0, 1), (1, 0), (1, 1), (1, -1))
    for col in range(board.COLS)
    for row in range(board.ROWS)
    if col + 3 * dc < board.COLS and 0 <= row + 3 * dr < board.ROWS
], dtype=np.int64)
# A line with one, two or three own stones and no other: two matter, three matter most.
LINE_VALUE = (0, 1, 8, 40)


@kernel
def reset(state: ConnectFourState) -> None:
    words = state.words
    words[board.STONES_0] = 0
    words[board.STONES_1] = 0
    words[board.TURN] = 0
    words[board.WINNER] = board.NOBODY
    words[board.KEY] = 0


@kernel
def copy_into(target: ConnectFourState, source: ConnectFourState) -> None:
    for i in range(5):
        target.words[i] = source.words[i]


@kernel
def to_move(state: ConnectFourState) -> int:
    return state.words[board.TURN]


@kernel
def is_legal(state: ConnectFourState, action: int) -> bool:
    top_cell = board.STRIDE * action + board.ROWS - 1
    return ((state.words[board.STONES_0] | state.words[board.STONES_1]) >> top_cell) & 1 == 0


@kernel
def legal_actions(state: ConnectFourState, out: np.ndarray) -> int:
    n = 0
    for col in range(board.COLS):
        if is_legal(state, col):
            out[n] = col
            n += 1
    return n


@kernel
def forced_actions(state: ConnectFourState, out: np.ndarray) -> int:
    """A column that wins, or one that stops the opponent's four, or else the centre first.

    Moves that let the opponent win in the cell above are left out if there is another move.
    """
    words = state.words
    own, opponent = words[words[board.TURN]], words[1 - words[board.TURN]]
    # The lowest free cell of each column is where the bottom row, added, carries to.
    free = ((own | opponent) + board.BOTTOM) & board.FULL
    for stones in (own, opponent):
        for col in CENTRE_FIRST:
            cell = free & (board.COLUMN << (board.STRIDE * col))
            if cell and board.has_four(stones | cell):
                out[0] = col
                return 1
    n = 0
    last = 0
    for col in CENTRE_FIRST:
        cell = free & (board.COLUMN << (board.STRIDE * col))
        if cell == 0:
            continue
        last = col
        # Below a cell where the opponent would win, a stone is a gift.
        above = (cell << 1) & board.FULL
        if above and board.has_four(opponent | above):
            continue
        out[n] = col
        n += 1
    if n == 0:  # every move loses
        out[0] = last
        return 1
    return n


@kernel
def height(stones: int, col: int) -> int:
    """The number of stones in a column."""
    column = (stones >> (board.STRIDE * col)) & board.COLUMN
    n = 0
    while column:
        column >>= 1
        n += 1
    return n


@kernel
def play(state: ConnectFourState, action: int) -> None:
    words = state.words
    player = words[board.TURN]
    cell = board.STRIDE * action + height(words[board.STONES_0] | words[board.STONES_1], action)
    words[player] |= 1 << cell
    words[board.KEY] ^= STONES[player, cell] ^ SIDE
    if board.has_four(words[player]):
        words[board.WINNER] = player
    words[board.TURN] = 1 - player


@kernel
def terminal(state: ConnectFourState) -> bool:
    words = state.words
    stones = words[board.STONES_0] | words[board.STONES_1]
    return words[board.WINNER] != board.NOBODY or stones == board.FULL


@kernel
def result(state: ConnectFourState) -> int:
    winner = state.words[board.WINNER]
    return 0 if winner == board.NOBODY else 1 - 2 * winner


@kernel
def key(state: ConnectFourState) -> int:
    return state.words[board.KEY]


@kernel
def piece(state: ConnectFourState, cell: int) -> int:
    bit = board.STRIDE * (cell % board.COLS) + cell // board.COLS
    for player in range(2):
        if (state.words[player] >> bit) & 1:
            return player
    return kernels.NOBODY


@kernel
def rollout(state: ConnectFourState, rng: np.ndarray) -> int:
    words = state.words
    if words[board.WINNER] != board.NOBODY:
        return 1 - 2 * words[board.WINNER]
    own, opponent = words[words[board.TURN]], words[1 - words[board.TURN]]
    sign = 1 - 2 * words[board.TURN]
    while own | opponent != board.FULL:
        free = ((own | opponent) + board.BOTTOM) & board.FULL
        while True:  # a random column; drawn again if it is full
            cell = free & (board.COLUMN << (board.STRIDE * below(rng, board.COLS)))
            if cell:
                break
        own |= cell
        if board.has_four(own):
            return sign
        own, opponent = opponent, own
        sign = -sign
    return 0


@kernel
def evaluate(state: ConnectFourState) -> int:
    """Counts the lines of four still open to one player only, weighted by stones in them."""
    words = state.words
    own, opponent = words[words[board.TURN]], words[1 - words[board.TURN]]
    total = 0
    for i in range(len(FOURS)):
        line = FOURS[i]
        if opponent & line == 0:
            total += LINE_VALUE[_count(own & line)]
        elif own & line == 0:
            total -= LINE_VALUE[_count(opponent & line)]
    return total


@kernel
def _count(stones: int) -> int:
    n = 0
    while stones:
        stones &= stones - 1
        n += 1
    return n


kernels.implement(
    board.ConnectFourState, reset=reset, copy_into=copy_into, to_move=to_move,
    legal_actions=legal_actions, forced_actions=forced_actions, is_legal=is_legal, play=play,
    terminal=terminal, result=result, key=key, piece=piece, rollout=rollout,
    move_features=move_features, evaluate=evaluate,
)
