"""PUCT: tree search over whatever gives a policy and a value (Rosin 2011; Silver et al. 2017).

The same tree and loop as `mcts`; the leaf's worth comes from a rollout, from the game's own
evaluation, from nothing at all (`uniform`), from another engine or from a network's value head.
A network's policy gives the priors (`prior=NAME`), whatever values the leaves. Both can be
functions of the user's own (`own_functions.py`).
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
    summary = "tree search guided by priors, leaves valued by an evaluator of your choice"
    options = (
        Option("prior", None, "a model (`dlgo models`) whose policy gives the priors, or a "
               "function of your own, FILE.py:NAME", kind=str, function=True),
        Option("evaluator", "rollout", "what a leaf is worth; `network` asks the model of "
               "`prior`, FILE.py:NAME a function of your own, and `agent` replaces it",
               choices=(*_EVALUATORS, _NETWORK), function=True),
        Option("agent", None, "an engine, in quotes, asked for policy and value of every leaf",
               kind=str, nests=True),
        BATCH,
        *NETWORK_OPTIONS,
        Option("c_puct", 0.6, "weight of the prior; wins count on a scale of 0 to 1", low=0,
               high=100),
        FPU,
        *TREE_OPTIONS,
    )

    def _set_up(self) -> None:
        settings = self.settings
        if settings["prior"] is not None and settings["agent"] is not None:
            raise SpecError("engine puct takes its priors from `prior` or from `agent`, not both")
        self._prior = OwnFunction.load(settings["prior"])
        own = OwnFunction.load(settings["evaluator"])
        self._values = _EVALUATORS.get(settings["evaluator"])
        if own is not None:
            self._values = own.evaluator() if own.compiled else own.value
        network = settings["prior"] is not None and self._prior is None
        if not network and settings["evaluator"] == _NETWORK:
            raise SpecError("engine puct: evaluator=network needs prior=NAME, the network")
        self._compiled = (
            settings["prior"] is None and settings["agent"] is None and not callable(self._values))
        if self._compiled:
            self.budgets = TreeSearchEngine.budgets
        if self._compiled and self.budget.evals is not None:
            raise SpecError(
                "engine puct: evals counts what a network or another engine answers; "
                f"with evaluator={settings['evaluator']} alone, give sims"
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
            raise SpecError("engine puct with agent=... is built by build_engine")
        return EngineEvaluator(self._build_engine(self.settings["agent"], self.game))


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
