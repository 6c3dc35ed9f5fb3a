"""The kernels by which a page plays a game, and their arguments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dlgo import GameSpec, GameState, kernels
from dlgo.games.go.scoring import sum_ownership
from dlgo.jit import kernel
from dlgo.perft import perft
from dlgo.rng import make_rng
from dlgo.vector import longest_game

# Plies that searches of a page look beyond the end of the longest game.
_AHEAD = 700
# Plies of `perft`.
_DEEPEST = 12


@kernel
def outcome(state: kernels.KernelState) -> tuple[int, float]:
    """Of a finished game: the result and the margin, seen by player 0."""
    return kernels.result(state), kernels.margin(state)


@kernel
def write_pieces(state: kernels.KernelState, out: np.ndarray) -> None:
    """The contents of all cells."""
    for cell in range(len(out)):
        out[cell] = kernels.piece(state, cell)


@kernel
def position_key(state: kernels.KernelState) -> int:
    return kernels.key(state)


@kernel
def sensible(state: kernels.KernelState, out: np.ndarray) -> int:
    return kernels.search_actions(state, out)


@kernel
def forced(state: kernels.KernelState, out: np.ndarray) -> int:
    return kernels.forced_actions(state, out)


@kernel
def estimate(state: kernels.KernelState) -> int:
    return kernels.evaluate(state)


def start_of(game: GameSpec) -> GameState:
    """The start position, in arrays with room for the longest game and a search after it."""
    room = longest_game(game) + _AHEAD
    return GameState(game, game.scratch_state(game.new_kernel_state(), room))


def calls_of(state: GameState) -> dict[str, tuple[Any, tuple[Any, ...]]]:
    """The calls of `static/worker/rules.js`."""
    game, position = state.game, state.kernel_state
    actions = np.zeros(game.num_actions, np.int64)
    batch = kernels.make_batch(position, _DEEPEST + 1)
    kernels.copy_into(kernels.row(batch, 0), position)
    plies = np.zeros((2, _DEEPEST + 1), np.int64)
    board = game.board_rows, game.board_cols
    calls = {
        "survey": (kernels.survey, (position, actions)),
        "play": (kernels.play_and_survey, (position, 0, actions)),
        "outcome": (outcome, (position,)),
        "pieces": (write_pieces, (position, np.zeros(board[0] * board[1], np.int64))),
        "key": (position_key, (position,)),
        "sensible": (sensible, (position, actions)),
        "forced": (forced, (position, actions)),
        "estimate": (estimate, (position,)),
        "perft": (perft, (batch, 1, np.zeros((_DEEPEST + 1, game.num_actions), np.int64), *plies)),
    }
    if kernels.offers(position, "ownership"):
        calls["ownership"] = sum_ownership, (
            position, game.scratch_state(position), make_rng(1), 1, np.zeros(board, np.int8),
            np.zeros(board, np.int64))
    return calls


def calls_of_own_rules(state: GameState) -> Iterator[tuple[str, tuple[Any, tuple[Any, ...]]]]:
    """A call of each function that the game itself has registered."""
    position, actions = state.kernel_state, np.zeros(state.game.num_actions, np.int64)
    players, numbers = np.zeros(len(actions), np.int8), np.zeros(len(actions), np.float32)
    more = {
        "copy_into": (position,), "is_legal": (0,), "play": (0,), "piece": (0,),
        "legal_actions": (actions,), "search_actions": (actions,), "forced_actions": (actions,),
        "rollout": (make_rng(1),), "heavy_rollout": (make_rng(1), actions, players),
        "hints": (actions, 1, numbers, numbers),
    }
    for name, function in kernels.functions_of(type(position)).items():
        if function.py_func.__module__ == type(position).__module__:
            yield name, (function, (position, *more.get(name, ())))
