"""What `puct`, `alphazero` and `alphago` share: PUCT over evaluators that are asked from Python."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from dlgo.rng import derive_seed
from dlgo.specs import Option
from engines.learning.networks.leaf_evaluator import NetworkEvaluator, load_leaf_evaluator
from engines.treesearch.engine import TreeSearchEngine
from engines.treesearch.leaf_evaluator import LeafEvaluator
from engines.treesearch.rules import PUCT
from engines.treesearch.searcher import Searcher

BATCH = Option("batch", 1, "leaves that the network or evaluator is asked about at once",
               low=1, high=4096)
FPU = Option("fpu_reduction", 0.1, "how much worse than its position a move without visits counts "
             "(first play urgency)", low=-1, high=1)


class PUCTSearchEngine(TreeSearchEngine):
    """The shared tree walked by PUCT; each tree has a leaf evaluator of its own."""

    budgets = ("sims", "evals", "cpu", "wall")

    def _set_up(self) -> None:
        self._evaluators: list[LeafEvaluator] = []
        super()._set_up()

    @abstractmethod
    def _new_evaluator(self) -> LeafEvaluator:
        """Who is asked about leaves."""

    def _rule(self) -> Any:
        return PUCT(self._c_puct(), self.settings["fpu_reduction"])

    def _c_puct(self) -> float:
        return float(self.settings["c_puct"])

    def _reuse(self) -> bool:
        return self.settings["reuse"]

    def _trees(self) -> int:
        return 1 if self.settings["one_tree"] else super()._trees()

    def _threads_of_a_tree(self) -> int:
        return self.settings["threads"] // self._trees()

    def _new_searcher(self, capacity: int) -> Searcher:
        evaluator = self._new_evaluator()
        self._evaluators.append(evaluator)
        leaves = self.settings["batch"] * self._threads_of_a_tree()
        return Searcher(self.game, capacity, self._reuse(), self._rule(), evaluator, leaves)

    def _load_network(
        self, model: str, values: Any = None, sides: int | None = None,
        average: int = 1,
    ) -> NetworkEvaluator:
        """A network as leaf evaluator; the engine takes its identity and its training's cost."""
        evaluator = load_leaf_evaluator(
            model, self.game, self.settings["runtime"], values, sides, self.settings["batch"],
            self.settings["cache"], self._threads_of_a_tree(), average,
        )
        self.network_id, self.runtime = evaluator.network_id, evaluator.runtime
        self.training_cpu_seconds = evaluator.training_cpu_seconds
        return evaluator

    def new_game(self, seed: int) -> None:
        super().new_game(seed)
        for i, evaluator in enumerate(self._evaluators):
            evaluator.new_game(derive_seed(seed, "agent", i))

    def close(self) -> None:
        super().close()
        for evaluator in self._evaluators:
            evaluator.close()
