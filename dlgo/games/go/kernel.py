"""The rules of Go, compiled. Registered with `dlgo.kernels`; the board itself is `board.py`,
the count at the end `area.py`.

Rules: capture before the self-capture test, self-capture illegal, superko (by default
situational: no play may recreate an earlier position with the same player to move; passes
may), two passes end the game, area scoring with komi. An action is `row * size + col` with row 0 at
the bottom; `size * size` is the pass.
"""

from __future__ import annotations

import numpy as np

from dlgo import kernels
from dlgo.bits import int64
from dlgo.games.go import board
from dlgo.games.go.area import margin, ownership, result
from dlgo.games.go.board import GoState
from dlgo.games.go.features import move_features
from dlgo.games.go.hints import hints
from dlgo.games.go.playout import MOVES_PER_POINT, play_heavily, random_point
from dlgo.jit import inline_kernel, kernel
from dlgo.zobrist import zobrist_table

# Parts of the search key that are not on the board: the passes that have just been made (two end
# the game), and the point that the simple ko rule forbids. They affect the legal moves.
PASSED = int(zobrist_table(1, stream="go passed")[0])
KO_POINT = zobrist_table(27 * 27, stream="go ko")

# action // size without a division: exact for all 625 points of the largest board.
RECIPROCALS = np.array([0, *((1 << 16) // size + 1 for size in range(1, board.MAX_SIZE + 1))])


@inline_kernel
def point_of(size: int, action: int) -> int:
    """The board index of an action that is not a pass: (row + 1) * (size + 2) + column + 1."""
    row = (action * RECIPROCALS[size]) >> 16
    return action + 2 * row + size + 3


@kernel
def reset(state: GoState) -> None:
    """Empty board, black to move. Size and komi are in `info` already."""
    info = state.info
    size = info[board.SIZE]
    width = size + 2
    info[board.TURN] = 0
    info[board.PASSES] = 0
    info[board.KO] = board.NOWHERE
    info[board.LAST] = board.NOWHERE
    info[board.STONES_KEY] = 0
    info[board.N_HISTORY] = 0
    info[board.N_EMPTY] = 0
    info[board.CAPTURED_BY_BLACK] = 0
    info[board.CAPTURED_BY_WHITE] = 0
    state.color[:] = 3
    state.history_filter[:] = 0
    for row in range(1, size + 1):
        for col in range(1, size + 1):
            point = row * width + col
            state.color[point] = board.EMPTY
            state.slot[point] = info[board.N_EMPTY]
            state.empties[info[board.N_EMPTY]] = point
            info[board.N_EMPTY] += 1
    board.remember(state)


@kernel
def put_stone(state: GoState, point: int, player: int) -> bool:
    """Set up a stone on an empty point; False if a chain would be without liberty.

    In a legal position this cannot happen, for any order of its stones.
    """
    n_empty = state.info[board.N_EMPTY]
    board.place(state, point, player)
    return state.info[board.N_EMPTY] == n_empty - 1 and state.liberties[state.chain[point]] != 0


@kernel
def start_from(state: GoState, player: int) -> None:
    """Begin the game from the stones on the board, with `player` to move."""
    info = state.info
    info[board.TURN] = player
    info[board.PASSES] = 0
    info[board.KO] = board.NOWHERE
    info[board.LAST] = board.NOWHERE
    info[board.N_HISTORY] = 0
    info[board.CAPTURED_BY_BLACK] = 0
    info[board.CAPTURED_BY_WHITE] = 0
    state.history_filter[:] = 0
    board.remember(state)


@kernel
def copy_into(target: GoState, source: GoState) -> None:
    board.copy_board(target, source)
    for i in range(len(source.history_filter)):
        target.history_filter[i] = source.history_filter[i]
    for i in range(source.info[board.N_HISTORY]):
        target.history[i] = source.history[i]


@kernel
def to_move(state: GoState) -> int:
    return state.info[board.TURN]


@inline_kernel
def repeats(state: GoState, point: int) -> bool:
    """Whether a play is forbidden by superko: it would recreate an earlier position."""
    info = state.info
    if info[board.REPETITION] == board.SIMPLE_KO:
        return False  # the simple ko has been tested with the other rules
    if info[board.CAPTURED_BY_BLACK] + info[board.CAPTURED_BY_WHITE] == 0:
        return False  # no captures yet: no position has occurred twice
    player = info[board.TURN]
    stones_key = info[board.STONES_KEY] ^ board.STONES[player, point]
    stones_key ^= board.captures(state, point, player)
    situation = board.situation(state, stones_key, 1 - player)
    bits = board.filter_bits(situation)
    if state.history_filter[board.filter_word(situation)] & bits != bits:
        return False
    for i in range(info[board.N_HISTORY]):
        if state.history[i] == situation:
            return True
    return False


@kernel
def is_legal(state: GoState, action: int) -> bool:
    size = state.info[board.SIZE]
    if action == size * size:
        return True
    point = point_of(size, action)
    return board.is_playable(state, point, state.info[board.TURN]) and not repeats(state, point)


@kernel
def legal_actions(state: GoState, out: np.ndarray) -> int:
    """Plays in board order, then the pass."""
    return _actions(state, out, False)


@kernel
def search_actions(state: GoState, out: np.ndarray) -> int:
    """Legal actions that fill no own eye (chapter 3.3)."""
    return _actions(state, out, True)


@kernel
def _actions(state: GoState, out: np.ndarray, keep_eyes: bool) -> int:
    size = state.info[board.SIZE]
    player = state.info[board.TURN]
    # First the empty points, without a branch: a processor cannot predict which points are empty.
    n_empty = 0
    for row in range(size):
        for col in range(size):
            out[n_empty] = row * size + col
            n_empty += state.color[(row + 1) * (size + 2) + col + 1] == board.EMPTY
    n = 0
    for i in range(n_empty):
        action = out[i]
        point = point_of(size, action)
        if not board.is_playable(state, point, player) or repeats(state, point):
            continue
        if keep_eyes and board.is_eye(state, point, player):
            continue
        out[n] = action
        n += 1
    out[n] = size * size
    return n + 1


@kernel
def play(state: GoState, action: int) -> None:
    info = state.info
    player = info[board.TURN]
    if action == info[board.SIZE] * info[board.SIZE]:
        info[board.PASSES] += 1
        info[board.KO] = board.NOWHERE
        info[board.LAST] = board.NOWHERE
    else:
        point = point_of(info[board.SIZE], action)
        board.place(state, point, player)
        info[board.PASSES] = 0
        info[board.LAST] = point
    info[board.TURN] = 1 - player
    board.remember(state)


@kernel
def terminal(state: GoState) -> bool:
    return state.info[board.PASSES] >= 2


@kernel
def key(state: GoState) -> int:
    info = state.info
    value = info[board.STONES_KEY] ^ KO_POINT[info[board.KO]]
    if info[board.TURN] == 1:
        value ^= board.SIDE
    return value ^ PASSED * info[board.PASSES]


@kernel
def piece(state: GoState, cell: int) -> int:
    color = int64(state.color[point_of(state.info[board.SIZE], cell)])
    # EMPTY, 2, becomes NOBODY, -1, without a branch: a processor cannot predict the stones.
    return color | -(color >> 1)


@kernel
def extra_planes(state: GoState, out: np.ndarray, first: int) -> None:
    """Facts that affect the legal moves and are not on the board, except superko."""
    info = state.info
    if info[board.KO] != board.NOWHERE:
        width = info[board.SIZE] + 2
        out[info[board.KO] // width - 1, info[board.KO] % width - 1, first] = 1.0
    if info[board.PASSES]:
        kernels.fill_plane(out, first + 1, 1.0)


@kernel
def rollout(state: GoState, rng: np.ndarray) -> int:
    """Uniform random plays that fill no own eye; pass when there is none. Simple ko only."""
    info = state.info
    player = info[board.TURN]
    for _ in range(MOVES_PER_POINT * info[board.SIZE] * info[board.SIZE]):
        if info[board.PASSES] >= 2:
            break
        point = random_point(state, player, rng, 0.0)
        if point == board.NOWHERE:
            info[board.PASSES] += 1
            info[board.KO] = board.NOWHERE
        else:
            board.place(state, point, player)
            info[board.PASSES] = 0
        player = 1 - player
    return result(state)


@kernel
def heavy_rollout(
    state: GoState, rng: np.ndarray, actions: np.ndarray, first_players: np.ndarray,
) -> int:
    """See `playout.py`. Simple ko only."""
    play_heavily(state, rng, first_players)
    return result(state)


@kernel
def evaluate(state: GoState) -> int:
    """A rough count of points, a hundred each; liberties break ties.

    Counting stones alone (listing 4.8 of the book) rewards filling own territory and sees a capture
    only after it has happened. Here an empty point surrounded by stones of one colour counts for
    that colour, so filling it gains nothing; and a chain that the player to move can capture counts
    as captured.
    """
    color, chain = state.color, state.chain
    info = state.info
    width = info[board.SIZE] + 2
    total = -50 * info[board.HALF_KOMI]
    for point in range(width + 1, len(color) - width - 1):
        player = color[point]
        if player == board.BORDER:
            continue
        if player == board.EMPTY:
            black = white = False
            for step in (1, -1, width, -width):
                black |= color[point + step] == 0
                white |= color[point + step] == 1
            total += (100 if black else 0) - (100 if white else 0)
            continue
        sign = 1 - 2 * player
        total += sign * 100
        if chain[point] == point:
            if player != info[board.TURN] and board.in_atari(state, point):
                total -= sign * 200 * state.n_stones[point]
            total += sign * 4 * min(state.liberties[point] >> board.NUMBER_SHIFT, 10)
    total = max(-9000, min(9000, total))
    return total if info[board.TURN] == 0 else -total


kernels.implement(
    board.GoState, reset=reset, copy_into=copy_into, to_move=to_move, legal_actions=legal_actions,
    search_actions=search_actions, is_legal=is_legal, play=play, terminal=terminal,
    result=result, margin=margin, ownership=ownership, key=key, piece=piece,
    extra_planes=extra_planes, rollout=rollout, heavy_rollout=heavy_rollout, hints=hints,
    move_features=move_features, evaluate=evaluate,
)
