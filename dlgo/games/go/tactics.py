"""Quick tactics of Go: ataris, and the number of liberties after a play.

Kernels over the board of `board.py`, for heavy rollouts and for hints to the search. They
work on the packed sums of liberties (see there): adding the words of chains and points gives the
word of the chain that they form together.
"""

from __future__ import annotations

from dlgo.bits import int64
from dlgo.games.go import board
from dlgo.games.go.board import GoState
from dlgo.jit import inline_kernel

# The number of stones of a long chain that are searched for enemies in atari beside them.
STONES_SEARCHED = 24


@inline_kernel
def last_liberty(state: GoState, chain: int) -> int:
    """The liberty of a chain in atari."""
    word = state.liberties[chain]
    return ((word >> board.SUM_SHIFT) & board.SUM_MASK) // (word >> board.NUMBER_SHIFT)


@inline_kernel
def is_self_atari(state: GoState, point: int, player: int) -> bool:
    """Whether a stone on the empty `point` would belong to a chain with at most one liberty.

    A stone captured by the play counts as a liberty where it touches the point; other liberties
    that the capture creates are ignored.
    """
    color, chain, liberties = state.color, state.chain, state.liberties
    width = state.info[board.SIZE] + 2
    own_word = board.liberty_word(point)
    word = int64(0)
    # Own chains that have been counted.
    first, second, third = board.NOWHERE, board.NOWHERE, board.NOWHERE
    for step in (1, -1, width, -width):
        near = point + step
        kind = color[near]
        if kind == board.EMPTY:
            word += board.liberty_word(near)
        elif kind == player:
            name = int64(chain[near])
            word -= own_word
            if name not in (first, second, third):
                third, second, first = second, first, name
                word += liberties[name]
        elif kind <= board.WHITE and board.in_atari(state, chain[near]):
            word += board.liberty_word(near)
    return board.is_single(word)


@inline_kernel
def capture_beside(state: GoState, chain: int, player: int) -> int:
    """A point where an enemy in atari beside the player's `chain` can be captured, or NOWHERE."""
    width = state.info[board.SIZE] + 2
    stone = int64(chain)
    for _ in range(STONES_SEARCHED):
        for step in (1, -1, width, -width):
            near = stone + step
            if state.color[near] == 1 - player and board.in_atari(state, state.chain[near]):
                return last_liberty(state, state.chain[near])
        stone = int64(state.link[stone])
        if stone == chain:
            break
    return int64(board.NOWHERE)
