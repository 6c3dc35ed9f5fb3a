"""The PUCT engine: tree search over whatever gives a policy and a value (the AGENT article).

The same tree and loop as `mcts`; the leaf's worth comes from a rollout, from the game's own
evaluation, from nothing at all (`uniform`), from another engine or from a network's value head.
A network's policy gives the priors (`prior=NAME`), whatever values the leaves.
"""

from __future__ import annotations

from dlgo.errors import SpecError
from dlgo.rng import derive_seed
from dlgo.specs import Option
from engines.learning.networks.leaf_evaluator import RUNTIME_OPTION, load_leaf_evaluator
from engines.treesearch.engine import TREE_OPTIONS, TreeSearchEngine
from engines.treesearch.evaluators import HeavyRollout, LightRollout, Static, Uniform
from engines.treesearch.leaf_evaluator import EngineEvaluator, LeafBatchSearcher, LeafEvaluator
from engines.treesearch.rules import PUCT
from engines.treesearch.searcher import Searcher

_EVALUATORS = {
    "rollout": LightRollout(), "heavy": HeavyRollout(), "static": Static(500.0),
    "uniform": Uniform(0.0),
}
_NETWORK = "network"


class PUCTEngine(TreeSearchEngine):
    """Predictor and upper confidence bounds applied to trees, over any evaluator."""

    name = "puct"
    summary = "tree search guided by priors, leaves valued by an evaluator of your choice"
    options = (
        Option("prior", None, "a model (`dlgo models`) whose policy gives the priors", kind=str),
        Option("evaluator", "rollout", "what a leaf is worth; `network` asks the model of "
               "`prior`, and `agent` replaces it", choices=(*_EVALUATORS, _NETWORK)),
        Option("agent", None, "an engine, in quotes, asked for policy and value of every leaf",
               kind=str),
        Option("batch", 1, "leaves the evaluator or network is asked about at once", low=1,
               high=4096),
        RUNTIME_OPTION,
        Option("c_puct", 0.6, "weight of the prior; wins count on a scale of 0 to 1", low=0,
               high=100, aliases=("c",)),
        Option("fpu_reduction", 0.1, "a move not tried yet is taken for so much worse than the "
               "position (first play urgency)", low=-1, high=1, aliases=("first_play",)),
        *TREE_OPTIONS,
    )

    def _set_up(self) -> None:
        self._evaluators: list[LeafEvaluator] = []  # one a thread
        if self.settings["prior"] is not None and self.settings["agent"] is not None:
            raise SpecError("engine puct takes its priors from `prior` or from `agent`, not both")
        if self.settings["prior"] is None and self.settings["evaluator"] == _NETWORK:
            raise SpecError("engine puct: evaluator=network needs prior=NAME, the network")
        super()._set_up()

    def _new_searcher(self, capacity: int) -> Searcher:
        rule = PUCT(self.settings["c_puct"], self.settings["fpu_reduction"])
        reuse = self.settings["reuse"]
        evaluator = self._new_evaluator()
        if evaluator is None:
            compiled = _EVALUATORS[self.settings["evaluator"]]
            return Searcher(self.game, capacity, reuse, rule, compiled, expand=1)
        self._evaluators.append(evaluator)
        batch = self.settings["batch"]
        return LeafBatchSearcher(self.game, capacity, reuse, rule, evaluator, batch)

    def _new_evaluator(self) -> LeafEvaluator | None:
        """Who is asked from Python about leaves, if anybody is."""
        if self.settings["prior"] is not None:
            evaluator = load_leaf_evaluator(
                self.settings["prior"], self.game, self.settings["runtime"],
                _EVALUATORS.get(self.settings["evaluator"]),
            )
            self.network_id = evaluator.network_id
            self.training_cpu_seconds = evaluator.training_cpu_seconds
            return evaluator
        if self.settings["agent"] is not None:
            if self._build_engine is None:
                raise SpecError("engine puct with agent=... is built by build_engine")
            return EngineEvaluator(self._build_engine(self.settings["agent"], self.game))
        return None

    def new_game(self, seed: int) -> None:
        super().new_game(seed)
        for i, evaluator in enumerate(self._evaluators):
            evaluator.new_game(derive_seed(seed, "agent", i))

    def close(self) -> None:
        super().close()
        for evaluator in self._evaluators:
            evaluator.close()
