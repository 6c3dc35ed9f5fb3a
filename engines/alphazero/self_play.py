"""Self-play: a search with a network plays both sides of many games at once.

A finished game holds two targets for each ply: the search's policy, which is better than the
network's own, and the result (chapter 14 of the book; Silver et al. 2017). Games differ because
early moves are drawn from the policy, and because noise in the root's priors makes the search try
moves that the network would not.

Only a share of the plies gets a full search with noise, and only their policies are learned. The
others get a short search, since results teach the value just as well (playout cap randomisation;
Wu, "Accelerating self-play learning in Go", 2019).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec
from dlgo.rng import derive_seed, uniform
from dlgo.vector import longest_game
from engines.alphazero.config import SelfPlaySettings
from engines.learning.data.records import GameBuilder, GameData
from engines.learning.selfplay.drawing import Sampling, draw
from engines.learning.selfplay.lockstep import RESIGN, LockstepGames
from engines.search import tree as ts
from engines.search.batched_search import NO_ACTION, BatchedSearch
from engines.search.gumbel import Gumbel, best_child, improved_policy
from engines.search.leaf_evaluator import LeafEvaluator
from engines.termination import Resignation

# Simulations in positions with only one move.
_GLANCE = 2
# Consecutive searches of a player that must be hopeless before it resigns.
_PATIENCE = 2


def new_search(
    game: GameSpec, settings: SelfPlaySettings, n: int, evaluator: LeafEvaluator
) -> BatchedSearch:
    """`n` searches with the given settings."""
    capacity = 4 * max(settings.sims, settings.fast_sims) * game.num_actions
    return BatchedSearch(game, n, capacity, settings.rule(), evaluator, longest_game(game))


@dataclass
class _Slot:
    """A game of self-play in progress, in one row of the search."""

    number: int
    builder: GameBuilder  # of the game's record
    rng: np.ndarray  # shared with its search
    watches: tuple[Resignation, Resignation]  # of the two players
    may_resign: bool  # no: the game is played to its end, to check the rule
    plies: int = 0
    full: bool = False  # whether the current search is a full one
    would_resign: int | None = None  # the player who has resigned, or would have

    @property
    def resigned(self) -> bool:
        """Whether a player has resigned, and the game goes on only for its true result."""
        return self.may_resign and self.would_resign is not None


class SelfPlay(LockstepGames):
    """Plays games of a network against itself; `play` yields (number, `GameData`).

    Args:
        evaluator: the network.
        seed: game k depends on the seed, on k and on the network (and on rounding: a network's
            last digits may depend on the size of its batch).

    Attributes:
        stats: sums over all games so far, which can be added to those of other processes. games;
            lost, drawn, won: by player 0; plies: to learn from; evaluations, and steps (calls of
            the network); full: plies with a full search, and sums over these: entropy and
            prior_entropy (of search and network, in nats), divergence (Kullback-Leibler, of the
            search from the network), agreed (both prefer the same move); resigned: games; checked:
            games with a resignation that were played to their end; wrong: those of them that the
            player did not lose.
    """

    def __init__(
        self, game: GameSpec, evaluator: LeafEvaluator, settings: SelfPlaySettings, seed: int
    ) -> None:
        self._search = new_search(game, settings, settings.games_at_once, evaluator)
        super().__init__(game, [self._search])
        self._settings, self._seed = settings, seed
        self._passless_plies = round(settings.first_pass * game.board_rows * game.board_cols)
        self._sampling = Sampling(settings.sample_plies, settings.temperature)
        rule = settings.rule()
        self._gumbel = rule if isinstance(rule, Gumbel) else None
        self._policy = np.empty(game.num_actions)
        self.stats: Any = Counter()

    def play(self, numbers: Iterable[int]) -> Iterator[tuple[int, GameData]]:
        yield from super().play(numbers)
        self.stats.update(evaluations=self._search.evaluations, steps=self._search.steps)
        self._search.evaluations = self._search.steps = 0

    def start_game(self, i: int, number: int) -> _Slot:
        settings = self._settings
        rng = self._search.seed(i, derive_seed(self._seed, "self-play", number))
        may_resign = settings.resign_below > 0 and uniform(rng) >= settings.no_resign_fraction
        black, white = (Resignation(settings.resign_below, _PATIENCE) for _ in range(2))
        slot = _Slot(number, GameBuilder(self._game), rng, (black, white), may_resign)
        for action in self.random_opening(i, rng, settings.random_share, settings.random_plies):
            slot.builder.skip(action)
            slot.plies += 1
        return slot

    def start_turn(self, i: int, slot: _Slot, action: int) -> None:
        """Start the search in row `i` after the move `action` (NO_ACTION: a new game)."""
        search, settings = self._search, self._settings
        if action != NO_ACTION and self._gumbel is None:
            search.advance(i, action)  # keeps the subtree below the move
        else:
            search.set_root(i)
        slot.full = uniform(slot.rng) < settings.full_share
        single = kernels.search_actions(kernels.row(search.roots, i), self._actions) == 1
        early = slot.plies < self._passless_plies
        excluded = self._game.pass_action if early else NO_ACTION
        sims = settings.sims if slot.full else settings.fast_sims
        noise = settings.dirichlet_epsilon if slot.full else 0.0
        if self._gumbel:
            noise = float(slot.full or slot.plies < settings.sample_plies)
        if slot.resigned or single:  # nothing to learn, or nothing to choose
            slot.full, sims, noise = False, settings.finish_sims or _GLANCE, 0.0
        search.start(i, sims, noise, settings.dirichlet_alpha_total, excluded)

    def choose(self, i: int, slot: _Slot) -> int:
        """The action to play in row `i`, or RESIGN."""
        tree = self._search.tree(i)
        if not slot.resigned:
            player = int(tree.mover[ts.ROOT])
            hopeless = slot.watches[player].update(float(ts.root_value(tree)))
            if hopeless and slot.would_resign is None:
                slot.would_resign = player
            if slot.resigned and self._settings.finish_sims == 0:
                return RESIGN
        child = best_child(self._gumbel, tree) if self._gumbel else ts.most_visited(tree, ts.ROOT)
        action = int(tree.action[child])
        if slot.resigned:
            slot.builder.skip(action)
            return action
        return self._record(i, slot, action)

    def _record(self, i: int, slot: _Slot, best: int) -> int:
        """Record the targets of the search in row `i`; returns the action to play."""
        search, settings = self._search, self._settings
        tree = search.tree(i)
        if self._gumbel and tree.proven[ts.ROOT] == ts.UNPROVEN:
            improved_policy(self._gumbel, tree, search.noise[i], self._policy)
        else:
            ts.root_policy(tree, self._policy)
        if slot.full:
            self._compare_with_prior(i)
        action = best
        if self._gumbel is None and self._sampling.applies(slot.plies):
            action = draw(self._policy, self._sampling.temperature, slot.rng)
        if slot.full or settings.learn_fast:
            value = float(ts.root_value(tree))  # as the player to move sees it
            slot.builder.add(action, best, self._policy, value, full_search=slot.full)
            self.stats["plies"] += 1
        else:
            slot.builder.skip(action)
        return action

    def finish(self, slot: _Slot, result: int) -> GameData:
        """The record of a game; `result` is player 0's, or NO_RESULT if the game is too long."""
        stats = self.stats
        stats["games"] += 1
        stats[{1: "won", -1: "lost"}.get(result, "drawn")] += 1
        if slot.would_resign is not None:
            stats["resigned"] += slot.resigned
            if self._settings.finish_sims or not slot.resigned:
                stats["checked"] += 1
                stats["wrong"] += result != 2 * slot.would_resign - 1
        return slot.builder.finish(result)

    def _compare_with_prior(self, i: int) -> None:
        """Compare the policy of the search in row `i` with the network's."""
        actions, prior = self._search.priors(i)
        policy = self._policy[actions]
        positive = policy > 0
        ratio = policy[positive] / np.maximum(prior[positive], 1e-9)
        self.stats.update(
            full=1, agreed=int(prior.argmax() == policy.argmax()), prior_entropy=_entropy(prior),
            entropy=_entropy(policy),
            divergence=float((policy[positive] * np.log(ratio)).sum()),
        )


def _entropy(shares: np.ndarray) -> float:
    positive = shares[shares > 0]
    return -math.fsum((positive * np.log(positive)).tolist())
