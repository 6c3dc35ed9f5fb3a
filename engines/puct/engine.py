"""The PUCT engine: tree search over whatever gives a policy and a value (the AGENT article).

The same tree and loop as `mcts`; the leaf's worth comes from a rollout, from the game's own
evaluation, from nothing at all (`uniform`), or from another engine.
"""

from __future__ import annotations

from dlgo.rng import derive_seed
from dlgo.specs import Option
from engines.base import Engine
from engines.treesearch.agent import AgentSearcher, EngineAgent
from engines.treesearch.engine import TREE_OPTIONS, TreeSearchEngine
from engines.treesearch.evaluators import HeavyRollout, LightRollout, Static, Uniform
from engines.treesearch.rules import PUCT
from engines.treesearch.searcher import Searcher

_EVALUATORS = {
    "rollout": LightRollout(), "heavy": HeavyRollout(), "static": Static(500.0),
    "uniform": Uniform(0.0),
}


class PUCTEngine(TreeSearchEngine):
    """Predictor and upper confidence bounds applied to trees, over any evaluator."""

    name = "puct"
    summary = "tree search guided by priors, leaves valued by an evaluator of your choice"
    options = (
        Option("evaluator", "rollout", "what a leaf is worth; `agent` replaces it",
               choices=tuple(_EVALUATORS)),
        Option("agent", None, "an engine, in quotes, asked for policy and value of every leaf",
               kind=str),
        Option("batch", 1, "leaves the agent is asked about at once", low=1, high=4096),
        Option("c", 0.6, "weight of the prior; wins count on a scale of 0 to 1", low=0, high=100),
        Option("first_play", 0.1, "a move not tried yet is taken for so much worse than the "
               "position", low=-1, high=1),
        *TREE_OPTIONS,
    )

    def _set_up(self) -> None:
        self._engines: list[Engine] = []  # the agents, one a thread
        super()._set_up()

    def _new_searcher(self, capacity: int) -> Searcher:
        rule = PUCT(self.settings["c"], self.settings["first_play"])
        reuse = self.settings["reuse"]
        if self.settings["agent"] is None:
            evaluator = _EVALUATORS[self.settings["evaluator"]]
            return Searcher(self.game, capacity, reuse, rule, evaluator, expand=1)
        from engines.registry import build_engine  # which imports this module

        engine = build_engine(self.settings["agent"], self.game)
        self._engines.append(engine)
        return AgentSearcher(
            self.game, capacity, reuse, rule, EngineAgent(engine), self.settings["batch"]
        )

    def new_game(self, seed: int) -> None:
        super().new_game(seed)
        for i, engine in enumerate(self._engines):
            engine.new_game(derive_seed(seed, "agent", i))

    def close(self) -> None:
        super().close()
        for engine in self._engines:
            engine.close()
