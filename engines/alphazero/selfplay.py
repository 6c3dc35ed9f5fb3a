"""Self-play: a network's search plays both sides of many games at once, to learn from them.

Each ply of a finished game holds what a network is to learn there: the search's policy, which is
better than the network's own, and who won (chapter 14 of the book; Silver et al. 2017). Games
differ, because early moves are drawn from the policy, and because noise in the root's priors sends
the search where the network would not look.

Not every move deserves a long search (playout cap randomisation; Wu, "Accelerating self-play
learning in Go", 2019): a result teaches the value as well if most moves took a short one. So only
a share of the plies gets the full number of simulations, with noise, and only their policies
are learned. The others are short and play to win.

With `forced`, full searches visit moves that only the noise suggests more than once, and those
visits are removed from the policy that is learned (`engines/treesearch/forced.py`). Moves are
drawn from the policy that is learned: a forced visit says nothing of a move's worth.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec
from dlgo.rng import below, derive_seed, uniform
from engines.alphazero.settings import SelfPlaySettings
from engines.learning.data.records import NO_RESULT, GameBuilder, GameData
from engines.learning.selfplay.drawing import Sampling, draw
from engines.learning.selfplay.lockstep import NO_ACTION, RESIGN, GameSlot, LockstepGames
from engines.termination import Resignation
from engines.treesearch import tree as ts
from engines.treesearch.batched_search import BatchedSearch
from engines.treesearch.forced import ForcedPUCT, prune
from engines.treesearch.gumbel import Gumbel, best_child, improved_policy
from engines.treesearch.leaf_evaluator import LeafEvaluator

# Simulations where there is only one move.
_GLANCE = 2


def new_search(
    game: GameSpec, settings: SelfPlaySettings, n: int, evaluator: LeafEvaluator
) -> BatchedSearch:
    """`n` searches as the settings want them."""
    capacity = 4 * max(settings.sims, settings.fast_sims) * game.num_actions
    return BatchedSearch(
        game, n, capacity, settings.rule(), evaluator, settings.ply_limit(game))


@dataclass
class SelfPlayStats:
    """What the games were like: sums, so that processes can add theirs.

    Attributes:
        games, evaluations, steps: counts; a step is one call of the network.
        remembered: evaluations that the network had answered before (`config.cache`).
        plies: those to be learned from.
        results: games lost, drawn and won by the first player.
        full: plies with a full search; the four that follow are summed over them.
        entropy: of the search's policy, in nats. prior_entropy: of the network's, without noise.
        divergence: Kullback-Leibler, from the network's policy to the search's, in nats.
        agreed: 1 where the network's favourite was the search's.
        resigned: games that were resigned.
        checked: games in which a player resigned, or would have, and that were played to the end.
        wrong: those of them that this player did not lose.
        networks: games by the network that played them: the number of its iteration.
        network_seconds: wall-clock time in the network. wall_seconds: in all. cpu_seconds: CPU
            time of the process.
    """

    games: int = 0
    plies: int = 0
    evaluations: int = 0
    remembered: int = 0
    steps: int = 0
    results: list[int] = field(default_factory=lambda: [0, 0, 0])
    full: int = 0
    entropy: float = 0.0
    prior_entropy: float = 0.0
    divergence: float = 0.0
    agreed: int = 0
    resigned: int = 0
    checked: int = 0
    wrong: int = 0
    networks: dict[str, int] = field(default_factory=dict)
    network_seconds: float = 0.0
    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0

    def add(self, other: SelfPlayStats) -> None:
        """Add the counts of other games to these."""
        for name, value in vars(other).items():
            mine = getattr(self, name)
            if isinstance(value, list):
                total = [a + b for a, b in zip(mine, value, strict=True)]
            elif isinstance(value, dict):
                total = {key: mine.get(key, 0) + value.get(key, 0) for key in {**mine, **value}}
            else:
                total = mine + value
            setattr(self, name, total)

    def ages(self, newest: int) -> tuple[float, int]:
        """How much older the networks that played are than another, in iterations.

        Args:
            newest: the iteration of that one.

        Returns:
            The mean over the games, and the most.
        """
        ages = [(newest - int(network), games) for network, games in self.networks.items()]
        total = sum(games for _, games in ages)
        mean = sum(age * games for age, games in ages) / max(total, 1)
        return mean, max((age for age, _ in ages), default=0)


@dataclass(kw_only=True)
class _Slot(GameSlot):
    """A game of self-play in progress.

    Attributes:
        builder: what is kept of the game. rng: shared with its search.
        watches: on the estimates of either player.
        full: whether the current search is a full one.
        may_resign: whether this game may be resigned, or is played on to check the rule.
        would_resign: the player who has resigned, or would have.
    """

    builder: GameBuilder
    rng: np.ndarray
    watches: tuple[Resignation, Resignation]
    full: bool = False
    may_resign: bool = True
    would_resign: int | None = None

    @property
    def resigned(self) -> bool:
        """Whether what is played now only serves to see the end."""
        return self.may_resign and self.would_resign is not None


class SelfPlay(LockstepGames[_Slot]):
    """Plays games of a network against itself; `play` yields (number, `GameData`).

    Args:
        game: what is played.
        evaluator: the network.
        settings: how games are played.
        seed: game k depends on it, on k, on the network, and on nothing else but rounding:
            a network's last digits may depend on the size of its batch.

    Attributes:
        stats: of all games so far.
    """

    def __init__(
        self, game: GameSpec, evaluator: LeafEvaluator, settings: SelfPlaySettings, seed: int
    ) -> None:
        self._search = new_search(game, settings, settings.games_at_once, evaluator)
        super().__init__([self._search], settings.ply_limit(game))
        self._game, self._settings, self._seed = game, settings, seed
        self._passless_plies = settings.plies_without_pass(game)
        self._sampling = Sampling(settings.sample_plies, settings.temperature)
        self._rule = settings.rule()
        self._gumbel = self._rule if isinstance(self._rule, Gumbel) else None
        self._actions = np.empty(game.num_actions, np.int64)
        self._policy = np.empty(game.num_actions)
        self.stats = SelfPlayStats()

    def play(self, numbers: Iterable[int]) -> Iterator[tuple[int, GameData]]:
        yield from super().play(numbers)
        self.stats.evaluations += self._search.evaluations
        self.stats.steps += self._search.steps
        self._search.evaluations = self._search.steps = 0

    def start_game(self, i: int, number: int) -> _Slot:
        game, settings = self._game, self._settings
        rng = self._search.seed(i, derive_seed(self._seed, "self-play", number))
        slot = _Slot(
            number=number, builder=GameBuilder(game), rng=rng,
            watches=(settings.resignation(), settings.resignation()),
        )
        slot.may_resign = settings.resign_below > 0 and (
            uniform(rng) >= settings.no_resign_fraction
        )
        state = kernels.row(self._search.roots, i)
        kernels.copy_into(state, game.new_kernel_state())
        if uniform(rng) < settings.random_share:
            for _ in range(1 + below(rng, settings.random_plies)):
                self._random_ply(state, slot)
        return slot

    def _random_ply(self, state: object, slot: _Slot) -> None:
        """Play a sensible move at random, unless it ends the game."""
        action = int(self._actions[below(slot.rng, kernels.search_actions(state, self._actions))])
        after = self._game.scratch_state(state)
        kernels.play(after, action)
        if not kernels.terminal(after) and action != self._game.pass_action:
            kernels.play(state, action)
            slot.builder.skip(action)
            slot.plies += 1

    def start_turn(self, i: int, slot: _Slot, played: int) -> None:
        search, settings = self._search, self._settings
        if played != NO_ACTION and settings.reuse and self._gumbel is None:
            search.advance(i, played)
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
        """Keep what is to be learned from the search in row `i`; the action to play."""
        search, settings = self._search, self._settings
        tree = search.tree(i)
        if self._gumbel and tree.proven[ts.ROOT] == ts.UNPROVEN:
            improved_policy(self._gumbel, tree, search.noise[i], self._policy)
        else:
            ts.root_policy(tree, self._policy)
        if slot.full and isinstance(self._rule, ForcedPUCT):
            prune(self._rule, tree, self._policy)
        if slot.full:
            self._compare_with_prior(i)
        action = best
        if self._gumbel is None and self._sampling.applies(slot.plies):
            action = draw(self._policy, self._sampling.temperature, slot.rng)
        if not slot.full and not settings.learn_fast:
            slot.builder.skip(action)
            return action
        slot.builder.add(
            action, best, self._policy, float(ts.root_value(tree)), full_search=slot.full
        )
        self.stats.plies += 1
        return action

    def finish(self, slot: _Slot, result: int) -> GameData:
        stats = self.stats
        stats.games += 1
        # Too long: as good as a draw.
        stats.results[1 if result == NO_RESULT else 1 + result] += 1
        if slot.would_resign is not None:
            stats.resigned += slot.resigned
            if self._settings.finish_sims or not slot.resigned:
                stats.checked += 1
                stats.wrong += result != 2 * slot.would_resign - 1
        return slot.builder.finish(result)

    def _compare_with_prior(self, i: int) -> None:
        """Compare the policy of the search in row `i` with the network's."""
        actions, prior = self._search.priors(i)
        policy = self._policy[actions]
        stats = self.stats
        stats.full += 1
        stats.agreed += int(prior.argmax() == policy.argmax())
        stats.prior_entropy += _entropy(prior)
        stats.entropy += _entropy(policy)
        positive = policy > 0
        ratio = policy[positive] / np.maximum(prior[positive], 1e-9)
        stats.divergence += float((policy[positive] * np.log(ratio)).sum())


def _entropy(shares: np.ndarray) -> float:
    positive = shares[shares > 0]
    return -math.fsum((positive * np.log(positive)).tolist())
