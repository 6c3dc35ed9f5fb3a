"""Priors and values of leaves by functions of the user's own."""

from __future__ import annotations

from typing import Any

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec, GameState
from engines.own_functions import OwnFunction
from engines.treesearch.leaf_evaluator import LeafEvaluator, LeafValues


class FunctionEvaluator(LeafEvaluator):
    """A prior function, a value function, or both.

    Args:
        prior: None: all moves are alike.
        values: what values the leaves, see `LeafValues`.
    """

    def __init__(self, game: GameSpec, prior: OwnFunction | None, values: Any) -> None:
        self._game, self._prior, self._values = game, prior, LeafValues(game, values)

    def evaluate(self, leaves: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
        policies = np.zeros((n, self._game.num_actions), np.float32)
        for i in range(n if self._prior is not None else 0):
            state = GameState.copy_of(self._game, kernels.row(leaves, i))
            self._prior.weights(state, policies[i])
        return policies, self._values.of(leaves, n)

    def new_game(self, seed: int) -> None:
        self._values.new_game(seed)
