"""An encoder turns a position into planes of numbers, the input of a network.

An encoder has two sides. `Encoder` is for people and for training: its name, its shape, the meaning
of each plane, `encode(state)`. Its `kernel` is for compiled code: a `NamedTuple` of arrays whose
class selects the function `encode`, as the class of a state selects the rules (`dlgo.dispatch`).
Both sides write the same numbers.

Conventions, for every encoder:

* Planes are float32[rows, cols, planes], channels last; row 0 is the bottom row of the board. In a
  game without symmetries an encoder may pack the board in another way.
* "Own" is the player to move, "the other" the opponent, unless a plane names a colour.
* A position may come with those before it: a `window` is a batch of `history + 1` kernel
  states, the current one first, then the one before it, and so on. Only the first `n_states` exist;
  the others are ignored.
* A policy is indexed by the game's actions, including the pass if there is one. If the planes are
  turned for the second player, the actions are turned, too: `Encoder.to_network_order`.

A new encoder is a function
registered with `encode` and a line in `dlgo/encoders/__init__.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec, GameState, Move
from dlgo.dispatch import by_class
from dlgo.errors import NotationError
from dlgo.jit import kernel
from dlgo.kernels import KernelState
from dlgo.symmetry import Symmetries

# Indices into the array `shape`, the first field of every encoder's kernel.
ROWS, COLS, PLANES, HISTORY = range(4)


class EncoderKernel(Protocol):
    """The encoder as compiled functions get it: a NamedTuple of arrays."""

    @property
    def shape(self) -> np.ndarray:
        """int64[4]: rows, columns, planes, history."""


@by_class
def encode(encoder: EncoderKernel, window: KernelState, n_states: int, out: np.ndarray) -> None:
    """Write the planes of a position, overwriting all of `out`. For compiled code.

    Args:
        encoder: an `Encoder.kernel`. It may hold scratch arrays: one for each thread.
        window: batch of history + 1 states, the current one first; unchanged afterwards.
        n_states: how many of them exist, 1 or more.
        out: float32[rows, cols, planes].
    """


@kernel
def encode_many(
    encoder: EncoderKernel, windows: KernelState, n_states: np.ndarray, n: int, out: np.ndarray,
) -> None:
    """Encode `n` positions.

    Args:
        windows: batch of at least n * (history + 1) states, window after window.
        n_states: int64[n], how many states of each window exist.
        out: float32[n or more, rows, cols, planes].
    """
    length = encoder.shape[HISTORY] + 1
    for i in range(n):
        encode(encoder, kernels.rows(windows, i * length, (i + 1) * length), n_states[i], out[i])


@kernel
def clear(out: np.ndarray) -> None:
    """Set all planes to zero."""
    for row in range(out.shape[0]):
        for col in range(out.shape[1]):
            for plane in range(out.shape[2]):
                out[row, col, plane] = 0.0


def make_shape(game: GameSpec, planes: int, history: int = 0) -> np.ndarray:
    """The array `shape` of an encoder's kernel: rows, columns, planes, history."""
    return np.array([game.board_rows, game.board_cols, planes, history], np.int64)


@dataclass(frozen=True, eq=False)
class Encoder:
    """Turns positions of one game into planes."""

    name: str  # its name for `get_encoder`
    game: GameSpec  # the game with its options
    planes: tuple[str, ...]  # the meaning of each plane, one line each
    # The first argument of the compiled `encode`. Because of its scratch arrays, two threads must
    # not share it: each uses its own encoder.
    kernel: EncoderKernel = field(repr=False)
    # The symmetry that turns the board for the second player; None: it is not turned.
    turns: Symmetries | None = field(default=None, repr=False)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Rows, columns, planes; rows and columns are the board's, unless it is packed."""
        rows, cols, planes = self.kernel.shape[:HISTORY].tolist()
        return rows, cols, planes

    @property
    def history(self) -> int:
        """The number of positions before the current one that it uses."""
        return int(self.kernel.shape[HISTORY])

    @property
    def num_actions(self) -> int:
        """The length of a policy."""
        return self.game.num_actions

    def encode(self, state: GameState) -> np.ndarray:
        """The planes of a position: float32[rows, cols, planes].

        The position after a resignation is the one before it.
        """
        window, n_states = self.window(state)
        out = np.empty((1, *self.shape), np.float32)
        encode_many(self.kernel, window, np.array([n_states]), 1, out)
        planes: np.ndarray = out[0]
        return planes

    def window(self, state: GameState) -> tuple[KernelState, int]:
        """The position with those before it, as a batch, and how many of them exist."""
        if state.last_move is not None and state.last_move.is_resign and state.previous_state:
            state = state.previous_state
        batch = kernels.make_batch(self.game.scratch_state(state.kernel_state), self.history + 1)
        n_states = 0
        earlier: GameState | None = state
        while earlier is not None and n_states <= self.history:
            kernels.copy_into(kernels.row(batch, n_states), earlier.kernel_state)
            n_states += 1
            earlier = earlier.previous_state
        return batch, n_states

    def to_network_order(self, policies: np.ndarray, players: np.ndarray) -> np.ndarray:
        """Policies in the network's order of actions from those in the game's, or back.

        Turning twice changes nothing, so one function does both.

        Args:
            policies: [n, num_actions], or logits, or any other values of the actions.
            players: int[n], who is to move in each position.
        """
        if self.turns is None:
            return policies
        turned = policies.copy()
        second = np.flatnonzero(players)
        turned[second] = self.turns.policy(1, policies[second])
        return turned

    def cells_as_seen(self, cells: np.ndarray, players: np.ndarray) -> np.ndarray:
        """The same for values of cells: [n, rows, cols]."""
        if self.turns is None:
            return cells
        turned = cells.copy()
        second = np.flatnonzero(players)
        turned[second] = self.turns.planes(1, cells[second][..., None])[..., 0]
        return turned

    def index_of(self, move: Move) -> int:
        """The number of a move among the game's actions; a resignation has none: NotationError."""
        action = self.game.action_of(move)
        if action is None:
            raise NotationError(
                f"{move} has no index in a policy of {self.game}: it is not a play"
                f"{' or a pass' if self.game.pass_action >= 0 else ''}"
            )
        return action

    def move_at(self, index: int) -> Move:
        """The move with a number; NotationError if no move has it."""
        try:
            if not 0 <= index < self.num_actions:
                raise KeyError(index)
            return self.game.move_of(index)
        except KeyError:
            raise NotationError(
                f"no move of {self.game} has the index {index}; indices are those of moves, "
                f"0 to {self.num_actions - 1}"
            ) from None
