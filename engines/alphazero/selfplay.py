"""Self-play: a network's search plays both sides of many games at once, to learn from them.

Each ply of a finished game holds what a network shall learn there: the search's policy, which is
better than the network's own, and who won (chapter 14 of the book; Silver et al. 2017). Games
differ, because moves are drawn from the policy early in a game, and because noise in the
root's priors sends the search where the network would not look.

Not every move deserves a long search (playout cap randomisation; Wu, "Accelerating self-play
learning in Go", 2019): a result teaches the value as well if most moves took a short one. So only
a share of the plies gets the full number of simulations, with noise, and only their policies
are learned. The others are short and play to win.

With `forced`, full searches give the moves that noise points at more than a glance, and the
policy that is learned leaves those visits out (`engines/treesearch/forced.py`). A move that is
drawn is drawn from what is learned: a visit that says nothing of a move's worth is no reason to
play it.

Called by `workers.py`, and in part by `match.py`; calls `forest.py`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec
from dlgo.rng import below, derive_seed, uniform
from engines.alphazero.settings import SelfPlaySettings, longest_game, plies_without_pass
from engines.learning.data.records import NO_RESULT, GameBuilder, GameData
from engines.learning.selfplay.batched_search import NO_ACTION, Forest, root_policy, root_value
from engines.treesearch import tree as ts
from engines.treesearch.forced import ForcedPUCT, prune
from engines.treesearch.gumbel import Gumbel, best_child, improved_policy
from engines.treesearch.leaf_evaluator import LeafEvaluator

# Simulations where there is only one move.
_GLANCE = 2
# A player resigns after so many own moves in a row without hope: one estimate may be wrong.
_PATIENCE = 2


def new_forest(
    game: GameSpec, settings: SelfPlaySettings, n: int, evaluator: LeafEvaluator
) -> Forest:
    """`n` searches as the settings want them."""
    capacity = 4 * max(settings.sims, settings.fast_sims) * game.num_actions
    rule, noisy = settings.rules()
    return Forest(game, n, capacity, rule, evaluator, longest_game(game, settings), noisy)


@dataclass
class SelfPlayStats:
    """What the games were like; the doctor reads it. Sums, so that processes can add theirs.

    Attributes:
        games, evaluations, steps: counts; a step is one call of the network. plies: those to be
            learned from.
        results: games lost, drawn and won by the first player.
        full: plies with a full search; what follows is summed over them.
        entropy: of the search's policy, in nats. prior_entropy: of the network's, without noise.
        divergence: Kullback-Leibler, from the network's policy to the search's, in nats.
        agreed: how often the network's favourite was the search's.
        resigned: games that ended so. checked: games in which somebody resigned, or would have,
            and that were played to the end; wrong: those that this player did not lose.
        network_seconds, wall_seconds, cpu_seconds: of them the network, in all, and CPU time.
    """

    games: int = 0
    plies: int = 0
    evaluations: int = 0
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
    network_seconds: float = 0.0
    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0

    def add(self, other: SelfPlayStats) -> None:
        """Add the counts of other games to these."""
        for name, value in vars(other).items():
            mine = getattr(self, name)
            total = [a + b for a, b in zip(mine, value, strict=True)] if isinstance(
                value, list
            ) else mine + value
            setattr(self, name, total)


@dataclass
class _Seat:
    """A game in progress: what its row of the forest does not know."""

    number: int
    builder: GameBuilder
    rng: np.ndarray
    full: bool = False
    hopeless: list[int] = field(default_factory=lambda: [0, 0])
    may_resign: bool = True
    would_have: int | None = None  # the player who has resigned, or would have

    @property
    def given_up(self) -> bool:
        """Whether what is played now is only to see the end."""
        return self.may_resign and self.would_have is not None


class SelfPlay:
    """Plays games of a network against itself.

    Args:
        game: what is played.
        evaluator: the network.
        settings: how.
        seed: game k depends on it, on k, on the network, and on nothing else but rounding:
            a network's last digits may depend on the size of its batch.
    """

    def __init__(
        self, game: GameSpec, evaluator: LeafEvaluator, settings: SelfPlaySettings, seed: int
    ) -> None:
        self._game, self._settings, self._seed = game, settings, seed
        self._longest = longest_game(game, settings)
        self._first_pass = plies_without_pass(game, settings)
        _, self._noisy = settings.rules()
        self._gumbel = self._noisy if isinstance(self._noisy, Gumbel) else None
        self._forest = new_forest(game, settings, settings.games_at_once, evaluator)
        self._actions = np.empty(game.num_actions, np.int64)
        self._policy = np.empty(game.num_actions)
        self.stats = SelfPlayStats()

    def play(self, numbers: Iterable[int]) -> Iterator[tuple[int, GameData]]:
        """Play the games with these numbers; each comes with its number, as it ends."""
        waiting = iter(numbers)
        seats: list[_Seat | None] = [
            self._sit_down(i, waiting) for i in range(self._settings.games_at_once)
        ]
        forest = self._forest
        while any(seat is not None for seat in seats):
            forest.step()
            for i in np.flatnonzero(forest.left <= 0).tolist():
                seat = seats[i]
                if seat is None:
                    continue
                result = self._move(i, seat)
                if result is not None:
                    yield seat.number, self._finish(seat, result)
                    seats[i] = self._sit_down(i, waiting)
        self.stats.evaluations += forest.evaluations
        self.stats.steps += forest.steps
        forest.evaluations = forest.steps = 0

    def _sit_down(self, i: int, waiting: Iterator[int]) -> _Seat | None:
        """Begin the next game in row `i`; None if there is none."""
        number = next(waiting, None)
        if number is None:
            self._forest.left[i] = 0
            return None
        game, settings = self._game, self._settings
        rng = self._forest.seed(i, derive_seed(self._seed, "self-play", number))
        seat = _Seat(number, GameBuilder(game), rng)
        seat.may_resign = settings.resign > 0 and uniform(rng) >= settings.play_on
        state = kernels.row(self._forest.roots, i)
        kernels.copy_into(state, game.new_kernel_state())
        if uniform(rng) < settings.random_share:
            for _ in range(1 + below(rng, settings.random_plies)):
                self._random_ply(state, seat)
        self._forest.plant(i)
        self._begin_search(i, seat)
        return seat

    def _random_ply(self, state: object, seat: _Seat) -> None:
        """Play a sensible move at random, unless it ends the game."""
        action = int(self._actions[below(seat.rng, kernels.search_actions(state, self._actions))])
        after = self._game.scratch_state(state)
        kernels.apply(state, after, action)
        if not kernels.terminal(after) and action != self._game.pass_action:
            kernels.play(state, action)
            seat.builder.skip(action)

    def _begin_search(self, i: int, seat: _Seat) -> None:
        settings = self._settings
        state = kernels.row(self._forest.roots, i)
        seat.full = uniform(seat.rng) < settings.full_share
        forced = kernels.search_actions(state, self._actions) == 1
        no_pass = len(seat.builder) < self._first_pass
        without = self._game.pass_action if no_pass else NO_ACTION
        if seat.given_up or forced:  # there is nothing to learn, or nothing to choose
            seat.full = False
            self._forest.begin(i, settings.finish_sims or _GLANCE, 0.0, settings.noise, without)
            return
        noise = settings.noise_share if seat.full else 0.0
        if self._gumbel:
            noise = float(seat.full or len(seat.builder) < settings.sample_plies)
        self._forest.begin(
            i, settings.sims if seat.full else settings.fast_sims, noise, settings.noise, without
        )

    def _move(self, i: int, seat: _Seat) -> int | None:
        """Play what the search in row `i` has found; the game's result if that ends it."""
        forest, settings = self._forest, self._settings
        tree, state = forest.tree(i), kernels.row(forest.roots, i)
        if not seat.given_up:
            player = int(tree.mover[ts.ROOT])
            self._think_of_resigning(seat, player, float(root_value(tree)))
            if seat.given_up and settings.finish_sims == 0:
                return 2 * player - 1
        child = best_child(self._gumbel, tree) if self._gumbel else ts.most_visited(tree, ts.ROOT)
        action = int(tree.action[child])
        if seat.given_up:
            seat.builder.skip(action)
        else:
            action = self._record(i, seat, action)
        kernels.play(state, action)
        if kernels.terminal(state):
            return int(kernels.result(state))
        if len(seat.builder) >= self._longest:
            return NO_RESULT
        if settings.reuse and self._gumbel is None:
            forest.advance(i, action)
        else:
            forest.plant(i)
        self._begin_search(i, seat)
        return None

    def _record(self, i: int, seat: _Seat, chosen: int) -> int:
        """Note what is to be learned from the search in row `i`; the action to play."""
        forest, builder, settings = self._forest, seat.builder, self._settings
        tree = forest.tree(i)
        if self._gumbel and tree.proven[ts.ROOT] == ts.UNPROVEN:
            improved_policy(self._gumbel, tree, forest.noise[i], self._policy)
        else:
            root_policy(tree, self._policy)
        if seat.full and isinstance(self._noisy, ForcedPUCT):
            prune(self._noisy, tree, self._policy)
        if seat.full:
            self._note(i)
        action = chosen
        sampled = len(builder) < settings.sample_plies and settings.temperature > 0
        if sampled and self._gumbel is None:
            action = draw(self._policy, settings.temperature, seat.rng)
        if not seat.full and not settings.learn_fast:
            builder.skip(action)
            return action
        known = np.flatnonzero(self._policy)
        builder.add(
            action, chosen, dict(zip(known.tolist(), self._policy[known].tolist(), strict=True)),
            float(root_value(tree)), full_search=seat.full,
        )
        self.stats.plies += 1
        return action

    def _think_of_resigning(self, seat: _Seat, player: int, value: float) -> None:
        """Note in the seat if the player gives up, or would in a game that may be given up."""
        if self._settings.resign <= 0:
            return
        seat.hopeless[player] = seat.hopeless[player] + 1 if value < -self._settings.resign else 0
        if seat.hopeless[player] >= _PATIENCE and seat.would_have is None:
            seat.would_have = player

    def _finish(self, seat: _Seat, result: int) -> GameData:
        stats = self.stats
        stats.games += 1
        stats.results[0 if result == NO_RESULT else 1 + result] += result != NO_RESULT
        stats.results[1] += result == NO_RESULT  # too long: as good as a draw
        if seat.would_have is not None:
            stats.resigned += seat.given_up
            if self._settings.finish_sims or not seat.given_up:
                stats.checked += 1
                stats.wrong += result != 2 * seat.would_have - 1
        return seat.builder.finish(result)

    def _note(self, i: int) -> None:
        """Compare the policy of the search in row `i` with the network's."""
        actions, prior = self._forest.priors(i)
        policy = self._policy[actions]
        stats = self.stats
        stats.full += 1
        stats.agreed += int(prior.argmax() == policy.argmax())
        stats.prior_entropy += _entropy(prior)
        stats.entropy += _entropy(policy)
        some = policy > 0
        ratio = policy[some] / np.maximum(prior[some], 1e-9)
        stats.divergence += float((policy[some] * np.log(ratio)).sum())


def draw(policy: np.ndarray, temperature: float, rng: np.ndarray) -> int:
    """An action drawn from a policy, at a temperature above 0."""
    known = np.flatnonzero(policy)
    shares = (policy[known] / policy.max()) ** (1 / temperature)
    sums = np.cumsum(shares)
    return int(known[np.searchsorted(sums, uniform(rng) * sums[-1], side="right")])


def _entropy(shares: np.ndarray) -> float:
    some = shares[shares > 0]
    return -math.fsum((some * np.log(some)).tolist())
