"""The compiled part of the vectorised environment: one call moves a whole batch of boards.

Boards are independent: each has its position, its generators and its row in each array.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.encoders.base import HISTORY, EncoderKernel, encode
from dlgo.jit import inline_kernel, kernel
from dlgo.kernels import KernelState
from dlgo.rng import below, next_word


class Boards(NamedTuple):
    """The arrays of n boards.

    options: int64[5], plies after which a game is truncated, most random plies at its start,
        positions in a window, whether a new game starts when one ends, and whether only the actions
        of `search_actions` are legal;
    states: batch of kernel states, a window for each board (see `dlgo.encoders.base`);
    n_states: int64[n], how many states of the window exist;
    generators: uint64[n, 1], of random starts.

    The other arrays are those that `VectorEnv` and its `TimeStep` describe.
    """

    options: np.ndarray
    states: KernelState
    n_states: np.ndarray
    generators: np.ndarray
    legal: np.ndarray
    counts: np.ndarray
    masks: np.ndarray
    players: np.ndarray
    movers: np.ndarray
    rewards: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray
    illegal: np.ndarray
    actions: np.ndarray
    plies: np.ndarray
    observations: np.ndarray
    final_observations: np.ndarray
    final_masks: np.ndarray
    final_players: np.ndarray
    final_plies: np.ndarray


# Indices into `Boards.options`; and the value for a number of random plies that has to be drawn.
MAX_PLIES, RANDOM_PLIES, WINDOW, AUTORESET, SEARCH = range(5)
DRAWN = -1


class NoObservation(NamedTuple):
    """The encoder that writes nothing; shape: see `dlgo.encoders.base`."""

    shape: np.ndarray


@kernel
def _write_nothing(
    encoder: NoObservation, window: KernelState, n_states: int, out: np.ndarray,
) -> None:
    pass


encode.register(NoObservation, _write_nothing)


@kernel
def seed_boards(rng: np.ndarray, starts: np.ndarray, choices: np.ndarray) -> None:
    """Give each board two generators, which do not depend on the number of boards.

    Writes `starts` (for random starts) and `choices` (for random actions): uint64[n, 1].
    """
    for i in range(len(starts)):
        starts[i, 0] = next_word(rng)
        choices[i, 0] = next_word(rng)


@kernel
def step_boards(
    boards: Boards, encoder: EncoderKernel, start: KernelState, actions: np.ndarray,
    moving: np.ndarray,
) -> None:
    """Step each moving board.

    Args:
        encoder: an `Encoder.kernel`, or `NoObservation`.
        start: the kernel state from which games start.
        actions: int64[n]; one that the mask forbids loses the game for the player who chose it.
        moving: bool[n].
    """
    for i in range(len(moving)):
        if not moving[i]:
            continue
        _play_action(boards, i, actions[i])
        going_on = not (boards.terminated[i] or boards.truncated[i])
        if not going_on:
            _note_end(boards, i)
            observe_board(boards, encoder, i, boards.final_observations[i])
            if boards.options[AUTORESET]:
                _start_game(boards, i, start, DRAWN)
                going_on = True
        if going_on:
            _note_player(boards, i, True)
        observe_board(boards, encoder, i, boards.observations[i])


@kernel
def start_boards(
    boards: Boards, encoder: EncoderKernel, start: KernelState, starting: np.ndarray,
    random_plies: np.ndarray,
) -> None:
    """Start a game on each starting board, bool[n]; the rest as in `step_boards`.

    `random_plies`: int64[n]; DRAWN: 0 to the most, each number with the same chance.
    """
    for i in range(len(starting)):
        if not starting[i]:
            continue
        boards.movers[i] = kernels.NOBODY
        boards.rewards[i, 0] = 0.0
        boards.rewards[i, 1] = 0.0
        boards.terminated[i] = False
        boards.truncated[i] = False
        boards.illegal[i] = False
        _start_game(boards, i, start, random_plies[i])
        _note_player(boards, i, True)
        observe_board(boards, encoder, i, boards.observations[i])


@kernel
def observe_boards(
    boards: Boards, encoder: EncoderKernel, numbers: np.ndarray, out: np.ndarray,
) -> None:
    """Write the observations of the boards of these numbers into float32[k, rows, cols, planes]."""
    for k in range(len(numbers)):
        observe_board(boards, encoder, numbers[k], out[k])


@inline_kernel
def allows(mask: np.ndarray, action: int) -> bool:
    """Whether an action, which may be any number, is legal."""
    return 0 <= action < len(mask) and mask[action]


@kernel
def first_illegal(masks: np.ndarray, actions: np.ndarray, moving: np.ndarray) -> int:
    """The first moving board whose action is illegal, or -1."""
    for i in range(len(actions)):
        if moving[i] and not allows(masks[i], actions[i]):
            return i
    return -1


@kernel
def draw_actions(masks: np.ndarray, counts: np.ndarray, rngs: np.ndarray, out: np.ndarray) -> None:
    """Write a random legal action for each board into int64[n], uniform; -1 if there is none."""
    for i in range(len(out)):
        mask = masks[i]
        skip = below(rngs[i], counts[i])
        action = 0 if counts[i] else -1
        while counts[i] and (skip or not mask[action]):
            skip -= mask[action]
            action += 1
        out[i] = action


@inline_kernel
def observe_board(boards: Boards, encoder: EncoderKernel, i: int, out: np.ndarray) -> None:
    """Write the observation of board `i`."""
    first, length = i * boards.options[WINDOW], encoder.shape[HISTORY] + 1
    window = kernels.rows(boards.states, first, first + length)
    encode(encoder, window, min(boards.n_states[i], length), out)


@inline_kernel
def _window(boards: Boards, i: int) -> KernelState:
    length = boards.options[WINDOW]
    return kernels.rows(boards.states, i * length, (i + 1) * length)


@inline_kernel
def _play(window: KernelState, length: int, n_states: int, action: int) -> int:
    """Play on the newest position of a window and shift the older ones. Returns their number."""
    for ago in range(min(n_states, length - 1), 0, -1):
        kernels.copy_into(kernels.row(window, ago), kernels.row(window, ago - 1))
    kernels.play(kernels.row(window, 0), action)
    return min(n_states + 1, length)


@inline_kernel
def _play_action(boards: Boards, i: int, action: int) -> None:
    """Play an action on board `i`, and write its effects."""
    window = _window(boards, i)
    state = kernels.row(window, 0)
    mover = kernels.to_move(state)
    legal = allows(boards.masks[i], action)
    if legal:
        boards.actions[i, boards.plies[i]] = action
        boards.n_states[i] = _play(window, boards.options[WINDOW], boards.n_states[i], action)
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
    boards.truncated[i] = not over and boards.plies[i] >= boards.options[MAX_PLIES]
    boards.illegal[i] = not legal


@kernel
def _note_end(boards: Boards, i: int) -> None:
    """Keep the observation of the last position of a game."""
    _note_player(boards, i, boards.truncated[i])
    for action in range(len(boards.masks[i])):
        boards.final_masks[i, action] = boards.masks[i, action]
    boards.final_players[i] = boards.players[i]
    boards.final_plies[i] = boards.plies[i]


@inline_kernel
def _note_player(boards: Boards, i: int, going_on: bool) -> None:
    """Write the player to move on board `i`, and the legal actions: none if the game is over."""
    state = kernels.row(boards.states, i * boards.options[WINDOW])
    mask, legal = boards.masks[i], boards.legal[i]
    for action in range(len(mask)):
        mask[action] = False
    n = _legal_actions(boards, state, legal) if going_on else 0
    for j in range(n):
        mask[legal[j]] = True
    boards.counts[i] = n
    boards.players[i] = kernels.to_move(state)


@inline_kernel
def _legal_actions(boards: Boards, state: KernelState, out: np.ndarray) -> int:
    if boards.options[SEARCH]:
        return kernels.search_actions(state, out)
    return kernels.legal_actions(state, out)


@kernel
def _start_game(boards: Boards, i: int, start: KernelState, random_plies: int) -> None:
    """Start a game on board `i` after `random_plies` random plies, see `start_boards`.

    Random plies never end a game: if the next one would, the position before it is the start.
    """
    window, length, rng = _window(boards, i), boards.options[WINDOW], boards.generators[i]
    state, actions, legal = kernels.row(window, 0), boards.actions[i], boards.legal[i]
    if random_plies == DRAWN:
        most = boards.options[RANDOM_PLIES]
        random_plies = below(rng, most + 1) if most else 0
    random_plies = min(random_plies, boards.options[MAX_PLIES] - 1)
    kernels.copy_into(state, start)
    plies = 0
    while plies < random_plies:
        n = _legal_actions(boards, state, legal)
        actions[plies] = legal[below(rng, n)]
        _play(window, length, plies + 1, actions[plies])
        plies += 1
        if kernels.terminal(state):
            plies -= 1
            kernels.copy_into(state, start)
            for ply in range(plies):
                _play(window, length, ply + 1, actions[ply])
            break
    boards.plies[i] = plies
    boards.n_states[i] = min(plies + 1, length)
