"""The supervised engine: plays the moves that a network predicts, without a search (chapter 8.1).

Like every `PolicyEngine` it plays the best legal move or draws one. The book's agent draws: it
cubes the probabilities, clips them away from 0 and 1, and tries candidates until one is legal.
Cubing is a temperature of 1/3, and drawing until a move is legal is drawing among the legal moves.

Networks come from `dlgo train supervised` or any other training that writes a model folder.
"""

from __future__ import annotations

import numpy as np

from dlgo.api import GameState
from dlgo.specs import Option
from engines.base import Kernels
from engines.learning.networks.leaf_evaluator import RUNTIME_OPTION
from engines.learning.policy_engine import CHOOSE_OPTION, MODEL_OPTION, PolicyEngine
from engines.learning.selfplay.drawing import draw

# As in listing 8.3: no move is ruled out or certain.
_CLIP = 1e-6


class SupervisedEngine(PolicyEngine):
    """Plays the move a network thinks likeliest, or one drawn by its policy."""

    name = method = "supervised"
    summary = "plays what a network predicts; one evaluation a move, no search"
    options = (
        MODEL_OPTION,
        CHOOSE_OPTION,
        Option("temperature", 1 / 3, "temperature of `sample`; below 1 prefers likelier moves; "
               "1/3 cubes the probabilities, as the book does", low=0.01, high=100),
        Option("passes", "policy", "passing in Go; policy: when the policy says so; last: only if "
               "no other move is left, as in the book", choices=("policy", "last")),
        RUNTIME_OPTION,
    )

    def kernels(self, state: GameState) -> Kernels:
        driver, calls, facts = super().kernels(state)
        return Kernels(driver, calls, facts | {"clip": _CLIP})

    def _candidates(self, state: GameState) -> np.ndarray:
        actions = super()._candidates(state)
        if self.settings["passes"] == "last" and len(actions) > 1:
            actions = actions[actions != self.game.pass_action]
        return actions

    def _choose(self, policy: np.ndarray) -> int:
        if self.settings["choose"] == "sample":
            policy = clipped(policy, self.settings["temperature"])
            return draw(policy, 1.0, self._rng)
        return super()._choose(policy)


def clipped(policy: np.ndarray, temperature: float) -> np.ndarray:
    """The book's distribution to draw from: a power of the policy, clipped, summing to 1."""
    weights = policy ** (1 / temperature)
    total = weights.sum()
    # A tiny temperature can underflow everything; then only the likeliest are left.
    weights = weights / total if total > 0 else (policy == policy.max()).astype(np.float64)
    weights = np.clip(weights, _CLIP, 1 - _CLIP)
    return weights / weights.sum()
