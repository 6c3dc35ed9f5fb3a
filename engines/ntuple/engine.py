"""The ntuple engine: alpha-beta (`engines/minimax`) on the values of an n-tuple network."""

from __future__ import annotations

from typing import Any

from dlgo.api import GameState
from dlgo.specs import Option
from engines.base import Kernels
from engines.learning.networks.leaf_evaluator import model_for
from engines.minimax.engine import AlphaBetaEngine
from engines.ntuple.network import FILE, load_tuples
from engines.own_functions import EVALUATION


class NTupleEngine(AlphaBetaEngine):
    """Alpha-beta on the values of an n-tuple network."""

    name = "ntuple"
    summary = "alpha-beta on the values of an n-tuple network"
    bare_option = "model"
    options = (
        Option("model", None, "n-tuple network, by name or folder; default: the one shipped for "
               "the game", kind=str),
        *(option for option in AlphaBetaEngine.options if option is not EVALUATION))

    def _load_evaluation(self) -> Any:
        self._model = self.settings["model"] or model_for(self.game, "ntuple", FILE)
        tuples, card = load_tuples(self._model, self.game)
        self.network_id, self.training_cpu_seconds = card.network_id, card.total_cpu_seconds
        return tuples

    def kernels(self, state: GameState) -> Kernels:
        driver, calls, facts = super().kernels(state)
        return Kernels(driver, calls, facts | {"model": self._model})
