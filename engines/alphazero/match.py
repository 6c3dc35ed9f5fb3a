"""The match that decides whether a new network may play the next games (promotion).

AlphaGo Zero (Silver et al. 2017) let a new network into self-play only after it had won 55% of a
match against the one that played there; AlphaZero did without.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dlgo.api import GameSpec
from engines.alphazero.selfplay import new_search
from engines.alphazero.settings import SelfPlaySettings
from engines.learning.selfplay.batched_search import BatchedSearch, root_policy
from engines.learning.selfplay.drawing import Sampling, draw
from engines.learning.selfplay.match import Match, MatchPlayer
from engines.treesearch import tree as ts
from engines.treesearch.gumbel import Gumbel, best_child
from engines.treesearch.leaf_evaluator import LeafEvaluator

# Moves are drawn by the square of their visits: enough to make games differ, and seldom a
# move of which the search has a low opinion, which would blur who is the better.
TEMPERATURE = 0.5


class SearchPlayer(MatchPlayer):
    """A network with full searches, without noise, each in a new tree.

    In the first `sample_plies` plies moves are drawn (with Gumbel, at the root).
    """

    thinker: BatchedSearch

    def __init__(
        self, game: GameSpec, evaluator: LeafEvaluator, settings: SelfPlaySettings
    ) -> None:
        rule, _ = settings.rules()
        self._gumbel = rule if isinstance(rule, Gumbel) else None
        self._settings = settings
        self._sampling = Sampling(settings.sample_plies, TEMPERATURE)
        self.thinker = new_search(game, settings, settings.games_at_once, evaluator)
        self._policy = np.empty(game.num_actions)

    def start_turn(self, i: int, ply: int) -> None:
        drawn = self._gumbel is not None and self._sampling.applies(ply)
        self.thinker.set_root(i)
        self.thinker.start(
            i, self._settings.sims, float(drawn),
            self._settings.dirichlet_alpha_total,
        )

    def choose(self, i: int, ply: int, rng: np.ndarray) -> int:
        tree = self.thinker.tree(i)
        if self._gumbel is not None:
            return int(tree.action[best_child(self._gumbel, tree)])
        if self._sampling.applies(ply):
            root_policy(tree, self._policy)
            return draw(self._policy, self._sampling.temperature, rng)
        return int(tree.action[ts.most_visited(tree, ts.ROOT)])


def new_match(
    game: GameSpec, evaluators: Sequence[LeafEvaluator], settings: SelfPlaySettings, seed: int
) -> Match:
    """A match of the new network against the old one, as `settings` has them search."""
    players = [SearchPlayer(game, evaluator, settings) for evaluator in evaluators]
    return Match(game, players, settings.ply_limit(game), seed)
