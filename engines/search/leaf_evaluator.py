"""Evaluators in Python for the leaves of a tree search: networks, other engines, functions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec, GameState
from dlgo.jit import kernel
from dlgo.rng import make_rng
from engines.search.evaluators import value_of
from engines.search.search import new_scratch


class LeafEvaluator(ABC):
    """Gives policies and values for the leaves of a tree search."""

    # The number of earlier positions that it needs with each leaf; if it is not 0,
    # `evaluate_windows` is called in place of `evaluate`.
    history = 0
    cache_hits = 0  # positions answered from memory so far, which are not counted as evaluations

    @abstractmethod
    def evaluate(self, leaves: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Policies and values of the first `n` states of a batch of kernel states.

        The games are not over. The states are valid until the next call.

        Returns:
            policies: float32[n, num_actions], not negative. The search ignores illegal moves and
                makes the rest sum to 1 (equal shares if all are 0).
            values: float32[n], -1 to 1, as the player to move sees them.
        """

    def evaluate_windows(
        self, leaves: Any, windows: Any, n_states: np.ndarray, n: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Like `evaluate`, for evaluators that also look at earlier positions.

        Args:
            windows: batch of `history + 1` states for each leaf, the leaf itself first, then the
                position before it, and so on.
            n_states: int64[n], number of states that exist in each window.
        """
        return self.evaluate(leaves, n)

    def window(self, state: GameState) -> tuple[Any, int]:
        """The root and the positions before it, as one window; called if `history` is above 0."""
        raise NotImplementedError

    def compiled(self) -> Any:
        """The compiled form of this evaluator (`evaluators.value_of`), or None.

        A search with one leaf at a time uses it, in one thread.
        """
        return None

    def new_game(self, seed: int) -> None:  # noqa: B027 (most evaluators remember nothing)
        """Forget the last game and seed the generator."""

    def close(self) -> None:  # noqa: B027
        """Release resources outside Python."""


class UniformEvaluator(LeafEvaluator):
    """Gives equal priors to all moves and the value 0 to all positions."""

    def __init__(self, game: GameSpec) -> None:
        self._num_actions = game.num_actions

    def evaluate(self, leaves: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
        return np.ones((n, self._num_actions), np.float32), np.zeros(n, np.float32)


class EngineEvaluator(LeafEvaluator):
    """Any engine as an evaluator: the policy (or else the move) and the value of its decision.

    Args:
        engine: plays the same game; must estimate values.
        share: share of the policy that is divided equally among all moves, so that no move has
            the prior 0.
    """

    def __init__(self, engine: Any, share: float = 0.25) -> None:
        self._engine, self._share = engine, share

    def new_game(self, seed: int) -> None:
        self._engine.new_game(seed)

    def close(self) -> None:
        self._engine.close()

    def evaluate(self, leaves: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
        game = self._engine.game
        policies = np.zeros((n, game.num_actions), np.float32)
        values = np.zeros(n, np.float32)
        for i in range(n):
            state = GameState.copy_of(game, kernels.row(leaves, i))
            decision = self._engine.select_move(state)
            values[i] = decision.value or 0.0
            legal = state.legal_actions()
            policies[i, legal] = self._share / len(legal)
            for move, part in (decision.policy or {decision.move: 1.0}).items():
                policies[i, game.action_of(move)] += (1 - self._share) * part
        return policies, values


class LeafValues:
    """Values of leaves, by one evaluator.

    Args:
        evaluator: from `evaluators.py`, or a function of a `GameState` that returns a value, -1 to
            1, for the player to move.
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
        """Values of the first `n` states of a batch for the player to move: float32[n]."""
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
    """Write the values of `n` states of a batch by a compiled evaluator, for the player to move."""
    for i in range(n):
        kernels.copy_into(work, kernels.row(leaves, i))
        scratch.played[:] = kernels.NOBODY
        sign = 1 - 2 * kernels.to_move(work)
        out[i] = sign * value_of(evaluator, work, 0, scratch, rng)
