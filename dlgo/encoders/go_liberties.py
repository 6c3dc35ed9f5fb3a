"""The book's encoders of Go by liberties: `sevenplane`, `simple` and `zero11`.

All show stones by the number of liberties of their chain, and the points that ko forbids (chapter
7.4). They differ in where they stop counting, and in how they name the players:

    sevenplane  7  own and opponent's stones; 1, 2, 3 or more liberties
    simple     11  black and white stones; 1, 2, 3, 4 or more; whose turn it is
    zero11     11  own and opponent's stones; 1, 2, 3, 4 or more; who gets the komi

`zero11` is the name in the book's code of the encoder for AlphaGo Zero's method (chapter 14); the
paper's own is `zero`, in `history.py`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec
from dlgo.bits import int64
from dlgo.encoders.base import Encoder, clear, encode, make_shape
from dlgo.games.go.board import EMPTY, SIZE, TURN, GoState
from dlgo.games.go.liberties import count_liberties, violates_ko
from dlgo.jit import inline_kernel, kernel

KO_DOC = "points that may not be played because of ko or superko"


class SevenPlane(NamedTuple):
    """shape: see `base`; counts: int16[cells], scratch."""

    shape: np.ndarray
    counts: np.ndarray


class Simple(SevenPlane):
    """The fields of `SevenPlane`."""


class Zero11(SevenPlane):
    """The fields of `SevenPlane`."""


def _liberty_docs(owners: tuple[str, str], most: int) -> tuple[str, ...]:
    counts = [str(n) for n in range(1, most)] + [f"{most} or more"]
    return tuple(
        f"{owner} stones with {n} {'liberty' if n == '1' else 'liberties'}"
        for owner in owners for n in counts
    )


def _make(name: str, kind: type, game: GameSpec, planes: tuple[str, ...]) -> Encoder:
    counts = np.zeros((game.board_rows + 2) ** 2, np.int16)
    return Encoder(name, game, planes, kind(make_shape(game, len(planes)), counts))


def seven_plane(game: GameSpec) -> Encoder:
    """Own and opponent's stones by liberties (1, 2, 3 or more), ko (chapter 7.4)."""
    return _make("sevenplane", SevenPlane, game, (*_liberty_docs(("own", "opponent's"), 3), KO_DOC))


def simple(game: GameSpec) -> Encoder:
    """Black and white stones by liberties (1, 2, 3, 4 or more), turn, ko (chapter 7.4)."""
    turns = ("1 everywhere if black is to move", "1 everywhere if white is to move")
    planes = (*_liberty_docs(("black", "white"), 4), *turns, KO_DOC)
    return _make("simple", Simple, game, planes)


def zero_11(game: GameSpec) -> Encoder:
    """Own and opponent's stones by liberties, komi, ko (the book's code for chapter 14)."""
    komi = (
        "1 everywhere if the player to move gets the komi (white)",
        "1 everywhere if the other player does",
    )
    return _make(
        "zero11", Zero11, game, (*_liberty_docs(("own", "opponent's"), 4), *komi, KO_DOC)
    )


@inline_kernel
def _by_liberties(
    state: GoState, counts: np.ndarray, out: np.ndarray, most: int, first_player: int,
    ko_plane: int,
) -> None:
    """Stones of `first_player` by liberties, then the opponent's; and the points of ko."""
    clear(out)
    count_liberties(state, counts)
    color, chain = state.color, state.chain
    size, player = state.info[SIZE], state.info[TURN]
    for row in range(size):
        for col in range(size):
            point = (row + 1) * (size + 2) + col + 1
            if color[point] != EMPTY:
                plane = min(most, int64(counts[chain[point]])) - 1
                out[row, col, plane + most * (color[point] ^ first_player)] = 1.0
            elif violates_ko(state, point, player):
                out[row, col, ko_plane] = 1.0


@kernel
def _seven_plane(encoder: SevenPlane, window: GoState, n_states: int, out: np.ndarray) -> None:
    state = kernels.row(window, 0)
    _by_liberties(state, encoder.counts, out, 3, state.info[TURN], 6)


@kernel
def _simple(encoder: Simple, window: GoState, n_states: int, out: np.ndarray) -> None:
    state = kernels.row(window, 0)
    _by_liberties(state, encoder.counts, out, 4, 0, 10)
    kernels.fill_plane(out, 8 + state.info[TURN], 1.0)


@kernel
def _zero_11(encoder: Zero11, window: GoState, n_states: int, out: np.ndarray) -> None:
    state = kernels.row(window, 0)
    _by_liberties(state, encoder.counts, out, 4, state.info[TURN], 10)
    kernels.fill_plane(out, 9 - state.info[TURN], 1.0)  # white, player 1, gets the komi


encode.register(SevenPlane, _seven_plane)
encode.register(Simple, _simple)
encode.register(Zero11, _zero_11)
