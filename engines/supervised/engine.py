"""The supervised engine: plays what a network predicts, without any search (chapter 8.1).

One evaluation a move. The network's policy is cut down to sensible legal moves
(`kernels.search_actions`: in Go none that fills an own eye), then the best move is played or one
is drawn. The book's agent draws: it cubes the probabilities, clips them away from 0 and 1, and
tries candidates until one is legal. Cubing is a temperature of 1/3, and drawing until a legal
move comes up is drawing among the legal ones.

Networks come from `dlgo train supervised`, or any other training that writes a model folder.
"""

from __future__ import annotations

import numpy as np

from dlgo import kernels
from dlgo.api import GameState
from dlgo.rng import make_rng
from dlgo.specs import Option
from engines.base import Budget, Cost, Decision, Engine
from engines.learning.networks.leaf_evaluator import RUNTIME_OPTION, encoder_of, model_for, softmax
from engines.learning.networks.runtimes import load_runtime
from engines.learning.selfplay.drawing import draw

# As in listing 8.3: no move is ruled out or certain.
_CLIP = 1e-6


class SupervisedEngine(Engine):
    """Plays the move a network thinks likeliest, or one drawn by its policy."""

    name = "supervised"
    summary = "plays what a network predicts; one evaluation a move, no search"
    bare_option = "model"
    options = (
        Option("model", None, "a trained network: a shipped model's name (`dlgo models`) or a "
               "folder; by default the shipped one for the game", kind=str),
        Option("choose", "best", "the likeliest move, or one drawn by the policy",
               choices=("best", "sample")),
        Option("temperature", 1 / 3, "of `sample`: 1 draws as predicted, less prefers likelier "
               "moves; the book cubes, which is 1/3", low=0.01, high=100),
        Option("passes", "policy", "in Go: pass when the policy says so, or, as in the book, "
               "only as the last resort", choices=("policy", "last")),
        RUNTIME_OPTION,
    )

    def _set_up(self) -> None:
        name = self.settings["model"] or model_for(self.game, "supervised")
        self._runtime = load_runtime(name, self.settings["runtime"])
        self._runtime.card.require("policy", "which chooses the moves")
        self._encoder = encoder_of(self._runtime.card, self.game)
        self.network_id = self._runtime.network_id
        self.training_cpu_seconds = self._runtime.card.total_cpu_seconds
        self._actions = np.empty(self.game.num_actions, np.int64)

    def new_game(self, seed: int) -> None:
        self._rng = make_rng(seed)

    def _decide(self, state: GameState, budget: Budget) -> Decision:
        answers = self._runtime.evaluate(self._encoder.encode(state)[None])
        logits = self._encoder.as_seen(answers["policy"], np.array([state.next_player.index]))
        actions = self._candidates(state)
        # Among the candidates only: were a forbidden move most of the policy, the rest of it
        # would be lost to rounding.
        policy = softmax(logits[0, actions].astype(np.float64))
        if self.settings["choose"] == "best":
            chosen = int(np.argmax(policy))
        else:
            weights = clipped(policy, self.settings["temperature"])
            chosen = draw(weights, 1.0, self._rng)
        moves = [self.game.move_of(action) for action in actions.tolist()]
        order = np.argsort(-policy, kind="stable").tolist()
        return Decision(
            moves[chosen],
            value=float(np.clip(answers["value"][0, 0], -1, 1)) if "value" in answers else None,
            policy={moves[i]: float(policy[i]) for i in order},
            pv=(moves[chosen],),
            cost=Cost(nodes=1, evaluations=1),
        )

    def _candidates(self, state: GameState) -> np.ndarray:
        """The actions to choose from: int64, at least one."""
        n = kernels.search_actions(state.kernel_state, self._actions)
        actions = self._actions[:n]
        if self.settings["passes"] == "last" and n > 1:
            actions = actions[actions != self.game.pass_action]
        return actions


def clipped(policy: np.ndarray, temperature: float) -> np.ndarray:
    """The book's distribution to draw from: a power of the policy, clipped, summing to 1."""
    weights = policy ** (1 / temperature)
    total = weights.sum()
    # A tiny temperature can underflow everything; then only the likeliest are left.
    weights = weights / total if total > 0 else (policy == policy.max()).astype(np.float64)
    weights = np.clip(weights, _CLIP, 1 - _CLIP)
    return weights / weights.sum()
