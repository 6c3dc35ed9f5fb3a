"""The compiled part of the vectorised environment: one call moves a whole batch of boards.

Every board is on its own: it has its position, its generators and its row in each array. So
boards can be stepped in any order, and by several threads, with the same outcome.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.encoders.base import HISTORY, encode
from dlgo.jit import inline_kernel, kernel
from dlgo.rng import below, next_word


class Boards(NamedTuple):
    """The arrays of n boards.

    limits: int64[3], plies after which a game is cut, most random plies at its start, and
        positions in a window;
    states: batch of kernel states, a window for each board (see `dlgo.encoders.base`);
    known: int64[n], how many states of the window exist;
    openings: uint64[n, 1], the generators of random starts;
    counts: int64[n], how many actions are legal.

    The other arrays are those that `VectorEnv` and its `TimeStep` describe.
    """

    limits: np.ndarray
    states: Any
    known: np.ndarray
    openings: np.ndarray
    counts: np.ndarray
    masks: np.ndarray
    players: np.ndarray
    movers: np.ndarray
    rewards: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray
    illegal: np.ndarray
    plies: np.ndarray
    final_masks: np.ndarray
    final_players: np.ndarray
    final_plies: np.ndarray


# Indices into `Boards.limits`.
MAX_PLIES, RANDOM_PLIES, WINDOW = range(3)


class Blind(NamedTuple):
    """The encoder of those who want no observations; shape: see `dlgo.encoders.base`."""

    shape: np.ndarray


@kernel
def _see_nothing(encoder, window, known, out):
    pass


encode.register(Blind, _see_nothing)


@kernel
def seed_boards(rng, openings, choices):
    """Give each board two generators; those of the first boards do not depend on how many follow.

    Args:
        rng: uint64[1].
        openings, choices: uint64[n, 1], to be written: the generators of random starts, and of
            random actions.
    """
    for i in range(len(openings)):
        openings[i, 0] = next_word(rng)
        choices[i, 0] = next_word(rng)


@kernel
def play_actions(boards, actions, first, last):
    """Play `actions[i]` on each board `first` to `last` (excluded), and note what ends by it.

    An action that the mask forbids loses the game for who chose it.

    Args:
        actions: int64[n].
    """
    length = boards.limits[WINDOW]
    for i in range(first, last):
        window = kernels.rows(boards.states, i * length, (i + 1) * length)
        state = kernels.row(window, 0)
        mover = kernels.to_move(state)
        legal = allows(boards.masks[i], actions[i])
        if legal:
            boards.known[i] = _play(window, length, boards.known[i], actions[i])
            boards.plies[i] += 1
            over = kernels.terminal(state)
            result = kernels.result(state) if over else 0
        else:
            over = True
            result = 2 * mover - 1
        boards.movers[i] = mover
        boards.rewards[i, 0] = result
        boards.rewards[i, 1] = -result
        boards.terminated[i] = over
        boards.truncated[i] = not over and boards.plies[i] >= boards.limits[MAX_PLIES]
        boards.illegal[i] = not legal


@kernel
def start_games(boards, start, scratch, anew, first, last):
    """Start a game wherever one has ended; write on all boards what is legal and whose turn it is.

    Args:
        start: the kernel state from which games start.
        scratch: int64[num_actions]; threads must not share it.
        anew: start a game on every board; nothing is kept of what has been there.
    """
    length = boards.limits[WINDOW]
    for i in range(first, last):
        state = kernels.row(boards.states, i * length)
        cut = boards.truncated[i]
        ended = cut or boards.terminated[i]
        if anew:
            boards.movers[i] = kernels.NOBODY
            boards.rewards[i, 0] = 0.0
            boards.rewards[i, 1] = 0.0
            boards.terminated[i] = False
            boards.truncated[i] = False
            boards.illegal[i] = False
        elif ended:
            # The mask of a position that is cut has not been written yet.
            _mark_legal(state, cut, boards.final_masks[i], scratch)
            boards.final_players[i] = kernels.to_move(state)
            boards.final_plies[i] = boards.plies[i]
        if anew or ended:
            wanted = boards.limits[RANDOM_PLIES]
            rng = boards.openings[i]
            window = kernels.rows(boards.states, i * length, (i + 1) * length)
            plies = _set_up(window, length, start, wanted, rng, scratch)
            boards.plies[i] = plies
            boards.known[i] = min(plies + 1, length)
        boards.counts[i] = _mark_legal(state, True, boards.masks[i], scratch)
        boards.players[i] = kernels.to_move(state)


@kernel
def encode_boards(encoder, states, known, wanted, out, first, last):
    """Write the observations of some of the boards `first` to `last` (excluded).

    Args:
        encoder: an `Encoder.kernel`, or `Blind`; threads must not share it.
        states, known: as in `Boards`.
        wanted: bool[n], which boards.
        out: float32[n, rows, cols, planes].
    """
    length = encoder.shape[HISTORY] + 1
    for i in range(first, last):
        if wanted[i]:
            encode(encoder, kernels.rows(states, i * length, (i + 1) * length), known[i], out[i])


@inline_kernel
def allows(mask, action):
    """Whether an action, which may be any number, is legal."""
    return 0 <= action < len(mask) and mask[action]


@kernel
def first_illegal(masks, actions):
    """The first board whose action is illegal, or -1."""
    for i in range(len(actions)):
        if not allows(masks[i], actions[i]):
            return i
    return -1


@kernel
def draw_actions(masks, counts, rngs, out):
    """Write a legal action for each board into int64[n], all with equal chances."""
    for i in range(len(out)):
        mask = masks[i]
        before = below(rngs[i], counts[i])
        action = 0
        while before or not mask[action]:
            before -= mask[action]
            action += 1
        out[i] = action


@inline_kernel
def _play(window, length, known, action):
    """Play on the newest position of a window; the older ones move back. How many exist then."""
    for ago in range(min(known, length - 1), 0, -1):
        kernels.copy_into(kernels.row(window, ago), kernels.row(window, ago - 1))
    kernels.play(kernels.row(window, 0), action)
    return min(known + 1, length)


@kernel
def _set_up(window, length, start, most, rng, scratch):
    """Set up the start, and play 0 to `most` random plies; how many they were."""
    state = kernels.row(window, 0)
    wanted = below(rng, most + 1) if most else 0
    while True:
        kernels.copy_into(state, start)
        plies = 0
        while plies < wanted and not kernels.terminal(state):
            n = kernels.legal_actions(state, scratch)
            _play(window, length, plies + 1, scratch[below(rng, n)])
            plies += 1
        if not kernels.terminal(state):
            return plies
        wanted = below(rng, plies)  # the game was over: once more, with fewer plies


@kernel
def _mark_legal(state, going_on, mask, scratch):
    """Write which actions are legal, none unless the game is going on; how many they are."""
    for action in range(len(mask)):
        mask[action] = False
    n = kernels.legal_actions(state, scratch) if going_on else 0
    for j in range(n):
        mask[scratch[j]] = True
    return n
