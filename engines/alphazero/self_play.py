"""Self-play: a network's search plays both sides of many games at once, to learn from them.

Each ply of a finished game has the training targets of its position: the search's policy, which is
better than the network's own, and who won (chapter 14 of the book; Silver et al. 2017). Games
differ, because early moves are drawn from the policy, and because noise in the root's priors sends
the search where the network would not look.

Not every move deserves a long search (playout cap randomisation; Wu, "Accelerating self-play
learning in Go", 2019): a result teaches the value as well if most moves took a short one. So only
a share of the plies gets the full number of simulations, with noise, and only their policies
are learned. The others are short and play to win.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec
from dlgo.rng import below, derive_seed, uniform
from dlgo.vector import longest_game
from engines.alphazero.config import SelfPlaySettings
from engines.learning.data.records import NO_RESULT, GameBuilder, GameData
from engines.learning.selfplay.drawing import Sampling, draw
from engines.search import tree as ts
from engines.search.batched_search import NO_ACTION, BatchedSearch
from engines.search.gumbel import Gumbel, best_child, improved_policy
from engines.search.leaf_evaluator import LeafEvaluator
from engines.termination import Resignation

# Simulations where there is only one move.
_GLANCE = 2
# Own searches in a row that must be hopeless before a player resigns.
_PATIENCE = 2
# What `choose` answers when the player to move resigns.
_RESIGN = -2


def new_search(
    game: GameSpec, settings: SelfPlaySettings, n: int, evaluator: LeafEvaluator
) -> BatchedSearch:
    """`n` searches as the settings want them."""
    capacity = 4 * max(settings.sims, settings.fast_sims) * game.num_actions
    return BatchedSearch(game, n, capacity, settings.rule(), evaluator, longest_game(game))


class LockstepGames:
    """Games side by side, a row of the searches each, so that a network values many leaves at once.

    In every step all searches advance together, and the games whose search is done make a move.
    Subclasses say how a game starts (`start_game`) and its searches (`start_turn`), which move is
    played (`choose`), and what is kept of a game (`finish`).

    Args:
        searches: one, or one for each player; each holds the position of every game.
    """

    def __init__(self, game: GameSpec, searches: Sequence[BatchedSearch]) -> None:
        self._game, self._searches = game, searches
        self._max_plies = longest_game(game)

    def play(self, numbers: Iterable[int]) -> Iterator[tuple[int, Any]]:
        """Play the games with these numbers; yields (number, what is kept) as games end."""
        waiting = iter(numbers)
        slots = [self._start_next(i, waiting) for i in range(len(self._searches[0]))]
        while any(slot is not None for slot in slots):
            for search in self._searches:
                search.step()
            busy = np.any([search.remaining > 0 for search in self._searches], axis=0)
            for i in np.flatnonzero(~busy).tolist():
                slot = slots[i]
                if slot is None:
                    continue
                result = self._take_turn(i, slot)
                if result is not None:
                    yield slot.number, self.finish(slot, result)
                    slots[i] = self._start_next(i, waiting)

    def _start_next(self, i: int, waiting: Iterator[int]) -> Any:
        number = next(waiting, None)
        if number is None:
            return None
        for search in self._searches:
            kernels.copy_into(kernels.row(search.roots, i), self._game.new_kernel_state())
        slot = self.start_game(i, number)
        self.start_turn(i, slot, NO_ACTION)
        return slot

    def _take_turn(self, i: int, slot: Any) -> int | None:
        """Play the move of row `i`; the result for player 0 if that ends the game."""
        states = [kernels.row(search.roots, i) for search in self._searches]
        action = self.choose(i, slot)
        if action == _RESIGN:
            return 2 * int(kernels.to_move(states[0])) - 1
        for state in states:
            kernels.play(state, action)
        slot.plies += 1
        if kernels.terminal(states[0]):
            return int(kernels.result(states[0]))
        if slot.plies >= self._max_plies:
            return NO_RESULT
        self.start_turn(i, slot, action)
        return None


@dataclass
class _Slot:
    """A game of self-play in progress, in one row of the search."""

    number: int
    builder: GameBuilder  # what is kept of the game
    rng: np.ndarray  # shared with its search
    watches: tuple[Resignation, Resignation]  # on the estimates of either player
    may_resign: bool  # else the game is played on, to check the rule
    plies: int = 0
    full: bool = False  # whether the current search is a full one
    would_resign: int | None = None  # the player who has resigned, or would have

    @property
    def resigned(self) -> bool:
        """Whether what is played now only serves to see the end."""
        return self.may_resign and self.would_resign is not None


class SelfPlay(LockstepGames):
    """Plays games of a network against itself; `play` yields (number, `GameData`).

    Args:
        evaluator: the network.
        seed: game k depends on it, on k, on the network, and on nothing else but rounding:
            a network's last digits may depend on the size of its batch.

    Attributes:
        stats: sums over all games so far, which may be added to those of other processes:
            games, and those of them lost, drawn and won by player 0; plies to be learned from;
            evaluations, in steps (calls of the network); full: plies with a full search, and over
            these entropy and prior_entropy (of search and network, nats), divergence
            (Kullback-Leibler, of the search from the network), agreed (both have the same
            favourite); resigned games; checked: games in which a player resigned, or would have,
            and that were played to the end; wrong: those of them that this player did not lose.
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
        self._actions = np.empty(game.num_actions, np.int64)
        self._policy = np.empty(game.num_actions)
        self.stats: Counter[str] = Counter()

    def play(self, numbers: Iterable[int]) -> Iterator[tuple[int, GameData]]:
        yield from super().play(numbers)
        self.stats.update(evaluations=self._search.evaluations, steps=self._search.steps)
        self._search.evaluations = self._search.steps = 0

    def start_game(self, i: int, number: int) -> _Slot:
        settings = self._settings
        rng = self._search.seed(i, derive_seed(self._seed, "self-play", number))
        may_resign = settings.resign_below > 0 and uniform(rng) >= settings.no_resign_fraction
        watches = tuple(Resignation(settings.resign_below, _PATIENCE) for _ in range(2))
        slot = _Slot(number, GameBuilder(self._game), rng, watches, may_resign)
        if uniform(rng) < settings.random_share:
            for _ in range(1 + below(rng, settings.random_plies)):
                self._random_ply(kernels.row(self._search.roots, i), slot)
        return slot

    def _random_ply(self, state: Any, slot: _Slot) -> None:
        """Play a sensible move at random, unless it ends the game."""
        action = int(self._actions[below(slot.rng, kernels.search_actions(state, self._actions))])
        after = self._game.scratch_state(state)
        kernels.play(after, action)
        if not kernels.terminal(after) and action != self._game.pass_action:
            kernels.play(state, action)
            slot.builder.skip(action)
            slot.plies += 1

    def start_turn(self, i: int, slot: _Slot, played: int) -> None:
        """Start the search in row `i`; `played` led there (NO_ACTION: a new game)."""
        search, settings = self._search, self._settings
        if played != NO_ACTION and self._gumbel is None:
            search.advance(i, played)  # keeps the part of the tree below that move
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
        if slot.resigned or single:  # there is nothing to learn, or nothing to choose
            slot.full, sims, noise = False, settings.finish_sims or _GLANCE, 0.0
        search.start(i, sims, noise, settings.dirichlet_alpha_total, excluded)

    def choose(self, i: int, slot: _Slot) -> int:
        """The action to play in row `i`, or _RESIGN."""
        tree = self._search.tree(i)
        if not slot.resigned:
            player = int(tree.mover[ts.ROOT])
            hopeless = slot.watches[player].update(float(ts.root_value(tree)))
            if hopeless and slot.would_resign is None:
                slot.would_resign = player
            if slot.resigned and self._settings.finish_sims == 0:
                return _RESIGN
        child = best_child(self._gumbel, tree) if self._gumbel else ts.most_visited(tree, ts.ROOT)
        action = int(tree.action[child])
        if slot.resigned:
            slot.builder.skip(action)
            return action
        return self._record(i, slot, action)

    def _record(self, i: int, slot: _Slot, best: int) -> int:
        """Keep what is to be learned from the search in row `i`; the action to play."""
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
            value = float(ts.root_value(tree))  # of the player to move, as the value to learn
            slot.builder.add(action, best, self._policy, value, full_search=slot.full)
            self.stats["plies"] += 1
        else:
            slot.builder.skip(action)
        return action

    def finish(self, slot: _Slot, result: int) -> GameData:
        """The game; `result` is player 0's, or NO_RESULT for one that was too long."""
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
