"""The AlphaZero engine: the shared tree with a network's policy and value, and nothing else.

    alphazero:model=NAME,sims=400        the search
    alphazero:model=NAME,sims=1          the network alone: its favourite move
    puct:evaluator=uniform,sims=400      the search alone, for comparison

In a game of its own a search has one tree, so the network would be asked about one position at
a time. With `batch` leaves at once (virtual loss keeps their walks apart) the same number of
simulations takes less time, and is a little less well spent.

Networks come from `dlgo train alphazero`; any model folder with a value head will do.
"""

from __future__ import annotations

from dlgo.errors import SpecError
from dlgo.specs import Option
from engines.base import Budget
from engines.nets.agent import RUNTIME_OPTION, NetworkAgent, load_agent
from engines.nets.store import shipped_models
from engines.treesearch.agent import AgentSearcher
from engines.treesearch.engine import TREE_OPTIONS, TreeSearchEngine
from engines.treesearch.rules import PUCT
from engines.treesearch.searcher import Searcher


class AlphaZeroEngine(TreeSearchEngine):
    """PUCT search with a network's priors and values (Silver et al. 2017; chapter 14)."""

    name = "alphazero"
    summary = "tree search with a network's policy and value"
    bare_option = "model"
    default_budget = Budget(sims=200)
    options = (
        Option("model", None, "a network with a value head: a shipped model's name "
               "(`dlgo models`) or a folder", kind=str),
        Option("batch", 1, "leaves the network is asked about at once", low=1, high=4096),
        RUNTIME_OPTION,
        Option("c", 0.9, "weight of the prior; wins count on a scale of 0 to 1", low=0, high=100),
        Option("first_play", 0.1, "a move not tried yet is taken for so much worse than the "
               "position", low=-1, high=1),
        *TREE_OPTIONS,
    )

    def _set_up(self) -> None:
        if self.settings["model"] is None:
            names = ", ".join(shipped_models()) or "none come with the package"
            raise SpecError(
                f"engine alphazero needs a model: alphazero:model=NAME; models are {names}; "
                "or the path of a folder that `dlgo train` wrote"
            )
        self._agents: list[NetworkAgent] = []  # one a thread
        super()._set_up()

    def _new_searcher(self, capacity: int) -> Searcher:
        agent = load_agent(self.settings["model"], self.game, self.settings["runtime"])
        self._agents.append(agent)
        self.network_id = agent.network_id
        rule = PUCT(self.settings["c"], self.settings["first_play"])
        return AgentSearcher(
            self.game, capacity, self.settings["reuse"], rule, agent, self.settings["batch"]
        )
