"""The AlphaZero engine: the shared tree search with a network's policy and value.

    alphazero:model=NAME,sims=400        the search
    alphazero:model=NAME,sims=1          the network alone: its favourite move
    puct:evaluator=uniform,sims=400      the search alone, for comparison

With `batch` above 1 the network evaluates several leaves in one call, and virtual losses send the
walks to different leaves. A simulation then takes less time and is worth a little less.

`search=gumbel` plans a small number of simulations (`engines/search/gumbel.py`).

`dlgo train alphazero` trains a network; the engine plays any model with a policy and a value.
"""

from __future__ import annotations

from typing import Any

from dlgo.api import GameState
from dlgo.errors import SpecError
from dlgo.rng import derive_seed, make_rng
from dlgo.specs import Option
from engines.base import Budget
from engines.learning.networks.leaf_evaluator import (
    MODEL_OPTION,
    NETWORK_OPTIONS,
    NetworkEvaluator,
    model_for,
)
from engines.learning.networks.store import load_card
from engines.learning.selfplay.drawing import Sampling, draw
from engines.puct.base import BATCH, FPU, PUCTSearchEngine
from engines.search import tree as ts
from engines.search.engine import TREE_OPTIONS
from engines.search.gumbel import GUMBEL_SCALES, Gumbel, best_child
from engines.search.rules import PUCT

# For networks whose card names no other value.
USUAL_C_PUCT = 0.9


class AlphaZeroEngine(PUCTSearchEngine):
    """PUCT search with a network's priors and values (Silver et al. 2017; chapter 14)."""

    name = "alphazero"
    summary = "tree search with a network's policy and value"
    bare_option = "model"
    default_budget = Budget(sims=200)
    options = (
        MODEL_OPTION,
        BATCH,
        *NETWORK_OPTIONS,
        Option("c_puct", None, "weight of the prior; values count from 0 to 1; default: the value "
               f"in the network's card, else {USUAL_C_PUCT}", low=0, high=100, kind=float),
        FPU,
        Option("visits_exponent", 0.5, "power of the position's visits in PUCT", low=0, high=1),
        Option("search", "puct", "search at the root: puct, or gumbel, which plans and improves on "
               "the network with as few as 8 simulations", choices=("puct", "gumbel")),
        Option("considered", 16, "moves that gumbel tries at the root", low=1, high=1000),
        Option("temperature", 0.0, "draw moves in proportion to visits ** (1 / temperature); "
               "0: play the most visited", low=0, high=100),
        Option("sample_plies", 12, "number of first plies in which moves are drawn, if the "
               "temperature is above 0", low=0, high=100_000),
        *TREE_OPTIONS,
    )

    def _set_up(self) -> None:
        self._model = self.settings["model"] or model_for(self.game, "alphazero")
        self._gumbel: Gumbel | None = None
        self._sampling = Sampling(self.settings["sample_plies"], self.settings["temperature"])
        if self.settings["search"] == "gumbel":
            if self.budget.sims is None:
                raise SpecError("engine alphazero: search=gumbel needs a number of simulations; "
                                "add sims=32, for example")
            self._gumbel = Gumbel(self.settings["considered"], *GUMBEL_SCALES)
        super()._set_up()

    def new_game(self, seed: int) -> None:
        super().new_game(seed)
        self._rng = make_rng(derive_seed(seed, "temperature"))

    def _new_evaluator(self) -> NetworkEvaluator:
        return self._load_network(self._model)

    def _rule(self) -> Any:
        if self._gumbel is not None:
            return self._gumbel
        c_puct: float | None = self.settings["c_puct"]
        if c_puct is None:
            _, card = load_card(self._model)
            c_puct = card.play.get("c_puct", USUAL_C_PUCT)
        return PUCT(c_puct, self.settings["fpu_reduction"], self.settings["visits_exponent"])

    def _reuse(self) -> bool:
        # Gumbel's plan counts visits from 0, so it begins every move with a new tree.
        return self.settings["reuse"] and self._gumbel is None

    def _choose(
        self, state: GameState, counts: ts.Counts, sign: int, best: int, is_proven: bool
    ) -> int:
        """Gumbel's choice, or an action drawn by its visits; never one that is proven to lose."""
        if self._gumbel is not None:
            tree = self._searchers[0].tree
            best = int(tree.action[best_child(self._gumbel, tree)])
        if is_proven or not self._sampling.applies(len(state.moves())):
            return best
        actions = counts.by_visits()
        shares = counts.visits[actions] / counts.visits.sum()
        is_open = counts.proven[actions] != -sign
        if not is_open.any():
            return best
        return int(actions[is_open][draw(shares[is_open], self._sampling.temperature, self._rng)])
