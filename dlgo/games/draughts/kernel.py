"""The rules of English draughts (American checkers), compiled. The board is `board.py`.

Black men (player 0) move down the board, white men (player 1) up, kings both ways; one step,
or one jump over a piece of the other player to the empty square beyond. A capture must be
made; it continues with the same piece while it can; a man that reaches the far row is crowned,
which ends the move. A player who cannot move has lost. A position that occurs for the third time
with the same player to move, or 40 moves each without a capture or a man's move, is a draw.

An action is one step or one jump, `4 * (square - 1) + direction`, plus 128 for a jump: a
multiple jump is several actions of the same player. The jump bit follows from the position;
it is part of the action so that an action alone determines both squares.
"""

from __future__ import annotations

import numpy as np

from dlgo import kernels
from dlgo.bits import int64, lowest_bit, popcount
from dlgo.games.draughts import board
from dlgo.games.draughts.board import DraughtsState
from dlgo.games.draughts.evaluation import evaluate
from dlgo.jit import inline_kernel, kernel
from dlgo.rng import below

JUMP = 4 * board.SQUARES
NUM_ACTIONS = 2 * JUMP


@kernel
def reset(state: DraughtsState) -> None:
    set_position(state, board.START_BLACK, board.START_WHITE, 0, 0)


@kernel
def set_position(state: DraughtsState, black: int, white: int, kings: int, turn: int) -> None:
    """Set up a position at the start of a turn, without a history."""
    words = state.words
    words[board.BLACK] = black
    words[board.WHITE] = white
    words[board.KINGS] = kings
    words[board.TURN] = turn
    words[board.JUMPER] = 0
    words[board.QUIET] = 0
    words[board.SEEN] = 1
    words[board.KEY] = board.key_from_scratch(state)
    state.history[0] = words[board.KEY]


@kernel
def to_move(state: DraughtsState) -> int:
    return state.words[board.TURN]


# Moves ------------------------------------------------------------------------------------


@inline_kernel
def sources(state: DraughtsState, direction: int, jumping: bool) -> int:
    """The pieces that can jump, or step, in a direction; only one if it must go on jumping."""
    words = state.words
    player = words[board.TURN]
    opponent = words[1 - player]
    empty = board.BOARD & ~(words[player] | opponent)
    pieces = words[board.JUMPER] or words[player]
    pieces = board.facing(pieces, words[board.KINGS], player, direction)
    if jumping:
        return board.can_jump(pieces, opponent, empty, direction)
    return board.can_step(pieces, empty, direction)


@inline_kernel
def must_jump(state: DraughtsState) -> bool:
    """Whether the player to move can capture, and therefore must."""
    return (
        sources(state, 0, True) | sources(state, 1, True)
        | sources(state, 2, True) | sources(state, 3, True)
    ) != 0


@inline_kernel
def stuck(state: DraughtsState) -> bool:
    """Whether the player to move has no legal move: no pieces, or all of them blocked."""
    return not must_jump(state) and (
        sources(state, 0, False) | sources(state, 1, False)
        | sources(state, 2, False) | sources(state, 3, False)
    ) == 0


@kernel
def legal_actions(state: DraughtsState, out: np.ndarray) -> int:
    """All jumps if there is one, else all steps; by direction, then by square."""
    n = 0
    for direction in range(4):
        n = _list_actions(sources(state, direction, True), JUMP + direction, out, n)
    if n == 0:
        for direction in range(4):
            n = _list_actions(sources(state, direction, False), direction, out, n)
    return n


@inline_kernel
def _list_actions(pieces: int, kind: int, out: np.ndarray, n: int) -> int:
    while pieces:
        bit = lowest_bit(pieces)
        out[n] = 4 * (bit - bit // 9) + kind
        n += 1
        pieces &= pieces - 1
    return n


@kernel
def quiet(state: DraughtsState) -> bool:
    """Captures are forced, so a position with one is in the middle of an exchange."""
    return not must_jump(state)


@kernel
def is_legal(state: DraughtsState, action: int) -> bool:
    jumping = must_jump(state)
    if (action >= JUMP) != jumping:
        return False
    square = (action & (JUMP - 1)) >> 2
    return (sources(state, action & 3, jumping) >> (square + square // 8)) & 1 == 1


@kernel
def play(state: DraughtsState, action: int) -> None:
    words = state.words
    player = words[board.TURN]
    square = (action & (JUMP - 1)) >> 2
    start = square + square // 8
    piece = int64(1) << start
    direction = action & 3
    target = board.ahead(piece, direction)
    if action >= JUMP:
        captured = target
        target = board.ahead(target, direction)
        _remove(words, 1 - player, captured)
    king = (words[board.KINGS] >> start) & 1
    crowned = 1 - king if target & board.far_row(player) else 0
    end = lowest_bit(target)
    words[player] ^= piece | target
    words[board.KINGS] ^= (piece | target) * king | target * crowned
    words[board.KEY] ^= board.PIECES[player, king, start]
    words[board.KEY] ^= board.PIECES[player, king | crowned, end]

    if words[board.JUMPER]:
        words[board.KEY] ^= board.JUMPER_KEYS[start]
        words[board.JUMPER] = 0
    if action >= JUMP and not crowned:
        words[board.JUMPER] = target
        if must_jump(state):  # with this piece, the same player again
            words[board.KEY] ^= board.JUMPER_KEYS[end]
        else:
            words[board.JUMPER] = 0
    if not words[board.JUMPER]:
        words[board.TURN] = 1 - player
        words[board.KEY] ^= board.SIDE
    _remember(state, action < JUMP and king == 1)


@inline_kernel
def _remove(words: np.ndarray, player: int, piece: int) -> None:
    bit = lowest_bit(piece)
    words[board.KEY] ^= board.PIECES[player, (words[board.KINGS] >> bit) & 1, bit]
    words[player] ^= piece
    words[board.KINGS] &= ~piece


@inline_kernel
def _remember(state: DraughtsState, quiet: bool) -> None:
    """Update the memory of the draw rules after a move; a capture or man's move clears it."""
    words, history = state.words, state.history
    plies = words[board.QUIET] + 1 if quiet else 0
    # Only a search that ignores draws (perft) goes beyond the limit.
    plies = min(plies, board.QUIET_LIMIT)
    words[board.QUIET] = plies
    words[board.SEEN] = 1
    history[plies] = words[board.KEY]
    for i in range(plies - 4, -1, -2):  # two steps of each player are the shortest way back
        if history[i] == words[board.KEY]:
            words[board.SEEN] += 1


# The end ----------------------------------------------------------------------------------


@kernel
def terminal(state: DraughtsState) -> bool:
    words = state.words
    if words[board.QUIET] >= board.QUIET_LIMIT or words[board.SEEN] >= board.REPETITIONS:
        return True
    return stuck(state)


@kernel
def result(state: DraughtsState) -> int:
    """A player who cannot move has lost, even if a draw could be claimed at the same time."""
    return 2 * state.words[board.TURN] - 1 if stuck(state) else 0


@kernel
def key(state: DraughtsState) -> int:
    """The key of the pieces, the player to move and the piece that must go on jumping; no draw
    counters."""
    return state.words[board.KEY]


# Network inputs ---------------------------------------------------------------------------


@kernel
def piece(state: DraughtsState, cell: int) -> int:
    """Kind 0 is a man, 1 a king; light squares are always empty."""
    down, col = 7 - cell // 8, cell % 8
    if (down + col) % 2 == 0:
        return kernels.NOBODY
    square = 4 * down + col // 2
    bit = square + square // 8
    king = (state.words[board.KINGS] >> bit) & 1
    for player in range(2):
        if (state.words[player] >> bit) & 1:
            return player + 2 * king
    return kernels.NOBODY


@kernel
def extra_planes(state: DraughtsState, out: np.ndarray, first: int) -> None:
    """The piece that must go on jumping, and the two counters of the draw rules."""
    words = state.words
    if words[board.JUMPER]:
        bit = lowest_bit(words[board.JUMPER])
        square = bit - bit // 9
        down = square // 4
        out[7 - down, 2 * (square % 4) + (down + 1) % 2, first] = 1.0
    kernels.fill_plane(out, first + 1, words[board.QUIET] / board.QUIET_LIMIT)
    kernels.fill_plane(out, first + 2, (words[board.SEEN] - 1) / (board.REPETITIONS - 1))


# Playing at random ------------------------------------------------------------------------


@kernel
def rollout(state: DraughtsState, rng: np.ndarray) -> int:
    """Play uniformly random actions to the end; return the result as player 0 sees it.

    All rules hold, the draws too. The moves are made on local copies of the bitboards; of
    `state`, only the history is overwritten.
    """
    if terminal(state):
        return result(state)
    words, history = state.words, state.history
    player = words[board.TURN]
    own, opponent = words[player], words[1 - player]
    kings, jumper = words[board.KINGS], words[board.JUMPER]
    quiet, key = words[board.QUIET], words[board.KEY]
    while True:
        empty = board.BOARD & ~(own | opponent)
        pieces = jumper or own
        down = board.facing(pieces, kings, player, 0)
        up = board.facing(pieces, kings, player, 2)
        a = board.can_jump(down, opponent, empty, 0)
        b = board.can_jump(down, opponent, empty, 1)
        c = board.can_jump(up, opponent, empty, 2)
        d = board.can_jump(up, opponent, empty, 3)
        jumping = (a | b | c | d) != 0
        if not jumping:
            if jumper:  # the capture is complete
                jumper = 0
                own, opponent, player = opponent, own, 1 - player
                continue
            a = board.can_step(down, empty, 0)
            b = board.can_step(down, empty, 1)
            c = board.can_step(up, empty, 2)
            d = board.can_step(up, empty, 3)
            if (a | b | c | d) == 0:
                return 2 * player - 1
        if quiet >= board.QUIET_LIMIT:
            return 0

        # One of the moves at random: first up or down, then left or right, then the piece.
        n_down = popcount(a) + popcount(b)
        pick = below(rng, n_down + popcount(c) + popcount(d))
        direction = 0
        if pick >= n_down:
            pick -= n_down
            direction = 2
            a, b = c, d
        if pick >= popcount(a):
            pick -= popcount(a)
            direction += 1
            a = b
        for _ in range(pick):
            a &= a - 1
        piece = a & -a

        target = board.ahead(piece, direction)
        if not jumping and kings & piece:
            own ^= piece | target
            kings ^= piece | target
            quiet += 1
            # Keys are compared only within a run of quiet moves, so the start value does not
            # matter.
            start, end = lowest_bit(piece), lowest_bit(target)
            key ^= board.PIECES[player, 1, start] ^ board.PIECES[player, 1, end] ^ board.SIDE
            history[quiet] = key
            occurrences = 1
            for i in range(quiet - 4, -1, -2):
                occurrences += history[i] == key
            if occurrences >= board.REPETITIONS:
                return 0
        else:
            if jumping:
                own, opponent, kings, jumper = board.jump(
                    own, opponent, kings, player, piece, direction
                )
            else:
                own ^= piece | target
                kings |= target & board.far_row(player)
            quiet = 0
            key = 0
            history[0] = 0
            if jumper:
                continue
        own, opponent, player = opponent, own, 1 - player


kernels.implement(
    board.DraughtsState, reset=reset, copy_into=board.copy_into, to_move=to_move,
    legal_actions=legal_actions, quiet=quiet, is_legal=is_legal, play=play, terminal=terminal,
    result=result, key=key, piece=piece, extra_planes=extra_planes, rollout=rollout,
    evaluate=evaluate,
)
