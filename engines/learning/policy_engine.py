"""Engines that play a network's policy without a search.

A move costs one evaluation. The policy is restricted to sensible legal moves
(`kernels.search_actions`: in Go none that fills an own eye); then the best move is played or one is
drawn. Each learner has a subclass.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from dlgo import kernels
from dlgo.api import GameState
from dlgo.errors import SpecError
from dlgo.jit import kernel
from dlgo.rng import make_rng
from dlgo.specs import Option
from engines.base import Budget, Cost, Decision, Engine, Kernels
from engines.learning.networks.dense import scores_of
from engines.learning.networks.leaf_evaluator import RUNTIME_OPTION, encoder_of, model_for, softmax
from engines.learning.networks.runtimes import load_runtime
from engines.learning.selfplay.drawing import draw

MODEL_OPTION = Option(
    "model", None, "trained network, by folder or by the name of a shipped model (`dlgo models`); "
    "default: the shipped model for the game", kind=str)
CHOOSE_OPTION = Option("choose", "best", "choice of the move; best: the likeliest; sample: drawn "
                       "from the policy", choices=("best", "sample"))


class PolicyEngine(Engine):
    """Plays the move that a network's policy thinks likeliest, or one drawn by it."""

    bare_option = "model"
    method: ClassVar[str]  # of training; chooses the model where none is named
    options: ClassVar[tuple[Option, ...]] = (
        MODEL_OPTION,
        CHOOSE_OPTION,
        Option("temperature", 1.0, "temperature of `sample`; below 1 prefers likelier moves",
               low=0.01, high=100),
        RUNTIME_OPTION,
    )

    def _set_up(self) -> None:
        name = self.settings["model"] or model_for(self.game, self.method)
        self._runtime = load_runtime(name, self.settings["runtime"])
        self._answer = self._head()
        self._encoder = encoder_of(self._runtime.card, self.game)
        self.network_id, self.runtime = self._runtime.network_id, self._runtime.kind
        self.training_cpu_seconds = self._runtime.card.total_cpu_seconds
        self._actions = np.empty(self.game.num_actions, np.int64)

    def _head(self) -> str:
        """Which answer of the network chooses. Raises ModelError if it does not have one."""
        self._runtime.card.require("policy", "which chooses the moves")
        return "policy"

    def new_game(self, seed: int) -> None:
        self._rng = make_rng(seed)

    def _decide(self, state: GameState, budget: Budget) -> Decision:
        answers = self._runtime.evaluate(self._encoder.encode(state)[None])
        player = np.array([state.next_player.index])
        scores = self._encoder.to_network_order(answers[self._answer], player)
        actions = self._candidates(state)
        # Among the candidates only: were a forbidden move most of the policy, the rest of it
        # would be lost to rounding.
        scores = scores[0, actions].astype(np.float64)
        policy = self._policy(scores)
        choice = self._choose(policy)
        moves = [self.game.move_of(action) for action in actions.tolist()]
        order = np.argsort(-policy, kind="stable").tolist()
        value = self._value(answers, float(scores[choice]))
        return Decision(
            moves[choice],
            value=None if value is None else min(max(value, -1.0), 1.0),
            policy={moves[i]: float(policy[i]) for i in order},
            pv=(moves[choice],),
            cost=Cost(nodes=1, evaluations=1),
        )

    def kernels(self, state: GameState) -> Kernels:
        heads = [self._answer, *(head for head in self._runtime.heads if head == "value")]
        network = None
        if not self._encoder.history:
            network = self._runtime.compiled(self._encoder, heads)
        if network is None:
            raise SpecError(f"engine {self.name}: its network is evaluated in Python, which a page "
                            "has not; choose runtime=compiled and a network without history")
        scores = np.zeros(self.game.num_actions, np.float32)
        arguments = network, state.kernel_state, self._actions, scores
        return Kernels("policy", {"score_actions": (score_actions, arguments)}, {
            "options": [option.name for option in self.options if option is not MODEL_OPTION],
            "values": len(heads) > 1,
        })

    def _candidates(self, state: GameState) -> np.ndarray:
        """The actions to choose from: int64, at least one."""
        return self._actions[: kernels.search_actions(state.kernel_state, self._actions)]

    def _policy(self, scores: np.ndarray) -> np.ndarray:
        """The candidates' scores as a policy: float64[n], summing to 1."""
        return softmax(scores)

    def _value(self, answers: dict[str, np.ndarray], chosen_score: float) -> float | None:
        """The expected result for the player to move; None if the network does not say."""
        return float(answers["value"][0, 0]) if "value" in answers else None

    def _choose(self, policy: np.ndarray) -> int:
        """Which candidate to play."""
        if self.settings["choose"] == "best":
            return int(np.argmax(policy))
        return draw(policy, self.settings["temperature"], self._rng)


@kernel
def score_actions(network, state, actions, scores):
    """Write the `search_actions` and their scores by a compiled network.

    Returns how many there are, and the value for the player to move.
    """
    n = kernels.search_actions(state, actions)
    return n, scores_of(network, state, n, actions, scores)
