"""The rules of Breakthrough, compiled. Registered with `dlgo.kernels`.

A man goes one step ahead, straight or diagonally, to an empty cell; diagonally it may also capture.
A man on the last row wins, and so does a player who has captured all men. Player 0 goes up.
The board is that of `bitrows.py`.

An action is `10 * cell + 5 * player + way`; the ways are three steps (to the left, straight, to the
right) and two captures (to the left, to the right).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.bits import lowest_bit, popcount
from dlgo.games import bitrows
from dlgo.games.bitrows import COLS, KEY, NOBODY, OWN, ROWS, TURN
from dlgo.jit import inline_kernel, kernel
from dlgo.rng import below
from dlgo.zobrist import zobrist_table

MOST_ROWS = 20
RUNS = (-1, 0, 1, -1, 1)  # columns to the right, for each way
STEPS, WAYS = 3, 5  # a way from STEPS on is a capture
EVERYWHERE = -1  # all cells of a row

MEN = zobrist_table(2, MOST_ROWS + 2, MOST_ROWS + 2, stream="breakthrough men")
SIDE = int(zobrist_table(stream="breakthrough side"))

# For `evaluate`.
MAN, STEP, RACE, NEVER = 100, 15, 3000, 99

# Indices into `words`; LEFT + player: how many men are left.
LEFT, WINNER = OWN, OWN + 2


class BreakthroughState(NamedTuple):
    """words: int64[7]; rows: int64[2, rows + 2]."""

    words: np.ndarray
    rows: np.ndarray


@kernel
def reset(state: BreakthroughState) -> None:
    words = state.words
    rows, cols = words[ROWS], words[COLS]
    words[TURN:] = 0
    words[WINNER] = NOBODY
    state.rows[:] = 0
    for player in range(2):
        words[LEFT + player] = 2 * cols
        for row in (1, 2) if player == 0 else (rows - 1, rows):
            state.rows[player, row] = (2 << cols) - 2
            for col in range(1, cols + 1):
                words[KEY] ^= MEN[player, row, col]


@inline_kernel
def movers(state: BreakthroughState, row: int, way: int) -> int:
    """The men of the player to move on a row that can go a way."""
    player, cols = state.words[TURN], state.words[COLS]
    ahead = row + 1 - 2 * player
    targets = state.rows[1 - player, ahead]
    if way < STEPS:
        targets = ((2 << cols) - 2) & ~(targets | state.rows[player, ahead])
    return state.rows[player, row] & before(targets, way)


@inline_kernel
def before(cells: int, way: int) -> int:
    """From where a way leads to cells of the row ahead."""
    return cells << 1 if RUNS[way] < 0 else cells >> RUNS[way]


@kernel
def is_legal(state: BreakthroughState, action: int) -> bool:
    cell, way = action // 10, action % 5
    if action // 5 % 2 != state.words[TURN]:
        return False
    row, col = cell // state.words[COLS] + 1, cell % state.words[COLS] + 1
    return movers(state, row, way) >> col & 1 == 1


@inline_kernel
def list_movers(
    state: BreakthroughState, row: int, way: int, out: np.ndarray, n: int, cells: int,
) -> int:
    """Write the actions of a row and a way that lead to these cells, from `out[n]` on."""
    words, men = state.words, movers(state, row, way) & before(cells, way)
    while men:
        cell = words[COLS] * (row - 1) + lowest_bit(men) - 1
        out[n] = 10 * cell + 5 * words[TURN] + way
        n += 1
        men &= men - 1
    return n


@kernel
def legal_actions(state: BreakthroughState, out: np.ndarray) -> int:
    n = 0
    for row in range(1, state.words[ROWS] + 1):
        if state.rows[state.words[TURN], row]:
            for way in range(WAYS):
                n = list_movers(state, row, way, out, n, EVERYWHERE)
    return n


@kernel
def urgent_actions(state: BreakthroughState, out: np.ndarray) -> int:
    """The actions that win by a step, else those that capture a man who would win next."""
    player, rows, n = state.words[TURN], state.words[ROWS], 0
    home, behind, last = (1, 2, rows - 1) if player == 0 else (rows, rows - 1, 2)
    if state.rows[player, last]:
        for way in range(WAYS):
            n = list_movers(state, last, way, out, n, EVERYWHERE)
    elif state.rows[1 - player, behind]:
        for way in range(STEPS, WAYS):
            n = list_movers(state, home, way, out, n, EVERYWHERE)
    return n


@kernel
def forced_actions(state: BreakthroughState, out: np.ndarray) -> int:
    """Those that are urgent; or all: captures, near home first, then steps, by the foremost men
    first, but those to where the man can be captured last."""
    n, rows, player = urgent_actions(state, out), state.words[ROWS], state.words[TURN]
    if n > 0:
        return n
    for k in range(1, rows):
        for way in range(STEPS, WAYS):
            n = list_movers(state, rows + 1 - k if player else k, way, out, n, EVERYWHERE)
    for safe in (True, False):
        for k in range(1, rows):
            row, ahead = (1 + k, k - 1) if player else (rows - k, rows + 2 - k)
            opponents = state.rows[1 - player, ahead]
            attacked = opponents << 1 | opponents >> 1
            for way in range(STEPS):
                n = list_movers(state, row, way, out, n, ~attacked if safe else attacked)
    return n


@kernel
def play(state: BreakthroughState, action: int) -> None:
    words, cell = state.words, action // 10
    player = words[TURN]
    row, col = cell // words[COLS] + 1, cell % words[COLS] + 1
    ahead, end = row + 1 - 2 * player, col + RUNS[action % 5]
    state.rows[player, row] ^= 1 << col
    state.rows[player, ahead] |= 1 << end
    words[KEY] ^= MEN[player, row, col] ^ MEN[player, ahead, end]
    if state.rows[1 - player, ahead] >> end & 1:
        state.rows[1 - player, ahead] ^= 1 << end
        words[KEY] ^= MEN[1 - player, ahead, end]
        words[LEFT + 1 - player] -= 1
    if ahead == 1 or ahead == words[ROWS] or words[LEFT + 1 - player] == 0:
        words[WINNER] = player
    words[TURN] = 1 - player


@kernel
def terminal(state: BreakthroughState) -> bool:
    return state.words[WINNER] != NOBODY


@kernel
def result(state: BreakthroughState) -> int:
    return 1 - 2 * state.words[WINNER]


@kernel
def key(state: BreakthroughState) -> int:
    return state.words[KEY] ^ SIDE * state.words[TURN]


@inline_kernel
def random_action(state: BreakthroughState, rng: np.ndarray) -> int:
    """Any man and any way, drawn until the move is legal."""
    words, board = state.words, (2 << state.words[COLS]) - 2
    player, rise = words[TURN], 1 - 2 * words[TURN]
    own, opponent = state.rows[player], state.rows[1 - player]
    while True:
        number = below(rng, 3 * words[LEFT + player])
        way = number % 3
        row, col = bitrows.find(own, number // 3)
        end = col + RUNS[way]
        captures = opponent[row + rise] >> end & 1
        if board >> end & 1 and not own[row + rise] >> end & 1 and not (captures and way == 1):
            if captures:
                way = STEPS + way // 2
            return 10 * (words[COLS] * (row - 1) + col - 1) + 5 * player + way


@kernel
def rollout(state: BreakthroughState, rng: np.ndarray) -> int:
    while not terminal(state):
        play(state, random_action(state, rng))
    return result(state)


@kernel
def heavy_rollout(
    state: BreakthroughState, rng: np.ndarray, actions: np.ndarray, first_players: np.ndarray,
) -> int:
    """Random moves, but those that are urgent first."""
    while not terminal(state):
        n = urgent_actions(state, actions)
        action = actions[below(rng, n)] if n > 0 else random_action(state, rng)
        if first_players[action] == NOBODY:
            first_players[action] = state.words[TURN]
        play(state, action)
    return result(state)


@kernel
def evaluate(state: BreakthroughState) -> int:
    """Men and their steps, for the player to move. A man whom nobody can stop wins, unless one of
    the other side is faster."""
    player = state.words[TURN]
    own, steps = worth(state, player)
    opponent, opponent_steps = worth(state, 1 - player)
    if steps < NEVER and steps <= opponent_steps:
        return own - opponent + RACE - STEP * steps
    if opponent_steps < NEVER:
        return own - opponent - RACE + STEP * opponent_steps
    return own - opponent


@kernel
def worth(state: BreakthroughState, player: int) -> tuple[int, int]:
    """The value of a player's men; and in how many steps one wins whom nobody can stop, or NEVER.

    A man can be stopped by an opponent in the cone ahead of him.
    """
    own, opponent = state.rows[player], state.rows[1 - player]
    value, fastest, cone, rows = 0, NEVER, 0, state.words[ROWS]
    for steps in range(rows):
        row = 1 + steps if player else rows - steps
        value += popcount(own[row]) * (MAN - STEP * steps)
        if fastest == NEVER and own[row] & ~cone:
            fastest = steps
        cone |= opponent[row]
        cone |= cone << 1 | cone >> 1
    return value, fastest


kernels.implement(
    BreakthroughState, reset=reset, copy_into=bitrows.copy_into, to_move=bitrows.to_move,
    is_legal=is_legal, legal_actions=legal_actions, forced_actions=forced_actions, play=play,
    terminal=terminal, result=result, key=key, piece=bitrows.piece, rollout=rollout,
    heavy_rollout=heavy_rollout, evaluate=evaluate,
)
