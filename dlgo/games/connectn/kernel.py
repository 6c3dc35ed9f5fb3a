"""The rules of n in a row on any board, compiled. Registered with `dlgo.kernels`.

Stones fall to the bottom of a column (gravity) or stay in the cell they are put in; the player who
gets n or more in a row, in any of the four directions, wins; a full board is a draw. With the pie
rule the second player may, as the first reply, take over the first stone instead of playing: it
stays where it is and becomes player 1's, and player 0 moves next.

The board is one flat array with a border, so that a walk along a line stops there. A row begins
with a border cell, which also ends the row below. Cells of a 3x3 board (# border):

    #16 #17 #18 #19 #20
    #12  13  14  15           point = (row + 1) * width + col + 1,  width = cols + 1,
    # 8   9  10  11           row 0 at the bottom; up is + width, right is + 1
    # 4   5   6   7
    # 0 # 1 # 2 # 3

An action is a column with gravity and `row * cols + col` without; the next number after
those is the swap. A winning line contains the last stone, so only the four lines through it are
checked. Tic-tac-toe and 7x6 Connect Four have faster kernels of their own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.jit import inline_kernel, kernel
from dlgo.rng import below
from dlgo.zobrist import zobrist_table

MAX_SIDE = 19
BLACK, WHITE, EMPTY, BORDER = range(4)
NOBODY = 2

STONES = zobrist_table(2, (MAX_SIDE + 2) * (MAX_SIDE + 1) + 1, stream="connectn stones")
SIDE, SWAP_OPEN = (int(word) for word in zobrist_table(2, stream="connectn side and swap"))

# The value of a line that only one player can still fill, by the number of missing stones (three or
# more count as three). The same numbers as in Connect Four's kernel.
LINE_VALUE = (0, 40, 8, 1)
VALUE_LIMIT = 9_999

# Indices into `info`: first the options, then the position.
ROWS, COLS, N, GRAVITY, PIE, SWAP, TURN, WINNER, N_STONES, CAN_SWAP, KEY = range(11)


class ConnectNState(NamedTuple):
    """A position.

    info: int64[11] = rows, columns, n, gravity (0 or 1), pie rule (0 or 1), the action that
        swaps; whose turn, winner, stones on the board, whether a swap is legal now, key.
    color: int8[(rows + 2) * (cols + 1) + 1], the content of each point.
    open_points: int32, scratch of `rollout` and `forced_actions`, not part of the position.
    """

    info: np.ndarray
    color: np.ndarray
    open_points: np.ndarray


def new_state(rows: int, cols: int, n: int, gravity: bool, pie: bool) -> ConnectNState:
    """Arrays for one position, options filled in, not yet reset."""
    places = cols if gravity else rows * cols
    info = np.zeros(11, np.int64)
    info[: SWAP + 1] = rows, cols, n, gravity, pie, places
    return ConnectNState(
        info, np.empty((rows + 2) * (cols + 1) + 1, np.int8), np.zeros(places + 1, np.int32)
    )


@kernel
def reset(state: ConnectNState) -> None:
    info, color = state.info, state.color
    color[:] = BORDER
    for row in range(info[ROWS]):
        for col in range(info[COLS]):
            color[(row + 1) * (info[COLS] + 1) + col + 1] = EMPTY
    info[TURN] = 0
    info[WINNER] = NOBODY
    info[N_STONES] = 0
    info[CAN_SWAP] = 0
    info[KEY] = 0


@kernel
def copy_into(target: ConnectNState, source: ConnectNState) -> None:
    for i in range(len(source.info)):
        target.info[i] = source.info[i]
    for i in range(len(source.color)):
        target.color[i] = source.color[i]


@kernel
def to_move(state: ConnectNState) -> int:
    return state.info[TURN]


@inline_kernel
def last_open(info: np.ndarray, action: int) -> int:
    """The point that is occupied when the action is no longer possible: a column's top, or the
    cell."""
    cols = info[COLS]
    if info[GRAVITY]:
        return info[ROWS] * (cols + 1) + action + 1
    row = action // cols
    return (row + 1) * (cols + 1) + action - row * cols + 1


@inline_kernel
def landing(state: ConnectNState, action: int) -> int:
    """The point where the stone of a legal action comes to rest."""
    if not state.info[GRAVITY]:
        return last_open(state.info, action)
    width = state.info[COLS] + 1
    point = width + action + 1
    while state.color[point] != EMPTY:
        point += width
    return point


@kernel
def is_legal(state: ConnectNState, action: int) -> bool:
    if action == state.info[SWAP]:
        return state.info[CAN_SWAP] != 0
    return state.color[last_open(state.info, action)] == EMPTY


@kernel
def legal_actions(state: ConnectNState, out: np.ndarray) -> int:
    info, color = state.info, state.color
    cols = info[COLS]
    n = 0
    # Gravity: only the top row decides.
    first_row = info[ROWS] - 1 if info[GRAVITY] else 0
    action = 0
    for row in range(first_row, info[ROWS]):
        for col in range(cols):
            if color[(row + 1) * (cols + 1) + col + 1] == EMPTY:
                out[n] = action
                n += 1
            action += 1
    if info[CAN_SWAP]:
        out[n] = info[SWAP]
        n += 1
    return n


@kernel
def forced_actions(state: ConnectNState, out: np.ndarray) -> int:
    """An action that wins, or one that stops the opponent's row, or else the middle first.

    Moves that let the opponent win in the cell above are left out if there is another move.
    """
    info, color = state.info, state.color
    n_legal = legal_actions(state, out)
    if info[CAN_SWAP]:
        return n_legal
    for turn in range(2):
        player = info[TURN] if turn == 0 else 1 - info[TURN]
        for i in range(n_legal):
            if would_win(info, color, landing(state, out[i]), player):
                out[0] = out[i]
                return 1
    # The actions are in ascending order; they are taken from the middle outwards.
    for i in range(n_legal):
        state.open_points[i] = out[i]
    n = 0
    for i in range(n_legal):
        step = (i + 1) // 2
        action = state.open_points[(n_legal - 1) // 2 + (step if i % 2 else -step)]
        if info[GRAVITY]:
            above = landing(state, action) + info[COLS] + 1
            if color[above] == EMPTY and would_win(info, color, above, 1 - info[TURN]):
                continue
        out[n] = action
        n += 1
    if n == 0:  # every move loses
        out[0] = state.open_points[0]
        return 1
    return n


@inline_kernel
def would_win(info: np.ndarray, color: np.ndarray, point: int, player: int) -> int:
    """Whether a stone of `player` on an empty point would complete a row."""
    color[point] = player  # for a moment
    completed = completes_line(color, point, info[COLS] + 1, info[N])
    color[point] = EMPTY
    return completed


@kernel
def play(state: ConnectNState, action: int) -> None:
    info, color = state.info, state.color
    player = info[TURN]
    if action == info[SWAP]:
        take_over(info, color)
    else:
        point = landing(state, action)
        color[point] = player
        info[N_STONES] += 1
        info[KEY] ^= STONES[player, point]
        if completes_line(color, point, info[COLS] + 1, info[N]):
            info[WINNER] = player
        offer_swap(info, info[PIE] & (info[N_STONES] == 1))
    info[TURN] = 1 - player
    info[KEY] ^= SIDE


@inline_kernel
def take_over(info: np.ndarray, color: np.ndarray) -> None:
    """The only stone on the board changes hands, from player 0 to player 1."""
    point = 0
    while color[point] != BLACK:
        point += 1
    color[point] = WHITE
    info[KEY] ^= STONES[BLACK, point] ^ STONES[WHITE, point]
    offer_swap(info, 0)


@inline_kernel
def offer_swap(info: np.ndarray, offered: int) -> None:
    """Allow or forbid the swap; the legal actions change, so the key changes, too."""
    if info[CAN_SWAP] != offered:
        info[CAN_SWAP] = offered
        info[KEY] ^= SWAP_OPEN


@inline_kernel
def completes_line(color: np.ndarray, point: int, width: int, n: int) -> bool:
    """Whether the stone on `point` is in a row of n or more stones of its colour."""
    for step in (1, width, width + 1, width - 1):
        if 1 + run(color, point, step) + run(color, point, -step) >= n:
            return True
    return False


@inline_kernel
def run(color: np.ndarray, point: int, step: int) -> int:
    """The number of stones of the same colour that follow `point` without a gap, in one
    direction."""
    player = color[point]
    length = 0
    # Unsigned: otherwise Numba checks whether each index counts from the end, which is a third
    # slower.
    following = np.uint64(point + step)
    while color[following] == player:
        length += 1
        following += np.uint64(step)
    return length


@kernel
def terminal(state: ConnectNState) -> bool:
    info = state.info
    return info[WINNER] != NOBODY or info[N_STONES] == info[ROWS] * info[COLS]


@kernel
def result(state: ConnectNState) -> int:
    winner = state.info[WINNER]
    return 0 if winner == NOBODY else 1 - 2 * winner


@kernel
def key(state: ConnectNState) -> int:
    return state.info[KEY]


@kernel
def piece(state: ConnectNState, cell: int) -> int:
    cols = state.info[COLS]
    color = state.color[(cell // cols + 1) * (cols + 1) + cell % cols + 1]
    return color if color <= WHITE else kernels.NOBODY


@kernel
def rollout(state: ConnectNState, rng: np.ndarray) -> int:
    """Afterwards `color` holds the final board; `info` is as before the last plies."""
    info, color, open_points = state.info, state.color, state.open_points
    # While a swap is possible, now or next, play by the general rules: at most two plies.
    while info[PIE] and (info[N_STONES] == 0 or info[CAN_SWAP]):
        play(state, open_points[below(rng, legal_actions(state, open_points))])
    if info[WINNER] != NOBODY:
        return 1 - 2 * info[WINNER]

    width, n, player = info[COLS] + 1, info[N], info[TURN]
    # A stone opens the point above it. Without gravity it opens none, and `point + 0` is occupied.
    rise = width if info[GRAVITY] else 0
    n_open = list_open_points(state)
    while n_open > 0:
        i = below(rng, n_open)
        point = open_points[i]
        color[point] = player
        if completes_line(color, point, width, n):
            return 1 - 2 * player
        if color[point + rise] == EMPTY:
            open_points[i] = point + rise
        else:
            n_open -= 1
            open_points[i] = open_points[n_open]
        player = 1 - player
    return 0


@inline_kernel
def list_open_points(state: ConnectNState) -> int:
    """Fill `open_points` with the points that can be played on now; return how many."""
    n_open = legal_actions(state, state.open_points)
    for i in range(n_open):
        state.open_points[i] = landing(state, state.open_points[i])
    return n_open


@kernel
def evaluate(state: ConnectNState) -> int:
    """Counts the lines of n still open to one player only, weighted by stones in them.

    The player who may swap has the better side of the first stone.
    """
    info, color = state.info, state.color
    width = info[COLS] + 1
    total = 0
    for step in (1, width, width + 1, width - 1):
        for point in range(width + 1, len(color) - width):
            if color[point] != BORDER and color[point - step] == BORDER:
                total += line_value(color, point, step, info[N], info[TURN])
    if info[CAN_SWAP]:
        total = abs(total)
    return max(-VALUE_LIMIT, min(VALUE_LIMIT, total))


@inline_kernel
def line_value(color: np.ndarray, start: int, step: int, n: int, player: int) -> int:
    """Value for `player` of all windows of n points from `start` to the border."""
    total = 0
    own = 0
    opponent = 0
    length = 0
    point, back = np.uint64(start), np.uint64(n * step)  # unsigned as in `run`
    while color[point] != BORDER:
        own += color[point] == player
        opponent += color[point] == 1 - player
        if length >= n:  # the window moves on: its last point leaves it
            own -= color[point - back] == player
            opponent -= color[point - back] == 1 - player
        length += 1
        point += np.uint64(step)
        if length >= n:
            if own > 0 and opponent == 0:
                total += LINE_VALUE[min(n - own, 3)]
            elif opponent > 0 and own == 0:
                total -= LINE_VALUE[min(n - opponent, 3)]
    return total


kernels.implement(
    ConnectNState, reset=reset, copy_into=copy_into, to_move=to_move,
    legal_actions=legal_actions, forced_actions=forced_actions, is_legal=is_legal, play=play,
    terminal=terminal, result=result, key=key, piece=piece, rollout=rollout, evaluate=evaluate,
)
