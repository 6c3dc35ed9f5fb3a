"""The ntuple engine: alpha-beta (`engines/minimax`) on the values of an n-tuple network."""

from __future__ import annotations

from typing import Any

from engines.learning.networks.leaf_evaluator import model_for
from engines.learning.policy_engine import MODEL_OPTION
from engines.minimax.engine import AlphaBetaEngine
from engines.ntuple.network import load_tuples
from engines.own_functions import EVALUATION


class NTupleEngine(AlphaBetaEngine):
    """Alpha-beta on the values of an n-tuple network."""

    name = "ntuple"
    summary = "alpha-beta on the values of an n-tuple network"
    bare_option = "model"
    options = (
        MODEL_OPTION, *(option for option in AlphaBetaEngine.options if option is not EVALUATION))

    def _load_evaluation(self) -> Any:
        tuples, card = load_tuples(
            self.settings["model"] or model_for(self.game, "ntuple"), self.game)
        self.network_id, self.training_cpu_seconds = card.network_id, card.total_cpu_seconds
        return tuples
