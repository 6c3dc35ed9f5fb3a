"""The rules of Othello, compiled. Registered with `dlgo.kernels`.

A play must enclose discs of the opponent between the new disc and another own one, in a straight
line; they turn over. A player without a play must pass. The game ends when nobody has a play, and
more discs win. The board is that of `bitrows.py`; its bottom row is a8 to h8 in notation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.bits import lowest_bit, popcount
from dlgo.games import bitrows
from dlgo.games.bitrows import COLS, KEY, NOBODY, OWN, TURN
from dlgo.jit import inline_kernel, kernel
from dlgo.rng import below
from dlgo.zobrist import zobrist_table

MAX_SIZE = 24
DIRECTIONS = (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)

DISCS = zobrist_table(2, MAX_SIZE + 2, MAX_SIZE + 2, stream="othello discs")
TURNED = DISCS[0] ^ DISCS[1]
SIDE = int(zobrist_table(stream="othello side"))

# Values of `evaluate`: for each play, for a disc in a corner, and for discs next to an empty one.
MOBILITY, CORNER, DIAGONAL, ADJACENT = 10, 100, 50, 20

# Indices into `words`.
SIZE, N_PLAYS = COLS, OWN  # N_PLAYS + player: on how many cells a player can play
PLAYS = 2  # rows[PLAYS + player]: these cells


class OthelloState(NamedTuple):
    """words: int64[6]; rows: int64[4, size + 2]."""

    words: np.ndarray
    rows: np.ndarray


@kernel
def reset(state: OthelloState) -> None:
    words, middle = state.words, state.words[SIZE] // 2
    words[KEY] = 0
    state.rows[:] = 0
    for i in range(2):  # black has the upper right and the lower left of the four
        for player in range(2):
            row, col = middle + i, middle + (i + player) % 2
            state.rows[player, row] = 1 << col
            words[KEY] ^= DISCS[player, row, col]
    begin_turn(state, 0, True)


@kernel
def find_plays(state: OthelloState, player: int) -> int:
    """Write the cells where a player can play into their rows; return their number.

    From own discs, chains of the opponent's discs grow in all directions at once. Where a chain
    reaches an empty cell, a play encloses it.
    """
    own, opponent, plays = state.rows[player], state.rows[1 - player], state.rows[PLAYS + player]
    size = state.words[SIZE]
    board = (2 << size) - 2
    for row in range(1, size + 1):
        opponents, ends = opponent[row], 0
        left, right = own[row] >> 1 & opponents, own[row] << 1 & opponents
        while left | right:
            left, right = left >> 1, right << 1
            ends |= left | right
            left, right = left & opponents, right & opponents
        plays[row] = ends & board & ~(own[row] | opponents)
    for start, rise in ((0, 1), (size + 1, -1)):
        row = start
        left, straight, right = 0, 0, 0
        for _ in range(size):
            origins = own[row]
            row += rise
            opponents = opponent[row]
            left, right = left >> 1, right << 1
            plays[row] |= (left | straight | right) & board & ~(own[row] | opponents)
            left = (left | origins >> 1) & opponents
            straight = (straight | origins) & opponents
            right = (right | origins << 1) & opponents
    return bitrows.count(plays)


@inline_kernel
def begin_turn(state: OthelloState, player: int, whole: bool) -> None:
    """Find the plays of a player who is to move; those of the other, too, if `whole`.

    A rollout does without: the other's plays matter after a pass, and then they are found.
    """
    words = state.words
    words[TURN] = player
    words[N_PLAYS + player] = find_plays(state, player)
    if whole:
        words[N_PLAYS + 1 - player] = find_plays(state, 1 - player)


@kernel
def is_legal(state: OthelloState, action: int) -> bool:
    words = state.words
    if action == words[SIZE] ** 2:
        return words[N_PLAYS + words[TURN]] == 0
    row, col = action // words[SIZE] + 1, action % words[SIZE] + 1
    return state.rows[PLAYS + words[TURN], row] >> col & 1 == 1


@kernel
def legal_actions(state: OthelloState, out: np.ndarray) -> int:
    words, n = state.words, 0
    size = words[SIZE]
    for row in range(size):
        plays = state.rows[PLAYS + words[TURN], row + 1]
        while plays:
            out[n] = size * row + lowest_bit(plays) - 1
            n += 1
            plays &= plays - 1
    if n == 0:
        out[0] = size**2
    return max(n, 1)


@kernel
def play(state: OthelloState, action: int) -> None:
    size = state.words[SIZE]
    if action < size**2:
        put(state, action // size + 1, action % size + 1)
    begin_turn(state, 1 - state.words[TURN], True)


@inline_kernel
def put(state: OthelloState, row: int, col: int) -> None:
    """Put a disc of the player to move on a cell, and turn over what it encloses."""
    player = state.words[TURN]
    own, opponent = state.rows[player], state.rows[1 - player]
    key = DISCS[player, row, col]
    for rise, run in DIRECTIONS:
        r, c, n = row + rise, col + run, 0
        while opponent[r] >> c & 1:
            r, c, n = r + rise, c + run, n + 1
        if own[r] >> c & 1:
            for _ in range(n):
                r, c = r - rise, c - run
                own[r] ^= 1 << c
                opponent[r] ^= 1 << c
                key ^= TURNED[r, c]
    own[row] |= 1 << col
    state.words[KEY] ^= key


@kernel
def terminal(state: OthelloState) -> bool:
    return state.words[N_PLAYS] == 0 and state.words[N_PLAYS + 1] == 0


@kernel
def margin(state: OthelloState) -> int:
    return bitrows.count(state.rows[0]) - bitrows.count(state.rows[1])


@kernel
def result(state: OthelloState) -> int:
    return min(1, max(-1, margin(state)))


@kernel
def key(state: OthelloState) -> int:
    return state.words[KEY] ^ SIDE * state.words[TURN]


@kernel
def ownership(state: OthelloState, out: np.ndarray) -> None:
    size = state.words[SIZE]
    for cell in range(size**2):
        owner = bitrows.piece(state, cell)
        out[cell // size, cell % size] = 0 if owner == NOBODY else 1 - 2 * owner


@kernel
def rollout(state: OthelloState, rng: np.ndarray) -> int:
    words = state.words
    while not terminal(state):
        player = words[TURN]
        n = words[N_PLAYS + player]
        if n > 0:
            row, col = bitrows.find(state.rows[PLAYS + player], below(rng, n))
            put(state, row, col)
        begin_turn(state, 1 - player, False)
    return result(state)


@kernel
def heavy_rollout(
    state: OthelloState, rng: np.ndarray, actions: np.ndarray, first_players: np.ndarray,
) -> int:
    """Random plays, but those in corners first, and those diagonally next to corners last."""
    words, size = state.words, state.words[SIZE]
    corners, beside = 2 | 1 << size, 4 | 1 << size - 1
    while not terminal(state):
        player = words[TURN]
        plays, n, action = state.rows[PLAYS + player], words[N_PLAYS + player], size**2
        in_corners = popcount(plays[1] & corners) + popcount(plays[size] & corners)
        elsewhere = n - popcount(plays[2] & beside) - popcount(plays[size - 1] & beside)
        if in_corners > 0:
            n = in_corners
            plays[2:size] = 0
            plays[1] &= corners
            plays[size] &= corners
        elif elsewhere > 0:
            n = elsewhere
            plays[2] &= ~beside
            plays[size - 1] &= ~beside
        if n > 0:
            row, col = bitrows.find(plays, below(rng, n))
            action = size * (row - 1) + col - 1
            put(state, row, col)
        if first_players[action] == NOBODY:
            first_players[action] = player
        begin_turn(state, 1 - player, False)
    return result(state)


@kernel
def evaluate(state: OthelloState) -> int:
    """Mobility and corners, for the player to move. Cells next to an empty corner give it away."""
    me = state.words[TURN]
    return worth(state, me) - worth(state, 1 - me)


@kernel
def worth(state: OthelloState, player: int) -> int:
    size, own, opponent = state.words[SIZE], state.rows[player], state.rows[1 - player]
    corners = 2 | 1 << size
    total = MOBILITY * state.words[N_PLAYS + player]
    for edge, inner in ((1, 2), (size, size - 1)):
        total += CORNER * popcount(own[edge] & corners)
        empty = corners & ~(own[edge] | opponent[edge])
        beside = empty << 1 | empty >> 1
        total -= DIAGONAL * popcount(own[inner] & beside)
        total -= ADJACENT * (popcount(own[edge] & beside) + popcount(own[inner] & empty))
    return total


kernels.implement(
    OthelloState, reset=reset, copy_into=bitrows.copy_into, to_move=bitrows.to_move,
    is_legal=is_legal, legal_actions=legal_actions, play=play, terminal=terminal, result=result,
    margin=margin, ownership=ownership, key=key, piece=bitrows.piece, rollout=rollout,
    heavy_rollout=heavy_rollout, evaluate=evaluate,
)
