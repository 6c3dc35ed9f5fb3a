"""Kalah(6,4): sow seeds; last seed in the own store plays again; last in an own empty pit captures.

    F2 E2 D2 C2 B2 A2 are the second player's pits, sown leftwards; A1 .. F1 the first player's.
    pit p = 0..5 is A1..F1, pit 6..11 is F2..A2 in the order of sowing.
"""

from typing import NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec, GameState, Move, Point
from dlgo.jit import kernel
from dlgo.rng import below
from dlgo.zobrist import zobrist_table

SEEDS = 48
PITS = zobrist_table(14, SEEDS + 1, stream="kalah pits")
SIDES = zobrist_table(2, stream="kalah sides")
TURN = 14
# words[0..5] pits of 0, [6] store of 0, [7..12] pits of 1, [13] store of 1


class KalahState(NamedTuple):
    """words: int64[15] = ring of 14 houses, whose turn."""

    words: np.ndarray


@kernel
def house(action):
    return action + action // 6  # 0..5 -> 0..5, 6..11 -> 7..12


@kernel
def reset(state):
    for i in range(14):
        state.words[i] = 0 if i == 6 or i == 13 else 4
    state.words[TURN] = 0


@kernel
def copy_into(target, source):
    for i in range(15):
        target.words[i] = source.words[i]


@kernel
def to_move(state):
    return state.words[TURN]


@kernel
def is_legal(state, action):
    return action // 6 == state.words[TURN] and state.words[house(action)] > 0


@kernel
def legal_actions(state, out):
    n = 0
    first = 6 * state.words[TURN]
    for action in range(first, first + 6):
        if state.words[house(action)] > 0:
            out[n] = action
            n += 1
    return n


@kernel
def play(state, action):
    words = state.words
    player = words[TURN]
    store = 6 + 7 * player
    other_store = 13 - 7 * player
    place = house(action)
    seeds = words[place]
    words[place] = 0
    while seeds > 0:
        place += 1
        if place == 14:
            place = 0
        if place == other_store:
            continue
        words[place] += 1
        seeds -= 1
    own_pit = 7 * player <= place < 7 * player + 6
    if own_pit and words[place] == 1 and words[12 - place] > 0:
        words[store] += 1 + words[12 - place]
        words[place] = 0
        words[12 - place] = 0
    if place != store:
        words[TURN] = 1 - player


@kernel
def key(state):
    value = SIDES[state.words[TURN]]
    for i in range(14):
        value ^= PITS[i, state.words[i]]
    return value


@kernel
def side(state, player):
    total = 0
    for i in range(7 * player, 7 * player + 6):
        total += state.words[i]
    return total


@kernel
def terminal(state):
    return side(state, 0) == 0 or side(state, 1) == 0


@kernel
def margin(state):
    return float(state.words[6] + side(state, 0) - state.words[13] - side(state, 1))


@kernel
def result(state):
    lead = state.words[6] + side(state, 0) - state.words[13] - side(state, 1)
    return min(1, max(-1, lead))


@kernel
def piece(state, cell):
    if cell < 6:
        return 0 if state.words[cell] > 0 else -1
    return 1 if state.words[18 - cell] > 0 else -1  # cell 6 is A2, the last pit of player 1


@kernel
def extra_planes(state, out, first):
    for col in range(6):
        out[0, col, first] = state.words[col] / 12
        out[1, col, first] = state.words[12 - col] / 12
    kernels.fill_plane(out, first + 1, state.words[6] / 24)
    kernels.fill_plane(out, first + 2, state.words[13] / 24)


@kernel
def rollout(state, rng):
    while not terminal(state):
        action = 6 * state.words[TURN] + below(rng, 6)
        if state.words[house(action)] > 0:
            play(state, action)
    return result(state)


@kernel
def evaluate(state):
    return 100 * (state.words[6] - state.words[13]) * (1 - 2 * state.words[TURN])


kernels.implement(
    KalahState, reset=reset, copy_into=copy_into, to_move=to_move, is_legal=is_legal,
    legal_actions=legal_actions, play=play, key=key, terminal=terminal, result=result,
    margin=margin, piece=piece, extra_planes=extra_planes, rollout=rollout, evaluate=evaluate,
)


class Kalah(GameSpec):
    """A move is the pit to sow, `A1` to `F1` or `A2` to `F2`."""

    name = "kalah"
    title = "Kalah"
    opening_plies = 4
    num_actions = 12
    board_rows = 2
    board_cols = 6
    extra_planes = ("seeds in the pit, of 12", "first store, of 24", "second store, of 24")

    def new_kernel_state(self) -> KalahState:
        state = KalahState(np.zeros(15, np.int64))
        reset(state)
        return state

    def move_of(self, action: int) -> Move:
        action = int(action)
        return Move.play(Point(1, action + 1) if action < 6 else Point(2, 12 - action))

    def action_of(self, move: Move) -> int | None:
        row, col = move.point or (0, 0)
        if not (1 <= row <= 2 and 1 <= col <= 6):
            return None
        return col - 1 if row == 1 else 12 - col

    def why_illegal(self, state: GameState, move: Move) -> str:
        action = self.action_of(move)
        if action is None:
            return "there is no such pit"
        if action // 6 != state.kernel_state.words[TURN]:
            return "it is the opponent's pit"
        return "the pit is empty"

    def render(self, state: GameState) -> str:
        w = state.kernel_state.words
        top = " ".join(f"{w[12 - c]:2d}" for c in range(6))
        low = " ".join(f"{w[c]:2d}" for c in range(6))
        stores = f" {w[13]:2d}                    {w[6]:2d}"
        return f"2    {top}\n{stores}\n1    {low}\n      A  B  C  D  E  F"
