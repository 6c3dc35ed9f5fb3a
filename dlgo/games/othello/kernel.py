"""The rules of Othello, compiled. Registered with `dlgo.kernels`.

A play must enclose discs of the opponent between the new disc and another own one, in a straight
line; they turn over. A player without a play must pass. The game ends when nobody has a play, and
more discs win.

A row of the board is a word for each player. Around the board lies a border without discs, so that
lines end there:

    . . . . . .     rows 0 and size + 1
    . a b c d .     column a is bit 1; row 1 is the bottom row (a4 in notation, if size is 4)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.bits import lowest_bit, popcount
from dlgo.jit import inline_kernel, kernel
from dlgo.rng import below
from dlgo.zobrist import zobrist_table

MAX_SIZE = 24
NOBODY = -1
DIRECTIONS = (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)

DISCS = zobrist_table(2, MAX_SIZE + 2, MAX_SIZE + 2, stream="othello discs")
TURNED = DISCS[0] ^ DISCS[1]
SIDE = int(zobrist_table(stream="othello side"))

# Values of `evaluate`: for each play, for a disc in a corner, and for discs next to an empty one.
MOBILITY, CORNER, DIAGONAL, ADJACENT = 10, 100, 50, 20

# Indices into `words`: the option, then the position.
SIZE, TURN, KEY, N_PLAYS = range(4)  # N_PLAYS + player: on how many cells a player can play


class OthelloState(NamedTuple):
    """words: int64[5], see above; discs, plays: int64[2, size + 2], for each player the rows of the
    discs, and those of the cells where the player can play."""

    words: np.ndarray
    discs: np.ndarray
    plays: np.ndarray


@kernel
def reset(state):
    words, middle = state.words, state.words[SIZE] // 2
    words[KEY] = 0
    state.discs[:] = 0
    state.plays[:] = 0
    for i in range(2):  # black has the upper right and the lower left of the four
        for player in range(2):
            row, col = middle + i, middle + (i + player) % 2
            state.discs[player, row] = 1 << col
            words[KEY] ^= DISCS[player, row, col]
    begin_turn(state, 0, True)


@kernel
def copy_into(target, source):
    for i in range(5):
        target.words[i] = source.words[i]
    for player in range(2):
        for row in range(source.discs.shape[1]):
            target.discs[player, row] = source.discs[player, row]
            target.plays[player, row] = source.plays[player, row]


@kernel
def to_move(state):
    return state.words[TURN]


@kernel
def find_plays(state, player):
    """Write the cells where a player can play into `plays[player]`; return their number.

    From own discs, chains of the opponent's discs grow in all directions at once. Where a chain
    reaches an empty cell, a play encloses it.
    """
    own, other, plays = state.discs[player], state.discs[1 - player], state.plays[player]
    size, n = state.words[SIZE], 0
    board = (2 << size) - 2
    for row in range(1, size + 1):
        opponents, empty, found = other[row], board & ~(own[row] | other[row]), 0
        chain = own[row] << 1 & opponents
        while chain:
            chain <<= 1
            found |= chain
            chain &= opponents
        chain = own[row] >> 1 & opponents
        while chain:
            chain >>= 1
            found |= chain
            chain &= opponents
        plays[row] = found & empty
    for start, rise in ((0, 1), (size + 1, -1)):
        row = start
        left, straight, right = 0, 0, 0
        for _ in range(size):
            origins = own[row]
            row += rise
            opponents = other[row]
            left, right = left >> 1, right << 1
            plays[row] |= (left | straight | right) & board & ~(own[row] | opponents)
            left = (left | origins >> 1) & opponents
            straight = (straight | origins) & opponents
            right = (right | origins << 1) & opponents
    for row in range(1, size + 1):
        n += popcount(plays[row])
    return n


@inline_kernel
def begin_turn(state, player, whole):
    """Find the plays of a player who is to move; those of the other, too, if `whole`.

    A rollout does without: the other's plays matter after a pass, and then they are found.
    """
    words = state.words
    words[TURN] = player
    words[N_PLAYS + player] = find_plays(state, player)
    if whole:
        words[N_PLAYS + 1 - player] = find_plays(state, 1 - player)


@kernel
def is_legal(state, action):
    words = state.words
    if action == words[SIZE] ** 2:
        return words[N_PLAYS + words[TURN]] == 0
    row, col = action // words[SIZE] + 1, action % words[SIZE] + 1
    return state.plays[words[TURN], row] >> col & 1 == 1


@kernel
def legal_actions(state, out):
    words, n = state.words, 0
    size = words[SIZE]
    for row in range(size):
        left = state.plays[words[TURN], row + 1]
        while left:
            out[n] = size * row + lowest_bit(left) - 1
            n += 1
            left &= left - 1
    if n == 0:
        out[0] = size**2
    return max(n, 1)


@kernel
def play(state, action):
    size = state.words[SIZE]
    if action < size**2:
        put(state, action // size + 1, action % size + 1)
    begin_turn(state, 1 - state.words[TURN], True)


@inline_kernel
def put(state, row, col):
    """Put a disc of the player to move on a cell, and turn over what it encloses."""
    player = state.words[TURN]
    own, other = state.discs[player], state.discs[1 - player]
    key = DISCS[player, row, col]
    for rise, run in DIRECTIONS:
        r, c, n = row + rise, col + run, 0
        while other[r] >> c & 1:
            r, c, n = r + rise, c + run, n + 1
        if own[r] >> c & 1:
            for _ in range(n):
                r, c = r - rise, c - run
                own[r] ^= 1 << c
                other[r] ^= 1 << c
                key ^= TURNED[r, c]
    own[row] |= 1 << col
    state.words[KEY] ^= key


@kernel
def terminal(state):
    return state.words[N_PLAYS] == 0 and state.words[N_PLAYS + 1] == 0


@kernel
def discs_of(state, player):
    n = 0
    for row in range(1, state.words[SIZE] + 1):
        n += popcount(state.discs[player, row])
    return n


@kernel
def margin(state):
    return discs_of(state, 0) - discs_of(state, 1)


@kernel
def result(state):
    return min(1, max(-1, margin(state)))


@kernel
def key(state):
    return state.words[KEY] ^ SIDE * state.words[TURN]


@kernel
def piece(state, cell):
    size = state.words[SIZE]
    row, col = cell // size + 1, cell % size + 1
    for player in range(2):
        if state.discs[player, row] >> col & 1:
            return player
    return NOBODY


@kernel
def ownership(state, out):
    size = state.words[SIZE]
    for row in range(size):
        for col in range(size):
            black, white = state.discs[0, row + 1], state.discs[1, row + 1]
            out[row, col] = (black >> col + 1 & 1) - (white >> col + 1 & 1)


@inline_kernel
def draw_cell(plays, n, rng):
    """Row and column of one of `n` cells, which are bits of rows."""
    k, row = below(rng, n), 1
    while popcount(plays[row]) <= k:
        k -= popcount(plays[row])
        row += 1
    left = plays[row]
    for _ in range(k):
        left &= left - 1
    return row, lowest_bit(left)


@kernel
def rollout(state, rng):
    words = state.words
    while not terminal(state):
        player = words[TURN]
        if words[N_PLAYS + player] > 0:
            row, col = draw_cell(state.plays[player], words[N_PLAYS + player], rng)
            put(state, row, col)
        begin_turn(state, 1 - player, False)
    return result(state)


@kernel
def heavy_rollout(state, rng, actions, played):
    """Random plays, but those in corners first, and those diagonally next to corners last."""
    words, size = state.words, state.words[SIZE]
    corners, beside = 2 | 1 << size, 4 | 1 << size - 1
    while not terminal(state):
        player = words[TURN]
        plays, n, action = state.plays[player], words[N_PLAYS + player], size**2
        best = popcount(plays[1] & corners) + popcount(plays[size] & corners)
        if best > 0:
            for row in range(2, size):
                plays[row] = 0
            plays[1] &= corners
            plays[size] &= corners
        else:
            worst = popcount(plays[2] & beside) + popcount(plays[size - 1] & beside)
            best = n - worst
            if best > 0:
                plays[2] &= ~beside
                plays[size - 1] &= ~beside
        if n > 0:
            row, col = draw_cell(plays, best if best > 0 else n, rng)
            action = size * (row - 1) + col - 1
            put(state, row, col)
        if played[action] == NOBODY:
            played[action] = player
        begin_turn(state, 1 - player, False)
    return result(state)


@kernel
def evaluate(state):
    """Mobility and corners, for the player to move. Cells next to an empty corner give it away."""
    me = state.words[TURN]
    return worth(state, me) - worth(state, 1 - me)


@kernel
def worth(state, player):
    size, own, other = state.words[SIZE], state.discs[player], state.discs[1 - player]
    corners = 2 | 1 << size
    total = MOBILITY * state.words[N_PLAYS + player]
    for edge, inner in ((1, 2), (size, size - 1)):
        total += CORNER * popcount(own[edge] & corners)
        empty = corners & ~(own[edge] | other[edge])
        beside = empty << 1 | empty >> 1
        total -= DIAGONAL * popcount(own[inner] & beside)
        total -= ADJACENT * (popcount(own[edge] & beside) + popcount(own[inner] & empty))
    return total


kernels.implement(
    OthelloState, reset=reset, copy_into=copy_into, to_move=to_move, is_legal=is_legal,
    legal_actions=legal_actions, play=play, terminal=terminal, result=result, margin=margin,
    ownership=ownership, key=key, piece=piece, rollout=rollout, heavy_rollout=heavy_rollout,
    evaluate=evaluate,
)
