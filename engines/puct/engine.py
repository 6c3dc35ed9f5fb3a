"""PUCT: tree search over any policy and value (Rosin 2011; Silver et al. 2017).

It shares tree and loop with `mcts`. A rollout, the game's own evaluation, another engine, a
network's value head or a user's function (`own_functions.py`) gives the value of a leaf; a network
(`prior=NAME`) or a user's function gives the priors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec, GameState
from dlgo.errors import SpecError
from dlgo.specs import Option
from engines.learning.networks.leaf_evaluator import NETWORK_OPTIONS
from engines.own_functions import OwnFunction
from engines.puct.base import BATCH, FPU, PUCTSearchEngine
from engines.search.engine import TREE_OPTIONS, TreeSearchEngine
from engines.search.evaluators import HeavyRollout, LightRollout, Static, Uniform
from engines.search.leaf_evaluator import EngineEvaluator, LeafEvaluator, LeafValues

_EVALUATORS = {
    "rollout": LightRollout(), "heavy": HeavyRollout(), "static": Static(500.0),
    "uniform": Uniform(0.0),
}
_NETWORK = "network"


class PUCTEngine(PUCTSearchEngine):
    """Predictor and upper confidence bounds applied to trees, over any evaluator."""

    name = "puct"
    summary = "tree search with priors and values of your choice: rollouts, networks, functions"
    options = (
        Option("prior", None, "source of the priors: a model (`dlgo models`) or your function, "
               "FILE.py:NAME; default: equal priors", kind=str, function=True),
        Option("evaluator", "rollout", "value of a leaf: a random or heavy rollout, the game's "
               "static evaluation, 0 (uniform), the value head of `prior` (network), or your "
               "function, FILE.py:NAME",
               choices=(*_EVALUATORS, _NETWORK), function=True),
        Option("agent", None, "engine, in quotes, that gives priors and values of all leaves",
               kind=str, nests=True),
        BATCH,
        *NETWORK_OPTIONS,
        Option("c_puct", 0.6, "weight of the prior; values count from 0 to 1", low=0, high=100),
        FPU,
        *TREE_OPTIONS,
    )

    def _set_up(self) -> None:
        settings = self.settings
        if settings["prior"] is not None and settings["agent"] is not None:
            raise SpecError("engine puct: set prior or agent, not both, since each gives the "
                            "priors")
        self._prior = OwnFunction.load(settings["prior"])
        own = OwnFunction.load(settings["evaluator"])
        self._values: Any = _EVALUATORS.get(settings["evaluator"])
        if own is not None:
            self._values = own.evaluator() if own.compiled else own.value
        network = settings["prior"] is not None and self._prior is None
        if not network and settings["evaluator"] == _NETWORK:
            raise SpecError("engine puct: evaluator=network needs prior=NAME, the network to "
                            "evaluate with")
        self._compiled = (
            settings["prior"] is None and settings["agent"] is None and not callable(self._values))
        if self._compiled:
            self.budgets = TreeSearchEngine.budgets
        if self._compiled and self.budget.evals is not None:
            raise SpecError(
                "engine puct: evals counts answers of a network or an engine, and "
                f"evaluator={settings['evaluator']} uses neither; set sims instead"
            )
        super()._set_up()

    def _new_evaluator(self) -> Any:
        if self._compiled:
            return self._values
        if self.settings["agent"] is None:
            if self.settings["prior"] is None or self._prior is not None:
                return FunctionEvaluator(self.game, self._prior, self._values)
            return self._load_network(self.settings["prior"], self._values)
        if self._build_engine is None:
            raise SpecError("engine puct with agent=... must be made by build_engine")
        return EngineEvaluator(self._build_engine(self.settings["agent"], self.game))


class FunctionEvaluator(LeafEvaluator):
    """A prior function, a value function, or both.

    Args:
        prior: gives the priors; None: equal priors.
        values: gives the values of leaves, see `LeafValues`.
    """

    def __init__(self, game: GameSpec, prior: OwnFunction | None, values: Any) -> None:
        self._game, self._prior, self._values = game, prior, LeafValues(game, values)

    def evaluate(self, leaves: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
        policies = np.zeros((n, self._game.num_actions), np.float32)
        if self._prior is not None:
            for i in range(n):
                state = GameState.copy_of(self._game, kernels.row(leaves, i))
                self._prior.weights(state, policies[i])
        return policies, self._values.of(leaves, n)

    def new_game(self, seed: int) -> None:
        self._values.new_game(seed)
