"""Encoders that need only the pieces of a game, so they work for every game.

    oneplane    own pieces 1, the opponent's -1 (chapter 6.1 of the book)
    threeplane  own, opponent's, empty: the input of many AlphaZero tutorials
    planes      each kind of piece of each player, the player to move, and what the game adds
    turned      the same, with the board turned for the second player

They ask the rules by `kernels.piece` and `kernels.extra_planes`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec
from dlgo.encoders.base import COLS, PLANES, ROWS, Encoder, clear, encode, make_shape
from dlgo.jit import inline_kernel, kernel
from dlgo.kernels import KernelState
from dlgo.symmetry import exchange

BLACK_TO_MOVE = "1 everywhere if black (who moves first) is to move, else 0"


class OnePlane(NamedTuple):
    """shape: see `base`."""

    shape: np.ndarray


class ThreePlane(OnePlane):
    """The fields of `OnePlane`."""


class Planes(NamedTuple):
    """shape: see `base`; kinds: int64[1], how many kinds of pieces the game has."""

    shape: np.ndarray
    kinds: np.ndarray


class Turned(NamedTuple):
    """shape, kinds: as above; images: int64[cells], each cell's image in the colour symmetry."""

    shape: np.ndarray
    kinds: np.ndarray
    images: np.ndarray


def one_plane(game: GameSpec) -> Encoder:
    """Own pieces 1, the opponent's -1; pieces of a second kind 2 and -2 (chapter 6.1)."""
    weights = "; ".join(f"{kind} {i}" for i, kind in enumerate(game.piece_kinds, 1))
    doc = f"own pieces positive, the opponent's negative ({weights}), empty cells 0"
    return Encoder("oneplane", game, (doc,), OnePlane(make_shape(game, 1)))


@kernel
def _one_plane(encoder: OnePlane, window: KernelState, n_states: int, out: np.ndarray) -> None:
    state = kernels.row(window, 0)
    player = kernels.to_move(state)
    cols = encoder.shape[COLS]
    for row in range(encoder.shape[ROWS]):
        for col in range(cols):
            piece = kernels.piece(state, row * cols + col)
            if piece == kernels.NOBODY:
                out[row, col, 0] = 0.0
            else:
                weight = 1 + (piece >> 1)
                out[row, col, 0] = weight if piece & 1 == player else -weight


def three_plane(game: GameSpec) -> Encoder:
    """Own pieces, the opponent's pieces, empty cells."""
    planes = ("own pieces", "opponent's pieces", "empty cells")
    return Encoder("threeplane", game, planes, ThreePlane(make_shape(game, 3)))


@kernel
def _three_plane(encoder: ThreePlane, window: KernelState, n_states: int, out: np.ndarray) -> None:
    clear(out)
    state = kernels.row(window, 0)
    player = kernels.to_move(state)
    cols = encoder.shape[COLS]
    for row in range(encoder.shape[ROWS]):
        for col in range(cols):
            piece = kernels.piece(state, row * cols + col)
            plane = 2 if piece == kernels.NOBODY else (piece & 1) ^ player
            out[row, col, plane] = 1.0


def all_planes(game: GameSpec) -> Encoder:
    """The whole position: each kind of piece, the player to move, and all else that the rules use.

    Positions with different keys have different planes.
    """
    docs = (*piece_docs(game), BLACK_TO_MOVE, *game.extra_planes)
    kinds = np.array([len(game.piece_kinds)], np.int64)
    return Encoder("planes", game, docs, Planes(make_shape(game, len(docs)), kinds))


def piece_docs(game: GameSpec) -> tuple[str, ...]:
    """A plane for each kind of piece of the player to move, then of the opponent."""
    owners = ("own", "opponent's")
    return tuple(f"{owner}: {kind}" for owner in owners for kind in game.piece_kinds)


@kernel
def _all_planes(encoder: Planes, window: KernelState, n_states: int, out: np.ndarray) -> None:
    state = kernels.row(window, 0)
    kinds = encoder.kinds[0]
    if kinds == 1:
        show_stones(encoder, state, out)
    else:
        clear(out)
        _show_pieces(encoder, state, out)
        if kernels.to_move(state) == 0:
            kernels.fill_plane(out, 2 * kinds, 1.0)
    if encoder.shape[PLANES] > 2 * kinds + 1:
        kernels.extra_planes(state, out, 2 * kinds + 1)


@inline_kernel
def _show_pieces(encoder: Planes | Turned, state: KernelState, out: np.ndarray) -> None:
    """A plane for each kind of the player to move, then for each of the opponent's."""
    player = kernels.to_move(state)
    cols, kinds = encoder.shape[COLS], encoder.kinds[0]
    for row in range(encoder.shape[ROWS]):
        for col in range(cols):
            piece = kernels.piece(state, row * cols + col)
            if piece != kernels.NOBODY:
                out[row, col, kinds * ((piece & 1) ^ player) + (piece >> 1)] = 1.0


@inline_kernel
def show_stones(encoder: Planes, state: KernelState, out: np.ndarray) -> None:
    """The same with the colour, for a game with one kind of piece."""
    # One pass without a branch: a processor cannot predict the owner of a stone, and wrong
    # predictions took more than half of the time on a Go board.
    player = kernels.to_move(state)
    cols, planes = encoder.shape[COLS], encoder.shape[PLANES]
    black = np.float32(1 - player)
    for row in range(encoder.shape[ROWS]):
        for col in range(cols):
            piece = kernels.piece(state, row * cols + col)
            out[row, col, 0] = piece == player
            out[row, col, 1] = piece == 1 - player
            out[row, col, 2] = black
            for plane in range(3, planes):
                out[row, col, plane] = 0.0


def turned(game: GameSpec) -> Encoder:
    """The whole position; both players see the board from their own side.

    For games whose rules stay the same under `GameSpec.colour_symmetry` with exchanged colours.
    What the network learns of one colour then holds for the other. The policy is turned with the
    board (`Encoder.to_network_order`), as in AlphaZero's chess (Silver et al. 2018).
    """
    docs = (*piece_docs(game), *game.extra_planes)
    kinds, group = np.array([len(game.piece_kinds)], np.int64), exchange(game)
    parts = Turned(make_shape(game, len(docs)), kinds, group.cells[1])
    return Encoder("turned", game, docs, parts, group)


@kernel
def _turned(encoder: Turned, window: KernelState, n_states: int, out: np.ndarray) -> None:
    clear(out)
    state = kernels.row(window, 0)
    _show_pieces(encoder, state, out)
    kinds = encoder.kinds[0]
    if encoder.shape[PLANES] > 2 * kinds:
        kernels.extra_planes(state, out, 2 * kinds)
    if kernels.to_move(state) == 1:
        cols = encoder.shape[COLS]
        for cell in range(encoder.shape[ROWS] * cols):
            image = encoder.images[cell]
            for plane in range(encoder.shape[PLANES] if cell < image else 0):
                value = out[image // cols, image % cols, plane]
                out[image // cols, image % cols, plane] = out[cell // cols, cell % cols, plane]
                out[cell // cols, cell % cols, plane] = value


encode.register(OnePlane, _one_plane)
encode.register(ThreePlane, _three_plane)
encode.register(Planes, _all_planes)
encode.register(Turned, _turned)
