"""The base of `puct`, `alphazero` and `alphago`: PUCT with an evaluator written in Python."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from dlgo.rng import derive_seed
from dlgo.specs import Option
from engines.learning.networks.leaf_evaluator import NetworkEvaluator, load_leaf_evaluator
from engines.search.engine import TreeSearchEngine
from engines.search.leaf_evaluator import LeafEvaluator
from engines.search.rules import PUCT
from engines.search.searcher import Searcher

BATCH = Option("batch", 1, "leaves evaluated in one call; more is faster, less accurate",
               low=1, high=4096)
FPU = Option("fpu_reduction", 0.1, "value of a move without visits: that of its position minus "
             "this (first play urgency)", low=-1, high=1)


class PUCTSearchEngine(TreeSearchEngine):
    """Tree search by the rule PUCT."""

    budgets: tuple[str, ...] = ("sims", "evals", "cpu", "wall")

    @abstractmethod
    def _new_evaluator(self) -> Any:
        """The evaluator of leaves: a `LeafEvaluator`, or a compiled one."""

    def _rule(self) -> Any:
        return PUCT(float(self.settings["c_puct"]), self.settings["fpu_reduction"])

    def _reuse(self) -> bool:
        return self.settings["reuse"]

    def _new_searcher(self, capacity: int) -> Searcher:
        self._evaluator = self._new_evaluator()
        return Searcher(self.game, capacity, self._reuse(), self._rule(), self._evaluator,
                        self.settings["batch"])

    def _load_network(self, model: str, values: Any = None) -> NetworkEvaluator:
        """A network as leaf evaluator; the engine reports its identity and training cost."""
        evaluator = load_leaf_evaluator(
            model, self.game, self.settings["runtime"], values, self.settings["cache"])
        self.network_id, self.runtime = evaluator.network_id, evaluator.runtime
        self.training_cpu_seconds = evaluator.training_cpu_seconds
        return evaluator

    def new_game(self, seed: int) -> None:
        super().new_game(seed)
        if isinstance(self._evaluator, LeafEvaluator):
            self._evaluator.new_game(derive_seed(seed, "agent", 0))

    def close(self) -> None:
        super().close()
        if isinstance(self._evaluator, LeafEvaluator):
            self._evaluator.close()
