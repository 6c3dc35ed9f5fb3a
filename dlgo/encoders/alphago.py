"""AlphaGo's encoder: 48 planes of Go knowledge, 49 with the colour (chapter 13.1.2).

Source: Silver et al. 2016, "Mastering the game of Go with deep neural networks and tree
search", Extended Data Table 2; the order is the one of table 13.1 of the book. Counts are
shown by eight planes of which one is 1: for 1, 2, ... 7, and for 8 or more; none for 0.

Liberties after a move, captures and ladders are features of moves: they are on the empty point that
would be played. Only legal moves have them (superko included). Ladders are read out exactly, see
`dlgo/games/go/ladders.py`.

"Turns since" needs the seven positions before: the age of a stone is how many plies back its
point was last different. Stones older than that, or from before the first position known
(handicap), have age 8.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec
from dlgo.bits import int64
from dlgo.encoders.base import PLANES, Encoder, clear, encode, make_shape
from dlgo.encoders.generic import BLACK_TO_MOVE
from dlgo.games.go import ladders
from dlgo.games.go.board import EMPTY, NOWHERE, SIZE, TURN, WHITE, GoState, is_eye, is_playable
from dlgo.games.go.kernel import repeats
from dlgo.games.go.liberties import SET_BITS, list_liberties, set_words, size_of_set
from dlgo.games.go.tactics import last_liberty
from dlgo.jit import inline_kernel, kernel

AGES = 8
# Where the planes begin; those of the second line are counted from the end of the ages.
STONES, ONES, ZEROS, SENSIBLE, TURNS_SINCE = 0, 3, 4, 5, 6
LIBERTIES, LIBERTIES_AFTER, CAPTURE_SIZE, SELF_ATARI_SIZE = 0, 8, 16, 24
LADDER_CAPTURE, LADDER_ESCAPE, COLOUR = 32, 33, 34


class AlphaGo(NamedTuple):
    """shape: see `base`; the fields after `later` are scratch."""

    shape: np.ndarray
    later: np.ndarray  # int64[1], the first plane after the ages
    counts: np.ndarray  # int16[cells], liberties by chain
    sets: np.ndarray  # int64[cells, words], the same as sets of points
    union: np.ndarray  # int64[words]
    after: np.ndarray  # int16[cells], liberties after a legal move, else 0
    ladders: ladders.LadderScratch


def _counted(text: str) -> tuple[str, ...]:
    return tuple(f"{text}: {n}" for n in (*range(1, 8), "8 or more"))


DOCS = (
    "own stones", "opponent's stones", "empty points",
    "ones: 1 everywhere", "zeros: 0 everywhere",
    "sensible: a legal move that fills no own eye",
    *_counted("turns since the stone was played"),
    *_counted("liberties of the stone's chain"),
    *_counted("liberties of the own chain after this move"),
    *_counted("stones that this move captures"),
    *_counted("own stones that this move puts, or leaves, in atari with it"),
    "ladder capture: this move captures a chain in a ladder",
    "ladder escape: this move saves a chain from capture and ladders",
)


def alphago(game: GameSpec) -> Encoder:
    """AlphaGo's policy network: liberties, captures, ladders, ages of stones (table 13.1)."""
    return _make("alphago", game, DOCS)


def alphago_49(game: GameSpec) -> Encoder:
    """AlphaGo's value network: `alphago` and the player to move, who may get the komi."""
    return _make("alphago49", game, (*DOCS, BLACK_TO_MOVE))


def alphago_41(game: GameSpec) -> Encoder:
    """`alphago49` without ages: it needs no earlier positions, so self-play can use it."""
    planes = (*DOCS[:TURNS_SINCE], *DOCS[TURNS_SINCE + AGES :], BLACK_TO_MOVE)
    return _make("alphago41", game, planes, ages=0)


def _make(name: str, game: GameSpec, planes: tuple[str, ...], ages: int = AGES) -> Encoder:
    size = game.board_rows
    cells, words = (size + 2) ** 2, set_words(size)
    encoder = AlphaGo(
        make_shape(game, len(planes), history=max(ages - 1, 0)),
        np.array([TURNS_SINCE + ages]),
        np.zeros(cells, np.int16),
        np.zeros((cells, words), np.int64),
        np.zeros(words, np.int64),
        np.zeros(cells, np.int16),
        ladders.new_scratch(size),
    )
    return Encoder(name, game, planes, encoder)


@kernel
def _alphago(encoder: AlphaGo, window: GoState, n_states: int, out: np.ndarray) -> None:
    clear(out)
    state = kernels.row(window, 0)
    list_liberties(state, encoder.sets, encoder.counts)
    size, player = state.info[SIZE], state.info[TURN]
    first = encoder.later[0]
    later = out[:, :, first:]
    for row in range(size):
        for col in range(size):
            point = (row + 1) * (size + 2) + col + 1
            planes = out[row, col]
            planes[ONES] = 1.0
            encoder.after[point] = 0
            if state.color[point] == EMPTY:
                planes[STONES + 2] = 1.0
                if is_playable(state, point, player) and not repeats(state, point):
                    if not is_eye(state, point, player):
                        planes[SENSIBLE] = 1.0
                    _show_move(encoder, state, point, player, later[row, col])
            else:
                planes[STONES + (state.color[point] ^ player)] = 1.0
                liberties = int64(encoder.counts[state.chain[point]])
                _show_count(later[row, col], LIBERTIES, liberties)
                if first > TURNS_SINCE:
                    _show_count(planes, TURNS_SINCE, _age(window, n_states, point))
    _show_ladders(encoder, state, player, later)
    if encoder.shape[PLANES] > first + COLOUR and player == 0:
        kernels.fill_plane(later, COLOUR, 1.0)


@inline_kernel
def _show_count(planes: np.ndarray, first: int, n: int) -> None:
    """One of eight planes for a count of 1 or more."""
    planes[first + min(n, 8) - 1] = 1.0


@inline_kernel
def _age(window: GoState, n_states: int, point: int) -> int:
    """Plies since the stone on `point` was played; 8 at most, and if unknown."""
    color = window.color
    for ago in range(1, min(n_states, AGES)):
        if color[ago, point] != color[0, point]:
            return ago
    return AGES


@inline_kernel
def _show_move(
    encoder: AlphaGo, state: GoState, point: int, player: int, planes: np.ndarray,
) -> None:
    """Features of a legal play on `point`: liberties after it, captures, self-atari."""
    color, chain = state.color, state.chain
    width = state.info[SIZE] + 2
    union, sets = encoder.union, encoder.sets
    for i in range(len(union)):
        union[i] = 0
    own = 1  # stones of the chain that the play makes
    captured = 0
    # Chains met already: own ones, and captured ones.
    joined_1, joined_2, joined_3, joined_4 = NOWHERE, NOWHERE, NOWHERE, NOWHERE
    taken_1, taken_2, taken_3, taken_4 = NOWHERE, NOWHERE, NOWHERE, NOWHERE
    for step in (1, -1, width, -width):
        near = point + step
        if color[near] == EMPTY:
            union[near // SET_BITS] |= int64(1) << (near % SET_BITS)
            continue
        if color[near] > WHITE:
            continue
        name = int64(chain[near])
        if color[near] == player:
            if name not in (joined_1, joined_2, joined_3):
                joined_4, joined_3, joined_2, joined_1 = joined_3, joined_2, joined_1, name
                own += state.n_stones[name]
                for i in range(len(union)):
                    union[i] |= sets[name, i]
        elif encoder.counts[name] == 1 and name not in (taken_1, taken_2, taken_3):
            taken_4, taken_3, taken_2, taken_1 = taken_3, taken_2, taken_1, name
            captured += state.n_stones[name]
    union[point // SET_BITS] &= ~(int64(1) << (point % SET_BITS))

    for name in (taken_1, taken_2, taken_3, taken_4):
        if name == NOWHERE:
            break
        stone = name
        while True:  # a captured stone becomes a liberty of the chains beside it
            for step in (1, -1, width, -width):
                near = stone + step
                beside = near == point or (
                    color[near] == player
                    and int64(chain[near]) in (joined_1, joined_2, joined_3, joined_4)
                )
                if beside:
                    union[stone // SET_BITS] |= int64(1) << (stone % SET_BITS)
            stone = int64(state.link[stone])
            if stone == name:
                break

    liberties = size_of_set(union)
    encoder.after[point] = liberties
    _show_count(planes, LIBERTIES_AFTER, liberties)
    if captured:
        _show_count(planes, CAPTURE_SIZE, captured)
    if liberties == 1:
        _show_count(planes, SELF_ATARI_SIZE, own)


@inline_kernel
def _show_ladders(encoder: AlphaGo, state: GoState, player: int, out: np.ndarray) -> None:
    """Read the ladders of all chains with two liberties, and of own chains in atari."""
    color, chain, width = state.color, state.chain, state.info[SIZE] + 2
    for point in range(width + 1, len(color) - width - 1):
        if color[point] > WHITE or chain[point] != point:
            continue
        if color[point] != player and encoder.counts[point] == 2:
            _show_attacks(encoder, state, point, player, out)
        elif color[point] == player and encoder.counts[point] == 1:
            _show_defences(encoder, state, point, player, out)


@kernel
def _show_attacks(
    encoder: AlphaGo, state: GoState, prey: int, player: int, out: np.ndarray,
) -> None:
    width = state.info[SIZE] + 2
    liberties = encoder.ladders.moves[0]
    ladders.liberties_of(state, prey, liberties)
    for i in range(2):
        point = liberties[i]
        row, col = point // width - 1, point % width - 1
        if encoder.after[point] == 0 or out[row, col, LADDER_CAPTURE]:
            continue  # not legal, or known already from another chain
        if ladders.attack_succeeds(encoder.ladders, state, prey, point, player):
            out[row, col, LADDER_CAPTURE] = 1.0


@kernel
def _show_defences(
    encoder: AlphaGo, state: GoState, prey: int, player: int, out: np.ndarray,
) -> None:
    width = state.info[SIZE] + 2
    # Nothing else gives the chain a liberty: its last one, and captures beside it.
    candidates = encoder.ladders.moves[0]
    candidates[0] = last_liberty(state, prey)
    n = 1 + ladders.counter_captures(state, prey, 1 - player, candidates[1:])
    for i in range(n):
        point = candidates[i]
        row, col = point // width - 1, point % width - 1
        liberties = encoder.after[point]
        if liberties == 0 or out[row, col, LADDER_ESCAPE]:
            continue
        # Running itself: with three liberties it is safe from ladders, with one it dies.
        if i == 0 and liberties != 2:
            saved = liberties > 2
        else:
            saved = ladders.defence_succeeds(encoder.ladders, state, prey, point, player)
        if saved:
            out[row, col, LADDER_ESCAPE] = 1.0


encode.register(AlphaGo, _alphago)
