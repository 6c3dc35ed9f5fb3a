"""Values of many leaves at once: by a compiled evaluator, or by a function in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec, GameState
from dlgo.jit import kernel
from dlgo.rng import make_rng
from engines.treesearch.evaluators import value_of
from engines.treesearch.search import new_scratch


class LeafValues:
    """What leaves are worth.

    Args:
        game: what is played.
        evaluator: of `evaluators.py`, or a function of a `GameState`, -1 to 1 as the player to
            move sees it.
    """

    def __init__(self, game: GameSpec, evaluator: Any | Callable[[GameState], float]) -> None:
        self._game, self._evaluator = game, evaluator
        self._scratch = new_scratch(game.num_actions)
        self._work: Any = None
        self.new_game(0)

    def new_game(self, seed: int) -> None:
        """Seed the generator of rollouts."""
        self._rng = make_rng(seed)

    def of(self, leaves: Any, n: int) -> np.ndarray:
        """Values of the first `n` states of a batch: float32[n], as the player to move sees it."""
        values = np.zeros(n, np.float32)
        if callable(self._evaluator):
            for i in range(n):
                values[i] = self._evaluator(GameState.copy_of(self._game, kernels.row(leaves, i)))
            return values
        shapes = [field.shape[1:] for field in leaves]  # they grow with the length of the game
        if self._work is None or [field.shape for field in self._work] != shapes:
            self._work = kernels.row(kernels.make_batch(kernels.row(leaves, 0), 1), 0)
        value_leaves(self._evaluator, leaves, n, self._work, self._scratch, self._rng, values)
        return values


@kernel
def value_leaves(evaluator, leaves, n, work, scratch, rng, out):
    """Values of the first `n` states of a batch by a compiled evaluator.

    Args:
        work: scratch state. scratch: of `search.new_scratch`.
        out: float32[n], written: seen by the player to move, -1 to 1.
    """
    for i in range(n):
        kernels.copy_into(work, kernels.row(leaves, i))
        scratch.played[:] = kernels.NOBODY
        sign = 1 - 2 * kernels.to_move(work)
        out[i] = sign * value_of(evaluator, work, scratch, rng)
