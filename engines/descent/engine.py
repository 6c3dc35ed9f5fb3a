"""The descent engine: unbounded best-first minimax with a network's values (Cohen-Solal 2020).

    descent:model=NAME,sims=400          any network with a value, of `dlgo train descent` or not
    descent:evaluator=static,cpu=0.05    the game's own evaluation instead of a network

A simulation expands one position and evaluates all its moves. The search always continues in the
best position, at any depth, and so has no depth limit. The engine plays a proven win, or else the
move that it visited most (`safe decision`): its value has survived the most attempts to refute it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dlgo.api import GameState
from dlgo.specs import Option
from engines.base import Budget
from engines.descent.kernels import best_child
from engines.descent.search import BestFirstSearcher
from engines.learning.networks.leaf_evaluator import (
    MODEL_OPTION,
    RUNTIME_OPTION,
    ValueEvaluator,
    encoder_of,
    model_for,
)
from engines.learning.networks.runtimes import load_runtime
from engines.search import tree as ts
from engines.search.engine import TREE_OPTIONS, TreeSearchEngine
from engines.search.evaluators import Static, Uniform

_EVALUATORS = {"network": None, "static": Static(500.0), "uniform": Uniform(0.0)}


class DescentEngine(TreeSearchEngine):
    """Best-first minimax with completion, on the values of a network."""

    name = "descent"
    summary = "best-first minimax of unbounded depth with a network's values"
    bare_option = "model"
    default_budget = Budget(sims=400)
    options = (
        MODEL_OPTION,
        Option("evaluator", "network", "value of a leaf: the network's, the game's static "
               "evaluation, or 0 (uniform), so that only finished games count",
               choices=tuple(_EVALUATORS)),
        RUNTIME_OPTION,
        *TREE_OPTIONS,
    )

    def _new_searcher(self, capacity: int) -> BestFirstSearcher:
        evaluator: Any = _EVALUATORS[self.settings["evaluator"]]
        if evaluator is None:
            runtime = load_runtime(
                self.settings["model"] or model_for(self.game, "descent"), self.settings["runtime"])
            evaluator = ValueEvaluator(runtime, encoder_of(runtime.card, self.game))
            self.network_id, self.runtime = runtime.network_id, runtime.kind
            self.training_cpu_seconds = runtime.card.total_cpu_seconds
        return BestFirstSearcher(self.game, capacity, self.settings["reuse"], evaluator)

    def _estimates(
        self, counts: ts.Counts, sums: np.ndarray, visits: np.ndarray
    ) -> tuple[float, np.ndarray]:
        # This tree has minimax values in place of sums.
        return float(self._searchers[0].tree.value_sum[ts.ROOT]), sums

    def _choose(
        self, state: GameState, counts: ts.Counts, sign: int, best: int, is_proven: bool
    ) -> int:
        """The most visited move; or a proven draw that is better than all estimates, since proven
        moves are not visited again."""
        tree = self._searchers[0].tree
        child = int(best_child(tree, ts.ROOT, False))
        return int(tree.action[child]) if tree.proven[child] != ts.UNPROVEN else best
