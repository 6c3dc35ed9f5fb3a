"""Draughts on the dark squares only, and with captures shown.

Light squares are always empty, so half of the work of a convolution on the usual planes is wasted.
`squares` cuts the board into 4 by 4 blocks of 2 by 2 squares, two of them dark, and has two planes
for each feature: one for the lower dark square of the blocks and one for the upper. All blocks are
alike, and a kernel of 3 by 3 sees 18 squares at once. (With the squares of each row pushed
together, 4 by 8, the neighbours of a square would be in different places in odd and even rows, and
each filter would have to be learned twice.)

`captures` also shows the next ply: which pieces can jump over which, and which steps would let the
opponent jump. So the network does not have to look ahead; compare `attacks` in Connect Four.

As in `turned`, the player to move sees the board as Black sees it: the own men move down.
The policy is turned with it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec
from dlgo.bits import lowest_bit
from dlgo.encoders.base import Encoder, clear, encode
from dlgo.encoders.generic import piece_docs
from dlgo.games.draughts import board
from dlgo.games.draughts.board import DraughtsState
from dlgo.games.draughts.kernel import sources
from dlgo.jit import inline_kernel, kernel
from dlgo.symmetry import exchange

BLOCKS = 4  # in a row, and rows of them
_DIRECTIONS = ("down-left", "down-right", "up-left", "up-right")

# First of two planes each: own men and kings, the opponent's; then the rest of the position.
_MEN, _KINGS, _OTHER_MEN, _OTHER_KINGS, _JUMPER = range(0, 10, 2)
_QUIET, _SEEN = 10, 11  # everywhere, and so one plane each
_JUMPS, _SAFE, _EXPOSED = range(12, 36, 8)  # two planes for each direction
_VICTIMS, _THREATENING, _THREATENED = range(36, 42, 2)
_CAPTURES = (
    *(f"own pieces that can jump {direction}" for direction in _DIRECTIONS),
    *(f"own pieces that can step {direction}, after which the opponent cannot jump"
      for direction in _DIRECTIONS),
    *(f"own pieces that can step {direction}, after which the opponent can jump"
      for direction in _DIRECTIONS),
    "opponent's pieces that can be jumped over",
    "opponent's pieces that could jump if it were their turn",
    "own pieces that they would jump over",
)


class Squares(NamedTuple):
    """shape: see `base`; 4 by 4 blocks."""

    shape: np.ndarray


class Captures(Squares):
    """The same field."""


def squares(game: GameSpec) -> Encoder:
    """`turned`, on the 32 dark squares only."""
    docs = _squares_docs(game)
    return Encoder("squares", game, docs, Squares(_shape(docs)), exchange(game))


def captures(game: GameSpec) -> Encoder:
    """`squares`, and the next ply: possible jumps, safe and unsafe steps, threats."""
    docs = (*_squares_docs(game), *_twice(*_CAPTURES))
    return Encoder("captures", game, docs, Captures(_shape(docs)), exchange(game))


def _squares_docs(game: GameSpec) -> tuple[str, ...]:
    jumper, *everywhere = game.extra_planes
    return (*_twice(*piece_docs(game), jumper), *everywhere)


def _twice(*docs: str) -> tuple[str, ...]:
    return tuple(f"{doc}; {which} square of each block" for doc in docs
                 for which in ("lower", "upper"))


def _shape(docs: tuple[str, ...]) -> np.ndarray:
    return np.array([BLOCKS, BLOCKS, len(docs), 0], np.int64)


@inline_kernel
def _mark(out: np.ndarray, plane: int, pieces: int, player: int) -> None:
    """Write 1 onto the squares of a bitboard, as the player sees them, into a pair of planes."""
    while pieces:
        bit = lowest_bit(pieces)
        pieces &= pieces - 1
        square = bit - bit // 9
        if player == 1:
            square = 31 - square
        row = 7 - square // 4
        out[row // 2, square % 4, plane + row % 2] = 1.0


@kernel
def _squares(encoder: Squares, window: DraughtsState, n_states: int, out: np.ndarray) -> None:
    clear(out)
    words = kernels.row(window, 0).words
    player, kings = words[board.TURN], words[board.KINGS]
    own, opponent = words[player], words[1 - player]
    _mark(out, _MEN, own & ~kings, player)
    _mark(out, _KINGS, own & kings, player)
    _mark(out, _OTHER_MEN, opponent & ~kings, player)
    _mark(out, _OTHER_KINGS, opponent & kings, player)
    _mark(out, _JUMPER, words[board.JUMPER], player)
    kernels.fill_plane(out, _QUIET, words[board.QUIET] / board.QUIET_LIMIT)
    kernels.fill_plane(out, _SEEN, (words[board.SEEN] - 1) / (board.REPETITIONS - 1))


@kernel
def _captures(encoder: Captures, window: DraughtsState, n_states: int, out: np.ndarray) -> None:
    _squares(encoder, window, n_states, out)
    state = kernels.row(window, 0)
    words = state.words
    player, kings = words[board.TURN], words[board.KINGS]
    own, opponent = words[player], words[1 - player]
    jumping = False
    for direction in range(4):
        pieces = sources(state, direction, True)
        jumping = jumping or pieces != 0
        _mark(out, _JUMPS + 2 * _as_seen(direction, player), pieces, player)
        _mark(out, _VICTIMS, board.ahead(pieces, direction), player)
        pieces = _jumpers(opponent, own, kings, 1 - player, direction)
        _mark(out, _THREATENING, pieces, player)
        _mark(out, _THREATENED, board.ahead(pieces, direction), player)
    if jumping:
        return
    for direction in range(4):
        pieces = sources(state, direction, False)
        while pieces:
            piece = pieces & -pieces
            pieces ^= piece
            moved = own ^ (piece | board.ahead(piece, direction))
            first = _EXPOSED if _can_capture(opponent, moved, kings, 1 - player) else _SAFE
            _mark(out, first + 2 * _as_seen(direction, player), piece, player)


@inline_kernel
def _as_seen(direction: int, player: int) -> int:
    """A direction as the player sees it: half a turn reverses it."""
    return direction if player == 0 else 3 - direction


@inline_kernel
def _jumpers(pieces: int, targets: int, kings: int, player: int, direction: int) -> int:
    """The player's pieces that could jump over one of the `targets` in a direction."""
    empty = board.BOARD & ~(pieces | targets)
    return board.can_jump(board.facing(pieces, kings, player, direction), targets, empty, direction)


@inline_kernel
def _can_capture(pieces: int, targets: int, kings: int, player: int) -> bool:
    return (
        _jumpers(pieces, targets, kings, player, 0) | _jumpers(pieces, targets, kings, player, 1)
        | _jumpers(pieces, targets, kings, player, 2) | _jumpers(pieces, targets, kings, player, 3)
    ) != 0


encode.register(Squares, _squares)
encode.register(Captures, _captures)
