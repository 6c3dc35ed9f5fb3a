"""The match that decides whether a new network may play the next games (promotion).

AlphaGo Zero (Silver et al. 2017) let a new network into self-play only after it had won 55% of a
match against the one that played there; AlphaZero did without.

Each network has searches of its own. Games come in pairs with colours changed. Both games of a pair
draw the same random numbers for the same colour, so that a network scores exactly one half against
itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec
from dlgo.rng import derive_seed
from engines.alphazero.selfplay import new_search
from engines.alphazero.settings import SelfPlaySettings
from engines.learning.data.records import NO_RESULT
from engines.learning.selfplay.drawing import Sampling, draw
from engines.learning.selfplay.lockstep import GameSlot, LockstepGames
from engines.treesearch import tree as ts
from engines.treesearch.gumbel import Gumbel, best_child
from engines.treesearch.leaf_evaluator import LeafEvaluator

# Moves are drawn by the square of their visits: enough to make games differ, and seldom a
# move of which the search has a low opinion, which would blur who is the better.
TEMPERATURE = 0.5


@dataclass(kw_only=True)
class _Slot(GameSlot):
    """rngs: the generator of each network."""

    rngs: list[np.ndarray]


class Match(LockstepGames[_Slot]):
    """Games of a new network against an old one: full searches, without noise, in new trees.

    In the first `sample_plies` plies moves are drawn (with Gumbel, at the root). `play` yields
    (number, points): the new network gets 1 point for a win, and half a point for a game that is
    drawn or too long.

    Args:
        game: what is played.
        evaluators: the new network and the old one. In even games the new one is player 0.
        settings: how they search.
        seed: game k depends on it, on k, on both networks, and on nothing else but rounding.
    """

    def __init__(
        self, game: GameSpec, evaluators: Sequence[LeafEvaluator], settings: SelfPlaySettings,
        seed: int,
    ) -> None:
        rule = settings.rule()
        self._gumbel = rule if isinstance(rule, Gumbel) else None
        self._game, self._settings, self._seed = game, settings, seed
        self._sampling = Sampling(settings.sample_plies, TEMPERATURE)
        self._policy = np.empty(game.num_actions)
        super().__init__([
            new_search(game, settings, settings.games_at_once, evaluator)
            for evaluator in evaluators
        ], settings.ply_limit(game))

    def start_game(self, i: int, number: int) -> _Slot:
        rngs = []
        for network, search in enumerate(self._searches):
            colour = (network + number) % 2
            rngs.append(search.seed(i, derive_seed(self._seed, "match", number // 2, colour)))
            kernels.copy_into(kernels.row(search.roots, i), self._game.new_kernel_state())
        return _Slot(number=number, rngs=rngs)

    def start_turn(self, i: int, slot: _Slot, played: int) -> None:
        search = self._searches[self._to_move(i, slot)]
        drawn = self._gumbel is not None and self._sampling.applies(slot.plies)
        search.set_root(i)
        search.start(i, self._settings.sims, float(drawn), self._settings.dirichlet_alpha_total)

    def choose(self, i: int, slot: _Slot) -> int:
        network = self._to_move(i, slot)
        tree = self._searches[network].tree(i)
        if self._gumbel is not None:
            return int(tree.action[best_child(self._gumbel, tree)])
        if self._sampling.applies(slot.plies):
            ts.root_policy(tree, self._policy)
            return draw(self._policy, self._sampling.temperature, slot.rngs[network])
        return int(tree.action[ts.most_visited(tree, ts.ROOT)])

    def finish(self, slot: _Slot, result: int) -> float:
        if result == NO_RESULT:
            return 0.5
        return 0.5 + 0.5 * result * (1 - 2 * (slot.number % 2))

    def _to_move(self, i: int, slot: _Slot) -> int:
        """The network to move: 0 the new one, 1 the old one."""
        state = kernels.row(self._searches[0].roots, i)
        return int(kernels.to_move(state) + slot.number) % 2
