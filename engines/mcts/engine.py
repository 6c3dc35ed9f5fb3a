"""The MCTS engine: the shared tree search with rollouts, by UCT or RAVE."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dlgo.errors import SpecError
from dlgo.specs import Option
from engines.search.engine import THREADS, TREE_OPTIONS, TreeSearchEngine
from engines.search.evaluators import HeavyRollout, LightRollout
from engines.search.rules import RAVE, UCT
from engines.search.searcher import Searcher

if TYPE_CHECKING:
    from engines.fast_policy.policy import FastPolicy

# Options that apply to one rule only.
_MEANT_FOR = {"c_uct": "uct", "rave": "rave", "hints": "rave"}


class MCTSEngine(TreeSearchEngine):
    """Upper confidence bounds applied to trees (UCT); one rollout values each leaf."""

    name = "mcts"
    summary = "Monte Carlo tree search: UCT or RAVE with light, heavy or learned rollouts"
    options = (
        Option("c_uct", 0.4, "weight of exploration; wins count from 0 to 1", low=0, high=100),
        Option("rollout", "light", "moves of a rollout: light, uniformly random; heavy, sensible "
               "ones; policy, drawn from a fast policy", choices=("light", "heavy", "policy")),
        Option("policy", None, "file of the fast policy, for rollout=policy", kind=str),
        Option("rule", "uct", "selection rule", choices=("uct", "rave")),
        Option("rave", 3000.0, "visits after which a move's own results outweigh its RAVE counts, "
               "for rule=rave", low=1, high=1e9),
        Option("hints", 1.0, "weight of the game's hints about its moves, for rule=rave; 0: off",
               low=0, high=100),
        *TREE_OPTIONS,
        THREADS,
    )

    def _set_up(self) -> None:
        path = self.settings["policy"]
        if (self.settings["rollout"] == "policy") != (path is not None):
            raise SpecError("engine mcts: set both rollout=policy and policy=FILE, a trained fast "
                            "policy, or neither")
        self._policy: FastPolicy | None = None
        if path is not None:
            # It reads files of training data; most searches start without what that loads.
            from engines.fast_policy.policy import FastPolicy

            self._policy = FastPolicy.load(path, self.game)
            self.network_id = self._policy.network_id
            self.training_cpu_seconds = self._policy.training_cpu_seconds
        super()._set_up()

    def _new_searcher(self, capacity: int) -> Searcher:
        settings, name = self.settings, self.settings["rule"]
        for option in self.options:
            meant_for = _MEANT_FOR.get(option.name, name)
            if name != meant_for and settings[option.name] != option.default:
                raise SpecError(f"engine mcts: {option.name} has no effect with rule={name}; "
                                f"leave it out, or set rule={meant_for}")
        rule: Any = UCT(settings["c_uct"])
        if name == "rave":
            rule = RAVE(settings["rave"], settings["hints"])
        evaluator: Any = LightRollout()
        if self._policy is not None:
            evaluator = self._policy.rollout()
        elif settings["rollout"] == "heavy":
            evaluator = HeavyRollout()
        return Searcher(self.game, capacity, settings["reuse"], rule, evaluator)
