"""The AlphaGo engine: PUCT with a policy network's priors; leaves by network and by rollout.

    alphago:sims=400                     the networks shipped for the game
    alphago:model=out/alphago/go9        networks of a `dlgo train alphago` run
    alphago:lambda=0                     the value network alone
    alphago:lambda=1                     the rollouts alone

The value of a leaf is (1 - lambda) v + lambda z, with v from the value network and z the result of
one game by the fast policy (Silver et al. 2016; chapter 13.4). `textbook.py` is the same in plain
Python. Unlike the paper, the search propagates proven results and expands a leaf at its first visit
instead of after forty.
"""

from __future__ import annotations

from typing import Any

from dlgo.specs import Option
from engines.alphago.bundle import find_bundle
from engines.base import Budget
from engines.fast_policy.policy import FastPolicy
from engines.learning.networks.leaf_evaluator import NETWORK_OPTIONS, NetworkEvaluator, encoder_of
from engines.learning.networks.runtimes import load_runtime
from engines.puct.base import BATCH, FPU, PUCTSearchEngine
from engines.search.engine import TREE_OPTIONS
from engines.search.evaluators import HeavyRollout, LightRollout

MODEL_OPTION = Option(
    "model", None, "AlphaGo networks, by name or the folder of a `dlgo train alphago` run; "
    "default: those shipped for the game", kind=str)
LAMBDA_OPTION = Option("lambda", 0.5, "weight of the rollout in a leaf's value; the rest is the "
                       "value network's", low=0, high=1)
PRIOR_OPTION = Option("prior", "supervised", "policy network that gives the priors",
                      choices=("supervised", "reinforced"))
SEARCH_OPTIONS = (
    Option("c_puct", 0.9, "weight of the prior; values count from 0 to 1", low=0, high=100),
    FPU,
)


class AlphaGoEngine(PUCTSearchEngine):
    """Tree search with a policy network, a value network and fast rollouts."""

    name = "alphago"
    summary = "tree search with a policy network, a value network and rollouts by a fast policy"
    bare_option = "model"
    default_budget = Budget(sims=200)
    options = (
        MODEL_OPTION,
        LAMBDA_OPTION,
        PRIOR_OPTION,
        Option("rollout", "fast", "rollouts: by the fast policy, light (uniformly random moves), "
               "or heavy (the game's own)", choices=("fast", "light", "heavy")),
        BATCH,
        *NETWORK_OPTIONS,
        *SEARCH_OPTIONS,
        *TREE_OPTIONS,
    )

    def _set_up(self) -> None:
        self._bundle = find_bundle(self.settings["model"], self.game)
        super()._set_up()

    def _new_evaluator(self) -> NetworkEvaluator:
        bundle, kind, mixing = self._bundle, self.settings["runtime"], self.settings["lambda"]
        policy = load_runtime(bundle.network(self.settings["prior"]), kind)
        critic = load_runtime(bundle.network("value"), kind) if mixing < 1 else None
        runtimes = [runtime for runtime in (policy, critic) if runtime is not None]
        self.network_id = "+".join(runtime.network_id for runtime in runtimes)
        self.runtime = "+".join(dict.fromkeys(runtime.kind for runtime in runtimes))
        self.training_cpu_seconds = bundle.cpu_seconds
        return NetworkEvaluator(
            policy, encoder_of(policy.card, self.game), self._rollout(mixing), mixing,
            critic, self.settings["cache"],
        )

    def _rollout(self, mixing: float) -> Any:
        """The compiled evaluator that plays the rollouts; None if they have no weight."""
        if mixing == 0:
            return None
        if self.settings["rollout"] == "fast":
            return FastPolicy.load(self._bundle.fast, self.game).rollout()
        return {"light": LightRollout(), "heavy": HeavyRollout()}[self.settings["rollout"]]
