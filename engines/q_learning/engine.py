"""The Q-learning engine: plays the action that its network values most (chapter 11).

    q_learning:model=out/q_learning/connect4/nets/0100                  the best move
    q_learning:model=out/q_learning/connect4/nets/0100,epsilon=0.1      one in ten at random
"""

from __future__ import annotations

import numpy as np

from dlgo.api import GameState
from dlgo.errors import ModelError
from dlgo.specs import Option
from engines.base import Kernels
from engines.learning.networks.leaf_evaluator import RUNTIME_OPTION
from engines.learning.policy_engine import MODEL_OPTION, PolicyEngine
from engines.learning.selfplay.drawing import draw


class QLearningEngine(PolicyEngine):
    """Plays the move of the highest expected result, without a search."""

    name = method = "q_learning"
    summary = "plays the move that a Q-network values most; no search"
    options = (
        MODEL_OPTION,
        Option("epsilon", 0.0, "probability of a random move", low=0, high=1),
        RUNTIME_OPTION,
    )

    def _head(self) -> str:
        card = self._runtime.card
        heads = [head for head in ("q", "q_pair") if head in card.heads]
        if not heads:
            raise ModelError(f"model {card.name} has no values of actions, which choose the "
                             f"moves; its heads are {', '.join(card.heads)}; name a network of "
                             "`dlgo train q_learning`")
        return heads[0]

    def kernels(self, state: GameState) -> Kernels:
        driver, calls, facts = super().kernels(state)
        return Kernels(driver, calls, facts | {"greedy": True})

    def _policy(self, scores: np.ndarray) -> np.ndarray:
        greedy = np.zeros(len(scores))
        greedy[scores.argmax()] = 1.0
        epsilon = self.settings["epsilon"]
        return (1 - epsilon) * greedy + epsilon / len(scores)

    def _choose(self, policy: np.ndarray) -> int:
        return draw(policy, 1.0, self._rng)

    def _value(self, answers: dict[str, np.ndarray], chosen_score: float) -> float:
        return chosen_score
