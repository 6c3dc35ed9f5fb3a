"""Connect Four with its threats shown, which a player sees first (compare chapter 13.1.2).

With AlphaGo's planes, the network does not have to count liberties and read ladders. In Connect
Four, *threats* have the role of liberties: empty cells that would complete four in a row. Their
owners, their rows and the cells that can be reached now decide most games (Allis 1988). `threats`
shows them on the board.

`attacks` also shows the effect of a stone: which cells would make a new threat, two at once, or one
that can be carried out next, and which moves lose at once. This looks one move ahead, like
AlphaGo's planes of ladders.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec
from dlgo.bits import lowest_bit
from dlgo.encoders.base import Encoder, clear, encode, make_shape
from dlgo.encoders.generic import BLACK_TO_MOVE
from dlgo.games.connect4.board import (
    COLS,
    FULL,
    ROWS,
    STRIDE,
    TURN,
    ConnectFourState,
    playable,
    winning_cells,
)
from dlgo.jit import inline_kernel, kernel

THREATS_DOCS = (
    "own stones", "opponent's stones", BLACK_TO_MOVE,
    "own threats: empty cells that would complete an own four",
    "opponent's threats: empty cells that would complete an opponent's four",
    "landing cells: where a stone can be put now",
)
# For each player: the effect of a stone in an empty cell.
_MADE_DOCS = (
    "{} here makes a new threat", "{} here makes two new threats or more",
    "{} put here now makes a threat that can be carried out next",
    "{} put here now makes two such threats or more, which wins",
    "safe landing cells: after {} here {} cannot win at once",
)
ATTACKS_DOCS = (
    *THREATS_DOCS,
    *(text.format("an own stone", "the opponent") for text in _MADE_DOCS),
    *(text.format("an opponent's stone", "the player to move") for text in _MADE_DOCS),
    "rows 1, 3 and 5, counted from 1 at the bottom",
)
_OWN_MADE = len(THREATS_DOCS)
_OTHER_MADE = _OWN_MADE + len(_MADE_DOCS)
_ODD_ROWS = _OTHER_MADE + len(_MADE_DOCS)


class Threats(NamedTuple):
    """shape: see `base`."""

    shape: np.ndarray


class Attacks(Threats):
    """The same field."""


def threats(game: GameSpec) -> Encoder:
    """Stones, the player to move, cells that would complete a four, cells that can be played."""
    return Encoder("threats", game, THREATS_DOCS, Threats(make_shape(game, len(THREATS_DOCS))))


def attacks(game: GameSpec) -> Encoder:
    """`threats`, and what a stone in each cell would do: new threats, wins, blunders."""
    return Encoder("attacks", game, ATTACKS_DOCS, Attacks(make_shape(game, len(ATTACKS_DOCS))))


@inline_kernel
def _mark(out: np.ndarray, plane: int, cells: int) -> None:
    """Write 1 into the cells of a bitboard."""
    while cells:
        cell = cells & -cells
        cells ^= cell
        index = lowest_bit(cell)
        out[index % STRIDE, index // STRIDE, plane] = 1.0


@kernel
def _threats(encoder: Threats, window: ConnectFourState, n_states: int, out: np.ndarray) -> None:
    clear(out)
    state = kernels.row(window, 0)
    words = state.words
    own, opponent = words[words[TURN]], words[1 - words[TURN]]
    mask = own | opponent
    _mark(out, 0, own)
    _mark(out, 1, opponent)
    if words[TURN] == 0:
        kernels.fill_plane(out, 2, 1.0)
    _mark(out, 3, winning_cells(own, mask))
    _mark(out, 4, winning_cells(opponent, mask))
    _mark(out, 5, playable(mask))


@kernel
def _attacks(encoder: Attacks, window: ConnectFourState, n_states: int, out: np.ndarray) -> None:
    _threats(encoder, window, n_states, out)
    words = kernels.row(window, 0).words
    own, opponent = words[words[TURN]], words[1 - words[TURN]]
    _mark_made(out, _OWN_MADE, own, opponent)
    _mark_made(out, _OTHER_MADE, opponent, own)
    for row in range(0, ROWS, 2):
        for col in range(COLS):
            out[row, col, _ODD_ROWS] = 1.0


@kernel
def _mark_made(out: np.ndarray, plane: int, stones: int, opponent: int) -> None:
    """Write the effect of a stone in each empty cell into five planes from `plane` on."""
    mask = stones | opponent
    threats, answers = winning_cells(stones, mask), winning_cells(opponent, mask)
    landing, empty = playable(mask), FULL ^ mask
    while empty:
        cell = empty & -empty
        empty ^= cell
        new_threats = winning_cells(stones | cell, mask | cell) & ~threats
        if new_threats:
            _mark(out, plane, cell)
            if new_threats & (new_threats - 1):
                _mark(out, plane + 1, cell)
        if not cell & landing:
            continue
        next_landing = playable(mask | cell)
        ready = new_threats & next_landing
        if ready:
            _mark(out, plane + 2, cell)
            if ready & (ready - 1):
                _mark(out, plane + 3, cell)
        if not answers & next_landing:
            _mark(out, plane + 4, cell)


encode.register(Threats, _threats)
encode.register(Attacks, _attacks)
