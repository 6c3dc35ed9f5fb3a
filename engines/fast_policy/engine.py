"""The fast policy as an engine, without a search: it shows the strength of rollout moves alone.

    fast_policy:policy=out/fast/go9.npz,choose=sample
"""

from __future__ import annotations

import numpy as np

from dlgo.api import GameState
from dlgo.errors import SpecError
from dlgo.rng import make_rng
from dlgo.specs import Option
from engines.base import Budget, Cost, Decision, Engine
from engines.fast_policy.policy import FastPolicy
from engines.learning.policy_engine import CHOOSE_OPTION
from engines.learning.selfplay.drawing import draw


class FastPolicyEngine(Engine):
    """Plays the likeliest move of a fast policy, or one drawn from it.

    Like rollouts, it passes only where it has no other sensible move.
    """

    name = "fast_policy"
    summary = "plays AlphaGo's fast policy, a linear one over small patterns; no search"
    bare_option = "policy"
    options = (
        Option("policy", None, "file of the fast policy; required", kind=str),
        CHOOSE_OPTION,
        Option("temperature", 1.0, "for choose=sample: 1 draws by the policy, smaller values "
               "favour likely moves", low=0.01, high=100),
    )

    def _set_up(self) -> None:
        if self.settings["policy"] is None:
            raise SpecError("engine fast_policy needs policy=FILE, a trained fast policy")
        self._policy = FastPolicy.load(self.settings["policy"], self.game)
        self.network_id = self._policy.network_id
        self.training_cpu_seconds = self._policy.training_cpu_seconds

    def new_game(self, seed: int) -> None:
        self._rng = make_rng(seed)

    def _decide(self, state: GameState, budget: Budget) -> Decision:
        actions, chances = self._policy.policy(state)
        if len(actions) > 1:
            plays = actions != self.game.pass_action
            # Not of chance 0, however sure of the pass the policy is.
            actions, chances = actions[plays], np.maximum(chances[plays], np.finfo(np.float64).tiny)
            chances = chances / chances.sum()
        choice = int(np.argmax(chances))
        if self.settings["choose"] != "best":
            choice = draw(chances, self.settings["temperature"], self._rng)
        moves = [self.game.move_of(action) for action in actions.tolist()]
        order = np.argsort(-chances, kind="stable").tolist()
        return Decision(
            moves[choice], policy={moves[i]: float(chances[i]) for i in order},
            pv=(moves[choice],), cost=Cost(nodes=1, evaluations=1),
        )
